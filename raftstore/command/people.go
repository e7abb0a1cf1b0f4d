package command

import (
	"time"

	"overcrank/farm"
)

// PutTeam makes a team. The first one stays the farm's first team, which cannot be ended and whose administrators look
// after the others.
type PutTeam struct{ Team farm.Team }

// RenameTeam gives a team another name.
type RenameTeam struct{ ID, Name string }

// EndTeam removes a team with its tokens, templates and stored files; refused while jobs of it have not ended. What is
// left of its jobs can no longer be asked for.
type EndTeam struct {
	ID string
	At time.Time
}

// PutToken makes an API token.
type PutToken struct{ Token farm.Token }

// ChangeToken changes what a token is called, may do, how long, and in which team: nil leaves a field as it is, and a zero ExpiresAt
// means never. Whoever comes into another team is signed out, and what they had of the one before stays there.
type ChangeToken struct {
	ID        string
	Name      *string
	Role      *farm.Role
	ExpiresAt *time.Time
	Email     *string `json:",omitempty"` // of a person; "" takes it away
	Team      *string `json:",omitempty"` // of a person
	At        time.Time
}

// RevokeToken removes an API token. Like ChangeToken it is refused when nobody could administer the farm from then on.
type RevokeToken struct {
	ID string
	At time.Time
}

// TokenUse is when a token was last used.
type TokenUse struct {
	Token string
	At    time.Time
}

// SessionUse is when a browser's session was last used.
type SessionUse struct {
	Token, Session string
	At             time.Time
}

// RecordUses notes when tokens and sessions were last used. Those that are gone, and times before the one known, are passed over.
type RecordUses struct {
	Uses     []TokenUse
	Sessions []SessionUse `json:",omitempty"`
}

func (PutTeam) Needs() int     { return ClusterLevel }
func (RenameTeam) Needs() int  { return ClusterLevel }
func (EndTeam) Needs() int     { return ClusterLevel }
func (RevokeToken) Needs() int { return ClusterLevel }

// Needs is higher for a person with an e-mail address, which older programs would let two people have.
func (c PutToken) Needs() int {
	if c.Token.Email != "" {
		return PasswordsLevel
	}
	return ClusterLevel
}

// Needs is higher for what older programs would leave out.
func (c ChangeToken) Needs() int {
	switch {
	case c.Team != nil:
		return TeamMovesLevel
	case c.Email != nil:
		return PasswordsLevel
	}
	return ClusterLevel
}

// Needs is higher where sessions are told, which older programs do not know.
func (c RecordUses) Needs() int {
	if len(c.Sessions) > 0 {
		return PasswordsLevel
	}
	return ClusterLevel
}
