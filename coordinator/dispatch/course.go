package dispatch

import (
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore"
)

// assembleShare is how much of a split job's progress, in percent, is the assembly of its parts.
const assembleShare = 5

// course is how far a job with several tasks is, as the state has it. What its leases have done meanwhile comes to that.
type course struct {
	frames  farm.Frames            // that the job renders; empty before it is split
	done    int                    // frames that lie in parts, or need no part any more
	due     map[string]farm.Frames // that tasks have still to render, by task
	reached float64                // progress that was told, which does not fall
}

// severalOf are the jobs with several tasks, of some that tasks belong to.
func severalOf(tasks []farm.Task) []string {
	var jobs []string
	for _, t := range tasks {
		if (t.Part || t.Stage > 0) && !slices.Contains(jobs, t.Job) {
			jobs = append(jobs, t.Job)
		}
	}
	return jobs
}

// courseOf reads the course of a job out of its tasks; nil when it has ended.
func courseOf(tasks []farm.Task) *course {
	if !slices.ContainsFunc(tasks, func(t farm.Task) bool { return !t.Status.Ended() }) {
		return nil
	}
	c := &course{frames: farm.Frames{End: -1}, due: map[string]farm.Frames{}}
	due := 0
	for _, t := range tasks {
		switch {
		case t.Kind == farm.TaskAssemble && t.Frames != nil:
			c.frames = *t.Frames
		case t.Kind == farm.TaskRender && t.Part && !t.Status.Ended():
			c.due[t.ID] = *t.Frames
			due += t.Frames.Count()
		}
	}
	c.done = max(0, c.frames.Count()-due)
	return c
}

// readCourses reads the courses of jobs anew, when something has happened to their tasks.
func (l *leader) readCourses(jobs ...string) {
	if len(jobs) == 0 {
		return
	}
	l.courseReads.Lock()
	defer l.courseReads.Unlock()
	courses := make(map[string]*course, len(jobs))
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		for _, id := range jobs {
			tasks, err := tx.TasksOf(id)
			if err != nil {
				return err
			}
			courses[id] = courseOf(tasks)
		}
		return nil
	})
	if err != nil {
		l.d.log.Error("reading how far jobs are", "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, now := range courses {
		was := l.courses[id]
		switch {
		case now == nil && was != nil:
			delete(l.courses, id)
			l.ended = append(l.ended, id)
		case now != nil && was != nil:
			now.reached = was.reached
			l.courses[id] = now
		case now != nil:
			now.reached, _ = l.d.mirror.reachedBy(id) // with the leader before
			l.courses[id] = now
		}
	}
}

// sweepOver drops the parts of jobs that have ended.
func (l *leader) sweepOver() {
	l.mu.Lock()
	over := l.ended
	l.ended = nil
	l.mu.Unlock()
	for _, job := range over {
		l.d.storage.Aside(func(ctx context.Context) {
			if err := l.d.results.SweepJob(ctx, job); err != nil && ctx.Err() == nil {
				l.d.log.Error("dropping the parts of a job that has ended", "job", job, "error", err)
			}
		})
	}
}

// outlook is how far a job with several tasks is.
type outlook struct {
	progress float64 // 0..100
	frame    int     // as many are done, counted from the job's first; -1 for none
	phase    string
}

// outlookLocked adds what the leases of a job have done to its course.
func (l *leader) outlookLocked(job string, c *course) outlook {
	frames, assembled := float64(c.done), 0.0
	o := outlook{phase: "queued"}
	for _, h := range l.byJob[job] {
		switch {
		case h.cancelled:
			continue
		case h.kind == farm.TaskAssemble:
			assembled = h.progress
		case h.kind == farm.TaskRender && !h.part:
			c.reached = max(c.reached, h.progress) // the whole, behind its first pictures
		case h.kind == farm.TaskRender:
			due := c.due[h.Task]
			frames += float64(due.Count()) * h.progress / 100
		}
		if o.phase != "rendering" && h.phase != "" {
			o.phase = h.phase
		}
	}
	if total := c.frames.Count(); total > 0 {
		c.reached = max(c.reached, min(frames/float64(total), 1)*(100-assembleShare)+assembled*assembleShare/100)
		o.frame = c.frames.Start + int(frames)
	}
	o.frame--
	o.progress = c.reached
	return o
}
