package command

import (
	"time"

	"overcrank/farm"
)

// PutSignInRules says who may come in by single sign-on. Its revision is one more than the one before, so that nobody overwrites what another
// has just changed.
type PutSignInRules struct{ Rules farm.SignInRules }

// EnterPerson lets somebody in whom a provider of single sign-on has vouched for, with the role that their groups give them now. Somebody who
// comes for the first time becomes a new person, or the one with the same e-mail address.
type EnterPerson struct {
	Issuer, Subject string
	// Person is who they are: team, role, name and e-mail address as they are now, the rest for somebody new. Without a role they lose
	// the access that they had.
	Person farm.Token
	Link   bool    // they may be the person who has the same e-mail address already
	Code   UseCode // that the sign-in was begun with; it is used up
	At     time.Time
}

// PutPasskey gives a person another passkey, and uses up the challenge that it answers.
type PutPasskey struct {
	Passkey farm.Passkey
	Code    UseCode
	At      time.Time
}

// ChangePasskey renames, uses or removes a passkey: exactly one of Name, Use and Remove is set.
type ChangePasskey struct {
	Token, ID string
	Name      string      `json:",omitempty"`
	Use       *PasskeyUse `json:",omitempty"`
	// Remove is refused with CodeConflict when the person could not sign in any more.
	Remove bool `json:",omitempty"`
	At     time.Time
}

// PasskeyUse is a sign-in by a passkey, and uses up the challenge that it answers.
type PasskeyUse struct {
	Code   UseCode
	Signs  uint32 // how often it says that it has signed
	Backed bool   // copies of it exist
}

func (PutSignInRules) Needs() int { return SignInLevel }
func (EnterPerson) Needs() int    { return SignInLevel }
func (PutPasskey) Needs() int     { return SignInLevel }
func (ChangePasskey) Needs() int  { return SignInLevel }
