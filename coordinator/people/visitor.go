package people

import (
	"context"
	"slices"
	"strings"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Visitor is somebody for whom the studio's provider of single sign-on has vouched.
type Visitor struct {
	Issuer, Subject string
	Name            string
	Email           string // that the provider has verified, "" for none
	Groups          []string
	Use             command.UseCode // of the sign-in, which is used up
}

// Enter lets a visitor in as what their groups make them. CodeForbidden when no group does, with which somebody who was let in before loses their
// access; CodeGone when the sign-in has been used.
func (d *Directory) Enter(ctx context.Context, v Visitor) (farm.Principal, error) {
	rules, rule, in, err := d.ruleFor(v.Groups)
	if err != nil {
		return farm.Principal{}, err
	}
	person := farm.Token{Team: rule.Team, Role: rule.Role, Name: v.Name, Email: v.Email, Person: true, CreatedAt: v.Use.At}
	if !in {
		person.Role = ""
	}
	if person.Email, err = checkEmail(v.Email, true); err != nil {
		person.Email = "" // what a provider calls an address need not be one
	}
	if person.ID, err = d.state.NewID(); err != nil {
		return farm.Principal{}, err
	}
	person.Hash = seal.HashSecret(seal.NewSecret(tokenPrefix))
	_, err = d.state.Apply(ctx, command.EnterPerson{Issuer: v.Issuer, Subject: v.Subject, Person: person, Link: rules.LinkByEmail, Code: v.Use, At: v.Use.At})
	if farm.CodeOf(err) == farm.CodeGone {
		return farm.Principal{}, errEntryUsed
	}
	if err != nil {
		return farm.Principal{}, err
	}
	if !in {
		return farm.Principal{}, d.errNoGroup()
	}
	p, err := d.entered(ctx, v)
	if err == nil {
		d.log.Info("somebody came in by single sign-on", "person", p.Name, "id", p.TokenID, "team", p.Team, "role", p.Role, "group", rule.Group)
	}
	return p, err
}

var errEntryUsed = farm.Errorf(farm.CodeGone, "this sign-in has been used already; begin again")

// entered is the person whom a visitor has become.
func (d *Directory) entered(ctx context.Context, v Visitor) (farm.Principal, error) {
	var who farm.Identity
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		who, err = tx.Identity(v.Issuer, v.Subject)
		return err
	})
	if err != nil {
		return farm.Principal{}, err
	}
	p, err := d.PrincipalOf(ctx, who.Token)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		err = farm.Errorf(farm.CodeForbidden, "your access to this farm has ended; ask %s", d.whomToAsk())
	}
	return p, err
}

// UseUp uses a sign-in up that lets nobody in.
func (d *Directory) UseUp(ctx context.Context, use command.UseCode) error {
	_, err := d.state.Apply(ctx, use)
	if farm.CodeOf(err) == farm.CodeGone {
		return errEntryUsed
	}
	return err
}

// ruleFor is the rule by which somebody in some groups comes in; in is false when none fits.
func (d *Directory) ruleFor(groups []string) (rules farm.SignInRules, rule farm.GroupRule, in bool, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		if rules, err = tx.SignInRules(); err != nil {
			return err
		}
		rule, in = rules.For(groups, func(team string) bool {
			_, missing := tx.Team(team)
			return missing == nil
		})
		return nil
	})
	return rules, rule, in, err
}

func (d *Directory) errNoGroup() error {
	return farm.Errorf(farm.CodeForbidden, "you are signed in to your account, but none of your groups may use this farm; ask %s to add one of them", d.whomToAsk())
}

// whomToAsk names people who administer the farm.
func (d *Directory) whomToAsk() string {
	const most = 3
	var names []string
	now := d.state.Now()
	err := d.state.View(func(tx *raftstore.Tx) error {
		first, err := tx.FirstTeam()
		if err != nil {
			return err
		}
		people, err := tx.People()
		for _, person := range people {
			if person.Team == first && person.Role == farm.RoleAdmin && person.Usable(now) && len(names) < most {
				names = append(names, person.Name)
			}
		}
		return err
	})
	if err != nil || len(names) == 0 {
		return "an administrator"
	}
	slices.Sort(names)
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// SignInRules are who may come in by single sign-on.
func (d *Directory) SignInRules(_ context.Context, p farm.Principal) (rules farm.SignInRules, err error) {
	if err := p.May(farm.ActManageTeams); err != nil {
		return rules, err
	}
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		rules, err = tx.SignInRules()
		return err
	})
	return rules, err
}

// PutSignInRules changes who may come in by single sign-on, from their next sign-in on. The revision of rules is the one that was changed;
// CodeConflict when there is a later one.
func (d *Directory) PutSignInRules(ctx context.Context, p farm.Principal, rules farm.SignInRules) error {
	if err := p.May(farm.ActManageTeams); err != nil {
		return err
	}
	if wrong := rules.Check(); len(wrong) > 0 {
		return farm.Invalid("these rules cannot be used", wrong...)
	}
	rules.Revision, rules.At, rules.By = rules.Revision+1, d.state.Now(), p.Name
	if _, err := d.state.Apply(ctx, command.PutSignInRules{Rules: rules}); err != nil {
		return err
	}
	d.log.Info("who signs in with single sign-on was changed", "groups", len(rules.Groups), "by", p.Name)
	return nil
}

// RuleFor is the rule by which somebody in some groups would come in, for those who test that; ok is false when none fits.
func (d *Directory) RuleFor(_ context.Context, p farm.Principal, groups []string) (rule farm.GroupRule, ok bool, err error) {
	if err := p.May(farm.ActManageTeams); err != nil {
		return rule, false, err
	}
	_, rule, ok, err = d.ruleFor(groups)
	return rule, ok, err
}
