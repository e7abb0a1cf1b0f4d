package tables

import (
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// mostTasksAgain is how many tasks a job may have before somebody has frames of it rendered again: each time adds some.
const mostTasksAgain = 2000

// renderAgain adds tasks for the frames that somebody wants once more. Being the job's latest, theirs count where the film is put together.
func (t *tables) renderAgain(c command.RenderAgain) command.Result {
	job, ok := t.job(c.ID)
	if !ok || job.Team != c.Team {
		return refuse(noJob(c.ID))
	}
	if job.Status.Ended() {
		return refusef(farm.CodeConflict, "job %s has ended (%s), and its single frames are no longer kept", job.ID, job.Status)
	}
	tasks := t.tasksOf(job.ID)
	last := slices.IndexFunc(tasks, func(task farm.Task) bool { return task.Kind == farm.TaskAssemble })
	switch {
	case last < 0:
		return refusef(farm.CodeConflict, "one machine renders job %s in one piece, so its frames cannot be rendered one by one", job.ID)
	case len(tasks) >= mostTasksAgain:
		return refusef(farm.CodeConflict, "frames of job %s have been rendered again too often; submit it again", job.ID)
	}
	assemble := tasks[last]
	again := begunFrames(tasks, within(c.Frames, *assemble.Frames))
	if len(again) == 0 {
		return refusef(farm.CodeConflict, "no machine has begun any of these frames of job %s, so there is nothing to render again", job.ID)
	}
	var result command.Result
	if assemble.Status == farm.TaskLeased {
		t.attemptEnded(assemble, job, ending{outcome: farm.OutcomeReturned, message: "Frames " + rangesListed(again) + " are rendered again first", at: c.At}, &result)
	}
	if assemble.Status != farm.TaskBlocked {
		t.moveTask(&assemble, farm.TaskBlocked)
		result.AddTask(assemble)
	}
	add := t.adder(job.ID, &result)
	for _, frames := range again {
		add(redoing(tasks, assemble, frames))
	}
	job.UpdatedAt = c.At
	t.saveOrRest(&job)
	result.AddJob(job)
	return result
}

// redoing is a task that renders frames again because somebody wants that: on another machine, if there is one, and by the same kind of engine.
// It leaves the farm a try of its own to mend them, should they be damaged afterwards.
func redoing(tasks []farm.Task, assemble farm.Task, frames farm.Frames) farm.Task {
	again := farm.Task{
		Job: assemble.Job, Team: assemble.Team, Kind: farm.TaskRender, Frames: &frames, Stage: assemble.Stage - 1, Part: true, Status: farm.TaskReady, Redo: 1,
	}
	for _, made := range tasks {
		if !rendered(made, frames) && !renders(made, farm.TaskLeased, frames) {
			continue
		}
		again.Redo, again.Engine = min(max(again.Redo, made.Redo+1), farm.MaxRedos-1), made.Engine
		if made.Agent != "" && !slices.Contains(again.Avoid, made.Agent) {
			again.Avoid = append(again.Avoid, made.Agent)
		}
	}
	return again
}

// renders says whether a task in a state is to render some of the frames.
func renders(task farm.Task, status farm.TaskStatus, frames farm.Frames) bool {
	return task.Kind == farm.TaskRender && task.Part && task.Status == status && task.Frames != nil &&
		task.Frames.Start <= frames.End && frames.Start <= task.Frames.End
}

// begunFrames are those of some ranges that machines have rendered or are at, but for those that wait to be rendered again anyway.
func begunFrames(tasks []farm.Task, wanted []farm.Frames) []farm.Frames {
	var begun []farm.Frames
	for _, task := range tasks {
		if task.Kind != farm.TaskRender || !task.Part {
			continue
		}
		for _, part := range task.Parts {
			begun = append(begun, overlaps(wanted, part.Frames)...)
		}
		if task.Status == farm.TaskLeased && task.Frames != nil {
			begun = append(begun, overlaps(wanted, *task.Frames)...)
		}
	}
	for _, task := range tasks {
		if task.Kind == farm.TaskRender && task.Part && task.Frames != nil && (task.Status == farm.TaskReady || task.Status == farm.TaskBlocked) {
			begun = outside(begun, *task.Frames)
		}
	}
	return within(begun, farm.Frames{End: 1 << 30})
}

// overlaps are those of some ranges' frames that lie in another.
func overlaps(ranges []farm.Frames, in farm.Frames) (found []farm.Frames) {
	for _, r := range ranges {
		if r = (farm.Frames{Start: max(r.Start, in.Start), End: min(r.End, in.End)}); r.Count() > 0 {
			found = append(found, r)
		}
	}
	return found
}

// outside are those of some ranges' frames that do not lie in another.
func outside(ranges []farm.Frames, of farm.Frames) (left []farm.Frames) {
	for _, r := range ranges {
		before, after := farm.Frames{Start: r.Start, End: min(r.End, of.Start-1)}, farm.Frames{Start: max(r.Start, of.End+1), End: r.End}
		for _, part := range []farm.Frames{before, after} {
			if part.Count() > 0 {
				left = append(left, part)
			}
		}
	}
	return left
}
