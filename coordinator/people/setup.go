package people

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// setupLife is how long a farm can be set up by one code; each start of a coordinator makes another.
	setupLife = 24 * time.Hour
	// setupNames bounds the names of the administrator and of the studio, in characters.
	setupNames = 200
)

// Founder is who sets a farm up.
type Founder struct {
	Name, Email, Password string
	Studio                string // what the farm's first team is called from then on
}

var errSetUp = farm.Errorf(farm.CodeGone, "this link has been used, or has run out; start the coordinator again for another, or sign in if the farm has been set up")

// SetupCode makes a code with which somebody sets the farm up in a browser: makes themselves its administrator. The zero SignIn when a person
// administers the farm already. Whoever has the code has the farm.
func (d *Directory) SetupCode() (SignIn, error) {
	team, done, err := d.setUp()
	if err != nil || done || team == "" {
		return SignIn{}, err
	}
	return d.signInCode(setupCode, team, setupLife), nil
}

// setUp gives the farm's first team, and whether a person administers the farm.
func (d *Directory) setUp() (team string, done bool, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		if team, err = tx.FirstTeam(); err != nil {
			return err
		}
		done, err = tx.HasAdministrator(d.state.Now())
		return err
	})
	return team, done, err
}

// Deserted says whether the farm has no people at all, as a new one.
func (d *Directory) Deserted() (bool, error) {
	var people []farm.Token
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		people, err = tx.People()
		return err
	})
	return len(people) == 0, err
}

// AdmitsGroups says whether a group of the studio's accounts may come in by single sign-on.
func (d *Directory) AdmitsGroups() (bool, error) {
	var rules farm.SignInRules
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		rules, err = tx.SignInRules()
		return err
	})
	return len(rules.Groups) > 0, err
}

// LookAtSetup is nil while a code sets the farm up, and an error of CodeGone when it does not any more. It does not use the code up.
func (d *Directory) LookAtSetup(code string) error {
	subject, until, _ := d.readCode(code, setupCode)
	team, done, err := d.setUp()
	if err != nil {
		return err
	}
	if subject == "" || subject != team || done || !d.state.Now().Before(until) {
		return errSetUp
	}
	used, err := d.used(code, until)
	if err == nil && used {
		err = errSetUp
	}
	return err
}

// SetUp makes the farm's first administrator who is a person, and uses the code up. Its errors are those of LookAtSetup, and CodeInvalid for
// what cannot be used, with which the code stays good.
func (d *Directory) SetUp(ctx context.Context, code string, in Founder) (farm.Principal, error) {
	if err := d.LookAtSetup(code); err != nil {
		return farm.Principal{}, err
	}
	team, until, _ := d.readCode(code, setupCode)
	now := d.state.Now()
	person := farm.Token{Team: team, Name: strings.TrimSpace(in.Name), Role: farm.RoleAdmin, CreatedAt: now, Person: true, Hash: seal.HashSecret(seal.NewSecret(tokenPrefix))}
	studio := strings.TrimSpace(in.Studio)
	var err error
	if person.Email, err = checkEmail(in.Email, true); err != nil {
		return farm.Principal{}, err
	}
	for _, named := range []struct{ field, what, name string }{{"name", "your name", person.Name}, {"studio", "the studio’s name", studio}} {
		if named.name == "" || utf8.RuneCountInString(named.name) > setupNames {
			return farm.Principal{}, farm.Invalid("the farm cannot be set up like this",
				farm.Field(named.field, "%s needs 1 to %d characters", named.what, setupNames))
		}
	}
	if err := CheckPassword(in.Password, person); err != nil {
		return farm.Principal{}, err
	}
	hash, err := d.hashing.hash(ctx, in.Password)
	if err != nil {
		return farm.Principal{}, err
	}
	if person.ID, err = d.state.NewID(); err != nil {
		return farm.Principal{}, err
	}
	use := command.UseCode{Hash: hashCode(code), Until: until, At: now}
	_, err = d.state.Apply(ctx, command.SetUp{Person: person, Password: hash, Studio: studio, Code: use, At: now})
	if farm.CodeOf(err) == farm.CodeGone {
		return farm.Principal{}, errSetUp
	}
	if err != nil {
		return farm.Principal{}, err
	}
	d.log.Info("the farm was set up", "person", person.Name, "id", person.ID)
	return d.PrincipalOf(ctx, person.ID)
}
