package web

import (
	"context"
	"fmt"
	"slices"

	"github.com/a-h/templ"

	"overcrank/coordinator"
	"overcrank/coordinator/notices"
	"overcrank/farm"
	"overcrank/web/page"
)

// readJobView reads a job's page, without its tasks.
func (s *server) readJobView(ctx context.Context, p farm.Principal, id string) (page.JobView, error) {
	job, err := s.readJob(ctx, p, id)
	v := page.JobView{Job: job, Level: job.Level, Levels: s.levelsFor(ctx, p, job.Level)}
	if v.Level == "" {
		v.Level = farm.LevelNormal
	}
	if err != nil {
		return v, err
	}
	if err := s.addVersion(ctx, p, &v); err != nil {
		return v, err
	}
	if job.Status == farm.JobFailed {
		if v.Cure, err = s.cureOf(ctx, p, id); err != nil {
			return v, err
		}
	}
	if job.Status == farm.JobFinished && job.Sequence() {
		takes, err := s.farm.reviews.Takes(ctx, p, id)
		if err != nil {
			return v, err
		}
		_, again := mendedOf(takes)
		v.Mended = len(again) > 0
	}
	if job.Status == farm.JobRendering {
		if v.Shared, err = s.isShared(ctx, p, id); err != nil {
			return v, err
		}
	}
	if job.Status.Ended() && !job.PreviewFirst {
		return v, nil
	}
	if job.PreviewFirst {
		samples, err := s.farm.results.Samples(ctx, p, id)
		if err != nil {
			return v, err
		}
		for _, sample := range samples {
			v.Samples = append(v.Samples, sample.Frame)
		}
	}
	if job.Status.Ended() {
		return v, nil
	}
	if v.Watching, err = s.farm.notices.Watches(ctx, p, id); err != nil {
		return v, err
	}
	placement, err := s.farm.queue.Placement(ctx, p, id)
	if err != nil {
		return v, err
	}
	v.Placement, v.Finish = &placement, placement.Finish
	return v, nil
}

// jobPieces are the live parts of a job's page. What it waits for changes with machines and with the farm as well.
func (s *server) jobPieces(p farm.Principal, shell page.Shell, id string) []piece {
	own := []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventThumbnail}
	var watching notices.Watching
	watches := func(ctx context.Context) (words string, err error) {
		watching, err = s.farm.notices.Watches(ctx, p, id)
		return fmt.Sprint(watching), err
	}
	body := func(ctx context.Context) (templ.Component, error) {
		v, err := s.readJobView(ctx, p, id)
		if !v.Status.Ended() {
			v.Watching = watching
		}
		return page.JobBody(shell, v), err
	}
	return []piece{
		{id: "reviews", common: true, kinds: []farm.EventKind{farm.EventJob}, subject: id, draw: func(ctx context.Context) (templ.Component, error) {
			v, err := s.readReviews(ctx, p, id)
			return page.ReviewsPart(shell, v), err
		}},
		{id: "timeline", common: true, kinds: []farm.EventKind{farm.EventTask, farm.EventJob}, subject: id, draw: func(ctx context.Context) (templ.Component, error) {
			t, err := s.readTimeline(ctx, p, id)
			return page.TimelinePart(t), err
		}},
		{id: "job", common: true, own: watches, kinds: own, subject: id, draw: body},
		{id: "job", common: true, own: watches, kinds: []farm.EventKind{farm.EventFarm}, draw: body},
		{id: "tasks", common: true, kinds: []farm.EventKind{farm.EventTask, farm.EventProgress, farm.EventJob}, subject: id, draw: func(ctx context.Context) (templ.Component, error) {
			t, err := s.readTasks(ctx, p, id)
			return page.TasksPart(t, false), err
		}},
	}
}

// isShared tells whether machines share a film: one of its first tasks, which may be that of the frames to look at first, renders a part of it.
func (s *server) isShared(ctx context.Context, p farm.Principal, id string) (bool, error) {
	first, _, err := s.farm.tasks.Tasks(ctx, p, id, "", 2)
	return slices.ContainsFunc(first, func(t coordinator.TaskView) bool { return t.Kind == farm.TaskRender && t.Part }), err
}

// levelsFor are the levels that a reader may choose for a job, with the one that it has.
func (s *server) levelsFor(ctx context.Context, p farm.Principal, now farm.Level) []farm.Level {
	policy, err := s.farm.policy.Policy(ctx, p)
	return slices.DeleteFunc(farm.Levels(), func(l farm.Level) bool {
		return l == farm.LevelRush && l != now && (err != nil || policy.MayRush(p) != nil)
	})
}
