package public

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

func (s *server) createJob(c *fiber.Ctx, p farm.Principal) error {
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
	return s.submit(c, p, job)
}

// joinJobs submits a job that stitches clips.
func (s *server) joinJobs(c *fiber.Ctx, p farm.Principal) error {
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
	return s.submit(c, p, job)
}

// strictness is how a submission is read: under strict=true, which is beyond the interface, fields that nobody knows are refused.
func strictness(c *fiber.Ctx) (*input.Problems, error) {
	wrong := &input.Problems{}
	wrong.Strict = input.QueryFlag(c, "strict", wrong)
	return wrong, wrong.Err()
}

func (s *server) submit(c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := s.farm.Submit(ctx, p, job)
	if err != nil {
		return err
	}
	return answer.Created(c, createdShape(s.farm, job))
}

func (s *server) listJobs(c *fiber.Ctx, p farm.Principal) error {
	query, err := decodeJobQuery(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	jobs, next, err := s.farm.Jobs(ctx, p, query)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, JobShapes(s.farm, jobs, query.Minimal))
}

func (s *server) getJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := s.farm.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, jobShape(job, s.farm.OutputAddress(job), false))
}

func (s *server) getJobLog(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	log, err := s.farm.JobLog(ctx, p, id)
	if err != nil {
		return err
	}
	return answer.File(c, log, answer.FileOptions{ContentType: fiber.MIMETextPlainCharsetUTF8, Name: id + ".log", CacheControl: "no-cache"})
}

// cancelJob cancels one job. Force, which is beyond the interface, also stops one that renders.
func (s *server) cancelJob(c *fiber.Ctx, p farm.Principal) error {
	return s.cancel(c, p, []string{c.Params("id")})
}

func (s *server) cancelJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return s.cancel(c, p, ids)
}

func (s *server) cancel(c *fiber.Ctx, p farm.Principal, ids []string) error {
	wrong := &input.Problems{}
	force := input.QueryFlag(c, "force", wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	jobs, err := s.farm.CancelJobs(ctx, p, ids, force)
	if err != nil {
		return err
	}
	return answer.OK(c, JobShapes(s.farm, jobs, false))
}
