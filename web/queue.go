package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

// queue is what pages ask of the farm about the order of work, and about what a job waits for.
type queue interface {
	Queue(ctx context.Context, p farm.Principal, limit int, cursor string) (entries []farm.QueueEntry, next string, err error)
	Placement(ctx context.Context, p farm.Principal, id string) (farm.Placement, error)
	FinishEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Span, error)
	BatchForecast(ctx context.Context, p farm.Principal, id string) (farm.BatchForecast, error)
	PlacementEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Placement, error)
	WhyWaitingEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Text, error)
}

// status is how the farm is as a whole. Pulse leaves out what a new leader would have to read its queue for.
type status interface {
	Status(ctx context.Context, p farm.Principal) (farm.Status, error)
	Pulse(ctx context.Context, p farm.Principal) (farm.Status, error)
}

// queueOnPage is how many tasks a page of the queue shows.
const queueOnPage = 50

func (s *server) queue(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	q, err := s.readQueue(ctx, p, c.Query("cursor"))
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Queue"), "queue")
	shell.Live = "queue:" + q.Cursor
	return s.render(c, page.QueuePage(shell, q))
}

// readQueue reads a page of the line.
func (s *server) readQueue(ctx context.Context, p farm.Principal, cursor string) (q page.Queue, err error) {
	q = page.Queue{Cursor: cursor, Levels: farm.Levels(), Now: time.Now()}
	if q.Policy, err = s.farm.policy.Policy(ctx, p); err != nil {
		return q, err
	}
	if q.Status, err = s.farm.status.Status(ctx, p); err != nil {
		return q, err
	}
	entries, next, err := s.farm.queue.Queue(ctx, p, queueOnPage, cursor)
	if err != nil {
		return q, err
	}
	q.Next = next
	titles, owners := map[string]string{}, map[string]string{} // by job, of which several tasks may wait for the same
	for _, e := range entries {
		if _, known := titles[e.Job]; known || e.Job == "" {
			continue
		}
		job, err := s.farm.jobs.Job(ctx, p, e.Job)
		if err == nil {
			owners[e.Job] = job.SubmittedBy
			titles[e.Job], err = s.titleOf(ctx, p, job)
		}
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound { // it was removed meanwhile
			return q, err
		}
	}
	placements, err := s.farm.queue.PlacementEach(ctx, p, slices.Collect(maps.Keys(titles)))
	if err != nil {
		return q, err
	}
	for _, e := range entries {
		line := page.QueueLine{QueueEntry: e, Title: cmp.Or(titles[e.Job], e.JobName, e.Job), By: owners[e.Job]}
		if placement, known := placements[e.Job]; known {
			line.Why = &placement
		}
		q.Lines = append(q.Lines, line)
	}
	return q, nil
}

// queuePieces are the live parts of the queue.
func (s *server) queuePieces(p farm.Principal, shell page.Shell, cursor string) []piece {
	return []piece{{id: "queue", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventTask, farm.EventFarm, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readQueue(ctx, p, cursor)
		return page.QueueBody(shell, v), err
	}}}
}

// turnFarm pauses the farm or lets it go on, from whatever page that was asked for on.
func (s *server) turnFarm(paused bool) func(*fiber.Ctx, farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, cancel := s.callOf(c)
		defer cancel()
		if _, err := s.farm.policy.PauseFarm(ctx, p, paused); err != nil {
			return err
		}
		return c.Redirect(cameFrom(c, "/queue"), fiber.StatusSeeOther)
	}
}

// turnLevel pauses a level or lets it go on.
func (s *server) turnLevel(paused bool) func(*fiber.Ctx, farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		level := farm.Level(c.Params("level"))
		if !level.Known() {
			return farm.Errorf(farm.CodeNotFound, "there is no level %q", level)
		}
		ctx, cancel := s.callOf(c)
		defer cancel()
		_, err := s.farm.policy.ChangeLevels(ctx, p, map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy{
			level: func(l farm.LevelPolicy) farm.LevelPolicy {
				l.Paused = paused
				return l
			},
		})
		if err != nil {
			return err
		}
		return c.Redirect("/queue", fiber.StatusSeeOther)
	}
}
