package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func noToken(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "token %q does not exist", id)
}

func unknownRole(role farm.Role) *farm.Error {
	return farm.Errorf(farm.CodeInvalid, "role %q does not exist; a token is a viewer, artist, producer, operator or admin", role)
}

func (t *tables) putToken(c command.PutToken) command.Result {
	if refused := t.tokenRefusal(c.Token); refused != nil {
		return refuse(refused)
	}
	t.addToken(c.Token)
	return command.Result{}
}

// tokenRefusal says why a token cannot be added, nil when it can.
func (t *tables) tokenRefusal(token farm.Token) *farm.Error {
	if err := checkID("token", token.ID); err != nil {
		return err
	}
	switch {
	case !t.has(bucketTeams, token.Team):
		return noTeam(token.Team)
	case !token.Role.Known():
		return unknownRole(token.Role)
	case token.Hash == "":
		return farm.Errorf(farm.CodeInvalid, "token %q has no secret", token.Name)
	case t.has(bucketTokens, token.ID):
		return farm.Errorf(farm.CodeConflict, "token %s exists already", token.ID)
	case t.has(bucketTokensByHash, token.Hash):
		return farm.Errorf(farm.CodeConflict, "another token has the same secret")
	case t.emailTaken(token):
		return emailTaken(token.Email)
	}
	return nil
}

func (t *tables) addToken(token farm.Token) {
	t.saveToken(token)
	t.set(bucketTokensByHash, token.Hash, []byte(token.ID))
}

func (t *tables) changeToken(c command.ChangeToken) command.Result {
	was, ok := get[farm.Token](t, bucketTokens, c.ID)
	if !ok {
		return refuse(noToken(c.ID))
	}
	token := was
	if c.Name != nil {
		token.Name = *c.Name
	}
	if c.Role != nil {
		token.Role = *c.Role
	}
	if c.ExpiresAt != nil {
		token.ExpiresAt = *c.ExpiresAt
	}
	if c.Email != nil {
		token.Email = *c.Email
	}
	if c.Team != nil {
		token.Team = *c.Team
	}
	switch {
	case !token.Role.Known():
		return refuse(unknownRole(token.Role))
	case c.Team != nil && !t.has(bucketTeams, *c.Team):
		return refuse(noTeam(*c.Team))
	case token.Team != was.Team && !was.Person:
		return refusef(farm.CodeInvalid, "%q is a program's token and stays in its team", was.Name)
	}
	if token.Email != was.Email && t.emailTaken(token) {
		return refuse(emailTaken(token.Email))
	}
	if !t.administers(token, c.At) && t.isLastAdmin(was, c.At) {
		return refuse(lastAdmin(was))
	}
	t.leaveTeam(was, token.Team)
	t.saveToken(token)
	return command.Result{}
}

// leaveTeam sees to it that nothing of a team's work goes on reaching a person who comes into another one.
func (t *tables) leaveTeam(was farm.Token, to string) {
	if to == was.Team {
		return
	}
	t.note(farm.EventAccess, was.Team, was.ID)
	t.dropNotices(was)
	t.dropViews(was.ID)
	t.endSessionsOf(was, func(farm.OpenSession) bool { return true })
}

func (t *tables) revokeToken(c command.RevokeToken) command.Result {
	token, ok := get[farm.Token](t, bucketTokens, c.ID)
	if !ok {
		return refuse(noToken(c.ID))
	}
	if t.isLastAdmin(token, c.At) {
		return refuse(lastAdmin(token))
	}
	t.dropToken(token)
	return command.Result{}
}

// saveToken writes a token whose access has changed.
func (t *tables) saveToken(token farm.Token) {
	put(t, bucketTokens, token.ID, token)
	t.note(farm.EventAccess, token.Team, token.ID)
}

func (t *tables) dropToken(token farm.Token) {
	t.note(farm.EventAccess, token.Team, token.ID)
	t.remove(bucketTokens, token.ID)
	t.remove(bucketTokensByHash, token.Hash)
	t.remove(bucketPasswords, token.ID)
	t.dropIdentities(token.ID)
	t.dropPasskeys(token.ID)
	t.endSessionsOf(token, func(farm.OpenSession) bool { return true })
	t.dropNotices(token)
	t.remove(bucketPersonal, token.ID)
}

// emailTaken says whether somebody else signs in with the e-mail address of a token.
func (t *tables) emailTaken(token farm.Token) bool {
	if token.Email == "" {
		return false
	}
	for _, other := range all[farm.Token](t, bucketTokens) {
		if other.Email == token.Email && other.ID != token.ID {
			return true
		}
	}
	return false
}

func emailTaken(address string) *farm.Error {
	return farm.Errorf(farm.CodeConflict, "somebody else signs in with the e-mail address %q", address)
}

// administers says whether a token can look after the farm at a moment. People do not count: each of them needs somebody
// else for a way to sign in.
func (t *tables) administers(token farm.Token, at time.Time) bool {
	return token.Team == t.firstTeam() && token.Role == farm.RoleAdmin && !token.Person && token.Usable(at)
}

// isLastAdmin says whether nobody but this token can look after the farm at a moment.
func (t *tables) isLastAdmin(token farm.Token, at time.Time) bool {
	if !t.administers(token, at) {
		return false
	}
	for _, other := range all[farm.Token](t, bucketTokens) {
		if other.ID != token.ID && t.administers(other, at) {
			return false
		}
	}
	return true
}

func lastAdmin(token farm.Token) *farm.Error {
	return farm.Errorf(farm.CodeConflict,
		"%q is the farm's last administrator's token and has to stay one; make another first (overcrank tokens create NAME --role admin, or a start with --new-admin-token)", token.Name)
}

func (t *tables) recordUses(c command.RecordUses) command.Result {
	for _, use := range c.Uses {
		if token, ok := get[farm.Token](t, bucketTokens, use.Token); ok && use.At.After(token.LastUsedAt) {
			token.LastUsedAt = use.At
			put(t, bucketTokens, token.ID, token)
		}
	}
	for _, use := range c.Sessions {
		key := sessionKey(use.Token, use.Session)
		if s, ok := get[farm.OpenSession](t, bucketSessions, key); ok && use.At.After(s.UsedAt) {
			s.UsedAt = use.At
			put(t, bucketSessions, key, s)
		}
	}
	return command.Result{}
}
