package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/forecast"
	"overcrank/coordinator/ranges"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// splittable is a render of a whole composition that was granted to a machine, while others are free.
type splittable struct {
	grant    schedule.Grant
	job      farm.Job
	template farm.Template
	timings  forecast.Timings
}

// planWithin is how long the plans of a group of grants may wait for storage, where what was read of a template is not in memory. Renders
// that have no plan then are left whole: other grants wait.
const planWithin = 2 * time.Second

// splitting makes ranges of granted renders that several machines do sooner than one. A grant stays good: its task becomes the
// first range. The other tasks are queued. It says of the renders that are left whole why, by task.
func (l *leader) splitting(ctx context.Context, grants []schedule.Grant) (whole map[string]farm.Text) {
	several := len(grants) == grantGroup
	grants = slices.DeleteFunc(slices.Clone(grants), func(g schedule.Grant) bool { return !g.Task.Whole })
	if len(grants) == 0 {
		return nil
	}
	whole = make(map[string]farm.Text, len(grants))
	l.mu.Lock()
	free, policy, adobe := l.queue.Free(), l.policy, l.queue.HasAfterEffects()
	if several { // others may be about to be granted
		free -= l.queue.Len()
	}
	for _, g := range grants {
		whole[g.Task.ID] = aloneWords(g.Task, policy, l.queue.Fitting(g))
	}
	l.mu.Unlock()
	if free <= 0 || policy.Split.Off {
		return whole
	}
	found, err := l.splittables(grants, adobe)
	if err != nil {
		l.d.log.Error("looking for renders to split", "error", err)
		return nil
	}
	reading, cancel := context.WithTimeout(ctx, planWithin)
	splits, plans := l.plan(reading, found, free, policy, adobe)
	cancel()
	for _, f := range found {
		plan, planned := plans[f.grant.Task.ID]
		if words := planWords(plan); !words.IsZero() {
			whole[f.grant.Task.ID] = words
		} else if !planned {
			delete(whole, f.grant.Task.ID)
		}
	}
	if len(splits) == 0 {
		return whole
	}
	cmd := command.SplitTasks{Splits: splits, At: l.d.state.Now()}
	res, err := l.d.state.Apply(ctx, cmd)
	if err != nil {
		l.d.log.Warn("splitting renders", "error", err)
	}
	for i, split := range cmd.Splits {
		delete(whole, split.Task)
		if err == nil && res.Each[i] == nil {
			job, _, _ := strings.Cut(split.Task, ".")
			plan := plans[split.Task]
			l.d.logs.Note(job, fmt.Sprintf("the render is split into %d ranges of frames: %s expected, %s on one machine",
				len(split.Ranges), secondsWords(plan.Shared), secondsWords(plan.Whole)))
		}
	}
	return whole
}

// aloneWords say why a render is left whole for which no second machine could begin now.
func aloneWords(t schedule.Task, policy farm.Policy, fitting int) farm.Text {
	switch {
	case policy.Split.Off:
		return farm.Say("the farm's policy splits nothing (split.off)")
	case t.MaxMachines == 1:
		return farm.Say("the job asks for one machine (maxMachines)")
	case policy.MaxMachinesPerJob == 1:
		return farm.Say("the farm's policy gives a job one machine at a time (maxMachinesPerJob)")
	case fitting < 2:
		return farm.Say("one machine fits this film; splitting needs two")
	}
	return farm.Say("no other of the %d machines that fit was free for it", fitting)
}

// planWords say why a render is left whole for which other machines were free; zero when it is not, or when aloneWords know better.
func planWords(plan ranges.Plan) farm.Text {
	switch plan.Why {
	case ranges.NoGain:
		return farm.Say("it would not pay: %s on %d machines, with putting the parts together, and %s on one",
			wording.About(plan.Shared), plan.Machines, wording.About(plan.Whole))
	case ranges.Small:
		return farm.Say("it is too short for two ranges as long as the farm's policy wants them (split.minSeconds)")
	case ranges.Single:
		return farm.Say("there is room for one range only: the film has one frame, or the farm's policy says so (split.maxRanges)")
	}
	return farm.Text{}
}

func secondsWords(seconds float64) string {
	return wording.Span(farm.Span{Low: seconds, High: seconds})
}

// plan shares free slots out among renders that may be split. The plans, by task, say why.
func (l *leader) plan(ctx context.Context, found []splittable, free int, policy farm.Policy, adobe bool) ([]command.Split, map[string]ranges.Plan) {
	var splits []command.Split
	plans := make(map[string]ranges.Plan, len(found))
	for i, f := range found {
		share := free / (len(found) - i)
		split, plan, err := l.d.split(ctx, f, 1+share, policy, adobe)
		if len(plan.Ranges) > 0 {
			l.mu.Lock()
			spare := l.queue.Spare(f.grant)
			l.mu.Unlock()
			if spare < share {
				share = spare
				split, plan, err = l.d.split(ctx, f, 1+share, policy, adobe)
			}
		}
		if err != nil {
			l.d.log.Warn("a render is not split", "task", f.grant.Task.ID, "error", err)
			continue
		}
		plans[f.grant.Task.ID] = plan
		if len(plan.Ranges) > 0 {
			splits = append(splits, split)
			free -= min(share, len(plan.Ranges)-1)
		}
	}
	return splits, plans
}

// splittables finds the granted tasks that may be split, with what is known of how long they take.
func (l *leader) splittables(grants []schedule.Grant, adobe bool) ([]splittable, error) {
	var found []splittable
	err := l.d.state.View(func(tx *raftstore.Tx) error {
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
			f.template = f.template.RenderedBy(f.job)
			if !ranges.MaySplit(task, f.job, &f.template) {
				continue
			}
			if f.timings, err = forecast.TimingsOf(tx, f.job, f.template, adobe); err != nil {
				return err
			}
			found = append(found, f)
		}
		return nil
	})
	return found, err
}

// split plans the ranges of a render, none when it is better left whole.
func (d *Dispatcher) split(ctx context.Context, f splittable, machines int, policy farm.Policy, adobe bool) (command.Split, ranges.Plan, error) {
	for _, most := range []int{f.job.MaxMachines, policy.MaxMachinesPerJob} {
		if most > 0 {
			machines = min(machines, most)
		}
	}
	frames, known, err := d.templates.FramesOf(ctx, f.job, &f.template)
	if err != nil || !known {
		return command.Split{}, ranges.Plan{Why: ranges.Alone}, err
	}
	split := command.Split{Task: f.grant.Task.ID, Attempt: f.grant.Task.Attempt - 1, Parting: partingOf(f.job, adobe)}
	plan := ranges.Decide(ranges.Work{
		Frames: frames, Machines: machines, Frame: f.timings.Frame(), Start: f.timings.Start(), Assemble: f.timings.AssembleFrame(),
		Sound: split.Sound, Policy: policy.Split,
	})
	split.Ranges = plan.Ranges
	return split, plan, nil
}
