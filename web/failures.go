package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/web/page"
)

// failures is what pages ask of the farm about jobs that failed and need somebody.
type failures interface {
	OwnFailures(ctx context.Context, p farm.Principal) (own []coordinator.OwnFailures, more bool, err error)
	Failures(ctx context.Context, p farm.Principal) ([]farm.FailureGroup, error)
	Failure(ctx context.Context, p farm.Principal, job string) (farm.OpenFailure, error)
	FailuresOf(ctx context.Context, p farm.Principal, cause farm.Cause, before string, limit int) (jobs []farm.Job, next string, err error)
}

const (
	// failedShown is how many jobs of each cause stand on the page of all causes, failedOfOne on that of one.
	failedShown = 3
	failedOfOne = 50
	// jobsAsked is of how many jobs that lack footage the page of failures asks whether they take a file.
	jobsAsked = farm.MostOpenFailures
	// causesAtHome is how many causes the home page names.
	causesAtHome = 3
)

func (s *server) failures(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readFailures(ctx, p, c.Query("cause"), c.Query("before"))
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Failures"), "home")
	shell.Live = "failures:" + v.Asked().Encode()
	return s.render(c, page.FailuresPage(shell, v))
}

// failurePieces are the live parts of the page of failures. Jobs come and go all the time, failures do not.
func (s *server) failurePieces(p farm.Principal, shell page.Shell, asked string) []piece {
	query, _ := url.ParseQuery(asked) // what is no query asks for nothing
	return []piece{{id: "failures", common: true, kinds: []farm.EventKind{farm.EventJob},
		of: func(ctx context.Context) (string, error) { return s.failuresAre(ctx, p) },
		draw: func(ctx context.Context) (templ.Component, error) {
			v, err := s.readFailures(ctx, p, query.Get("cause"), query.Get("before"))
			return page.FailuresBody(shell, v), err
		}}}
}

// failuresAre tells from one another what the page of failures shows at different times.
func (s *server) failuresAre(ctx context.Context, p farm.Principal) (string, error) {
	groups, err := s.farm.failures.Failures(ctx, p)
	if err != nil {
		return "", err
	}
	v := page.Failures{}
	for _, g := range groups {
		v.Groups = append(v.Groups, page.FailureGroup{FailureGroup: g})
	}
	if err := s.addCure(ctx, p, &v); err != nil {
		return "", err
	}
	of := sha256.New()
	for _, g := range v.Groups {
		fmt.Fprintln(of, g.Cause.Key(), g.Count, g.First.UnixNano(), g.Last.UnixNano(), g.Latest.Job, g.Lacks)
	}
	return string(of.Sum(nil)), nil
}

// readFailures reads why jobs failed that need somebody: all causes with some jobs, or one with a page of them.
func (s *server) readFailures(ctx context.Context, p farm.Principal, key, before string) (page.Failures, error) {
	v := page.Failures{Only: key, Before: before}
	groups, err := s.farm.failures.Failures(ctx, p)
	if err != nil {
		return v, err
	}
	shown, asked := failedShown, 0
	if key != "" {
		shown = failedOfOne
	}
	for _, g := range groups {
		if key != "" && g.Cause.Key() != key {
			continue
		}
		f, err := s.dressFailures(ctx, p, g)
		if err != nil {
			return v, err
		}
		if f.Jobs, f.Next, err = s.farm.failures.FailuresOf(ctx, p, g.Cause, before, shown); err != nil {
			return v, err
		}
		if g.Cause.Kind == farm.CauseFootage && g.Cause.Subject != "" && p.Can(farm.ActSubmit) && asked+g.Count <= jobsAsked {
			asked += g.Count
			if f.File, err = s.readFileTaken(ctx, p, g.Cause); err != nil {
				return v, err
			}
		}
		v.Groups = append(v.Groups, f)
	}
	return v, s.addCure(ctx, p, &v)
}

// readFileTaken reads which jobs of a cause take a file in the place of the one that they lack; nil when none needs somebody any more.
func (s *server) readFileTaken(ctx context.Context, p farm.Principal, cause farm.Cause) (*page.FileTaken, error) {
	taken, err := s.farm.submitter.FileTaken(ctx, p, cause)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := page.FileTaken{Jobs: taken.Jobs}
	for _, r := range taken.Refused {
		f.Refused = append(f.Refused, page.FileRefused{Why: r.Why, Jobs: r.Jobs})
	}
	return &f, nil
}

// dressFailures adds what people call the machine or the template that a cause is about.
func (s *server) dressFailures(ctx context.Context, p farm.Principal, g farm.FailureGroup) (f page.FailureGroup, err error) {
	f.FailureGroup = g
	switch {
	case g.Cause.Kind.OfMachine():
		var m farm.Machine
		m, err = s.farm.machines.Agent(ctx, p, g.Cause.Subject)
		f.Name = m.Name
	case g.Cause.Kind == farm.CauseTemplate && g.Cause.Subject != "":
		var t farm.Template
		t, err = s.farm.templates.Get(ctx, p, g.Cause.Subject)
		f.Name = t.DisplayName
	}
	if farm.CodeOf(err) == farm.CodeNotFound {
		err = nil // it is gone
	}
	return f, err
}

// readCauses reads the latest causes for pages that name some, and how many jobs all causes have.
func (s *server) readCauses(ctx context.Context, p farm.Principal) (causes []page.FailureGroup, jobs int, err error) {
	groups, err := s.farm.failures.Failures(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	for i, g := range groups {
		jobs += g.Count
		if i >= causesAtHome {
			continue
		}
		f, err := s.dressFailures(ctx, p, g)
		if err != nil {
			return nil, 0, err
		}
		causes = append(causes, f)
	}
	return causes, jobs, nil
}

// readOwnCauses is readCauses for the reader's own jobs; more says that there may be others.
func (s *server) readOwnCauses(ctx context.Context, p farm.Principal) (causes []page.FailureGroup, jobs int, more bool, err error) {
	groups, more, err := s.farm.failures.OwnFailures(ctx, p)
	if err != nil {
		return nil, 0, more, err
	}
	for i, g := range groups {
		jobs += g.Count
		if i >= causesAtHome {
			continue
		}
		f, err := s.dressFailures(ctx, p, g.FailureGroup)
		if err != nil {
			return nil, 0, more, err
		}
		f.Own = true
		causes = append(causes, f)
	}
	return causes, jobs, more, nil
}

// retryFailures submits all jobs of a cause again: with a file in the place of missing footage when one was dropped, or once a font stands in for the
// missing one when one was chosen; of the reader's own those that the overview shows them.
func (s *server) retryFailures(c *fiber.Ctx, p farm.Principal) error {
	cause, err := causeOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if font := c.FormValue("font"); font != "" {
		if err := s.standInForCause(s.asking(c), p, cause, font); err != nil {
			return err
		}
	}
	retry := s.farm.submitter.RetryFailures
	if c.FormValue("own") != "" {
		retry = s.retryOwn
	}
	result, err := retry(ctx, p, cause, c.FormValue("src"))
	if err != nil {
		return err
	}
	return c.Redirect("/batches/"+result.Batch.ID, fiber.StatusSeeOther)
}

// retryOwn submits the reader's own jobs of a cause again.
func (s *server) retryOwn(ctx context.Context, p farm.Principal, cause farm.Cause, _ string) (submission.BatchResult, error) {
	groups, _, err := s.farm.failures.OwnFailures(ctx, p)
	if err != nil {
		return submission.BatchResult{}, err
	}
	n := slices.IndexFunc(groups, func(g coordinator.OwnFailures) bool { return g.Cause == cause })
	if n < 0 {
		return submission.BatchResult{}, farm.Errorf(farm.CodeNotFound, "none of your jobs that failed for this needs you any more")
	}
	ids := groups[n].Jobs
	return s.farm.submitter.ResubmitJobs(ctx, p, ids[:min(len(ids), farm.MostOpenFailures)])
}

// dismissFailures takes all jobs of a cause off the list.
func (s *server) dismissFailures(c *fiber.Ctx, p farm.Principal) error {
	cause, err := causeOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	jobs, _, err := s.farm.failures.FailuresOf(ctx, p, cause, "", farm.MostOpenFailures)
	if err != nil {
		return err
	}
	if err := s.farm.submitter.SettleFailures(ctx, p, idsOf(jobs, func(farm.Job) bool { return true })); err != nil {
		return err
	}
	return c.Redirect("/failures", fiber.StatusSeeOther)
}

// causeOf is the cause that a form is about.
func causeOf(c *fiber.Ctx) (farm.Cause, error) {
	cause, known := farm.CauseOf(c.FormValue("cause"))
	if !known {
		return cause, farm.Invalid("nothing was done", farm.Field("cause", "is none of those on the page of failures; open it again"))
	}
	return cause, nil
}
