package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/web/page"
)

// moveWithin is how many tasks of the line are looked at for a move: a job is moved among those that a person can see.
const moveWithin = 500

// planMove finds what a form asks for: ?job=, and before= or after= another one in line.
func (s *server) planMove(ctx context.Context, c *fiber.Ctx, p farm.Principal) (page.Move, error) {
	field := func(name string) string { return string(c.Request().URI().QueryArgs().Peek(name)) }
	if c.Method() == fiber.MethodPost {
		field = func(name string) string { return c.FormValue(name) }
	}
	line, err := s.teamLine(ctx, p)
	if err != nil {
		return page.Move{}, err
	}
	target, after := field("before"), false
	if target == "" {
		target, after = field("after"), true
	}
	m, err := page.PlanMove(line, field("job"), target, after)
	if err != nil {
		return m, err
	}
	if m.Level == farm.LevelRush && m.Job.Level != farm.LevelRush {
		policy, err := s.farm.policy.Policy(ctx, p)
		if err != nil {
			return m, err
		}
		if err := policy.MayRush(p); err != nil {
			return m, err
		}
	}
	return m, nil
}

// teamLine are the jobs of the reader's team that wait in line, in order.
func (s *server) teamLine(ctx context.Context, p farm.Principal) (line []page.QueueJob, err error) {
	entries, _, err := s.farm.queue.Queue(ctx, p, moveWithin, "")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Job == "" || seen[e.Job] {
			continue
		}
		seen[e.Job] = true
		job, err := s.farm.jobs.Job(ctx, p, e.Job)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue // it was removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		title, err := s.titleOf(ctx, p, job)
		if err != nil {
			return nil, err
		}
		line = append(line, page.QueueJob{
			ID: job.ID, Title: title, By: job.SubmittedBy, Level: e.Level, Priority: job.Priority, Created: job.CreatedAt,
		})
	}
	return line, nil
}

// previewMove says what a move would do: GET /queue/move.
func (s *server) previewMove(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	m, err := s.planMove(ctx, c, p)
	if err != nil {
		return err
	}
	if len(m.Passed) > 0 {
		if m.Longer, err = s.longer(ctx, p, m.Job.ID); err != nil {
			return err
		}
	}
	return c.JSON(fiber.Map{"message": m.Sentence(reading(c)), "stays": m.Stays()})
}

// longer is about how much longer jobs wait that a job passes: its work, shared by the machines that could do it. 0 when nobody can tell.
func (s *server) longer(ctx context.Context, p farm.Principal, id string) (time.Duration, error) {
	placement, err := s.farm.queue.Placement(ctx, p, id)
	if err != nil || placement.Finish == nil || placement.Start == nil || placement.Fitting == 0 {
		return 0, err
	}
	low, high := placement.Finish.Low-placement.Start.Low, placement.Finish.High-placement.Start.High
	seconds := max((low+high)/2, 0) / float64(placement.Fitting)
	return time.Duration(seconds * float64(time.Second)), nil
}

// move gives a job another place in line: POST /queue/move.
func (s *server) move(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	m, err := s.planMove(ctx, c, p)
	if err != nil {
		return err
	}
	if !m.Stays() {
		if _, err := s.farm.jobs.ChangeJob(ctx, p, m.Job.ID, coordinator.JobChange{Priority: &m.Priority, Level: &m.Level}); err != nil {
			return err
		}
	}
	if wantsJSON(c) {
		return c.JSON(fiber.Map{"message": m.Sentence(reading(c))})
	}
	return c.Redirect("/queue", fiber.StatusSeeOther)
}
