package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Bounds of what is kept of a passkey, in bytes. An id has 1,023 at most (Web Authentication, 4); keys are shorter than a kilobyte.
const (
	passkeyCredential = 1023
	passkeyKey        = 4096
	passkeyName       = 400
)

func (t *tables) putPasskey(c command.PutPasskey) command.Result {
	k := c.Passkey
	if err := checkID("passkey", k.ID); err != nil {
		return refuse(err)
	}
	token, ok := get[farm.Token](t, bucketTokens, k.Token)
	switch {
	case !ok:
		return refuse(noToken(k.Token))
	case !token.Person:
		return refusef(farm.CodeInvalid, "%q is a program and has no passkeys", token.Name)
	case len(k.Credential) == 0 || len(k.Credential) > passkeyCredential || len(k.Key) == 0 || len(k.Key) > passkeyKey || len(k.Name) > passkeyName:
		return refusef(farm.CodeInvalid, "the passkey is too large to be kept")
	case t.has(bucketPasskeysByID, k.ID):
		return refusef(farm.CodeConflict, "this passkey has been added already")
	case len(t.keysUnder(bucketPasskeys, k.Token+sep)) >= farm.MostPasskeys:
		return refusef(farm.CodeConflict, "there is room for %d passkeys; remove one first", farm.MostPasskeys)
	}
	if used := t.useCode(c.Code); used.Refused != nil {
		return used
	}
	t.set(bucketPasskeysByID, k.ID, []byte(k.Token))
	put(t, bucketPasskeys, k.Token+sep+k.ID, k)
	return command.Result{}
}

func (t *tables) changePasskey(c command.ChangePasskey) command.Result {
	key := c.Token + sep + c.ID
	k, ok := get[farm.Passkey](t, bucketPasskeys, key)
	switch {
	case !ok:
		return refusef(farm.CodeNotFound, "there is no passkey %q of this person", c.ID)
	case len(c.Name) > passkeyName:
		return refusef(farm.CodeInvalid, "the name of the passkey is too long")
	case c.Remove:
		if t.onlyWayIn(c.Token) {
			return refusef(farm.CodeConflict, "this passkey is the only way to sign in that is left; set a password or add another passkey first")
		}
		t.dropPasskey(k)
		return command.Result{}
	case c.Use == nil:
		k.Name = c.Name
		put(t, bucketPasskeys, key, k)
		return command.Result{}
	}
	if used := t.useCode(c.Use.Code); used.Refused != nil {
		return used
	}
	k.Signs, k.Backed, k.UsedAt = c.Use.Signs, c.Use.Backed, c.At
	put(t, bucketPasskeys, key, k)
	return command.Result{}
}

// onlyWayIn says whether a person has one passkey, and nothing else to sign in with.
func (t *tables) onlyWayIn(token string) bool {
	return len(t.keysUnder(bucketPasskeys, token+sep)) == 1 && !t.has(bucketPasswords, token) && !t.anyUnder(bucketIdentitiesByToken, token+sep)
}

func (t *tables) dropPasskey(k farm.Passkey) {
	t.remove(bucketPasskeys, k.Token+sep+k.ID)
	t.remove(bucketPasskeysByID, k.ID)
}

// dropPasskeys forgets all passkeys of a person.
func (t *tables) dropPasskeys(token string) {
	for _, k := range t.passkeys(token) {
		t.dropPasskey(k)
	}
}

func (t *tables) passkeys(token string) (list []farm.Passkey) {
	for _, id := range t.keysUnder(bucketPasskeys, token+sep) {
		if k, ok := get[farm.Passkey](t, bucketPasskeys, token+sep+id); ok {
			list = append(list, k)
		}
	}
	return list
}

// Passkeys reads the passkeys of a person, by id.
func (tx *Tx) Passkeys(token string) ([]farm.Passkey, error) {
	return tx.t.passkeys(token), tx.t.err
}
