package web

import (
	"context"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

const (
	wallPath    = "/wall"
	wallRunning = 4
	wallRecent  = 5
)

// wall is a screen for the studio, which nobody touches.
func (s *server) wall(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readWall(withZone(ctx, readerZone(c)), p)
	if err != nil {
		return err
	}
	shell := s.bareShell(c, say(c, "Wall"))
	shell.Theme, shell.Live, shell.Reader = "dark", "wall", p
	return s.render(c, page.WallPage(shell, v))
}

// readWall reads how the team's work goes, for people who pass by.
func (s *server) readWall(ctx context.Context, p farm.Principal) (page.Wall, error) {
	var v page.Wall
	status, err := s.farm.status.Pulse(ctx, p)
	if err != nil {
		v.Leaderless = true // what follows is what this coordinator knows
	}
	v.Rendering, v.Waiting = status.Jobs[farm.JobRendering], status.Jobs[farm.JobQueued]+status.Jobs[farm.JobPending]
	v.Machines, v.Busy, v.Paused = online(status), status.Machines[farm.MachineRendering], status.Paused
	began, utc := today(ctx, s.farm.reports.Now())
	done, _, err := s.farm.reports.DoneToday(ctx, p, began)
	if err != nil {
		return v, err
	}
	v.Done, v.Hours, v.UTC = done.Jobs, done.Hours(), utc
	running, _, err := s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: jobFilters["rendering"], Sort: "newest_first", Limit: wallRunning})
	if err != nil {
		return v, err
	}
	if v.Running, err = s.dress(ctx, p, running, true); err != nil {
		return v, err
	}
	if err := s.forecast(ctx, p, v.Running); err != nil {
		return v, err
	}
	recent, _, err := s.farm.jobs.Jobs(ctx, p, farm.JobQuery{States: jobFilters["finished"], Sort: "newest_first", Limit: wallRecent})
	if err != nil {
		return v, err
	}
	if v.Recent, err = s.dress(ctx, p, recent, false); err != nil {
		return v, err
	}
	if v.Causes, _, err = s.readCauses(ctx, p); err != nil {
		return v, err
	}
	waiting, err := s.firstInLine(ctx, p)
	if err != nil {
		return v, err
	}
	if v.Stuck, err = s.waitForPeople(ctx, p, true, waiting); farm.CodeOf(err) == farm.CodeUnavailable {
		err = nil // without a leader nobody knows
	}
	return v, err
}

// wallPieces are what a screen on the wall shows.
func (s *server) wallPieces(p farm.Principal, _ page.Shell, _ string) []piece {
	return []piece{{id: "wall", common: true, daily: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventThumbnail, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readWall(ctx, p)
		return page.WallBody(v), err
	}}}
}
