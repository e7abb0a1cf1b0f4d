package people

import (
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// WaysIn are how a person can sign in.
type WaysIn struct {
	Password bool
	Passkeys []farm.Passkey // the oldest first
	// Providers are the issuers of single sign-on that know the person.
	Providers []string
}

// None says that only a link lets the person in.
func (w WaysIn) None() bool { return !w.Password && len(w.Passkeys) == 0 && len(w.Providers) == 0 }

// WaysIn tells how people sign in, by their ids. CodeForbidden when the caller is no administrator, CodeNotFound for somebody whom the caller
// does not look after.
func (d *Directory) WaysIn(_ context.Context, p farm.Principal, ids []string) (map[string]WaysIn, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return nil, err
	}
	ways := make(map[string]WaysIn, len(ids))
	err := d.state.View(func(tx *raftstore.Tx) error {
		for _, id := range ids {
			token, err := tx.Token(id)
			if err != nil {
				return err
			}
			if _, err := managedTeam(tx, p, token.Team); err != nil {
				return noSuchToken(id, true)
			}
			if ways[id], err = waysOf(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	return ways, err
}

func waysOf(tx *raftstore.Tx, id string) (w WaysIn, err error) {
	password, err := tx.Password(id)
	if err != nil {
		return w, err
	}
	if w.Passkeys, err = tx.Passkeys(id); err != nil {
		return w, err
	}
	oldestFirst(w.Passkeys)
	identities, err := tx.Identities(id)
	for _, identity := range identities {
		if !slices.Contains(w.Providers, identity.Issuer) {
			w.Providers = append(w.Providers, identity.Issuer)
		}
	}
	slices.Sort(w.Providers)
	w.Password = password.Hash != ""
	return w, err
}

// PasskeysOf lists the passkeys of a person, the oldest first; its errors are those of Token.
func (d *Directory) PasskeysOf(ctx context.Context, p farm.Principal, id string) ([]farm.Passkey, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return nil, err
	}
	if _, err := d.Token(ctx, p, id, true); err != nil {
		return nil, err
	}
	return d.passkeysOf(id)
}

// passkeysOf are the passkeys of a person, the oldest first.
func (d *Directory) passkeysOf(id string) (keys []farm.Passkey, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		keys, err = tx.Passkeys(id)
		return err
	})
	oldestFirst(keys)
	return keys, err
}

func oldestFirst(keys []farm.Passkey) {
	slices.SortFunc(keys, func(x, y farm.Passkey) int { return x.AddedAt.Compare(y.AddedAt) })
}

// RemovePasskeyOf takes a passkey of a person away, for when its device is lost. CodeConflict when they could not sign in any more: to reset their
// password takes all of that away and makes a link.
func (d *Directory) RemovePasskeyOf(ctx context.Context, p farm.Principal, id, passkey string) error {
	if err := p.May(farm.ActManageTokens); err != nil {
		return err
	}
	person, err := d.Token(ctx, p, id, true)
	if err != nil {
		return err
	}
	_, err = d.state.Apply(ctx, command.ChangePasskey{Token: id, ID: passkey, Remove: true, At: d.state.Now()})
	if farm.CodeOf(err) == farm.CodeConflict {
		return farm.Errorf(farm.CodeConflict, "this passkey is the only way in that %s has; reset the password instead, which removes it and makes a new link", person.Name)
	}
	if err == nil {
		d.log.Info("a passkey was removed", "person", person.Name, "id", id, "by", p.Name)
	}
	return err
}
