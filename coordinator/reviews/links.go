package reviews

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// DefaultLife is how long a link is good that says nothing of it, MostLife how long at most.
	DefaultLife = 14 * 24 * time.Hour
	MostLife    = 366 * 24 * time.Hour
	// PasswordLeast is how many characters the password of a link has at least. Tries are limited, and whoever guesses needs the link too.
	PasswordLeast = 6
	passwordMost  = 200
	// MostFor bounds for whom a link is, in bytes.
	MostFor = 200
	// mostListed is how many links of a team are listed at once.
	mostListed = 200
)

// NewLink is a link that somebody wants.
type NewLink struct {
	Job      string
	For      string
	Password string // "" for none
	Download bool
	Takes    bool
	Until    time.Time // zero for DefaultLife from now on
}

// Create makes a link, and gives its address, which is shown only then: the farm keeps a hash of it.
func (r *Reviews) Create(ctx context.Context, p farm.Principal, in NewLink) (link farm.ReviewLink, address string, err error) {
	if err := p.May(farm.ActShareReviews); err != nil {
		return link, "", err
	}
	if _, err := r.state.JobOf(p, in.Job); err != nil {
		return link, "", err
	}
	now := r.state.Now()
	if in.Until.IsZero() {
		in.Until = now.Add(DefaultLife)
	}
	in.For = strings.TrimSpace(in.For)
	if err := in.check(now); err != nil {
		return link, "", err
	}
	link = farm.ReviewLink{Team: p.Team, Job: in.Job, For: in.For, Download: in.Download, Takes: in.Takes, By: p.Name, At: now, Until: in.Until}
	if link.ID, err = r.state.NewID(); err != nil {
		return link, "", err
	}
	if in.Password != "" {
		if link.Password, err = r.cfg.Passwords.HashPassword(ctx, in.Password); err != nil {
			return link, "", fmt.Errorf("keeping the password of a review link: %w", err)
		}
	}
	code := rand.Text() // 130 bits
	link.Hash = hashOf(code)
	if _, err := r.state.Apply(ctx, command.PutReviewLink{Link: link}); err != nil {
		return link, "", err
	}
	return link, r.cfg.PublicAddress() + Path + code, nil
}

// Path begins the addresses of review links; the code follows.
const Path = "/review/"

func (in NewLink) check(now time.Time) error {
	var wrong []farm.FieldError
	if len(in.For) > MostFor || !utf8.ValidString(in.For) {
		wrong = append(wrong, farm.Field("for", "may have %d bytes", MostFor))
	}
	if n := utf8.RuneCountInString(in.Password); in.Password != "" && (n < PasswordLeast || n > passwordMost) {
		wrong = append(wrong, farm.Field("password", "needs %d to %d characters", PasswordLeast, passwordMost))
	}
	switch {
	case !in.Until.After(now):
		wrong = append(wrong, farm.Field("expiresAt", "is over already"))
	case in.Until.After(now.Add(MostLife)):
		wrong = append(wrong, farm.Field("expiresAt", "lies more than %d days ahead", int(MostLife.Hours()/24)))
	}
	if len(wrong) > 0 {
		return farm.Invalid("this review link cannot be made", wrong...)
	}
	return nil
}

// Links lists the links to a job, the oldest first.
func (r *Reviews) Links(_ context.Context, p farm.Principal, job string) (links []farm.ReviewLink, err error) {
	if _, err := r.state.JobOf(p, job); err != nil {
		return nil, err
	}
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		links, err = tx.ReviewLinks(job)
		return err
	})
	return links, err
}

// TeamLinks lists links of the team, the newest first, from before the one with an id on; "" for the newest of all. next is the id to go on
// with, "" after the last.
func (r *Reviews) TeamLinks(_ context.Context, p farm.Principal, before string, limit int) (links []farm.ReviewLink, next string, err error) {
	if err := p.May(farm.ActView); err != nil {
		return nil, "", err
	}
	limit = min(cmp.Or(limit, 100), mostListed)
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		links, err = tx.TeamReviewLinks(p.Team, before, limit+1)
		return err
	})
	if len(links) > limit {
		links = links[:limit]
		next = links[limit-1].ID
	}
	return links, next, err
}

// Revoke ends a link at once. To revoke one twice changes nothing.
func (r *Reviews) Revoke(ctx context.Context, p farm.Principal, job, id string) error {
	if err := p.May(farm.ActShareReviews); err != nil {
		return err
	}
	if _, err := r.state.JobOf(p, job); err != nil {
		return err
	}
	_, err := r.state.Apply(ctx, command.RevokeReviewLink{Team: p.Team, Job: job, ID: id, At: r.state.Now()})
	return err
}
