package farm

import (
	"fmt"
	"time"
)

// MostGossipKeys is how many keys a ring may hold.
const MostGossipKeys = 4

// GossipRing is the keys that encrypt gossip between coordinators and agents. Messages are encrypted with the first key
// and read with any.
type GossipRing struct {
	Revision int         `json:"revision"` // grows with each change; 0 while the farm has never changed a key
	Keys     []GossipKey `json:"keys"`
	At       time.Time   `json:"at"` // of the last change
}

// GossipKey is a key of the ring, sealed with the farm's key file.
type GossipKey struct {
	ID     string    `json:"id"`               // fingerprint
	Sealed []byte    `json:"sealed,omitempty"` // the key itself
	MadeAt time.Time `json:"madeAt,omitzero"`  // zero for the key that the farm began with
	// UseAt is when a new key becomes the one to encrypt with: every member that runs has it by then. Zero for a key
	// that is or was in use.
	UseAt time.Time `json:"useAt,omitzero"`
	// DropAt is when a replaced key leaves the ring; zero for one that stays.
	DropAt time.Time `json:"dropAt,omitzero"`
}

// Problem says what is wrong with a ring, "" for nothing.
func (r GossipRing) Problem() string {
	if len(r.Keys) == 0 || len(r.Keys) > MostGossipKeys {
		return fmt.Sprintf("a ring has 1 to %d keys, this one %d", MostGossipKeys, len(r.Keys))
	}
	seen := map[string]bool{}
	for i, key := range r.Keys {
		switch {
		case key.ID == "" || len(key.Sealed) == 0 || len(key.Sealed) > 1<<10:
			return fmt.Sprintf("key %d has no id, or no sealed key of a valid length", i)
		case seen[key.ID]:
			return fmt.Sprintf("the key %s is listed twice", key.ID)
		case i == 0 && !key.UseAt.IsZero():
			return "the first key is the one in use and cannot have a time from which it is used"
		}
		seen[key.ID] = true
	}
	return ""
}
