package web

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/web/page"
)

// batches is what pages ask of the farm about batches.
type batches interface {
	Batches(ctx context.Context, p farm.Principal, cursor string, limit int) (list []coordinator.CountedBatch, next string, err error)
	SelectBatches(ctx context.Context, p farm.Principal, f farm.BatchFilter, cursor string, limit int) (coordinator.FoundBatches, error)
	Batch(ctx context.Context, p farm.Principal, id string) (batch farm.Batch, jobs map[string]farm.Job, err error)
	BatchPart(ctx context.Context, p farm.Principal, id string, states []farm.JobStatus, from, limit int) (batch coordinator.CountedBatch, jobs []farm.Job, err error)
	LabelBatch(ctx context.Context, p farm.Principal, id string, label farm.BatchLabel) error
	CancelBatch(ctx context.Context, p farm.Principal, id string, force bool) (batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job, err error)
}

const (
	batchesOnPage = 50
	batchOnPage   = 60 // jobs of a batch
)

func (s *server) batches(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	asked := queryOf(c)
	v, err := s.readBatches(ctx, p, asked)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Batches"), "batches")
	shell.Live = "batches:" + asked.Encode()
	return s.render(c, page.BatchesPage(shell, v, p.Name))
}

// readBatches reads a page of the list of batches that an address asks for. What is no state is not asked for.
func (s *server) readBatches(ctx context.Context, p farm.Principal, asked url.Values) (page.Batches, error) {
	v := page.Batches{Paging: asked.Get("cursor") != "", Filter: page.BatchFilter{By: asked.Get("by")}}
	if state := farm.BatchState(asked.Get("state")); state.Known() {
		v.Filter.State = state
	}
	found, err := s.farm.batches.SelectBatches(ctx, p, farm.BatchFilter(v.Filter), asked.Get("cursor"), batchesOnPage)
	if err != nil {
		return v, err
	}
	v.Next, v.Looked, v.Short = found.Next, found.Looked, found.Short
	for _, b := range found.Batches {
		shown := page.Batch{Batch: b.Batch, Counts: b.Counts}
		if shown.First, err = s.nameJob(ctx, p, b.First); err != nil {
			return v, err
		}
		if err := s.forecastBatch(ctx, p, &shown); err != nil {
			return v, err
		}
		v.Batches = append(v.Batches, shown)
	}
	return v, nil
}

// batchListPieces are the live parts of the list of batches, whose topic is the query of its address.
func (s *server) batchListPieces(p farm.Principal, shell page.Shell, query string) []piece {
	return []piece{{id: "batches", common: true, kinds: []farm.EventKind{farm.EventJob}, draw: func(ctx context.Context) (templ.Component, error) {
		asked, err := url.ParseQuery(query)
		if err != nil {
			asked = url.Values{} // as the page itself reads such an address
		}
		v, err := s.readBatches(ctx, p, asked)
		return page.BatchesBody(shell, v), err
	}}}
}

// forecastBatch adds when a batch that has not ended is likely to be done.
func (s *server) forecastBatch(ctx context.Context, p farm.Principal, b *page.Batch) (err error) {
	if b.Ended() == len(b.Batch.Jobs) {
		return nil
	}
	b.Forecast, err = s.farm.queue.BatchForecast(ctx, p, b.ID)
	return err
}

func (s *server) batch(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id, filter, from := c.Params("id"), c.Query("state"), max(0, c.QueryInt("from"))
	b, err := s.readBatch(ctx, p, id, filter, from)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, b.Title(reading(c)), "batches")
	shell.Live = "batch:" + id + "," + strconv.Itoa(from) + "," + b.Filter
	return s.render(c, page.BatchPage(shell, b))
}

// readBatch reads a batch with a page of those of its jobs that a filter lets through, from a place in them.
func (s *server) readBatch(ctx context.Context, p farm.Principal, id, filter string, from int) (page.Batch, error) {
	states, known := jobFilters[filter]
	if !known {
		filter = ""
	}
	batch, jobs, err := s.farm.batches.BatchPart(ctx, p, id, states, from, batchOnPage)
	if err != nil {
		return page.Batch{}, err
	}
	b := page.Batch{Batch: batch.Batch, Counts: batch.Counts, From: from, Step: batchOnPage, Filter: filter, ByFilter: map[string]int{"": len(batch.Jobs)}}
	for word, of := range jobFilters {
		for _, status := range of {
			b.ByFilter[word] += batch.Counts[status]
		}
	}
	if b.Jobs, err = s.dress(ctx, p, jobs, false); err != nil {
		return b, err
	}
	if err := s.nameBatch(ctx, p, &b); err != nil {
		return b, err
	}
	return b, s.forecastBatch(ctx, p, &b)
}

// batchPieces are the live parts of a batch's page, whose topic names the batch, the first row that is shown, and the filter.
func (s *server) batchPieces(p farm.Principal, shell page.Shell, shown string) []piece {
	id, rest, _ := strings.Cut(shown, ",")
	place, filter, _ := strings.Cut(rest, ",")
	from, _ := strconv.Atoi(place)
	return []piece{{id: "batch", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProgress}, draw: func(ctx context.Context) (templ.Component, error) {
		b, err := s.readBatch(ctx, p, id, filter, max(0, from))
		return page.BatchBody(shell, b), err
	}}}
}

// nameBatch adds the job that a batch without a name is called after.
func (s *server) nameBatch(ctx context.Context, p farm.Principal, b *page.Batch) error {
	if b.Name != "" || len(b.Batch.Jobs) == 0 {
		return nil
	}
	first, err := s.farm.jobs.Job(ctx, p, b.Batch.Jobs[0].ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil
	}
	if err == nil {
		b.First, err = s.nameJob(ctx, p, first)
	}
	return err
}

// titleBatch is what a batch is called.
func (s *server) titleBatch(ctx context.Context, p farm.Principal, batch farm.Batch) (string, error) {
	b := page.Batch{Batch: batch}
	err := s.nameBatch(ctx, p, &b)
	return b.Title(ctx), err
}

// labelBatch gives a batch a name and a time at which it is due.
func (s *server) labelBatch(c *fiber.Ctx, p farm.Principal) error {
	label, err := readLabel(c.FormValue("batch"), c.FormValue("due"), c.FormValue("zone"))
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.batches.LabelBatch(ctx, p, c.Params("id"), label); err != nil {
		return err
	}
	return c.Redirect("/batches/"+c.Params("id"), fiber.StatusSeeOther)
}

// readLabel reads the fields of a batch's name and of the time, on the reader's clock, at which it is due.
func readLabel(name, due, zone string) (label farm.BatchLabel, err error) {
	label.Name = strings.Join(strings.Fields(name), " ")
	if label.Name != "" && !names.IsTitle(label.Name) {
		return label, farm.Invalid("the batch cannot be called that", farm.Field("name", "is too long, or has characters that cannot be shown"))
	}
	label.DueAt, err = clockTime(due, zone)
	return label, err
}

// cancelBatch cancels what waits, and with force what renders too.
func (s *server) cancelBatch(c *fiber.Ctx, p farm.Principal) error {
	force := c.FormValue("force") != ""
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, _, _, err := s.farm.batches.CancelBatch(ctx, p, c.Params("id"), force); err != nil {
		return err
	}
	return c.Redirect("/batches/"+c.Params("id"), fiber.StatusSeeOther)
}

// orderBatchAgain submits the failed rows of a batch again, in their places; or, as a batch of their own in full quality, those that were rendered as
// previews.
func (s *server) orderBatchAgain(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if c.FormValue("which") != "previews" {
		id := c.Params("id")
		if _, err := s.farm.submitter.RetakeFailed(ctx, p, id); err != nil {
			return err
		}
		return c.Redirect("/batches/"+id, fiber.StatusSeeOther)
	}
	pick := func(j farm.Job) bool { return j.Preview && j.Status == farm.JobFinished }
	change := func(j *farm.Job) { j.Preview = false }
	result, err := s.farm.submitter.ResubmitBatch(ctx, p, c.Params("id"), pick, change)
	if err != nil {
		return err
	}
	return c.Redirect("/batches/"+result.Batch.ID, fiber.StatusSeeOther)
}

func (s *server) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	return s.changeHold(c, p, s.farm.jobs.ReleaseJobs)
}

func (s *server) holdJob(c *fiber.Ctx, p farm.Principal) error {
	return s.changeHold(c, p, s.farm.jobs.HoldJobs)
}

func (s *server) changeHold(c *fiber.Ctx, p farm.Principal, change func(context.Context, farm.Principal, []string) ([]farm.Job, error)) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := change(ctx, p, []string{c.Params("id")}); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}
