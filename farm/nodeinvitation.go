package farm

import "time"

// NodeInvitation lets one machine become a coordinator of the farm: its secret gives access to the farm's keys.
type NodeInvitation struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"` // whom or what it is for
	Hash      string    `json:"hash"`           // of its secret
	CreatedBy string    `json:"createdBy"`      // name of the token or person
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	Node      string    `json:"node,omitempty"` // id of the coordinator that came with it, "" while none has
	UsedAt    time.Time `json:"usedAt,omitzero"`
}

// Expired tells whether the invitation has expired.
func (i NodeInvitation) Expired(at time.Time) bool { return !at.Before(i.ExpiresAt) }
