package people

import (
	"context"
	"net/mail"
	"strings"
	"time"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// expiredFor is how long a token that has expired stays listed, so that somebody can give it more time.
const expiredFor = 30 * 24 * time.Hour

// emailLimit bounds an e-mail address, in bytes (RFC 5321, 4.5.3.1.3).
const emailLimit = 254

// NewToken is what somebody asks for who makes a token.
type NewToken struct {
	Team      string // "" for the caller's own
	Name      string
	Role      farm.Role
	ExpiresAt time.Time // zero for never
	Person    bool      // for a person, not for a program
	Email     string    // of a person, "" for none
}

// TokenChange is what is to be changed about a token; nil leaves a field as it is, and a zero ExpiresAt means never.
type TokenChange struct {
	Name      *string
	Role      *farm.Role
	ExpiresAt *time.Time
	Email     *string // of a person; "" takes it away
	Team      *string // into which a person comes, for those who look after all teams
}

// Tokens lists the tokens of people or of programs of a team, by age; team is "" for the caller's own. CodeForbidden
// when the caller is no administrator, CodeNotFound for a team that the caller does not look after.
func (d *Directory) Tokens(_ context.Context, p farm.Principal, team string, people bool) ([]farm.Token, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return nil, err
	}
	var list []farm.Token
	err := d.state.View(func(tx *raftstore.Tx) error {
		team, err := managedTeam(tx, p, team)
		if err != nil {
			return err
		}
		all, err := tx.Tokens(team)
		for _, token := range all {
			if token.Person == people {
				list = append(list, d.withUse(token))
			}
		}
		return err
	})
	return list, err
}

// Token finds a token of a person or of a program; its errors are those of Tokens.
func (d *Directory) Token(_ context.Context, p farm.Principal, id string, person bool) (farm.Token, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return farm.Token{}, err
	}
	var token farm.Token
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		token, err = tx.Token(id)
		if err == nil {
			_, err = managedTeam(tx, p, token.Team)
		}
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && token.Person != person {
		return farm.Token{}, noSuchToken(id, person)
	}
	return d.withUse(token), err
}

// Self is the token that the caller uses.
func (d *Directory) Self(_ context.Context, p farm.Principal) (farm.Token, error) {
	var token farm.Token
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		token, err = tx.Token(p.TokenID)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return farm.Token{}, errNoToken // it was revoked a moment ago
	}
	return d.withUse(token), err
}

// MakeToken makes a token and gives its secret, which is kept nowhere. A person's token has a secret that nobody learns.
// CodeForbidden when the role is above the caller's own.
func (d *Directory) MakeToken(ctx context.Context, p farm.Principal, in NewToken) (token farm.Token, secret string, err error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return farm.Token{}, "", err
	}
	if err := d.checkAccess(p, &in.Role, &in.ExpiresAt); err != nil {
		return farm.Token{}, "", err
	}
	if in.Email, err = checkEmail(in.Email, in.Person); err != nil {
		return farm.Token{}, "", err
	}
	var team string
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		team, err = managedTeam(tx, p, in.Team)
		return err
	})
	if err != nil {
		return farm.Token{}, "", err
	}
	id, err := d.state.NewID()
	if err != nil {
		return farm.Token{}, "", err
	}
	secret = seal.NewSecret(tokenPrefix)
	token = farm.Token{
		ID: id, Team: team, Name: in.Name, Role: in.Role, Hash: seal.HashSecret(secret),
		CreatedAt: d.state.Now(), ExpiresAt: in.ExpiresAt, Person: in.Person, Email: in.Email,
	}
	if in.Person {
		secret = ""
	}
	if _, err := d.state.Apply(ctx, command.PutToken{Token: token}); err != nil {
		return farm.Token{}, "", err
	}
	d.log.Info("a token was made", "token", token.Name, "id", token.ID, "role", token.Role, "team", token.Team, "person", token.Person, "by", p.Name)
	return token, secret, nil
}

// ChangeToken changes what a token is called, may do, how long, and in which team. CodeConflict when nobody could administer the farm
// from then on, CodeForbidden for another team when the caller does not look after all of them.
func (d *Directory) ChangeToken(ctx context.Context, p farm.Principal, id string, person bool, change TokenChange) (farm.Token, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return farm.Token{}, err
	}
	token, err := d.Token(ctx, p, id, person)
	if err != nil {
		return farm.Token{}, err
	}
	if err := d.checkAccess(p, change.Role, change.ExpiresAt); err != nil {
		return farm.Token{}, err
	}
	if change.Email != nil {
		if *change.Email, err = checkEmail(*change.Email, person); err != nil {
			return farm.Token{}, err
		}
	}
	if change.Team != nil {
		if err := d.mayMove(p, token, *change.Team); err != nil {
			return farm.Token{}, err
		}
	}
	cmd := command.ChangeToken{ID: id, Name: change.Name, Role: change.Role, ExpiresAt: change.ExpiresAt, Email: change.Email, Team: change.Team, At: d.state.Now()}
	if _, err := d.state.Apply(ctx, cmd); err != nil {
		return farm.Token{}, err
	}
	d.log.Info("a token was changed", "token", token.Name, "id", id, "by", p.Name)
	return d.Token(ctx, p, id, person)
}

// mayMove is nil when somebody may bring the holder of a token into a team. Nobody moves themselves: the farm could be left without whoever looks after it.
func (d *Directory) mayMove(p farm.Principal, token farm.Token, team string) error {
	if team == token.Team {
		return nil
	}
	if err := p.May(farm.ActManageTeams); err != nil {
		return err
	}
	switch {
	case !token.Person:
		return farm.Invalid("the token was not changed", farm.Field("team", "cannot be changed: a program’s token stays in its team"))
	case token.ID == p.TokenID:
		return farm.Errorf(farm.CodeConflict, "nobody moves themselves to another team: have another administrator of the farm do it")
	}
	return d.state.View(func(tx *raftstore.Tx) error {
		if _, err := tx.Team(team); farm.CodeOf(err) == farm.CodeNotFound {
			return farm.Invalid("the person was not changed", farm.Field("team", "does not exist"))
		} else if err != nil {
			return err
		}
		return nil
	})
}

// RevokeToken ends a token at once, everywhere. CodeConflict for the last one that can administer the farm.
func (d *Directory) RevokeToken(ctx context.Context, p farm.Principal, id string, person bool) error {
	if err := p.May(farm.ActManageTokens); err != nil {
		return err
	}
	token, err := d.Token(ctx, p, id, person)
	if err != nil {
		return err
	}
	if _, err := d.state.Apply(ctx, command.RevokeToken{ID: id, At: d.state.Now()}); err != nil {
		return err
	}
	d.log.Info("a token was revoked", "token", token.Name, "id", id, "by", p.Name)
	return nil
}

// managedTeam is the team whose tokens p asks for, when p looks after them.
func managedTeam(tx *raftstore.Tx, p farm.Principal, team string) (string, error) {
	if team == "" {
		team = p.Team
	}
	if team != p.Team && !p.Can(farm.ActManageTeams) {
		return "", noSuchTeam(team)
	}
	if _, err := tx.Team(team); farm.CodeOf(err) == farm.CodeNotFound {
		return "", noSuchTeam(team)
	} else if err != nil {
		return "", err
	}
	return team, nil
}

// checkAccess refuses a role above the caller's own and an end that has passed; nil is not looked at.
func (d *Directory) checkAccess(p farm.Principal, role *farm.Role, until *time.Time) error {
	if until != nil && !until.IsZero() && !d.state.Now().Before(*until) {
		return farm.Invalid("the token would be of no use", farm.Field("expiresAt", "has passed already"))
	}
	if role == nil {
		return nil
	}
	if !role.Known() {
		return farm.Invalid("the token has no role", farm.Field("role", "has to be one of %v, not %q", farm.Roles(), *role))
	}
	if !p.Role.Allows(*role) {
		return farm.Errorf(farm.CodeForbidden, "the token %q has the role %s and can give no role above that, so not %s", p.Name, p.Role, *role)
	}
	return nil
}

// checkEmail is an e-mail address as it is kept, "" for none.
func checkEmail(address string, person bool) (string, error) {
	address = strings.ToLower(strings.TrimSpace(address))
	if address == "" {
		return "", nil
	}
	wrong := farm.Field("email", "%q is not an e-mail address", address)
	if !person {
		wrong = farm.Field("email", "programs have no e-mail address")
	} else if parsed, err := mail.ParseAddress(address); err == nil && parsed.Address == address && len(address) <= emailLimit {
		return address, nil
	}
	return "", farm.Invalid("the e-mail address cannot be used", wrong)
}

func noSuchToken(id string, person bool) error {
	if person {
		return farm.Errorf(farm.CodeNotFound, "there is no person %q", id)
	}
	return farm.Errorf(farm.CodeNotFound, "there is no token %q", id)
}

// DropExpiredTokens forgets tokens that expired long ago.
func (d *Directory) DropExpiredTokens(ctx context.Context) error {
	now := d.state.Now()
	var gone []string
	err := d.state.View(func(tx *raftstore.Tx) error {
		teams, err := tx.Teams()
		if err != nil {
			return err
		}
		for _, team := range teams {
			tokens, err := tx.Tokens(team.ID)
			if err != nil {
				return err
			}
			for _, token := range tokens {
				if !token.Usable(now.Add(-expiredFor)) {
					gone = append(gone, token.ID)
				}
			}
		}
		return nil
	})
	for _, id := range gone {
		if err != nil {
			break
		}
		_, err = d.state.Apply(ctx, command.RevokeToken{ID: id, At: now})
	}
	return err
}
