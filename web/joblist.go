package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

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
	if v.Machines, err = s.machineNames(ctx, p, v.Filter.Machine); err != nil {
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

// machineNames are the farm's machines by name, to be chosen from; chosen is one that is listed even if the farm has it no more.
func (s *server) machineNames(ctx context.Context, p farm.Principal, chosen string) ([]page.Choice, error) {
	all, err := s.farm.machines.Board(ctx, p)
	if err != nil {
		return nil, err
	}
	choices, there := make([]page.Choice, len(all)), chosen == ""
	for i, m := range all {
		choices[i] = page.Choice{Value: m.ID, Word: m.Name}
		there = there || m.ID == chosen
	}
	slices.SortStableFunc(choices, func(a, b page.Choice) int { return strings.Compare(strings.ToLower(a.Word), strings.ToLower(b.Word)) })
	if !there {
		choices = append(choices, page.Choice{Value: chosen, Word: chosen})
	}
	return choices, nil
}

// readJobs reads a page of the list of jobs.
func (s *server) readJobs(ctx context.Context, p farm.Principal, asked url.Values) (page.Jobs, error) {
	shown, selected, wrong := filterOf(asked)
	v := page.Jobs{Filter: shown, Counts: map[string]int{}, Paging: asked.Get("cursor") != "" || shown.At != "", Me: p.Name}
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
	if wrong != nil {
		v.Problem = wrong.Error() // what was typed stays, to be mended
		return v, nil
	}
	jobs, err := s.listJobs(ctx, p, &v, selected, asked.Get("cursor"))
	if farm.CodeOf(err) == farm.CodeInvalid {
		v.Problem = err.Error()
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if v.Jobs, err = s.dress(ctx, p, jobs, false); err != nil {
		return v, err
	}
	return v, s.forecast(ctx, p, v.Jobs)
}

// listJobs reads the jobs of a page, and how the list goes on.
func (s *server) listJobs(ctx context.Context, p farm.Principal, v *page.Jobs, selected search.Filter, cursor string) (jobs []farm.Job, err error) {
	narrow := selected.Narrow() || selected.Order != search.Newest
	if cursor == "" {
		if selected, err = jumped(selected, v.Filter); err != nil {
			return nil, err
		}
	}
	if !narrow {
		if !selected.To.IsZero() {
			selected.To = selected.To.Add(-1) // which a query counts in
		}
		jobs, v.Next, err = s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: selected.States, Sort: "newest_first", To: selected.To, Limit: jobsOnPage, Cursor: cursor})
		return jobs, err
	}
	found, err := s.farm.jobs.SelectJobs(ctx, p, selected, cursor, jobsOnPage)
	v.Next, v.Short, v.Partly, v.Indexing = found.Next, found.Short, found.Partly, found.Indexing
	return found.Jobs, err
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
