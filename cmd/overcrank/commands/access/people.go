package access

import (
	"context"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// People are the commands below overcrank people.
type People struct {
	List     peopleList     `cmd:"" default:"withargs" help:"List the people of the team."`
	Create   peopleCreate   `cmd:"" help:"Create a person; the link with which they choose a password is printed."`
	Set      peopleSet      `cmd:"" help:"Change a person's name, role, e-mail address, end of access or team."`
	Link     peopleLink     `cmd:"" help:"Create a new link with which a person chooses a password, once."`
	Reset    peopleReset    `cmd:"" help:"Make a person's password useless, sign the person out everywhere, and print a new link."`
	Sessions peopleSessions `cmd:"" help:"List the browsers in which a person is signed in."`
	SignOut  peopleSignOut  `cmd:"" help:"Sign a person out, everywhere or in one browser."`
	Passkeys passkeys       `cmd:"" help:"List a person's passkeys, and remove one whose device is lost."`
	Groups   groups         `cmd:"" help:"Say which groups of the studio's accounts come in by single sign-on, and as what."`
	Delete   peopleDelete   `cmd:"" help:"Delete people; their access ends on every coordinator at once."`
}

type peopleList struct {
	remote.Flags
	teamFlag
}

func (l peopleList) Run(ctx context.Context, out *terminal.Output) error {
	return listAccess(ctx, l.Flags, l.teamFlag, (*client.Client).People, personTable, out)
}

type peopleCreate struct {
	newAccessFlags
	Email string `help:"E-mail address, with which the person may sign in too."`
	remote.SecretFile
	remote.Flags
}

func (p peopleCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	in, err := p.request(ctx, c)
	if err != nil {
		return err
	}
	in.Email = p.Email
	person, err := c.CreatePerson(ctx, in)
	if err != nil {
		return err
	}
	if p.JSON {
		if person.SignIn == nil {
			return out.Answer(person.JSON())
		}
		return p.GiveAnswer(out, person.JSON(), person.SignIn.URL)
	}
	out.Remark("%s (%s), role %s.", person.Name, person.ID, person.Role)
	if person.SignIn == nil {
		out.Remark("A link with which they choose a password: overcrank people link %s", person.ID)
		return nil
	}
	return giveLink(*person.SignIn, p.SecretFile, out)
}

// giveLink hands over a link with which a person signs in.
func giveLink(link client.SignInLink, to remote.SecretFile, out *terminal.Output) error {
	out.Remark("This link works once, until %s.", terminal.LocalTime(link.ExpiresAt))
	return to.Give(out, link.URL)
}

// personFlags name one person.
type personFlags struct {
	Person string `arg:"" help:"Id or name of the person." complete:"person"`
	remote.Flags
	teamFlag
}

// open is the farm, and the id of the person.
func (p personFlags) open(ctx context.Context) (c *client.Client, id string, err error) {
	if c, err = p.Client(); err != nil {
		return nil, "", err
	}
	id, err = p.find(ctx, c, "person", p.Person, c.People)
	return c, id, err
}

type peopleSet struct {
	personFlags
	Name    *string `help:"The new name."`
	Role    *string `help:"viewer, artist, producer, operator or admin."`
	Email   *string `help:"The new e-mail address; empty for none."`
	Expires string  `help:"When their access ends: a day, a time, or in how long, such as 2027-01-31 or 720h; never for no end."`
	MoveTo  string  `help:"Id or name of the team that they come into, for administrators of the farm. They are signed out; their jobs stay with the team before." complete:"team"`
}

func (p peopleSet) Run(ctx context.Context, out *terminal.Output) error {
	change := client.PersonChange{Name: p.Name, Role: p.Role, Email: p.Email}
	var err error
	if change.Ends, err = newEnd(p.Expires); err != nil {
		return err
	}
	if change == (client.PersonChange{}) && p.MoveTo == "" {
		return exit.Usagef("nothing to change: give --name, --role, --email, --expires or --move-to")
	}
	c, id, err := p.open(ctx)
	if err != nil {
		return err
	}
	if p.MoveTo != "" {
		team, err := remote.Find(ctx, "team", p.MoveTo, c.Teams)
		if err != nil {
			return err
		}
		change.Team = &team
	}
	person, err := c.ChangePerson(ctx, id, change)
	return p.Print(out, person, err, func() error { return out.Table(personTable([]client.Access{person})) })
}

// newEnd is the end that a flag gives somebody's access, nil when it is not given.
func newEnd(expires string) (*client.End, error) {
	var end client.End
	switch expires {
	case "":
		return nil, nil
	case "never":
		return &end, nil
	}
	at, err := remote.TimeToCome("expires", expires, time.Now())
	if err != nil {
		return nil, err
	}
	end = client.End(at.UTC().Format(time.RFC3339))
	return &end, nil
}

type peopleLink struct {
	personFlags
	remote.SecretFile
}

func (p peopleLink) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := p.open(ctx)
	if err != nil {
		return err
	}
	return newLink(ctx, c, id, p.personFlags, p.SecretFile, out)
}

type peopleReset struct {
	personFlags
	remote.SecretFile
}

func (peopleReset) Help() string {
	return `For when somebody else may know the password. Who has only forgotten it needs no more than a new link:

    overcrank people link Ann`
}

func (p peopleReset) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := p.open(ctx)
	if err != nil {
		return err
	}
	if err := c.ResetPassword(ctx, id); err != nil {
		return err
	}
	out.Remark("The password of %s works no more, and the person is signed out everywhere.", p.Person)
	return newLink(ctx, c, id, p.personFlags, p.SecretFile, out)
}

// newLink makes a link for a person and hands it over.
func newLink(ctx context.Context, c *client.Client, id string, p personFlags, to remote.SecretFile, out *terminal.Output) error {
	link, err := c.PersonLink(ctx, id)
	if err != nil {
		return err
	}
	if p.JSON {
		return to.GiveAnswer(out, link.JSON(), link.URL)
	}
	return giveLink(link, to, out)
}

type peopleDelete struct {
	People []string `arg:"" name:"person" help:"Ids or names of the people." complete:"person"`
	remote.Farm
	teamFlag
}

func (p peopleDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(p.People, "deleted", out,
		func(ref string) (string, error) { return p.find(ctx, c, "person", ref, c.People) },
		func(id string) error { return c.DeletePerson(ctx, id) })
}
