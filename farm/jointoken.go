package farm

import "time"

// JoinToken is an invitation: whoever has its secret can make so many machines agents of the farm.
type JoinToken struct {
	ID         string    `json:"id"`
	Name       string    `json:"name,omitempty"` // whom or what it is for
	Hash       string    `json:"hash"`           // of its secret
	Tags       []string  `json:"tags,omitempty"` // that machines which come with it get
	Uses       int       `json:"uses"`           // machines that it was made for
	Left       int       `json:"left"`           // machines that may still come
	CreatedBy  string    `json:"createdBy"`      // name of the token or person, or of the program
	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
}

// Expired tells whether the invitation's time is over.
func (t JoinToken) Expired(at time.Time) bool { return !at.Before(t.ExpiresAt) }
