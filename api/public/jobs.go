package public

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// Jobs is what the interface asks of the farm about jobs.
type Jobs interface {
	Addresses
	Submit(ctx context.Context, p farm.Principal, job farm.Job) (farm.Job, error)
	Jobs(ctx context.Context, p farm.Principal, q farm.JobQuery) (jobs []farm.Job, next string, err error)
	Job(ctx context.Context, p farm.Principal, id string) (farm.Job, error)
	JobLog(ctx context.Context, p farm.Principal, id string) (*files.File, error)
	CancelJobs(ctx context.Context, p farm.Principal, ids []string, force bool) ([]farm.Job, error)
}

// jobHandlers answers for jobs.
type jobHandlers struct{ jobs Jobs }

func (h jobHandlers) routes() []route.Route {
	return []route.Route{
		route.Post("/api/v2/jobs", farm.ActSubmit, h.createJob).Submitting(),
		route.Get("/api/v2/jobs", farm.ActView, h.listJobs),
		route.Post("/api/v2/jobs/join", farm.ActSubmit, h.joinJobs),
		route.Post("/api/v2/jobs/cancel", farm.ActChangeJobs, h.cancelJobs),
		route.Get("/api/v2/jobs/:id", farm.ActView, h.getJob),
		route.Get("/api/v2/jobs/:id/logs", farm.ActView, h.getJobLog),
		route.Patch("/api/v2/jobs/:id/cancel", farm.ActChangeJobs, h.cancelJob),
	}
}

func (h jobHandlers) createJob(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong, err := strictness(c)
	if err != nil {
		return err
	}
	job, err := readSubmission(body, wrong)
	if err != nil {
		return err
	}
	job.Strict = wrong.Strict
	return h.submit(c, p, job)
}

// joinJobs submits a job that stitches clips.
func (h jobHandlers) joinJobs(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong, err := strictness(c)
	if err != nil {
		return err
	}
	job, err := decodeJoin(body, wrong)
	if err != nil {
		return err
	}
	return h.submit(c, p, job)
}

// strictness is how a submission is read: under strict=true, which is beyond the interface, fields that nobody knows are refused.
func strictness(c *fiber.Ctx) (*input.Problems, error) {
	wrong := &input.Problems{}
	wrong.Strict = input.QueryFlag(c, "strict", wrong)
	return wrong, wrong.Err()
}

func (h jobHandlers) submit(c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.Submit(ctx, p, job)
	if err != nil {
		return err
	}
	return answer.Created(c, createdShape(h.jobs, job))
}

func (h jobHandlers) listJobs(c *fiber.Ctx, p farm.Principal) error {
	query, err := decodeJobQuery(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	jobs, next, err := h.jobs.Jobs(ctx, p, query)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, JobShapes(h.jobs, jobs, query.Minimal))
}

func (h jobHandlers) getJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, jobShape(job, h.jobs.OutputAddress(job), false))
}

func (h jobHandlers) getJobLog(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	log, err := h.jobs.JobLog(ctx, p, id)
	if err != nil {
		return err
	}
	return answer.File(c, log, answer.FileOptions{ContentType: fiber.MIMETextPlainCharsetUTF8, Name: id + ".log", CacheControl: "no-cache"})
}

// cancelJob cancels one job. Force, which is beyond the interface, also stops one that renders.
func (h jobHandlers) cancelJob(c *fiber.Ctx, p farm.Principal) error {
	return h.cancel(c, p, []string{c.Params("id")})
}

func (h jobHandlers) cancelJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return h.cancel(c, p, ids)
}

func (h jobHandlers) cancel(c *fiber.Ctx, p farm.Principal, ids []string) error {
	wrong := &input.Problems{}
	force := input.QueryFlag(c, "force", wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	jobs, err := h.jobs.CancelJobs(ctx, p, ids, force)
	if err != nil {
		return err
	}
	return answer.OK(c, JobShapes(h.jobs, jobs, false))
}
