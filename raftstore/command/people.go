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

// ChangeToken changes what a token is called, may do, and how long: nil leaves a field as it is, and a zero ExpiresAt
// means never.
type ChangeToken struct {
	ID        string
	Name      *string
	Role      *farm.Role
	ExpiresAt *time.Time
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

// RecordUses notes when tokens were last used. Tokens that are gone, and times before the one known, are passed over.
type RecordUses struct{ Uses []TokenUse }

func (PutTeam) Needs() int     { return ClusterLevel }
func (RenameTeam) Needs() int  { return ClusterLevel }
func (EndTeam) Needs() int     { return ClusterLevel }
func (PutToken) Needs() int    { return ClusterLevel }
func (ChangeToken) Needs() int { return ClusterLevel }
func (RevokeToken) Needs() int { return ClusterLevel }
func (RecordUses) Needs() int  { return ClusterLevel }
