package farmv1

import (
	"context"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/coordinator/cluster"
	"overcrank/farm"
)

// clusterBody is how the farm's coordinators are, as the one that answers sees them.
type clusterBody struct {
	Farm   string `json:"farm"`
	ID     string `json:"id"`
	Leader string `json:"leader"`
	Term   int64  `json:"term"`
	// Waiting is what the one that answers waits for before it is one of them, "" when it is.
	Waiting  string       `json:"waiting"`
	Voters   int          `json:"voters"`
	Alive    int          `json:"alive"`
	Spare    int          `json:"spare"`
	Warnings []string     `json:"warnings"`
	Storage  storageBody  `json:"storage"`
	Members  []memberBody `json:"members"`
	Backups  []backupBody `json:"backups"`
}

// storageBody is where the coordinator that answers keeps the farm's files.
type storageBody struct {
	Where  string           `json:"where"`
	Shared bool             `json:"shared"`
	Move   *storageMoveBody `json:"move"` // null when none are on their way
}

// storageMoveBody is how far files are on their way from a coordinator's folder to its storage.
type storageMoveBody struct {
	From      string `json:"from"`
	Files     int64  `json:"files"`
	Bytes     int64  `json:"bytes"`
	FilesLeft int64  `json:"filesLeft"`
	BytesLeft int64  `json:"bytesLeft"`
	Trouble   string `json:"trouble"`
}

// memberBody is one coordinator.
type memberBody struct {
	ID               string      `json:"id"`
	Name             string      `json:"name"`
	Address          string      `json:"address"`
	PublicAddress    string      `json:"publicAddress"`
	Role             string      `json:"role"`
	Alive            bool        `json:"alive"`
	Trouble          string      `json:"trouble"`
	Version          string      `json:"version"`
	Level            int         `json:"level"`
	LastContactAt    answer.Time `json:"lastContactAt"`
	Lag              int64       `json:"lag"`
	AppliedIndex     int64       `json:"appliedIndex"`
	StateIndex       int64       `json:"stateIndex"`
	Fingerprint      string      `json:"fingerprint"`
	FingerprintIndex int64       `json:"fingerprintIndex"`
	Differs          bool        `json:"differs"`
	StateRebuilds    int64       `json:"stateRebuilds"`
	StateVerifiedAt  answer.Time `json:"stateVerifiedAt"`
	FreeBytes        int64       `json:"freeBytes"`
}

func clusterShape(c cluster.Status) clusterBody {
	body := clusterBody{
		Farm: c.Farm, ID: c.Self, Leader: c.Leader, Term: int64(c.Term), Waiting: c.Waiting,
		Voters: c.Standing.Voters, Alive: c.Standing.Alive, Spare: c.Standing.Spare,
		Warnings: append([]string{}, c.Warnings...), Members: make([]memberBody, len(c.Members)), Backups: answer.Each(c.Backups, backupShape),
		Storage: storageBody{Where: c.Storage.Where, Shared: c.Storage.Shared},
	}
	if move := c.Storage.Move; move != nil {
		body.Storage.Move = &storageMoveBody{
			From: move.From, Files: move.Files, Bytes: move.Bytes, FilesLeft: move.FilesLeft, BytesLeft: move.BytesLeft, Trouble: move.Trouble,
		}
	}
	for i, m := range c.Members {
		body.Members[i] = memberBody{
			ID: m.ID, Name: m.Name, Address: m.Cluster, PublicAddress: m.Public, Role: string(m.Role), Alive: !m.Dead, Trouble: m.Trouble,
			Version: m.Version, Level: m.Level, LastContactAt: answer.Time(m.LastContact), Lag: int64(m.Lag), AppliedIndex: int64(m.Applied), StateIndex: int64(m.State),
			Fingerprint: m.Fingerprint, FingerprintIndex: int64(m.FingerprintIndex), Differs: m.Differs, FreeBytes: m.Free,
			StateRebuilds: m.Rebuilds, StateVerifiedAt: answer.Time(m.Verified),
		}
	}
	return body
}

// Authority is what makes the certificates of the farm.
type Authority interface {
	Authority(ctx context.Context, p farm.Principal) (coordinator.AuthorityInfo, error)
}

// clusterHandlers answers for the farm's coordinators, and for the keys that they share.
type clusterHandlers struct {
	cluster   *cluster.Cluster
	gossip    *cluster.Gossip
	authority Authority
}

func (h clusterHandlers) routes() []route.Route {
	const coordinators = root + "/cluster"
	return []route.Route{
		route.Get(coordinators, farm.ActManageCoordinators, h.getCluster).WithoutLeader(), // it is asked when there is none, more than ever
		route.Post(coordinators+"/transfer", farm.ActManageCoordinators, h.transferLead),
		route.Post(coordinators+"/:id/transfer", farm.ActManageCoordinators, h.transferLead),
		route.Post(coordinators+"/:id/remove", farm.ActManageCoordinators, h.removeNode),
		route.Get(coordinators+"/invitations", farm.ActManageCoordinators, h.listNodeInvitations),
		route.Post(coordinators+"/invitations", farm.ActManageCoordinators, h.makeNodeInvitation),
		route.Delete(coordinators+"/invitations/:id", farm.ActManageCoordinators, h.revokeNodeInvitation),
		route.Get(coordinators+"/authority", farm.ActManageCoordinators, h.getAuthority),
		route.Get(coordinators+"/gossip-keys", farm.ActManageCoordinators, h.listGossipKeys),
		route.Post(coordinators+"/gossip-keys", farm.ActManageCoordinators, h.rotateGossipKey),
	}
}

func (h clusterHandlers) getCluster(c *fiber.Ctx, p farm.Principal) error {
	var index uint64
	if text := c.Query("index"); text != "" {
		var err error
		if index, err = strconv.ParseUint(text, 10, 64); err != nil {
			return farm.Invalid("the question cannot be answered", farm.Field("index", "has to be a whole number from 0 on"))
		}
	}
	ctx, done := request.Call(c)
	defer done()
	status, err := h.cluster.Status(ctx, p, index)
	if err != nil {
		return err
	}
	return answer.OK(c, clusterShape(status))
}

func (h clusterHandlers) removeNode(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.cluster.Remove(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

// transferLead hands the lead to the coordinator that the address names.
func (h clusterHandlers) transferLead(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.cluster.TransferLead(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

// nodeInvitationBody is an invitation of a coordinator. The answer to its making also holds the token, once.
type nodeInvitationBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	CreatedBy string      `json:"createdBy"`
	CreatedAt answer.Time `json:"createdAt"`
	ExpiresAt answer.Time `json:"expiresAt"`
	UsedBy    string      `json:"usedBy"`
	UsedAt    answer.Time `json:"usedAt"`
	Token     string      `json:"token,omitempty"`
}

func nodeInvitationShape(i farm.NodeInvitation) nodeInvitationBody {
	return nodeInvitationBody{
		ID: i.ID, Name: i.Name, CreatedBy: i.CreatedBy, CreatedAt: answer.Time(i.CreatedAt), ExpiresAt: answer.Time(i.ExpiresAt),
		UsedBy: i.Node, UsedAt: answer.Time(i.UsedAt),
	}
}

func (h clusterHandlers) listNodeInvitations(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.cluster.Invitations(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, nodeInvitationShape))
}

func (h clusterHandlers) makeNodeInvitation(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return err
	}
	o.Only("name", "expiresAt")
	name, end := strings.TrimSpace(o.Text("name", input.NameLimit)), input.Time(o, "expiresAt")
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	invitation, token, err := h.cluster.Invite(ctx, p, name, end)
	if err != nil {
		return err
	}
	shape := nodeInvitationShape(invitation)
	shape.Token = token
	return answer.Created(c, shape)
}

func (h clusterHandlers) revokeNodeInvitation(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.cluster.RevokeInvitation(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}
