package tables

import (
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// passwordLimit bounds what is kept of a password, in bytes. A hash with its parameters takes about a hundred.
const passwordLimit = 1000

func (t *tables) setPassword(c command.SetPassword) command.Result {
	token, ok := get[farm.Token](t, bucketTokens, c.Token)
	now, _ := get[farm.Password](t, bucketPasswords, c.Token)
	switch {
	case !ok:
		return refuse(noToken(c.Token))
	case !token.Person:
		return refusef(farm.CodeInvalid, "%q is a program and has no password", token.Name)
	case len(c.Hash) > passwordLimit:
		return refusef(farm.CodeInvalid, "the hash of a password has %d bytes, and at most %d are kept", len(c.Hash), passwordLimit)
	case now.Hash != c.Was:
		return refusef(farm.CodeConflict, "the password has just been changed elsewhere; try again")
	}
	if c.Code != nil {
		if used := t.useCode(*c.Code); used.Refused != nil {
			return used
		}
	}
	if c.Hash == "" {
		t.remove(bucketPasswords, c.Token)
		t.dropPasskeys(c.Token) // one may be of whoever knew the password
	} else {
		if !c.Same {
			now.ChangedAt = c.At
		}
		now.Hash = c.Hash
		put(t, bucketPasswords, c.Token, now)
	}
	if !c.Same {
		t.endSessionsOf(token, func(s farm.OpenSession) bool { return s.ID != c.Keep })
	}
	return command.Result{}
}

func (t *tables) beginSession(c command.BeginSession) command.Result {
	s := c.Session
	if err := checkID("session", s.ID); err != nil {
		return refuse(err)
	}
	token, ok := get[farm.Token](t, bucketTokens, s.Token)
	switch {
	case !ok:
		return refuse(noToken(s.Token))
	case t.has(bucketSessions, sessionKey(s.Token, s.ID)):
		return refusef(farm.CodeConflict, "the session exists already")
	}
	t.endSessionsOf(token, func(before farm.OpenSession) bool { return before.Over(s.BegunAt) })
	if open := t.sessions(s.Token); len(open) >= farm.MostSessions {
		oldest := open[0]
		for _, other := range open[1:] {
			if other.UsedAt.Before(oldest.UsedAt) {
				oldest = other
			}
		}
		t.endSessionsOf(token, func(before farm.OpenSession) bool { return before.ID == oldest.ID })
	}
	put(t, bucketSessions, sessionKey(s.Token, s.ID), s)
	return command.Result{}
}

func (t *tables) turnSession(c command.TurnSession) command.Result {
	key := sessionKey(c.Token, c.ID)
	if s, ok := get[farm.OpenSession](t, bucketSessions, key); ok && s.Turn == c.Turn {
		s.Turn, s.TurnedAt = s.Turn+1, c.At
		if c.Until.After(s.Until) {
			s.Until = c.Until
		}
		put(t, bucketSessions, key, s)
	}
	return command.Result{}
}

func (t *tables) endSessions(c command.EndSessions) command.Result {
	token, ok := get[farm.Token](t, bucketTokens, c.Token)
	if !ok {
		return refuse(noToken(c.Token))
	}
	t.endSessionsOf(token, func(s farm.OpenSession) bool {
		return (c.ID == "" || s.ID == c.ID) && (!c.Over || s.Over(c.At))
	})
	return command.Result{}
}

// endSessionsOf ends those sessions of a token's holder that which chooses. Those who watch as members of the team are told.
func (t *tables) endSessionsOf(token farm.Token, which func(farm.OpenSession) bool) {
	for _, s := range t.sessions(token.ID) {
		if which(s) {
			t.remove(bucketSessions, sessionKey(token.ID, s.ID))
			t.note(farm.EventAccess, token.Team, token.ID)
		}
	}
}

// sessions are those that a token's holder has begun and nobody ended, by id.
func (t *tables) sessions(token string) []farm.OpenSession {
	var list []farm.OpenSession
	for _, id := range t.keysUnder(bucketSessions, token+sep) {
		if s, ok := get[farm.OpenSession](t, bucketSessions, sessionKey(token, id)); ok {
			list = append(list, s)
		}
	}
	return list
}

func sessionKey(token, id string) string { return token + sep + id }

// Session reads a session that nobody has ended, also one that is over.
func (tx *Tx) Session(token, id string) (farm.OpenSession, error) {
	s, ok := often[farm.OpenSession](tx.t, bucketSessions, sessionKey(token, id))
	return found(tx, s, ok, "session", id)
}

// Sessions reads all sessions of a token's holder, by id.
func (tx *Tx) Sessions(token string) ([]farm.OpenSession, error) {
	return tx.t.sessions(token), tx.t.err
}

// Password reads what is kept of a person's password, the zero Password for somebody who has none.
func (tx *Tx) Password(token string) (farm.Password, error) {
	password, _ := get[farm.Password](tx.t, bucketPasswords, token)
	return password, tx.t.err
}

// People reads all people of all teams, by id.
func (tx *Tx) People() ([]farm.Token, error) {
	var people []farm.Token
	for _, token := range all[farm.Token](tx.t, bucketTokens) {
		if token.Person {
			people = append(people, token)
		}
	}
	return people, tx.t.err
}

// TokensWithSessionsOver reads the ids of tokens that have sessions whose time is over.
func (tx *Tx) TokensWithSessionsOver(at time.Time) ([]string, error) {
	var ids []string
	for _, s := range all[farm.OpenSession](tx.t, bucketSessions) {
		if s.Over(at) && !slices.Contains(ids, s.Token) {
			ids = append(ids, s.Token)
		}
	}
	return ids, tx.t.err
}
