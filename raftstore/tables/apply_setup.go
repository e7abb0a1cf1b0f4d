package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) setUp(c command.SetUp) command.Result {
	team, ok := get[farm.Team](t, bucketTeams, t.firstTeam())
	switch {
	case !ok:
		return refusef(farm.CodeNotFound, "the farm has no team yet")
	case t.hasAdministrator(c.At):
		return refusef(farm.CodeGone, "this farm has been set up already")
	case c.Person.Team != team.ID || !c.Person.Person || c.Person.Role != farm.RoleAdmin:
		return refusef(farm.CodeInvalid, "whoever sets a farm up is an administrator of its first team")
	case c.Password == "" || len(c.Password) > passwordLimit:
		return refusef(farm.CodeInvalid, "the hash of a password has %d bytes, and 1 to %d are kept", len(c.Password), passwordLimit)
	}
	if refused := t.tokenRefusal(c.Person); refused != nil {
		return refuse(refused)
	}
	if used := t.useCode(c.Code); used.Refused != nil {
		return used
	}
	if c.Studio != "" {
		team.Name = c.Studio
		put(t, bucketTeams, team.ID, team)
	}
	t.addToken(c.Person)
	put(t, bucketPasswords, c.Person.ID, farm.Password{Hash: c.Password, ChangedAt: c.At})
	return command.Result{}
}

// hasAdministrator says whether a person looks after the farm at a moment. Programs' tokens do not count.
func (t *tables) hasAdministrator(at time.Time) bool {
	first := t.firstTeam()
	for _, token := range all[farm.Token](t, bucketTokens) {
		if token.Person && token.Team == first && token.Role == farm.RoleAdmin && token.Usable(at) {
			return true
		}
	}
	return false
}

// HasAdministrator says whether a person looks after the farm at a moment.
func (tx *Tx) HasAdministrator(at time.Time) (bool, error) {
	return tx.t.hasAdministrator(at), tx.t.err
}
