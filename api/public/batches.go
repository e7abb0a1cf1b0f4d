package public

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

const (
	// BatchLimit is how many jobs one batch may hold.
	BatchLimit = 1000
	// batchBodyLimit bounds the body of a batch.
	batchBodyLimit = 100 << 20
)

// Batches is what the interface asks of the farm about batches.
type Batches interface {
	Addresses
	SubmitBatch(ctx context.Context, p farm.Principal, entries []submission.BatchEntry) (submission.BatchResult, error)
	Batch(ctx context.Context, p farm.Principal, id string) (batch farm.Batch, jobs map[string]farm.Job, err error)
	CancelBatch(ctx context.Context, p farm.Principal, id string, force bool) (batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job, err error)
}

// batchHandlers answers for batches of jobs.
type batchHandlers struct{ batches Batches }

func (h batchHandlers) routes() []route.Route {
	return []route.Route{
		route.Post("/api/v2/batches", farm.ActSubmit, h.createBatch).Submitting(),
		route.Get("/api/v2/batches/:id", farm.ActView, route.WellFormed(h.getBatch)),
		route.Post("/api/v2/batches/:id/cancel", farm.ActChangeJobs, route.WellFormed(h.cancelBatch)),
	}
}

// createBatch submits up to 1,000 jobs, each of which is accepted or refused on its own.
func (h batchHandlers) createBatch(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, batchBodyLimit)
	if err != nil {
		return err
	}
	wrong, err := strictness(c)
	if err != nil {
		return err
	}
	entries, err := decodeBatch(body, wrong)
	if err != nil {
		return refuseBatch(c, err)
	}
	ctx, done := request.Call(c)
	defer done()
	result, err := h.batches.SubmitBatch(ctx, p, entries)
	if err != nil {
		return err
	}
	outcome := batchCreatedShape(h.batches, result)
	if len(result.Jobs) == 0 {
		outcome.BatchID = refusedBatchID()
		outcome.Error = "none of the jobs was accepted"
		return answer.JSON(c, fiber.StatusBadRequest, outcome)
	}
	return answer.Created(c, outcome)
}

// refuseBatch answers a body that holds no batch. Clients read the fields of a batch's answer also from this one.
func refuseBatch(c *fiber.Ctx, err error) error {
	var e *farm.Error
	if !errors.As(err, &e) || answer.StatusOf(err) != fiber.StatusBadRequest {
		return err
	}
	return answer.JSON(c, fiber.StatusBadRequest, batchCreated{
		BatchID: refusedBatchID(), Status: batchAllRefused, Jobs: []batchCreatedJob{}, Error: e.Message, Details: e.Fields,
	})
}

// decodeBatch reads the body of POST /batches. What is wrong with one job stands in its entry, its fields named from the job on.
func decodeBatch(body []byte, wrong *input.Problems) ([]submission.BatchEntry, error) {
	o, err := input.ReadAround(body, "jobs", wrong)
	if err != nil {
		return nil, err
	}
	list := o.List("jobs")
	project := strings.TrimSpace(o.Text("project", input.NameLimit))
	if wrong.Strict {
		o.PassOver([]string{"jobs", "project"})
	}
	switch {
	case !o.Need("jobs"), input.KindOf(o.Raw("jobs")) != input.KindList:
		return nil, wrong.Err()
	case len(list) == 0 || len(list) > BatchLimit:
		o.Problem("jobs", "has to hold between 1 and %d jobs, not %d", BatchLimit, len(list))
		return nil, wrong.Err()
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	entries := make([]submission.BatchEntry, len(list))
	input.Spread(len(list), func(i int) {
		entries[i] = readBatchEntry(list[i].Raw(), wrong.Strict)
		entries[i].Job.ProjectID = cmp.Or(entries[i].Job.ProjectID, project)
	})
	return entries, nil
}

// readBatchEntry reads one job. A panic becomes an error here: outside the handler's goroutine it would end the farm.
func readBatchEntry(raw json.RawMessage, strict bool) (entry submission.BatchEntry) {
	defer func() {
		if p := recover(); p != nil {
			entry.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	wrong := &input.Problems{Strict: strict}
	if input.KindOf(raw) != input.KindObject {
		return submission.BatchEntry{Err: farm.Errorf(farm.CodeInvalid, "the job has to be an object, not %s", input.KindOf(raw))}
	}
	o, err := input.Read(raw, wrong)
	if err != nil {
		return submission.BatchEntry{Err: err}
	}
	job := readJob(o)
	checkFamily(job, wrong)
	warnOfNearlySecrets(raw, wrong)
	job.Warnings, job.Strict = wrong.Warnings, strict
	return submission.BatchEntry{Job: job, Err: wrong.Err()}
}

func (h batchHandlers) getBatch(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	batch, jobs, err := h.batches.Batch(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, batchShape(h.batches, batch, jobs))
}

// cancelBatch cancels what can be cancelled of a batch. Force, which is beyond the interface, also stops jobs that render.
func (h batchHandlers) cancelBatch(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	force := input.QueryFlag(c, "force", wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	batch, jobs, cancelled, err := h.batches.CancelBatch(ctx, p, c.Params("id"), force)
	if err != nil {
		return err
	}
	return answer.OK(c, batchCancelledShape(h.batches, batch, jobs, cancelled))
}

// errorCode is the code of an error for programs, such as NOT_FOUND.
func errorCode(err error) string {
	var e *farm.Error
	if errors.As(err, &e) && e.ErrorCode != "" {
		return e.ErrorCode
	}
	if code := farm.CodeOf(err); code != farm.CodeInvalid {
		return strings.ToUpper(string(code))
	}
	return "VALIDATION_ERROR"
}
