package people

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Account is what people see of their own access.
type Account struct {
	farm.Token
	Password farm.Password // without its hash; the zero Password for none
	Sessions []farm.OpenSession
	Passkeys []farm.Passkey // the oldest first
	// SignOn says that the person signs in with the studio's accounts.
	SignOn bool
}

// Account is that of the caller.
func (d *Directory) Account(ctx context.Context, p farm.Principal) (Account, error) {
	self, err := d.Self(ctx, p)
	if err != nil {
		return Account{}, err
	}
	a := Account{Token: self}
	if a.Password, err = d.passwordOf(p.TokenID); err != nil {
		return Account{}, err
	}
	a.Password.Hash = ""
	if a.Sessions, err = d.sessionsOf(p.TokenID); err != nil {
		return Account{}, err
	}
	if a.Passkeys, err = d.passkeysOf(p.TokenID); err != nil {
		return Account{}, err
	}
	err = d.state.View(func(tx *raftstore.Tx) error {
		identities, err := tx.Identities(p.TokenID)
		a.SignOn = len(identities) > 0
		return err
	})
	return a, err
}

func (d *Directory) passwordOf(id string) (password farm.Password, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		password, err = tx.Password(id)
		return err
	})
	return password, err
}

// PasswordChange is what somebody asks for who changes the own password.
type PasswordChange struct {
	Now, New string // Now is "" for somebody who has none
	Address  string // where it comes from, as tries are counted
}

// ChangePassword gives the caller another password, and ends all other sessions of theirs. CodeForbidden when the one that they have is
// wrong, CodeRateLimited for too many tries, CodeInvalid for a new one that would be guessed.
func (d *Directory) ChangePassword(ctx context.Context, p farm.Principal, in PasswordChange) error {
	self, err := d.Self(ctx, p)
	if err != nil {
		return err
	}
	if !self.Person {
		return farm.Errorf(farm.CodeConflict, "%q is a program and has no password", self.Name)
	}
	password, err := d.passwordOf(self.ID)
	if err != nil {
		return err
	}
	if password.Hash != "" {
		if err := d.mayTry(ctx, Try{Account: self.ID, Address: in.Address, Browser: "session " + p.Session.ID}); err != nil {
			return err
		}
		right, err := d.hashing.verify(ctx, in.Now, password.Hash)
		if err != nil {
			return err
		}
		if !right {
			return farm.Errorf(farm.CodeForbidden, "the current password is another one")
		}
	}
	return d.setPassword(ctx, self, in.New, command.SetPassword{Was: password.Hash, Keep: p.Session.ID})
}

// setPassword keeps another password of somebody in the place of the one that was checked. change says which one that was, which session
// goes on, and which code is used up.
func (d *Directory) setPassword(ctx context.Context, who farm.Token, password string, change command.SetPassword) error {
	if err := CheckPassword(password, who); err != nil {
		return err
	}
	hash, err := d.hashing.hash(ctx, password)
	if err != nil {
		return err
	}
	change.Token, change.Hash, change.At = who.ID, hash, d.state.Now()
	if _, err := d.state.Apply(ctx, change); err != nil {
		return err
	}
	d.log.Info("a password was set", "person", who.Name, "id", who.ID)
	return nil
}

// ResetPassword takes a person's password away and signs them out everywhere, for when somebody else knows it: only a new link lets them in.
func (d *Directory) ResetPassword(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageTokens); err != nil {
		return err
	}
	person, err := d.Token(ctx, p, id, true)
	if err != nil {
		return err
	}
	was, err := d.passwordOf(id)
	if err != nil {
		return err
	}
	if _, err := d.state.Apply(ctx, command.SetPassword{Token: id, Was: was.Hash, At: d.state.Now()}); err != nil {
		return err
	}
	d.log.Info("a password was reset", "person", person.Name, "id", id, "by", p.Name)
	return nil
}
