package client

import (
	"context"
	"net/http"
)

const gossipKeysPath = "/api/farm/v1/cluster/gossip-keys"

// GossipKeys is the keys of gossip, by their fingerprints.
type GossipKeys struct {
	Raw  `json:"-"`
	Keys []GossipKey `json:"keys"` // the one in use first
}

// GossipKey is a key of gossip. Times are ISO 8601, "" for none.
type GossipKey struct {
	Fingerprint string `json:"fingerprint"`
	InUse       bool   `json:"inUse"`
	MadeAt      string `json:"madeAt"`
	UseAt       string `json:"useAt"`  // when members begin to write with it
	DropAt      string `json:"dropAt"` // when members forget it
}

// GossipTurn says how long a change of the key takes; 0 means the farm's own times.
type GossipTurn struct {
	Spread int `json:"spreadSeconds,omitempty"`
	Keep   int `json:"keepSeconds,omitempty"`
}

// GossipKeys lists the keys of gossip.
func (c *Client) GossipKeys(ctx context.Context) (GossipKeys, error) {
	return fetch[GossipKeys](ctx, c, http.MethodGet, gossipKeysPath, nil, nil)
}

// RotateGossipKey begins to change the key of gossip.
func (c *Client) RotateGossipKey(ctx context.Context, in GossipTurn) (GossipKeys, error) {
	return fetch[GossipKeys](ctx, c, http.MethodPost, gossipKeysPath, nil, in)
}

// Authority is the farm's certificate authority. Times are ISO 8601.
type Authority struct {
	Raw         `json:"-"`
	Fingerprint string `json:"fingerprint"`
	Subject     string `json:"subject"`
	Issuer      string `json:"issuer"`
	OwnRoot     bool   `json:"ownRoot"` // the farm founded it itself
	NotBefore   string `json:"notBefore"`
	NotAfter    string `json:"notAfter"`
	Certificate string `json:"certificate"` // PEM
}

// Authority tells of the farm's certificate authority.
func (c *Client) Authority(ctx context.Context) (Authority, error) {
	return fetch[Authority](ctx, c, http.MethodGet, "/api/farm/v1/cluster/authority", nil, nil)
}
