package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

const (
	// BatchLimit is how many jobs one batch may hold.
	BatchLimit = 1000
	// batchBodyLimit bounds the body of a batch.
	batchBodyLimit = 100 << 20
)

// createBatch submits up to 1,000 jobs, each of which is accepted or refused on its own.
func (s *server) createBatch(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, batchBodyLimit)
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
	ctx, done := s.call(c)
	defer done()
	result, err := s.farm.SubmitBatch(ctx, p, entries)
	if err != nil {
		return err
	}
	answer := s.batchCreatedShape(result)
	if len(result.Jobs) == 0 {
		answer.BatchID = refusedBatchID()
		answer.Error = "none of the jobs was accepted"
		return sendJSON(c, fiber.StatusBadRequest, answer)
	}
	return created(c, answer)
}

// refuseBatch answers a body that holds no batch. Clients read the fields of a batch's answer also from this one.
func refuseBatch(c *fiber.Ctx, err error) error {
	var e *farm.Error
	if !errors.As(err, &e) || StatusOf(err) != fiber.StatusBadRequest {
		return err
	}
	return sendJSON(c, fiber.StatusBadRequest, batchCreated{
		BatchID: refusedBatchID(), Status: batchAllRefused, Jobs: []batchCreatedJob{}, Error: e.Message, Details: e.Fields,
	})
}

// decodeBatch reads the body of POST /batches. What is wrong with one job stands in its entry, its fields named from the job on.
func decodeBatch(body []byte, wrong *problems) ([]submission.BatchEntry, error) {
	o, err := readObject(body, wrong)
	if err != nil {
		return nil, err
	}
	list := o.list("jobs")
	if wrong.strict {
		o.passOver([]string{"jobs"})
	}
	switch {
	case !o.need("jobs"), kindOf(o.raw("jobs")) != kindList:
		return nil, wrong.err()
	case len(list) == 0 || len(list) > BatchLimit:
		o.problem("jobs", "has to hold between 1 and %d jobs, not %d", BatchLimit, len(list))
		return nil, wrong.err()
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	entries := make([]submission.BatchEntry, len(list))
	spread(len(list), func(i int) { entries[i] = readBatchEntry(list[i], wrong.strict) })
	return entries, nil
}

// spread does n independent pieces of work on all processors.
func spread(n int, do func(i int)) {
	workers := runtime.GOMAXPROCS(0)
	var work sync.WaitGroup
	for w := range workers {
		work.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	work.Wait()
}

// readBatchEntry reads one job. A panic becomes an error here: outside the handler's goroutine it would end the farm.
func readBatchEntry(raw json.RawMessage, strict bool) (entry submission.BatchEntry) {
	defer func() {
		if p := recover(); p != nil {
			entry.Err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	wrong := &problems{strict: strict}
	o, isObject := objectOf(raw, "", wrong)
	if !isObject {
		return submission.BatchEntry{Err: farm.Invalid(fmt.Sprintf("the job has to be an object, not %s", kindOf(raw)))}
	}
	job := readJob(o)
	checkFamily(job, wrong)
	warnOfNearlySecrets(raw, wrong)
	job.Warnings, job.Strict = wrong.warnings, strict
	return submission.BatchEntry{Job: job, Err: wrong.err()}
}

func (s *server) getBatch(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	batch, jobs, err := s.farm.Batch(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, s.batchShape(batch, jobs))
}

// cancelBatch cancels what can be cancelled of a batch. Force, which is beyond the interface, also stops jobs that render.
func (s *server) cancelBatch(c *fiber.Ctx, p farm.Principal) error {
	wrong := &problems{}
	force := queryFlag(c, "force", wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	batch, jobs, cancelled, err := s.farm.CancelBatch(ctx, p, c.Params("id"), force)
	if err != nil {
		return err
	}
	return ok(c, s.batchCancelledShape(batch, jobs, cancelled))
}

// listBatches lists the team's batches, the newest first.
func (s *server) listBatches(c *fiber.Ctx, p farm.Principal) error {
	wrong := &problems{}
	limit := queryNumber(c, "limit", listSize, 1, listLimit, wrong)
	cursor := queryCursor(c, wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	list, next, err := s.farm.Batches(ctx, p, cursor, limit)
	if err != nil {
		return err
	}
	linkNext(c, next)
	answer := make([]batchListed, len(list))
	for i, b := range list {
		stats := countedStats(b.Counts)
		answer[i] = batchListed{BatchID: b.ID, Status: batchStatus(stats), CreatedAt: stamp(b.CreatedAt), Stats: stats}
	}
	return ok(c, answer)
}

// releaseJob lets a held job begin.
func (s *server) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	return s.release(c, p, []string{c.Params("id")})
}

func (s *server) releaseJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := namedJobs(c)
	if err != nil {
		return err
	}
	return s.release(c, p, ids)
}

func (s *server) release(c *fiber.Ctx, p farm.Principal, ids []string) error {
	ctx, done := s.call(c)
	defer done()
	jobs, err := s.farm.ReleaseJobs(ctx, p, ids)
	if err != nil {
		return err
	}
	return ok(c, s.jobShapes(jobs, false))
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
