package web

import (
	"context"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/page"
)

const (
	jobsOnPage = 50
	// mostForecast is for how many jobs of a page a forecast is made: each is made of all that is known of the job's tasks.
	mostForecast = 12
)

func (s *server) jobs(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	asked := queryOf(c)
	v, err := s.readJobs(ctx, p, asked)
	if err != nil {
		return err
	}
	if v.Templates, err = s.templateNames(ctx, p); err != nil {
		return err
	}
	if v.Projects, err = s.projectNames(ctx, p); err != nil {
		return err
	}
	v.Levels = s.levelsFor(ctx, p, farm.LevelNormal)
	shell := s.shell(c, p, say(c, "Jobs"), "jobs")
	shell.Live = "jobs:" + asked.Encode()
	return s.render(c, page.JobsPage(shell, v))
}

// queryOf is the query of an address.
func queryOf(c *fiber.Ctx) url.Values {
	asked, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return url.Values{} // an address that somebody has mistyped lists everything
	}
	return asked
}

// templateNames are the team's templates, to be chosen from.
func (s *server) templateNames(ctx context.Context, p farm.Principal) ([]page.Choice, error) {
	list, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return nil, err
	}
	choices := make([]page.Choice, len(list))
	for i, t := range list {
		choices[i] = page.Choice{Value: t.ID, Word: t.DisplayName}
	}
	return choices, nil
}

// filterOf reads what an address, or a form, asks for. What is no state and no day is not asked for.
func filterOf(asked url.Values) (page.JobFilter, search.Filter) {
	f := page.JobFilter{
		State: asked.Get("state"), Query: asked.Get("q"), By: asked.Get("by"), Template: asked.Get("template"), Batch: asked.Get("batch"),
		Tag: asked.Get("tag"), Project: asked.Get("project"), From: asked.Get("from"), To: asked.Get("to"),
	}
	states, known := jobFilters[f.State]
	if !known {
		f.State = ""
	}
	selected := search.Filter{Text: f.Query, By: f.By, Template: f.Template, Batch: f.Batch, Tag: f.Tag, Project: f.Project, States: states}
	var err error
	if selected.From, err = time.Parse(time.DateOnly, f.From); err != nil {
		f.From = ""
	}
	if selected.To, err = time.Parse(time.DateOnly, f.To); err != nil {
		f.To = ""
	} else {
		selected.To = selected.To.AddDate(0, 0, 1) // that day included
	}
	return f, selected
}

// readJobs reads a page of the list of jobs.
func (s *server) readJobs(ctx context.Context, p farm.Principal, asked url.Values) (page.Jobs, error) {
	shown, selected := filterOf(asked)
	v := page.Jobs{Filter: shown, Counts: map[string]int{}, Paging: asked.Get("cursor") != "", Me: p.Name}
	counts, err := s.farm.jobs.CountJobs(ctx, p)
	if err != nil {
		return v, err
	}
	for word, of := range jobFilters {
		for _, status := range of {
			v.Counts[word] += counts[status]
			v.Counts[""] += counts[status]
		}
	}
	var jobs []farm.Job
	if selected.Narrow() {
		found, err := s.farm.jobs.SelectJobs(ctx, p, selected, asked.Get("cursor"), jobsOnPage)
		if farm.CodeOf(err) == farm.CodeInvalid {
			v.Problem = err.Error() // what was typed stays, to be mended
			return v, nil
		}
		if err != nil {
			return v, err
		}
		jobs, v.Next, v.Short, v.Indexing = found.Jobs, found.Next, found.Short, found.Indexing
	} else {
		jobs, v.Next, err = s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: selected.States, Sort: "newest_first", Limit: jobsOnPage, Cursor: asked.Get("cursor")})
		if err != nil {
			return v, err
		}
	}
	if v.Jobs, err = s.dress(ctx, p, jobs, false); err != nil {
		return v, err
	}
	return v, s.forecast(ctx, p, v.Jobs)
}

// forecast adds to the first of those jobs that render when they are likely to be done.
func (s *server) forecast(ctx context.Context, p farm.Principal, jobs []page.Job) error {
	left := mostForecast
	for i := range jobs {
		if jobs[i].Status != farm.JobRendering || left == 0 {
			continue
		}
		left--
		placement, err := s.farm.queue.Placement(ctx, p, jobs[i].ID)
		switch farm.CodeOf(err) {
		case farm.CodeNotFound, farm.CodeUnavailable:
			continue // it is gone, or no coordinator leads that could tell
		}
		if err != nil {
			return err
		}
		jobs[i].Finish = placement.Finish
	}
	return nil
}
