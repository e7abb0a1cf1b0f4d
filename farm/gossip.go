package farm

import (
	"fmt"
	"time"
)

// MostGossipKeys is how many keys a ring may hold.
const MostGossipKeys = 4

// GossipRing is the keys of the pool in which coordinators and agents find each other. The first one is written with, all are read with.
type GossipRing struct {
	Revision int         `json:"revision"` // grows with each change; 0 while the farm has never changed a key
	Keys     []GossipKey `json:"keys"`
	At       time.Time   `json:"at"` // of the last change
}

// GossipKey is a key of the ring, sealed for whoever has the farm's key file.
type GossipKey struct {
	ID     string    `json:"id"`               // fingerprint
	Sealed []byte    `json:"sealed,omitempty"` // the key itself
	MadeAt time.Time `json:"madeAt,omitzero"`  // zero for the key that the farm began with
	// UseAt is when a new key becomes the one that is written with, when every member that is awake has it; zero for one that is or was.
	UseAt time.Time `json:"useAt,omitzero"`
	// DropAt is when a key leaves the ring that another one takes the place of; zero for one that stays.
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
			return fmt.Sprintf("key %d has no id, or nothing that was sealed", i)
		case seen[key.ID]:
			return fmt.Sprintf("the key %s stands there twice", key.ID)
		case i == 0 && !key.UseAt.IsZero():
			return "the first key is the one in use, and cannot wait for it"
		}
		seen[key.ID] = true
	}
	return ""
}
