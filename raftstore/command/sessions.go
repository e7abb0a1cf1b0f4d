package command

import (
	"time"

	"overcrank/farm"
)

// SetPassword gives a person another password. It is refused with CodeConflict when the hash kept so far is not Was: what was checked
// against an older one counts no more.
type SetPassword struct {
	Token string
	Hash  string // "" leaves the person without a password and without passkeys
	Was   string // the hash that it replaces, "" for none
	// Same says that it is the same password, hashed at today's cost. Otherwise all sessions of the person end, except Keep.
	Same bool   `json:",omitempty"`
	Keep string `json:",omitempty"`
	// Code is the code with which the person chooses the password; it is used up with that, or refused as UseCode is. Nil for none.
	Code *UseCode `json:",omitempty"`
	At   time.Time
}

// BeginSession signs a browser in. A token has farm.MostSessions of them at most: the one that was unused for longest makes way.
type BeginSession struct{ Session farm.OpenSession }

// TurnSession counts that the cookie of a session is replaced. Nothing happens when it was replaced since, or the session has ended.
type TurnSession struct {
	Token, ID string
	Turn      int // so far
	At        time.Time
	Until     time.Time `json:",omitzero"` // when the session is to end from now on; zero, or no later than so far, changes nothing
}

// EndSessions signs browsers out that are signed in by a token.
type EndSessions struct {
	Token string
	ID    string `json:",omitempty"` // of the only one that ends
	Over  bool   `json:",omitempty"` // only those end whose time is over
	At    time.Time
}

func (SetPassword) Needs() int  { return PasswordsLevel }
func (BeginSession) Needs() int { return PasswordsLevel }
func (TurnSession) Needs() int  { return PasswordsLevel }
func (EndSessions) Needs() int  { return PasswordsLevel }
