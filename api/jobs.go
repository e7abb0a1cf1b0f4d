package api

import (
	"encoding/json"
	"regexp"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// namedLimit is how many jobs one request may name, to be cancelled or released.
const namedLimit = 1000

func (s *server) createJob(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
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
	job.Strict = wrong.strict
	return s.submit(c, p, job)
}

// joinJobs submits a job that stitches clips.
func (s *server) joinJobs(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
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
func strictness(c *fiber.Ctx) (*problems, error) {
	wrong := &problems{}
	wrong.strict = queryFlag(c, "strict", wrong)
	return wrong, wrong.err()
}

func (s *server) submit(c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	ctx, done := s.call(c)
	defer done()
	job, err := s.farm.Submit(ctx, p, job)
	if err != nil {
		return err
	}
	return created(c, s.createdShape(job))
}

func (s *server) listJobs(c *fiber.Ctx, p farm.Principal) error {
	query, err := decodeJobQuery(c)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	jobs, next, err := s.farm.Jobs(ctx, p, query)
	if err != nil {
		return err
	}
	linkNext(c, next)
	return ok(c, s.jobShapes(jobs, query.Minimal))
}

func (s *server) getJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	job, err := s.farm.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, jobShape(job, s.farm.OutputAddress(job), false))
}

func (s *server) getJobLog(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	id := c.Params("id")
	log, err := s.farm.JobLog(ctx, p, id)
	if err != nil {
		return err
	}
	return ServeFile(c, log, FileOptions{ContentType: fiber.MIMETextPlainCharsetUTF8, Name: id + ".log", CacheControl: "no-cache"})
}

// cancelJob cancels one job. Force, which is beyond the interface, also stops one that renders.
func (s *server) cancelJob(c *fiber.Ctx, p farm.Principal) error {
	return s.cancel(c, p, []string{c.Params("id")})
}

func (s *server) cancelJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := namedJobs(c)
	if err != nil {
		return err
	}
	return s.cancel(c, p, ids)
}

func (s *server) cancel(c *fiber.Ctx, p farm.Principal, ids []string) error {
	wrong := &problems{}
	force := queryFlag(c, "force", wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	jobs, err := s.farm.CancelJobs(ctx, p, ids, force)
	if err != nil {
		return err
	}
	return ok(c, s.jobShapes(jobs, false))
}

// jobID is the form of a job's id: a ULID, in Crockford's base 32.
var jobID = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// namedJobs reads the body of a request that names jobs.
func namedJobs(c *fiber.Ctx) ([]string, error) {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return nil, err
	}
	return decodeIDs(body)
}

// decodeIDs reads a body that names jobs.
func decodeIDs(body []byte) ([]string, error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return nil, err
	}
	list := o.list("jobs")
	switch {
	case !o.need("jobs"):
	case kindOf(o.raw("jobs")) != kindList:
	case len(list) == 0 || len(list) > namedLimit:
		o.problem("jobs", "has to name between 1 and %d jobs, not %d", namedLimit, len(list))
	default:
		return readIDs(o, list), wrong.err()
	}
	return nil, wrong.err()
}

func readIDs(o object, list []json.RawMessage) []string {
	ids := make([]string, len(list))
	seen := map[string]bool{}
	for i, raw := range list {
		at := elementPath(o.field("jobs"), i)
		switch err := json.Unmarshal(raw, &ids[i]); {
		case err != nil || kindOf(raw) != kindString:
			o.wrong.add(at, "has to be a string, not %s", kindOf(raw))
		case !jobID.MatchString(ids[i]):
			o.wrong.add(at, "is no job id")
		case seen[ids[i]]:
			o.wrong.add(at, "names %s a second time", ids[i])
		}
		seen[ids[i]] = true
	}
	return ids
}

// whyWaiting says in a sentence why a job has not started.
func (s *server) whyWaiting(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	id := c.Params("id")
	why, err := s.farm.WhyWaiting(ctx, p, id)
	if err != nil {
		return err
	}
	return ok(c, map[string]string{"id": id, "why": why})
}
