package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Login is what somebody signs in with.
type Login struct {
	Name     string // or e-mail address
	Password string
	Address  string // where it comes from, as tries are counted
	Known    string // what KnownBrowser gave this browser, "" for none
}

// errLogin is the answer to all that does not sign in: it does not tell whether there is such a person.
var errLogin = farm.Errorf(farm.CodeUnauthorized, "this name and password do not belong together; if somebody else has your name, sign in with your e-mail address")

var errPassword = farm.Errorf(farm.CodeUnauthorized, "this is not the password")

// SignInWithPassword finds who signs in. CodeUnauthorized for a name that nobody, or more than one, has and for a wrong password, which
// take the same time; CodeRateLimited for too many tries.
func (d *Directory) SignInWithPassword(ctx context.Context, in Login) (farm.Principal, error) {
	if len(in.Name) > passwordMost || len(in.Password) > passwordMost {
		return farm.Principal{}, errLogin
	}
	id, password, err := d.account(in.Name)
	if err != nil {
		return farm.Principal{}, err
	}
	account := id
	if id == "" {
		sum := sha256.Sum256([]byte(sameName(in.Name)))
		account = "nobody " + hex.EncodeToString(sum[:])
	}
	if err := d.mayTry(ctx, Try{Account: account, Address: in.Address, Browser: d.knownAs(in.Known, id)}); err != nil {
		return farm.Principal{}, err
	}
	right, err := d.hashing.verify(ctx, in.Password, password.Hash)
	if err != nil {
		return farm.Principal{}, fmt.Errorf("checking the password: %w", err)
	}
	if !right {
		return farm.Principal{}, errLogin
	}
	d.hashAgain(ctx, id, in.Password, password.Hash)
	p, err := d.PrincipalOf(ctx, id)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		return farm.Principal{}, errLogin
	}
	return p, err
}

// mayTry counts a try, and is an error of CodeRateLimited that says when there may be another.
func (d *Directory) mayTry(ctx context.Context, t Try) error {
	wait, err := d.askTry(ctx, t)
	if err != nil {
		return fmt.Errorf("counting tries to sign in: %w", err)
	}
	if wait > 0 {
		return farm.Errorf(farm.CodeRateLimited, "too many tries to sign in; try again in %s", wording.Wait(wait))
	}
	return nil
}

// account is the only person with an e-mail address or a name, "" for none, and what is kept of the password.
func (d *Directory) account(name string) (id string, password farm.Password, err error) {
	name = sameName(name)
	err = d.state.View(func(tx *raftstore.Tx) error {
		people, err := tx.People()
		if err != nil {
			return err
		}
		named := 0
		for _, person := range people {
			if person.Email != "" && person.Email == name {
				id, named = person.ID, 1
				break
			}
			if sameName(person.Name) == name {
				// Whoever has no password signs in otherwise, and may be called anything by their provider.
				if its, err := tx.Password(person.ID); err != nil {
					return err
				} else if its.Hash != "" {
					id, named = person.ID, named+1
				}
			}
		}
		if named != 1 {
			id = ""
		}
		password, err = tx.Password(id)
		return err
	})
	return id, password, err
}

// sameName is a name as those are compared that people sign in with.
func sameName(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// hashAgain keeps a password that was right at today's cost. When it fails, the next time will do.
func (d *Directory) hashAgain(ctx context.Context, id, password, was string) {
	if !outdated(was) {
		return
	}
	hash, err := d.hashing.hash(ctx, password)
	if err == nil {
		_, err = d.state.Apply(ctx, command.SetPassword{Token: id, Hash: hash, Was: was, Same: true, At: d.state.Now()})
	}
	if err != nil {
		d.log.Warn("a password was not hashed again at the present cost", "person", id, "error", err)
	}
}
