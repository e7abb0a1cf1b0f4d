// Package reviews has the commands about links by which others look at results, and about what was said of them.
package reviews

import (
	"context"
	"fmt"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/jobs"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// Reviews are the commands below overcrank reviews.
type Reviews struct {
	List   list   `cmd:"" default:"withargs" help:"List the review links of the team, or of a job."`
	Create create `cmd:"" help:"Create a review link; its address is printed, this once."`
	Show   show   `cmd:"" help:"Print what was said about a job's result."`
	Revoke revoke `cmd:"" help:"Revoke review links; they open nothing any more."`
}

type list struct {
	Job string `arg:"" optional:"" help:"Only the links to this job: its id or its name." complete:"job"`
	remote.Paging
	remote.Flags
}

// Run lists links.
func (l list) Run(ctx context.Context, out *terminal.Output) error {
	most, err := l.Most()
	if err != nil {
		return err
	}
	c, err := l.Client()
	if err != nil {
		return err
	}
	var links client.List[client.Review]
	if l.Job == "" {
		links, err = c.TeamReviews(ctx, most)
	} else {
		var job string
		if job, err = jobs.Find(ctx, c, l.Job); err == nil {
			links, err = c.Reviews(ctx, job)
		}
	}
	return l.Print(out, links, err, func() error {
		t := terminal.NewTable("REVIEW", "JOB", "FOR", "BY", "STATE", "ENDS", "REMARK")
		for _, r := range links.Items {
			t.Row(r.ID, r.Job, r.For, r.By, state(r), terminal.LocalTime(r.ExpiresAt), remark(r))
		}
		return out.List(t, "No review links. Create one with: overcrank reviews create JOB")
	})
}

// state says whether a link can be used.
func state(r client.Review) string {
	switch {
	case r.Open:
		return "open"
	case r.RevokedAt != "":
		return "revoked"
	}
	return "expired"
}

// remark says what is special about a link.
func remark(r client.Review) string {
	var words []string
	for _, w := range []struct {
		is   bool
		word string
	}{{r.Password, "password"}, {r.Download, "download"}, {r.Takes, "all takes"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

type create struct {
	Job          string `arg:"" help:"Id of the job, or its name." complete:"job"`
	For          string `help:"For whom it is; only the team sees it." placeholder:"WORDS"`
	PasswordFile string `help:"File that holds a password which the page asks for, - for standard input. Default: it asks for none." placeholder:"FILE"`
	Download     bool   `help:"Let the result be downloaded."`
	Takes        bool   `help:"Show earlier and later takes of the job too."`
	Expires      string `help:"When it ends: a day, a time, or in how long, such as 2027-01-31 or 720h. Default: in 14 days."`
	remote.SecretFile
	remote.Flags
}

// Help says why the password is no argument.
func (create) Help() string {
	return `The password is read from a file because arguments stand in the shell's history and are seen by everyone on the machine who lists its processes.

    overcrank reviews create "Trailer 3" --for "Client, first round" --takes
    echo tungsten | overcrank reviews create "Trailer 3" --password-file - --expires 72h`
}

// Run makes a link.
func (n create) Run(ctx context.Context, out *terminal.Output) error {
	in, err := n.wanted()
	if err != nil {
		return err
	}
	c, err := n.Client()
	if err != nil {
		return err
	}
	job, err := jobs.Find(ctx, c, n.Job)
	if err != nil {
		return err
	}
	link, err := c.CreateReview(ctx, job, in)
	if err != nil {
		return err
	}
	if n.JSON {
		return n.GiveAnswer(out, link.JSON(), link.URL)
	}
	out.Remark("Review link %s, good until %s. The farm shows its address only this once.", link.ID, terminal.LocalTime(link.ExpiresAt))
	return n.Give(out, link.URL)
}

// wanted is the link that the flags ask for.
func (n create) wanted() (client.NewReview, error) {
	in := client.NewReview{For: n.For, Download: n.Download, Takes: n.Takes}
	if n.PasswordFile != "" {
		text, err := remote.ReadInput(n.PasswordFile)
		if err != nil {
			return in, fmt.Errorf("read the password: %w", err)
		}
		if in.Password = strings.TrimRight(string(text), "\r\n"); in.Password == "" {
			return in, exit.Usagef("the password in %s is empty", n.PasswordFile)
		}
	}
	if n.Expires != "" {
		end, err := remote.TimeToCome("expires", n.Expires, time.Now())
		if err != nil {
			return in, err
		}
		in.ExpiresAt = end.UTC().Format(time.RFC3339)
	}
	return in, nil
}

type show struct {
	Job string `arg:"" help:"Id of the job, or its name." complete:"job"`
	remote.Flags
}

// Run prints what was said.
func (s show) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	job, err := jobs.Find(ctx, c, s.Job)
	if err != nil {
		return err
	}
	comments, err := c.Comments(ctx, job)
	return s.Print(out, comments, err, func() error {
		t := terminal.NewTable("WHEN", "WHO", "FRAME", "VERDICT", "SAID")
		for _, said := range comments.Items {
			frame := ""
			if said.Frame != nil {
				frame = fmt.Sprint(*said.Frame)
			}
			t.Row(terminal.LocalTime(said.At), who(said), frame, said.Verdict, terminal.FirstLine(said.Text))
		}
		return out.List(t, "Nobody has said anything yet.")
	})
}

// who is the name of somebody who said something, and where from.
func who(said client.Comment) string {
	switch {
	case said.Review != "":
		return said.Name + " (by a link)"
	case said.Inside:
		return said.Name + " (team only)"
	}
	return said.Name
}

type revoke struct {
	Reviews []string `arg:"" name:"review" help:"Ids of the links, as overcrank reviews lists them."`
	remote.Farm
}

// Run revokes links, one after the other.
func (r revoke) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	links, err := c.TeamReviews(ctx, 0)
	if err != nil {
		return err
	}
	jobOf := make(map[string]string, len(links.Items))
	for _, link := range links.Items {
		jobOf[link.ID] = link.Job
	}
	return remote.DeleteAll(r.Reviews, "revoked", out,
		func(ref string) (string, error) {
			if jobOf[ref] == "" {
				return "", exit.NotFoundf("there is no review link '%s'", ref)
			}
			return ref, nil
		},
		func(id string) error { return c.RevokeReview(ctx, jobOf[id], id) })
}
