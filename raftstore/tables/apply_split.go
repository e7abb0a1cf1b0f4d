package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// maxRedone is how many tasks one report of bad frames makes at most; frames that lie nearest to each other are then
// rendered with those between them.
const maxRedone = 100

func (t *tables) splitTasks(c command.SplitTasks) command.Result {
	var result command.Result
	result.Each = t.each(len(c.Splits), func(i int) *farm.Error { return t.split(c.Splits[i], c, &result) })
	return result
}

func (t *tables) split(split command.Split, c command.SplitTasks, result *command.Result) *farm.Error {
	task, ok := t.task(split.Task)
	if !ok {
		return noTask(split.Task)
	}
	job, ok := t.job(task.Job)
	switch {
	case !ok:
		return noJob(task.Job)
	case task.Status != farm.TaskReady || task.Attempt != split.Attempt:
		return farm.Errorf(farm.CodeConflict, "task %s is %s after attempt %d and cannot be split", task.ID, task.Status, task.Attempt)
	case task.Kind != farm.TaskRender || task.Part:
		return farm.Errorf(farm.CodeConflict, "task %s does not render the whole of a composition and cannot be split", task.ID)
	case !consecutive(split.Ranges):
		return farm.Errorf(farm.CodeInvalid, "the ranges %v of task %s do not follow on each other", split.Ranges, task.ID)
	}
	job.UpdatedAt = c.At
	t.splitTask(&task, &job, split.Ranges, split.Parting, result)
	t.saveTask(task, task.Status)
	result.AddTask(task)
	t.saveJob(job, job.Status)
	result.AddJob(job)
	return nil
}

// consecutive says whether there are at least two ranges, none is empty, and each begins where the one before ends.
func consecutive(ranges []farm.Frames) bool {
	for i, r := range ranges {
		if r.Start < 0 || r.Count() < 1 || i > 0 && r.Start != ranges[i-1].End+1 {
			return false
		}
	}
	return len(ranges) > 1
}

// splitTask turns a task that renders a whole composition into the first of several ranges, and adds tasks for the other ranges, the sound and the
// assembly. It holds the template's file for them. The caller saves the task and the job.
func (t *tables) splitTask(task *farm.Task, job *farm.Job, ranges []farm.Frames, how command.Parting, result *command.Result) {
	whole := farm.Frames{Start: ranges[0].Start, End: ranges[len(ranges)-1].End}
	task.Part, task.Frames, task.Engine = true, &ranges[0], how.Engine
	part := farm.Task{
		Job: task.Job, Team: task.Team, Kind: farm.TaskRender, Stage: task.Stage, Part: true, Status: farm.TaskReady,
		Engine: how.Engine, NotBefore: task.NotBefore, Avoid: task.Avoid, Barred: task.Barred,
	}
	add := t.adder(task.Job, result)
	for i := range ranges[1:] {
		part.Frames = &ranges[1+i]
		add(part)
	}
	if how.Sound {
		part.Kind, part.Frames = farm.TaskSound, &whole
		add(part)
	}
	add(farm.Task{
		Job: task.Job, Team: task.Team, Kind: farm.TaskAssemble, Stage: task.Stage + 1, Frames: &whole, Status: farm.TaskBlocked,
	})
	job.FramesTotal = whole.Count()
	if t.since(command.RenderAgainLevel) {
		job.FirstFrame = whole.Start
	}
	if template, ok := t.template(job.Template.ID); ok && template.File != nil && job.Project == nil {
		file := *template.File
		job.Project = &file
		t.add(countOfJobRefs(file.SHA256), 1)
	}
}

// adder gives a function that adds tasks to a job, numbered after those that it has.
func (t *tables) adder(job string, result *command.Result) func(farm.Task) {
	last := 0
	for _, number := range t.keysUnder(bucketTasks, job+".") {
		if n, err := strconv.Atoi(number); err == nil {
			last = max(last, n)
		}
	}
	return func(task farm.Task) {
		last++
		task.ID = fmt.Sprintf("%s.%d", job, last)
		t.saveTask(task, "")
		result.AddTask(task)
	}
}

// keepFrames accepts the same report again, as it comes when an answer was lost.
func (t *tables) keepFrames(c command.KeepFrames) command.Result {
	task, job, err := t.leased(c.Task, c.Attempt)
	if err != nil {
		return refuse(err)
	}
	kept := farm.TaskPart{Frames: c.Frames, Attempt: c.Attempt, Output: c.Output}
	if slices.Contains(task.Parts, kept) {
		return command.Result{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	}
	var all farm.Frames
	switch {
	case task.Kind != farm.TaskRender:
		return refusef(farm.CodeConflict, "task %s renders no frames that could be kept", task.ID)
	case task.Part:
		all = *task.Frames
	case c.Whole != nil:
		all = *c.Whole
	default:
		return refusef(farm.CodeConflict, "it is not known which frames task %s renders", task.ID)
	}
	if c.Frames.Start != all.Start || c.Frames.Count() < 1 || c.Frames.End >= all.End {
		return refusef(farm.CodeInvalid, "the frames %d to %d are not the first of those of task %s, %d to %d",
			c.Frames.Start, c.Frames.End, task.ID, all.Start, all.End)
	}
	var result command.Result
	if !task.Part {
		t.splitTask(&task, &job, []farm.Frames{all}, c.Parting, &result)
	}
	task.Parts = append(task.Parts, kept)
	task.Frames = &farm.Frames{Start: c.Frames.End + 1, End: all.End}
	t.saveTask(task, task.Status)
	result.AddTask(task)
	job.UpdatedAt = c.At
	t.saveJob(job, job.Status)
	result.AddJob(job)
	return result
}

// redoFrames accepts the same report again, as it comes when an answer was lost.
func (t *tables) redoFrames(c command.RedoFrames) command.Result {
	task, job, err := t.leased(c.Task, c.Attempt)
	if err != nil {
		if task.Attempt == c.Attempt && task.Status == farm.TaskBlocked {
			return command.Result{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
		}
		return refuse(err)
	}
	if task.Kind != farm.TaskAssemble {
		return refusef(farm.CodeInvalid, "task %s assembles nothing: it cannot find frames missing", task.ID)
	}
	bad := within(c.Bad, *task.Frames)
	if len(bad) == 0 {
		return refusef(farm.CodeInvalid, "no frame that task %s assembles was named", task.ID)
	}
	tasks := t.tasksOf(job.ID)
	message := "Frames " + rangesListed(bad) + " are missing or damaged"
	job.Warnings = addWarnings(job.Warnings, c.Warnings)
	job.UpdatedAt = c.At
	task.Error = message
	var result command.Result
	t.attemptEnded(task, job, ending{outcome: farm.OutcomeReturned, message: message, at: c.At}, &result)
	if hopeless := redoneTooOften(tasks, bad); len(hopeless) > 0 {
		t.moveTask(&task, farm.TaskFailed)
		result.AddTask(task)
		message = fmt.Sprintf("Render failed: frames %s came out missing or damaged %d times", rangesListed(hopeless), farm.MaxRedos+1)
		t.failJob(job, failing{message: message, cause: farm.Cause{Kind: farm.CauseFrames}, agent: task.Agent, at: c.At}, &result)
		return result
	}
	t.moveTask(&task, farm.TaskBlocked)
	result.AddTask(task)
	add := t.adder(job.ID, &result)
	for _, frames := range bad {
		again := farm.Task{
			Job: job.ID, Team: job.Team, Kind: farm.TaskRender, Frames: &frames, Stage: task.Stage - 1, Part: true,
			Status: farm.TaskReady, Error: message,
		}
		for _, made := range tasks {
			if !rendered(made, frames) {
				continue
			}
			again.Redo, again.Engine = max(again.Redo, made.Redo+1), made.Engine
			keepFrom := &again.Avoid
			if c.Barred {
				keepFrom = &again.Barred
			}
			if !slices.Contains(*keepFrom, made.Agent) {
				*keepFrom = append(*keepFrom, made.Agent)
			}
		}
		if t.allBarred(again) { // better one of them than none
			again.Avoid, again.Barred = again.Barred, nil
		}
		add(again)
	}
	t.saveOrRest(&job)
	result.AddJob(job)
	return result
}

// within gives the frames of ranges that lie in all, sorted and merged into at most maxRedone ranges.
func within(ranges []farm.Frames, all farm.Frames) []farm.Frames {
	var clipped []farm.Frames
	for _, r := range ranges {
		r = farm.Frames{Start: max(r.Start, all.Start), End: min(r.End, all.End)}
		if r.Count() > 0 {
			clipped = append(clipped, r)
		}
	}
	slices.SortFunc(clipped, func(a, b farm.Frames) int { return a.Start - b.Start })
	for gap := 1; ; gap *= 2 {
		var merged []farm.Frames
		for _, r := range clipped {
			if n := len(merged); n > 0 && r.Start <= merged[n-1].End+gap {
				merged[n-1].End = max(merged[n-1].End, r.End)
				continue
			}
			merged = append(merged, r)
		}
		if len(merged) <= maxRedone {
			return merged
		}
	}
}

// rendered says whether a task has rendered some of the frames.
func rendered(task farm.Task, frames farm.Frames) bool {
	return task.Kind == farm.TaskRender && slices.ContainsFunc(task.Parts, func(part farm.TaskPart) bool {
		return part.Frames.Start <= frames.End && frames.Start <= part.Frames.End
	})
}

// redoneTooOften are those of some ranges whose frames have been rendered again as often as they may.
func redoneTooOften(tasks []farm.Task, bad []farm.Frames) []farm.Frames {
	var hopeless []farm.Frames
	for _, task := range tasks {
		for _, part := range task.Parts {
			if task.Redo >= farm.MaxRedos {
				hopeless = append(hopeless, within(bad, part.Frames)...)
			}
		}
	}
	return within(hopeless, farm.Frames{End: 1 << 30})
}

// rangesListed names ranges of frames for a sentence, the first ten of them.
func rangesListed(ranges []farm.Frames) string {
	const most = 10
	var names []string
	for i, r := range ranges {
		switch {
		case i == most:
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(ranges)-most)
		case r.Start == r.End:
			names = append(names, strconv.Itoa(r.Start))
		default:
			names = append(names, fmt.Sprintf("%d–%d", r.Start, r.End))
		}
	}
	return strings.Join(names, ", ")
}
