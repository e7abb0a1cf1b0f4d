package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"overcrank/coordinator/ranges"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// splittable is a render of a whole composition that was granted to a machine, while others are free.
type splittable struct {
	grant    schedule.Grant
	job      farm.Job
	template farm.Template
	tempo    tempo
}

// splits says whether a task may be split: it renders the whole of a composition of which the farm knows how long it is, in any
// order, and has not failed.
func splits(t farm.Task, job farm.Job, template *farm.Template) bool {
	return t.Kind == farm.TaskRender && !t.Part && t.Failures == 0 && template != nil && mayPart(job, template)
}

// splitting makes ranges of granted renders that several machines do sooner than one. A grant stays good: its task becomes the
// first range. The other tasks are queued.
func (l *leader) splitting(ctx context.Context, grants []schedule.Grant) {
	l.mu.Lock()
	free, policy, adobe := l.queue.Free(), l.policy, l.queue.HasAfterEffects()
	if len(grants) == grantGroup { // others may be about to be granted
		free -= l.queue.Len()
	}
	l.mu.Unlock()
	if free <= 0 || policy.Split.Off {
		return
	}
	grants = slices.DeleteFunc(slices.Clone(grants), func(g schedule.Grant) bool { return !g.Task.Whole })
	if len(grants) == 0 {
		return
	}
	found, err := l.splittables(grants, adobe)
	if err != nil {
		l.c.log.Error("looking for renders to split", "error", err)
		return
	}
	cmd := raftstore.SplitTasks{Splits: l.plan(ctx, found, free, policy, adobe), At: l.c.cfg.Now()}
	if len(cmd.Splits) == 0 {
		return
	}
	res, err := l.c.apply(ctx, cmd)
	if err != nil {
		l.c.log.Warn("splitting renders", "error", err)
	}
	for i, split := range cmd.Splits {
		if err == nil && res.Each[i] == nil {
			job, _, _ := strings.Cut(split.Task, ".")
			l.c.note(job, fmt.Sprintf("the render is split into %d ranges of frames", len(split.Ranges)))
		}
	}
}

// plan shares free slots out among renders that may be split.
func (l *leader) plan(ctx context.Context, found []splittable, free int, policy farm.Policy, adobe bool) []raftstore.Split {
	var splits []raftstore.Split
	for i, f := range found {
		share := free / (len(found) - i)
		split, pays, err := l.c.split(ctx, f, 1+share, policy, adobe)
		if pays {
			l.mu.Lock()
			spare := l.queue.Spare(f.grant)
			l.mu.Unlock()
			if spare < share {
				share = spare
				split, pays, err = l.c.split(ctx, f, 1+share, policy, adobe)
			}
		}
		if err != nil {
			l.c.log.Warn("a render is not split", "task", f.grant.Task.ID, "error", err)
		}
		if pays {
			splits = append(splits, split)
			free -= min(share, len(split.Ranges)-1)
		}
	}
	return splits
}

// splittables finds the granted tasks that may be split, with what is known of how long they take.
func (l *leader) splittables(grants []schedule.Grant, adobe bool) ([]splittable, error) {
	var found []splittable
	err := l.c.store.View(func(tx *raftstore.Tx) error {
		for _, g := range grants {
			task, err := tx.Task(g.Task.ID)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			if err != nil {
				continue
			}
			if next, err := tx.NextAttempt(task); err != nil {
				return err
			} else if next != g.Task.Attempt {
				continue
			}
			f := splittable{grant: g}
			if f.job, err = tx.Job(task.Job); err != nil {
				return err
			}
			if f.template, err = tx.Template(f.job.Template.ID); err != nil {
				return err
			}
			if !splits(task, f.job, &f.template) {
				continue
			}
			if f.tempo, err = tempoOf(tx, f.job, f.template, adobe); err != nil {
				return err
			}
			found = append(found, f)
		}
		return nil
	})
	return found, err
}

// split plans the ranges of a render; pays is false when it is better left whole.
func (c *Coordinator) split(ctx context.Context, f splittable, machines int, policy farm.Policy, adobe bool) (split raftstore.Split, pays bool, err error) {
	for _, most := range []int{f.job.MaxMachines, policy.MaxMachinesPerJob} {
		if most > 0 {
			machines = min(machines, most)
		}
	}
	if machines < 2 {
		return split, false, nil
	}
	frames, known, err := c.framesOf(ctx, f.job, &f.template)
	if err != nil || !known {
		return split, false, err
	}
	split = raftstore.Split{Task: f.grant.Task.ID, Attempt: f.grant.Task.Attempt - 1, Parting: partingOf(f.job, adobe)}
	split.Ranges = ranges.Plan(ranges.Work{
		Frames: frames, Machines: machines, Frame: f.tempo.frame(), Start: f.tempo.start(), Sound: split.Sound, Policy: policy.Split,
	})
	return split, len(split.Ranges) > 1, nil
}
