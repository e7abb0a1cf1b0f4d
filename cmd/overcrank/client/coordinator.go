package client

import (
	"context"
	"net/http"
)

const (
	clusterPath         = "/api/farm/v1/cluster"
	nodeInvitationsPath = clusterPath + "/invitations"
)

// Cluster is how a farm's coordinators are, as the one that answers sees them.
type Cluster struct {
	Raw      `json:"-"`
	Farm     string        `json:"farm"`
	ID       string        `json:"id"`     // of the one that answers
	Leader   string        `json:"leader"` // "" while none leads
	Term     uint64        `json:"term"`
	Waiting  string        `json:"waiting"` // what the one that answers waits for, "" when it is one of them
	Voters   int           `json:"voters"`
	Alive    int           `json:"alive"` // of the voters
	Spare    int           `json:"spare"` // how many of these may fail
	Warnings []string      `json:"warnings"`
	Storage  Storage       `json:"storage"`
	Members  []Coordinator `json:"members"`
	Backups  []KnownBackup `json:"backups"` // the newest first
}

// Storage is where the coordinator that answers keeps the farm's files.
type Storage struct {
	Where  string       `json:"where"`
	Shared bool         `json:"shared"` // whether other coordinators can have all of them
	Move   *StorageMove `json:"move"`   // nil when none are on their way
}

// StorageMove is how far files are on their way from a coordinator's folder to its storage.
type StorageMove struct {
	From      string `json:"from"`
	Files     int64  `json:"files"` // that were there when it began, 0 until they have been counted
	Bytes     int64  `json:"bytes"`
	FilesLeft int64  `json:"filesLeft"`
	BytesLeft int64  `json:"bytesLeft"`
	Trouble   string `json:"trouble"` // why it does not go on
}

// Coordinator is one of a farm's coordinators.
type Coordinator struct {
	ID               string `json:"id"`
	Name             string `json:"name"`
	Address          string `json:"address"` // host:port at which the others reach it
	PublicAddress    string `json:"publicAddress"`
	Role             string `json:"role"` // leader, voter or non-voter
	Alive            bool   `json:"alive"`
	Trouble          string `json:"trouble"` // why it is not ready
	Version          string `json:"version"`
	Level            int    `json:"level"`
	LastContactAt    string `json:"lastContactAt"`
	Lag              uint64 `json:"lag"` // changes behind
	AppliedIndex     uint64 `json:"appliedIndex"`
	StateIndex       uint64 `json:"stateIndex"`
	Fingerprint      string `json:"fingerprint"`
	FingerprintIndex uint64 `json:"fingerprintIndex"`
	Differs          bool   `json:"differs"` // its state is not that of the others
	StateRebuilds    int64  `json:"stateRebuilds"`
	StateVerifiedAt  string `json:"stateVerifiedAt"`
	FreeBytes        int64  `json:"freeBytes"`
}

// IDAndName are what people name it by on the command line.
func (c Coordinator) IDAndName() (id, name string) { return c.ID, c.Name }

// NodeInvitation is an invitation of a coordinator.
type NodeInvitation struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedBy string `json:"createdBy"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt"`
	UsedBy    string `json:"usedBy"` // id of the coordinator that came with it
	UsedAt    string `json:"usedAt"`
	Token     string `json:"token"` // in the answer that makes it and never again
}

// IDAndName are what people name it by on the command line.
func (n NodeInvitation) IDAndName() (id, name string) { return n.ID, n.Name }

// NewNodeInvitation asks for one.
type NewNodeInvitation struct {
	Name      string `json:"name,omitempty"`
	ExpiresAt string `json:"expiresAt,omitempty"` // ISO 8601; "" means in a day
}

// Cluster tells how the farm's coordinators are.
func (c *Client) Cluster(ctx context.Context) (Cluster, error) {
	return fetch[Cluster](ctx, c, http.MethodGet, clusterPath, nil, nil)
}

// RemoveCoordinator makes a coordinator a member no more.
func (c *Client) RemoveCoordinator(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodPost, clusterPath+at("/%s/remove", id))
}

// TransferLead hands the farm's lead to a coordinator, to the one that does best where id is "".
func (c *Client) TransferLead(ctx context.Context, id string) error {
	if id == "" {
		return c.do(ctx, http.MethodPost, clusterPath+"/transfer")
	}
	return c.do(ctx, http.MethodPost, clusterPath+at("/%s/transfer", id))
}

// NodeInvitations lists the invitations of coordinators.
func (c *Client) NodeInvitations(ctx context.Context) (List[NodeInvitation], error) {
	return list[NodeInvitation](ctx, c, nodeInvitationsPath, nil)
}

// InviteNode invites a coordinator.
func (c *Client) InviteNode(ctx context.Context, in NewNodeInvitation) (NodeInvitation, error) {
	return fetchOnce[NodeInvitation](ctx, c, nodeInvitationsPath, in)
}

// RevokeNodeInvitation revokes an invitation of a coordinator.
func (c *Client) RevokeNodeInvitation(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, nodeInvitationsPath+at("/%s", id))
}
