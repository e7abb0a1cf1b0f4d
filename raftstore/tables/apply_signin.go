package tables

import (
	"crypto/sha256"
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

const (
	// signInRulesKey is where the rules lie in their bucket.
	signInRulesKey = "farm"
	// identityLimit bounds an issuer and a subject, in bytes.
	identityLimit = 1000
)

func (t *tables) putSignInRules(c command.PutSignInRules) command.Result {
	was, _ := get[farm.SignInRules](t, bucketSignInRules, signInRulesKey)
	if c.Rules.Revision != was.Revision+1 {
		return refusef(farm.CodeConflict, "the rules have been changed since: revision %d is not the one after %d", c.Rules.Revision, was.Revision)
	}
	if wrong := c.Rules.Check(); len(wrong) > 0 {
		return refusef(farm.CodeInvalid, "%s %s", wrong[0].Field, wrong[0].Message)
	}
	for _, rule := range c.Rules.Groups {
		// A team of a rule that was there before may have gone since.
		if _, before := was.For([]string{rule.Group}, func(team string) bool { return team == rule.Team }); !before && !t.has(bucketTeams, rule.Team) {
			return refuse(noTeam(rule.Team))
		}
	}
	put(t, bucketSignInRules, signInRulesKey, c.Rules)
	return command.Result{}
}

func (t *tables) enterPerson(c command.EnterPerson) command.Result {
	if c.Issuer == "" || c.Subject == "" || len(c.Issuer) > identityLimit || len(c.Subject) > identityLimit {
		return refusef(farm.CodeInvalid, "an issuer and a subject have 1 to %d bytes", identityLimit)
	}
	identity, known := t.identity(c.Issuer, c.Subject)
	lost := c.Person.Role == ""
	if !lost {
		if !c.Person.Role.Known() {
			return refuse(unknownRole(c.Person.Role))
		}
		if !t.has(bucketTeams, c.Person.Team) {
			return refuse(noTeam(c.Person.Team))
		}
	}
	person := c.Person
	linked := false
	if !known && !lost {
		if person, linked = t.linkable(c); !linked {
			person = c.Person
			if t.emailTaken(person) {
				person.Email = ""
			}
			if refused := t.tokenRefusal(person); refused != nil {
				return refuse(refused)
			}
			if !person.Person {
				return refusef(farm.CodeInvalid, "only people sign in with a provider")
			}
		}
	}
	if used := t.useCode(c.Code); used.Refused != nil {
		return used
	}
	switch {
	case known && lost:
		t.loseAccess(identity, c)
	case known:
		t.renewAccess(identity, c)
	case lost: // somebody whom the farm does not know
	default:
		if !linked {
			t.addToken(person)
		}
		identity = farm.Identity{Issuer: c.Issuer, Subject: c.Subject, Token: person.ID, LinkedAt: c.At}
		t.saveIdentity(identity)
		t.set(bucketIdentitiesByToken, person.ID+sep+identityKey(c.Issuer, c.Subject), nil)
		if linked {
			t.renewAccess(identity, c)
		}
	}
	return command.Result{}
}

// linkable is the person whom somebody may be who comes for the first time. Whoever is linked to another subject of the same issuer is
// somebody else: the address has passed on.
func (t *tables) linkable(c command.EnterPerson) (farm.Token, bool) {
	if !c.Link || c.Person.Email == "" || c.Person.Role == "" {
		return farm.Token{}, false
	}
	for _, token := range all[farm.Token](t, bucketTokens) {
		if !token.Person || token.Email != c.Person.Email {
			continue
		}
		for _, other := range t.identities(token.ID) {
			if other.Issuer == c.Issuer {
				return farm.Token{}, false
			}
		}
		return token, true
	}
	return farm.Token{}, false
}

// loseAccess ends the access of a person who is in no group any more that opens the farm.
func (t *tables) loseAccess(identity farm.Identity, c command.EnterPerson) {
	person, ok := get[farm.Token](t, bucketTokens, identity.Token)
	if !ok || !identity.LostAt.IsZero() {
		return
	}
	identity.LostAt, identity.ExpiresAt = c.At, person.ExpiresAt
	t.saveIdentity(identity)
	if person.Usable(c.At) {
		person.ExpiresAt = c.At
	}
	t.saveToken(person)
	t.endSessionsOf(person, func(farm.OpenSession) bool { return true })
}

// renewAccess gives a person what the provider and the rules say of them now. An end that an administrator has set stays.
func (t *tables) renewAccess(identity farm.Identity, c command.EnterPerson) {
	was, ok := get[farm.Token](t, bucketTokens, identity.Token)
	if !ok {
		return
	}
	person := was
	person.Team, person.Role = c.Person.Team, c.Person.Role
	if c.Person.Name != "" {
		person.Name = c.Person.Name
	}
	if c.Person.Email != "" && c.Person.Email != was.Email {
		if person.Email = c.Person.Email; t.emailTaken(person) {
			person.Email = was.Email
		}
	}
	if !identity.LostAt.IsZero() {
		person.ExpiresAt = identity.ExpiresAt
		identity.LostAt, identity.ExpiresAt = farm.Identity{}.LostAt, farm.Identity{}.ExpiresAt
		t.saveIdentity(identity)
	}
	if person == was {
		return
	}
	t.leaveTeam(was, person.Team)
	t.saveToken(person)
}

// identityKey is under which an identity lies. Subjects may hold any character.
func identityKey(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + sep + subject))
	return fmt.Sprintf("%x", sum)
}

func (t *tables) identity(issuer, subject string) (farm.Identity, bool) {
	return get[farm.Identity](t, bucketIdentities, identityKey(issuer, subject))
}

func (t *tables) saveIdentity(i farm.Identity) {
	put(t, bucketIdentities, identityKey(i.Issuer, i.Subject), i)
}

// identities are those of a person.
func (t *tables) identities(token string) (list []farm.Identity) {
	for _, key := range t.keysUnder(bucketIdentitiesByToken, token+sep) {
		if i, ok := get[farm.Identity](t, bucketIdentities, key); ok {
			list = append(list, i)
		}
	}
	return list
}

// dropIdentities forgets how providers know a person.
func (t *tables) dropIdentities(token string) {
	for _, key := range t.keysUnder(bucketIdentitiesByToken, token+sep) {
		t.remove(bucketIdentities, key)
		t.remove(bucketIdentitiesByToken, token+sep+key)
	}
}

// SignInRules reads who may come in by single sign-on.
func (tx *Tx) SignInRules() (farm.SignInRules, error) {
	rules, _ := get[farm.SignInRules](tx.t, bucketSignInRules, signInRulesKey)
	return rules, tx.t.err
}

// Identity reads whom a provider means by a subject; CodeNotFound when the farm does not know them.
func (tx *Tx) Identity(issuer, subject string) (farm.Identity, error) {
	i, ok := tx.t.identity(issuer, subject)
	return found(tx, i, ok, "identity", subject)
}

// Identities reads how providers know a person.
func (tx *Tx) Identities(token string) ([]farm.Identity, error) {
	return tx.t.identities(token), tx.t.err
}
