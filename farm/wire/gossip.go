package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// MaxGossipMeta is how long a member's gossip metadata may be, in bytes: memberlist panics above 512.
const MaxGossipMeta = 400

// The timing of the gossip pool. Every member uses the same. Workstations sleep and roam, so suspicion takes longer
// than memberlist's LAN profile, and members join again and again, because memberlist forgets those it lost.
const (
	GossipProbeInterval  = 2 * time.Second
	GossipProbeTimeout   = time.Second
	GossipSuspicionMult  = 6
	GossipRejoinInterval = 15 * time.Second
)

// GossipRole tells what a member of the gossip pool is.
type GossipRole string

// The roles of members.
const (
	GossipCoordinator GossipRole = "c"
	GossipAgent       GossipRole = "a"
)

// GossipMeta is what a member tells of itself by gossip. It is a hint: it authorises nothing.
type GossipMeta struct {
	Role      GossipRole `json:"r"`
	ID        string     `json:"i"`           // of the agent or the node; it is the member's name too
	Version   string     `json:"v,omitempty"` // of overcrank
	Engines   []string   `json:"e,omitempty"` // versions of After Effects, newest first; the embedded engine is not listed
	Inventory string     `json:"h,omitempty"` // first 16 hex digits of the inventory's hash
	Address   string     `json:"a,omitempty"` // base address of a coordinator's interface
}

// Encode gives the bytes to gossip, never more than MaxGossipMeta: what does not fit is left out, engines first.
func (m GossipMeta) Encode() []byte {
	for {
		b, err := json.Marshal(m)
		if err == nil && len(b) <= MaxGossipMeta {
			return b
		}
		switch {
		case len(m.Engines) > 0:
			m.Engines = m.Engines[:len(m.Engines)-1]
		case m.Version != "":
			m.Version = ""
		case m.Inventory != "":
			m.Inventory = ""
		case m.Address != "":
			m.Address = ""
		default:
			return []byte("{}")
		}
	}
}

// DecodeGossipMeta reads what Encode wrote. Its input is hostile: whoever holds the pool's key can send anything.
func DecodeGossipMeta(b []byte) (GossipMeta, error) {
	var m GossipMeta
	if len(b) > MaxGossipMeta {
		return m, fmt.Errorf("gossip metadata of %d bytes, %d allowed", len(b), MaxGossipMeta)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return GossipMeta{}, fmt.Errorf("reading gossip metadata: %w", err)
	}
	if m.Role != GossipCoordinator && m.Role != GossipAgent {
		return GossipMeta{}, fmt.Errorf("gossip metadata of an unknown role %q", m.Role)
	}
	return m, nil
}
