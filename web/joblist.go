package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

const (
	jobsOnPage = 50
	// batchesOffered are how many of the team's latest batches the list can be narrowed down to without their addresses.
	batchesOffered = 20
)

func (s *server) jobs(c *fiber.Ctx, p farm.Principal) error {
	return s.showJobs(c, p, queryOf(c), page.Selection{})
}

// showJobs shows the list that an address, or a form, asks for, with what its bar holds.
func (s *server) showJobs(c *fiber.Ctx, p farm.Principal, asked url.Values, bar page.Selection) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
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
	if v.Batches, err = s.batchNames(ctx, p, v.Filter.Batch); err != nil {
		return err
	}
	if v.Machines, err = s.machineNames(ctx, p, v.Filter.Machine); err != nil {
		return err
	}
	v.Levels = s.levelsFor(ctx, p, farm.LevelNormal)
	v.Selection = bar
	v.Selection.Cursor, v.Selection.Newer = asked.Get("cursor"), asked.Get("newer")
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

// batchNames are the team's latest batches, to be chosen from; chosen is one that is listed in any case.
func (s *server) batchNames(ctx context.Context, p farm.Principal, chosen string) ([]page.Choice, error) {
	list, _, err := s.farm.batches.Batches(ctx, p, "", batchesOffered)
	if err != nil {
		return nil, err
	}
	var choices []page.Choice
	there := chosen == ""
	for _, b := range list {
		title, err := s.titleBatch(ctx, p, b.Batch)
		if err != nil {
			return nil, err
		}
		choices = append(choices, page.Choice{Value: b.ID, Word: title})
		there = there || b.ID == chosen
	}
	if !there {
		title, err := s.batchTitle(ctx, p, chosen)
		if err != nil {
			return nil, err
		}
		choices = append(choices, page.Choice{Value: chosen, Word: cmp.Or(title, chosen)})
	}
	return choices, nil
}

// batchTitle is what the batch with an id is called, "" for one that the farm does not know.
func (s *server) batchTitle(ctx context.Context, p farm.Principal, id string) (string, error) {
	b, _, err := s.farm.batches.BatchPart(ctx, p, id, nil, 0, 0)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return s.titleBatch(ctx, p, b.Batch)
}

// addBatchTitles adds what the batches are called that jobs of a list belong to.
func (s *server) addBatchTitles(ctx context.Context, p farm.Principal, jobs []page.Job) error {
	titles := map[string]string{}
	for i, j := range jobs {
		if j.Batch == "" {
			continue
		}
		title, known := titles[j.Batch]
		if !known {
			var err error
			if title, err = s.batchTitle(ctx, p, j.Batch); err != nil {
				return err
			}
			titles[j.Batch] = title
		}
		jobs[i].BatchTitle = title
	}
	return nil
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
	v := page.Jobs{Filter: shown, Counts: map[string]int{}, Paging: asked.Get("cursor")+asked.Get("newer") != "" || shown.At != "", Me: p.Name}
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
		v.Problem = language.ToldError(ctx, wrong) // what was typed stays, to be mended
		return v, nil
	}
	jobs, err := s.listJobs(ctx, p, &v, selected, asked)
	if farm.CodeOf(err) == farm.CodeInvalid {
		v.Problem = language.ToldError(ctx, err)
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if v.Jobs, err = s.dress(ctx, p, jobs.Jobs, false); err != nil {
		return v, err
	}
	if err := s.addBatchTitles(ctx, p, v.Jobs); err != nil {
		return v, err
	}
	if selected.Order == search.Soonest {
		addFinish(v.Jobs, jobs.Finish)
		return v, nil
	}
	return v, s.forecast(ctx, p, v.Jobs)
}

// jobListPieces are the live parts of a list of jobs.
func (s *server) jobListPieces(p farm.Principal, shell page.Shell, query string) []piece {
	return []piece{{id: "jobs", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventOrder}, draw: func(ctx context.Context) (templ.Component, error) {
		asked, err := url.ParseQuery(query)
		if err != nil {
			asked = url.Values{} // as the page itself reads such an address
		}
		v, err := s.readJobs(ctx, p, asked)
		return page.JobsBody(shell, v), err
	}}}
}

// listJobs reads the jobs of a page, and how the list goes on at both of its ends.
func (s *server) listJobs(ctx context.Context, p farm.Principal, v *page.Jobs, selected search.Filter, asked url.Values) (search.Jobs, error) {
	if before := asked.Get("newer"); before != "" && selected.Order == search.Newest {
		found, err := s.farm.jobs.NewerJobs(ctx, p, selected, before, jobsOnPage)
		if err != nil {
			return found, err
		}
		if found.Next != "" && len(found.Jobs) > 0 {
			v.Newer, v.Next, v.Indexing = found.Next, found.Jobs[len(found.Jobs)-1].ID, found.Indexing
			return found, nil
		}
		asked, v.Paging = nil, false // there are no more than the first page holds
	}
	found, err := s.olderJobs(ctx, p, v.Filter, selected, asked.Get("cursor"))
	v.Next, v.Short, v.Partly, v.Sorting, v.Unforecast, v.Indexing = found.Next, found.Short, found.Partly, found.Sorting, found.Unforecast, found.Indexing
	if err != nil || !v.Paging || selected.Order != search.Newest || len(found.Jobs) == 0 {
		return found, err
	}
	newer, err := s.farm.jobs.NewerJobs(ctx, p, selected, found.Jobs[0].ID, 1)
	if len(newer.Jobs) > 0 || newer.Next != "" {
		v.Newer = found.Jobs[0].ID
	}
	return found, err
}

// olderJobs reads the jobs of a page in the list's order: from its beginning, or behind the cursor.
func (s *server) olderJobs(ctx context.Context, p farm.Principal, shown page.JobFilter, selected search.Filter, cursor string) (found search.Jobs, err error) {
	narrow := selected.Narrow() || selected.Order != search.Newest
	if cursor == "" {
		if selected, err = jumped(selected, shown); err != nil {
			return found, err
		}
	}
	if narrow {
		return s.farm.jobs.SelectJobs(ctx, p, selected, cursor, jobsOnPage)
	}
	q := farm.JobQuery{States: selected.States, Sort: "newest_first", To: selected.To, Limit: jobsOnPage, Behind: cursor}
	if !q.To.IsZero() {
		q.To = q.To.Add(-1) // which a query counts in
	}
	more := ""
	found.Jobs, more, err = s.farm.jobs.Jobs(ctx, p, q)
	if more != "" {
		found.Next = found.Jobs[len(found.Jobs)-1].ID // as lists that are narrowed down go on
	}
	return found, err
}

// forecast adds to jobs of a page that have not ended when they are likely to be done.
func (s *server) forecast(ctx context.Context, p farm.Principal, jobs []page.Job) error {
	var open []string
	for _, j := range jobs {
		if !j.Status.Ended() {
			open = append(open, j.ID)
		}
	}
	finish, err := s.farm.queue.FinishEach(ctx, p, open)
	addFinish(jobs, finish)
	return err
}

// addFinish adds to jobs when they are likely to be done, as far as that is known.
func addFinish(jobs []page.Job, finish map[string]farm.Span) {
	for i := range jobs {
		if span, known := finish[jobs[i].ID]; known {
			jobs[i].Finish = &span
		}
	}
}
