package farm

import "time"

// Role is what a token may do. Each role includes those before it.
type Role string

// The roles, from the least to the most powerful.
const (
	RoleViewer   Role = "viewer"
	RoleArtist   Role = "artist"
	RoleProducer Role = "producer"
	RoleOperator Role = "operator"
	RoleAdmin    Role = "admin"
)

// Team owns records; a caller sees only its own team's.
type Team struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
	Budget    *Budget   `json:"budget,omitempty"` // of machine hours, for all that the team renders
}

// Token is an API token. Only the hash of its secret is kept. A revoked token is deleted.
type Token struct {
	ID        string    `json:"id"`
	Team      string    `json:"team"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	Hash      string    `json:"hash"` // hex SHA-256 of the secret, which holds 256 random bits
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero for never
	// LastUsedAt is accurate to about a minute: it is not worth a write per request.
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
	// Person says that the token stands for a person who signs in with links, not for a program.
	Person bool `json:"person,omitempty"`
	// Email is a person's address, in lower case, by which they may sign in; "" for none. No two have the same.
	Email string `json:"email,omitempty"`
}

// Usable says whether the token is valid at a moment.
func (t Token) Usable(at time.Time) bool { return t.ExpiresAt.IsZero() || at.Before(t.ExpiresAt) }

// Principal is who makes a request.
type Principal struct {
	TokenID string
	Name    string
	Team    string
	Role    Role
	// FirstTeam says that the principal belongs to the farm's first team, whose members manage what all teams share.
	FirstTeam bool
	// Session is the browser session of the request, the zero Session when the request shows a token.
	Session Session
}

// Session is a browser that is signed in as the holder of a token, until it expires or somebody signs it out.
type Session struct {
	ID    string
	Until time.Time
	Turn  int // how often its cookie has been replaced
}

// OpenSession is what the farm knows of a browser that is signed in.
type OpenSession struct {
	Session
	Token   string // whom it is signed in as
	Browser string // what it calls itself, shortened
	Address string // where it signed in from
	BegunAt time.Time
	UsedAt  time.Time // accurate to about a minute
	// TurnedAt is when its cookie was last replaced, or when it began.
	TurnedAt time.Time
}

// MostSessions is how many browsers may be signed in by one token.
const MostSessions = 50

// Over says whether the session has expired at a moment.
func (s OpenSession) Over(at time.Time) bool { return !at.Before(s.Until) }

// Password is what the farm keeps of a person's password.
type Password struct {
	Hash      string // with the parameters and the salt that made it, as the PHC string format has them
	ChangedAt time.Time
}
