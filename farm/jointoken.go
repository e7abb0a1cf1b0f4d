package farm

import "time"

// JoinToken is an invitation: with its secret, a limited number of machines can enrol as agents of the farm.
type JoinToken struct {
	ID         string    `json:"id"`
	Name       string    `json:"name,omitempty"` // whom or what it is for
	Hash       string    `json:"hash"`           // of its secret
	Tags       []string  `json:"tags,omitempty"` // given to the machines that enrol with it
	Uses       int       `json:"uses"`           // machines that could enrol with it at first
	Left       int       `json:"left"`           // machines that still can
	CreatedBy  string    `json:"createdBy"`      // name of the token or person, or of the program
	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
}

// Expired tells whether the invitation has expired.
func (t JoinToken) Expired(at time.Time) bool { return !at.Before(t.ExpiresAt) }
