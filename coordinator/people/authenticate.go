package people

import (
	"context"
	"crypto/subtle"
	"fmt"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// FirstToken makes the first team with an administrator's token when the farm has none, and returns its secret; it
// returns "" when there is one already. keep is given the secret before the farm knows it, so that a crash leaves no
// token that nobody holds; an error of keep leaves the farm without one.
func (d *Directory) FirstToken(ctx context.Context, keep func(secret string) error) (string, error) {
	_, tokens, err := d.firstTeam()
	if err != nil || tokens {
		return "", err
	}
	return d.NewAdminToken(ctx, keep)
}

// NewAdminToken makes another administrator's token for the farm's first team, for when the one before was lost. Tokens
// made earlier stay good.
func (d *Directory) NewAdminToken(ctx context.Context, keep func(secret string) error) (string, error) {
	team, _, err := d.firstTeam()
	if err != nil {
		return "", err
	}
	now := d.state.Now()
	if team == "" {
		if team, err = d.state.NewID(); err != nil {
			return "", err
		}
		if _, err := d.state.Apply(ctx, command.PutTeam{Team: farm.Team{ID: team, Name: "default", CreatedAt: now}}); err != nil {
			return "", err
		}
	}
	id, err := d.state.NewID()
	if err != nil {
		return "", err
	}
	secret := seal.NewSecret(tokenPrefix)
	if err := keep(secret); err != nil {
		return "", fmt.Errorf("keeping the administrator's token: %w", err)
	}
	_, err = d.state.Apply(ctx, command.PutToken{Token: farm.Token{
		ID: id, Team: team, Name: "admin", Role: farm.RoleAdmin, Hash: seal.HashSecret(secret), CreatedAt: now,
	}})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// firstTeam is the farm's first team, "" when it has none, and whether that team has any token.
func (d *Directory) firstTeam() (team string, tokens bool, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		if team, err = tx.FirstTeam(); err != nil || team == "" {
			return err
		}
		list, err := tx.Tokens(team)
		tokens = len(list) > 0
		return err
	})
	return team, tokens, err
}

// Authenticate finds who holds the secret of an API token; CodeUnauthorized otherwise.
func (d *Directory) Authenticate(_ context.Context, secret string) (farm.Principal, error) {
	hash := seal.HashSecret(secret)
	return d.principal(func(tx *raftstore.Tx) (farm.Token, error) {
		token, err := tx.TokenByHash(hash)
		if err == nil && subtle.ConstantTimeCompare([]byte(token.Hash), []byte(hash)) != 1 {
			err = errNoToken
		}
		return token, err
	})
}

// PrincipalOf finds who a token id stands for, as long as the token is good; for browser sessions.
func (d *Directory) PrincipalOf(_ context.Context, tokenID string) (farm.Principal, error) {
	return d.principal(func(tx *raftstore.Tx) (farm.Token, error) { return tx.Token(tokenID) })
}

// StillIn is an error when the caller's access has ended meanwhile: what takes long asks again before it counts.
func (d *Directory) StillIn(ctx context.Context, p farm.Principal) error {
	if p.TokenID == "" {
		return nil // the farm itself
	}
	_, err := d.Current(ctx, p)
	return err
}

var errNoToken = farm.Errorf(farm.CodeUnauthorized, "this token is not known, has expired or was revoked")

func (d *Directory) principal(find func(*raftstore.Tx) (farm.Token, error)) (farm.Principal, error) {
	var token farm.Token
	var first string
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		if token, err = find(tx); err != nil {
			return err
		}
		first, err = tx.FirstTeam()
		return err
	})
	now := d.state.Now()
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return farm.Principal{}, errNoToken
	case err != nil:
		return farm.Principal{}, err
	case !token.Usable(now):
		return farm.Principal{}, errNoToken
	}
	d.uses.note(user{token: token.ID}, now)
	return farm.Principal{
		TokenID: token.ID, Name: token.Name, Team: token.Team, Role: token.Role,
		FirstTeam: token.Team == first,
	}, nil
}
