package wire

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// NodeRole is what a member of the gossip pool is.
type NodeRole string

// The roles of members.
const (
	RoleCoordinator NodeRole = "c"
	RoleAgent       NodeRole = "a"
)

// MaxNodeMeta is the largest encoding of a Node, in bytes. memberlist panics above 512.
const MaxNodeMeta = 400

// BetaMark stands behind the version of a beta.
const BetaMark = "b"

// Node is what a member of the gossip pool tells of itself to all others. Whoever holds the pool's key can write
// anything here, so it is a hint and authorises nothing.
type Node struct {
	ID        string   `json:"i"` // of the agent or of the coordinator
	Role      NodeRole `json:"r"`
	Version   string   `json:"v,omitempty"` // of overcrank
	Engines   []string `json:"e,omitempty"` // versions of After Effects, such as 26.0.2; of betas with BetaMark behind them
	Inventory string   `json:"h,omitempty"` // first 16 hex digits of the inventory's SHA-256
	Address   string   `json:"a,omitempty"` // of a coordinator: the base address that agents use
	Cluster   string   `json:"k,omitempty"` // of a coordinator: host:port at which other coordinators reach it
}

// Encode is the node's metadata. Where it would be too long the last engines are left out; too long without any is an error.
func (n Node) Encode() ([]byte, error) {
	b, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encoding gossip metadata: %w", err)
	}
	if len(b) <= MaxNodeMeta {
		return b, nil
	}
	if last := len(n.Engines) - 1; last >= 0 {
		n.Engines = n.Engines[:last]
		return n.Encode()
	}
	return nil, fmt.Errorf("gossip metadata of node %q takes %d bytes, %d are allowed", n.ID, len(b), MaxNodeMeta)
}

// DecodeNode reads what Encode wrote.
func DecodeNode(meta []byte) (Node, error) {
	var n Node
	if len(meta) > MaxNodeMeta {
		return n, fmt.Errorf("gossip metadata of %d bytes, %d are allowed", len(meta), MaxNodeMeta)
	}
	if err := json.Unmarshal(meta, &n); err != nil {
		return n, fmt.Errorf("reading gossip metadata: %w", err)
	}
	if n.ID == "" || (n.Role != RoleCoordinator && n.Role != RoleAgent) {
		return n, fmt.Errorf("gossip metadata without an id or with the unknown role %q", n.Role)
	}
	return n, nil
}

// Gossip is how agents take part in gossip. It holds secrets: it travels over an agent's own session alone, and is concealed wherever it
// is shown.
type Gossip struct {
	Keys  [][]byte `json:"keys"`            // of the pool, 32 bytes each: the first one is written with, all are read with
	Seeds []string `json:"seeds,omitempty"` // host:port of members to call
}

// String conceals the keys.
func (g Gossip) String() string { return "[redacted]" }

// GoString conceals the keys.
func (g Gossip) GoString() string { return "[redacted]" }

// LogValue conceals the keys.
func (g Gossip) LogValue() slog.Value { return slog.StringValue("[redacted]") }
