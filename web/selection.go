package web

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// changedAtOnce is how many changes of jobs are proposed at a time: a leader keeps what comes together with one write.
const changedAtOnce = 16

// selection is some jobs that somebody has chosen in the list, to do the same with each.
type selection struct {
	jobs []farm.Job
	more bool // there are more than one form changes
}

// selected reads the jobs that a form names: by their ids, or all that its filter selects.
func (s *server) selected(ctx context.Context, p farm.Principal, asked url.Values) (selection, error) {
	if asked.Get("all") == "" {
		return s.selectedByID(ctx, p, asked["id"])
	}
	var some selection
	_, filter, err := filterOf(asked)
	if err != nil {
		return some, err
	}
	filter.Order = search.Newest // in which all of them are reached
	for before := ""; ; {
		found, err := s.farm.jobs.SelectJobs(ctx, p, filter, before, page.MostSelected-len(some.jobs))
		if err != nil {
			return some, err
		}
		some.jobs = append(some.jobs, found.Jobs...)
		if before = found.Next; before == "" {
			return some, nil
		}
		if len(some.jobs) == page.MostSelected {
			some.more = true
			return some, nil
		}
		if err := ctx.Err(); err != nil {
			return some, fmt.Errorf("selecting jobs: %w", err)
		}
	}
}

func (s *server) selectedByID(ctx context.Context, p farm.Principal, ids []string) (selection, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	some := selection{more: len(ids) > page.MostSelected}
	for _, id := range ids[:min(len(ids), page.MostSelected)] {
		job, err := s.farm.jobs.Job(ctx, p, id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue // it was removed while the list was open
		}
		if err != nil {
			return some, err
		}
		some.jobs = append(some.jobs, job)
	}
	return some, nil
}

// selectedResults answers with the finished results of the selected jobs as one file.
func (s *server) selectedResults(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	some, err := s.selected(ctx, p, queryOf(c))
	if err != nil {
		return err
	}
	z := newResultsZip(s.base, s.farm.results.Open)
	for _, job := range some.jobs {
		if job.Status != farm.JobFinished {
			continue
		}
		name, err := s.downloadName(ctx, p, job)
		if err != nil {
			return err
		}
		z.add(job, name)
	}
	if len(z.left) == 0 {
		return farm.Errorf(farm.CodeNotFound, "none of the selected jobs is finished; select finished jobs and download again")
	}
	return answer.Download(c, z, "application/zip", "results.zip")
}

// changeSelected does one thing with all selected jobs: POST /jobs/change. Those for which it is too late are counted, not refused.
func (s *server) changeSelected(c *fiber.Ctx, p farm.Principal) error {
	asked, err := url.ParseQuery(string(c.Body()))
	if err != nil {
		return farm.Invalid("the form cannot be read", farm.Field("id", "is not encoded as forms are"))
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	done, err := s.change(ctx, p, asked)
	if farm.CodeOf(err) == farm.CodeInvalid && !wantsJSON(c) {
		return s.changeRefused(c, p, asked, err)
	}
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return c.JSON(fiber.Map{"message": done.Sentence(reading(c)), "to": done.To})
	}
	if done.To == "" {
		shown, _, err := filterOf(asked)
		if err != nil {
			return err
		}
		done.To = shown.Address()
	}
	return c.Redirect(done.To, fiber.StatusSeeOther)
}

// change does what a form asks for with the jobs that it names.
func (s *server) change(ctx context.Context, p farm.Principal, asked url.Values) (page.Changed, error) {
	some, err := s.selected(ctx, p, asked)
	if err != nil {
		return page.Changed{}, err
	}
	if len(some.jobs) == 0 {
		return page.Changed{}, farm.Invalid("nothing was changed", farm.Field("id", "no job is selected; select one or more and try again"))
	}
	done, err := s.doWith(ctx, p, some.jobs, asked)
	done.Left = len(some.jobs) - done.Changed
	done.More = some.more
	return done, err
}

// refusedSelection is what was chosen and typed in the bar over a list, with what is wrong at its field.
func refusedSelection(ctx context.Context, asked url.Values, err error) page.Selection {
	bar := page.Selection{
		IDs: asked["id"], All: asked.Get("all") != "", Priority: asked.Get("priority"), Level: asked.Get("level"), Word: asked.Get("word"),
		Problem: language.ToldError(ctx, err), Wrong: wrongOf(ctx, err),
	}
	if bar.Wrong["priority"]+bar.Wrong["level"]+bar.Wrong["word"] != "" {
		bar.Problem = language.Say(ctx, "Nothing was changed.")
	}
	return bar
}

// changeRefused shows the list again with what was chosen and typed.
func (s *server) changeRefused(c *fiber.Ctx, p farm.Principal, asked url.Values, err error) error {
	list := maps.Clone(asked)
	for _, name := range []string{"id", "all", "do", "priority", "level", "word"} {
		delete(list, name) // of the bar, not of the list
	}
	c.Status(answer.StatusOf(err))
	return s.showJobs(c, p, list, refusedSelection(reading(c), asked, err))
}

// doWith does what a form asks for with jobs.
func (s *server) doWith(ctx context.Context, p farm.Principal, jobs []farm.Job, asked url.Values) (page.Changed, error) {
	do := asked.Get("do")
	done := page.Changed{Did: do}
	switch do {
	case "cancel":
		return done, s.cancelSelected(ctx, p, jobs, &done)
	case "resubmit":
		return done, s.resubmitSelected(ctx, p, jobs, &done)
	case "hold":
		return done, s.holdSelected(ctx, p, jobs, &done)
	case "release":
		return done, s.releaseSelected(ctx, p, jobs, &done)
	}
	change, err := s.changeOf(do, asked)
	if err != nil {
		return done, err
	}
	done.Changed, err = changeEach(ctx, jobs, func(ctx context.Context, job farm.Job) error {
		_, err := s.farm.jobs.ChangeJob(ctx, p, job.ID, change(job))
		return err
	})
	return done, err
}

func (s *server) cancelSelected(ctx context.Context, p farm.Principal, jobs []farm.Job, done *page.Changed) error {
	ids := idsOf(jobs, func(j farm.Job) bool { return !j.Status.Ended() })
	if len(ids) == 0 {
		return nil
	}
	if _, err := s.farm.jobs.CancelJobs(ctx, p, ids, true); err != nil {
		return err
	}
	done.Changed = len(ids)
	return nil
}

// holdSelected holds jobs one by one: some of them may have ended meanwhile.
func (s *server) holdSelected(ctx context.Context, p farm.Principal, jobs []farm.Job, done *page.Changed) (err error) {
	open := slices.DeleteFunc(slices.Clone(jobs), func(j farm.Job) bool { return !page.Holdable(j) })
	done.Changed, err = changeEach(ctx, open, func(ctx context.Context, job farm.Job) error {
		_, err := s.farm.jobs.HoldJobs(ctx, p, []string{job.ID})
		return err
	})
	return err
}

func (s *server) releaseSelected(ctx context.Context, p farm.Principal, jobs []farm.Job, done *page.Changed) error {
	ids := idsOf(jobs, func(j farm.Job) bool { return j.Hold && !j.Status.Ended() })
	if len(ids) == 0 {
		return nil
	}
	if _, err := s.farm.jobs.ReleaseJobs(ctx, p, ids); err != nil {
		return err
	}
	done.Changed = len(ids)
	return nil
}

// resubmitSelected submits jobs again that have ended. Nested jobs go with those that they are nested in.
func (s *server) resubmitSelected(ctx context.Context, p farm.Principal, jobs []farm.Job, done *page.Changed) error {
	ids := idsOf(jobs, func(j farm.Job) bool { return j.Status.Ended() && j.Parent == "" })
	if len(ids) == 0 {
		return nil
	}
	result, err := s.farm.submitter.ResubmitJobs(ctx, p, ids)
	if err != nil {
		return err
	}
	done.Changed, done.To = len(result.Jobs), "/batches/"+result.Batch.ID
	return nil
}

func idsOf(jobs []farm.Job, pick func(farm.Job) bool) (ids []string) {
	for _, job := range jobs {
		if pick(job) {
			ids = append(ids, job.ID)
		}
	}
	return ids
}

// changeOf is what a form asks to be different about each job, given the job as it is.
func (s *server) changeOf(do string, asked url.Values) (func(farm.Job) coordinator.JobChange, error) {
	wrong := func(field, message string, args ...any) error {
		return farm.Invalid("nothing was changed", farm.Field(field, message, args...))
	}
	switch do {
	case "priority":
		n, err := strconv.Atoi(strings.TrimSpace(asked.Get("priority")))
		if err != nil || n < -topPriority || n > topPriority {
			return nil, wrong("priority", "has to be a whole number from -1000 to 1000")
		}
		return func(farm.Job) coordinator.JobChange { return coordinator.JobChange{Priority: &n} }, nil
	case "level":
		level := farm.Level(asked.Get("level"))
		if !level.Known() {
			return nil, wrong("level", "is rush, normal or overnight")
		}
		return func(farm.Job) coordinator.JobChange { return coordinator.JobChange{Level: &level} }, nil
	case "tag", "untag":
		tag := strings.TrimSpace(asked.Get("word"))
		if tag == "" {
			return nil, wrong("word", "type the tag")
		}
		return func(j farm.Job) coordinator.JobChange {
			tags := slices.DeleteFunc(slices.Clone(j.Tags), func(t string) bool { return t == tag })
			if do == "tag" {
				tags = append(tags, tag)
			}
			return coordinator.JobChange{Tags: &tags}
		}, nil
	}
	return nil, wrong("do", "is cancel, resubmit, hold, release, priority, level, tag or untag")
}

// changeEach changes jobs for which it is not too late, and counts those that it has changed.
func changeEach(ctx context.Context, jobs []farm.Job, change func(context.Context, farm.Job) error) (changed int, err error) {
	outcomes := make([]bool, len(jobs))
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(changedAtOnce)
	for i, job := range jobs {
		each.Go(func() error {
			err := change(ctx, job)
			switch farm.CodeOf(err) {
			case farm.CodeConflict, farm.CodeNotFound:
				return nil // it has begun or ended, or is gone
			}
			outcomes[i] = err == nil
			return err
		})
	}
	err = each.Wait()
	for _, ok := range outcomes {
		if ok {
			changed++
		}
	}
	return changed, err
}
