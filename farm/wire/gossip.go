package wire

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// NodeRole is the kind of a member of the gossip pool.
type NodeRole string

// The roles of members.
const (
	RoleCoordinator NodeRole = "c"
	RoleAgent       NodeRole = "a"
)

// MaxNodeMeta is the largest encoding of a Node, in bytes. memberlist panics above 512.
const MaxNodeMeta = 400

// BetaMark follows the version of a beta.
const BetaMark = "b"

// Node is what a member of the gossip pool announces to all others. Whoever holds the pool's key can write anything
// here, so it is a hint and authorises nothing.
type Node struct {
	ID        string   `json:"i"` // of the agent or of the coordinator
	Role      NodeRole `json:"r"`
	Version   string   `json:"v,omitempty"` // of overcrank
	Engines   []string `json:"e,omitempty"` // versions of After Effects, such as 26.0.2; those of betas end in BetaMark
	Inventory string   `json:"h,omitempty"` // first 16 hex digits of the inventory's SHA-256
	Address   string   `json:"a,omitempty"` // of a coordinator: the base address that agents use
	Cluster   string   `json:"k,omitempty"` // of a coordinator: host:port at which other coordinators reach it
}

// Encode is the node's metadata. The last engines are left out when it would be too long; it is an error when it is too
// long without any.
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

// Gossip is what an agent needs to take part in gossip. It contains secrets: it travels only over an agent's own
// session, and is concealed wherever it is shown.
type Gossip struct {
	Keys  [][]byte `json:"keys"`            // of the pool, 32 bytes each: the first encrypts, any of them decrypts
	Seeds []string `json:"seeds,omitempty"` // host:port of members to join
}

// String conceals the keys.
func (g Gossip) String() string { return "[redacted]" }

// GoString conceals the keys.
func (g Gossip) GoString() string { return "[redacted]" }

// LogValue conceals the keys.
func (g Gossip) LogValue() slog.Value { return slog.StringValue("[redacted]") }
