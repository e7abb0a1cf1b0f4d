package results

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// unknownFor is how long files of an attempt stay whose task is not in the state: that may be behind.
const unknownFor = time.Hour

func taskFolder(task string) string { return files.Attempts + "/" + task }

func attemptFolder(at wire.Attempt) string {
	return taskFolder(at.Task) + "/" + strconv.Itoa(at.Attempt)
}

// AttemptKey is the key of a file that an attempt made, by its content.
func AttemptKey(at wire.Attempt, sha256 string) string { return attemptFolder(at) + "/" + sha256 }

// SweepTask deletes, beside its caller, what the attempts of a task left behind that does not count any more.
func (r *Results) SweepTask(id string) {
	r.farm.Aside(func(ctx context.Context) {
		if err := r.sweepTask(ctx, id); err != nil && ctx.Err() == nil {
			r.log.Error("deleting results that do not count", "task", id, "error", err)
		}
	})
}

// SweepEnded is SweepTask for a task whose attempt has just ended, with its job, both as they are since then.
func (r *Results) SweepEnded(task farm.Task, job farm.Job) {
	id, left := task.ID, leftBy(task, job)
	r.farm.Aside(func(ctx context.Context) {
		if err := r.sweepLeft(ctx, id, left); err != nil && ctx.Err() == nil {
			r.log.Error("deleting results that do not count", "task", id, "error", err)
		}
	})
}

// SweepJob deletes what the attempts of a job left behind that does not count any more.
func (r *Results) SweepJob(ctx context.Context, job string) error {
	tasks, err := r.tasksOf(job)
	for _, t := range tasks {
		err = errors.Join(err, r.sweepTask(ctx, t.ID))
	}
	return err
}

// sweepTask is for tasks that the farm has. What lies under the name of another is left to Sweep, which goes by the names of the files: a
// name that comes from outside may be made to mean another task's folder.
func (r *Results) sweepTask(ctx context.Context, id string) error {
	left, err := r.leftBehind(id)
	if err != nil || left.unknown {
		return err
	}
	return r.sweepLeft(ctx, id, left)
}

// sweepLeft deletes what a task's attempts left behind that does not count.
func (r *Results) sweepLeft(ctx context.Context, id string, left leftBehind) error {
	if left.over {
		return r.settle(ctx, id, left)
	}
	return r.files.List(ctx, taskFolder(id), func(o files.Object) error {
		if left.counts(o.Key) {
			return nil
		}
		return r.files.DeleteBelow(ctx, strings.TrimSuffix(o.Key, "/"))
	})
}

// Sweep deletes what all attempts left behind, as when their agent or this process went away.
func (r *Results) Sweep(ctx context.Context) error {
	var task string
	var found []files.Object
	sweep := func() error {
		if task == "" {
			return nil
		}
		return r.sweepFound(ctx, task, found)
	}
	err := r.files.Walk(ctx, files.Attempts, func(o files.Object) error {
		id, _, _ := strings.Cut(strings.TrimPrefix(o.Key, files.Attempts+"/"), "/")
		if id != task {
			if err := sweep(); err != nil {
				return err
			}
			task, found = id, nil
		}
		found = append(found, o)
		return nil
	})
	return errors.Join(err, sweep())
}

// sweepFound deletes, of the files that the attempts of a task left behind, those that do not count any more.
func (r *Results) sweepFound(ctx context.Context, task string, found []files.Object) error {
	left, err := r.leftBehind(task)
	if err != nil {
		return err
	}
	if left.unknown && slices.ContainsFunc(found, func(o files.Object) bool { return time.Since(o.Modified) < unknownFor }) {
		return nil
	}
	if left.unknown || left.over {
		return r.settle(ctx, task, left)
	}
	for _, o := range found {
		if !left.counts(o.Key) {
			err = errors.Join(err, r.files.Delete(ctx, strings.TrimSuffix(o.Key, "/")))
		}
	}
	return err
}

// leftBehind says what becomes of the files of a task's attempts.
type leftBehind struct {
	unknown bool      // there is no such task
	over    bool      // the task is at an end: all files may be deleted
	folders []string  // otherwise, of attempts that may still come to something
	last    int       // otherwise, the number of the latest attempt: one with a higher number may have begun since
	result  *farm.Job // whose result may be among them and has to take its name first; nil for none
}

// counts says of a file, or a folder whose key ends in a slash, of a task that is not at an end, whether it may still be needed.
func (l leftBehind) counts(key string) bool {
	if slices.ContainsFunc(l.folders, func(folder string) bool { return strings.HasPrefix(key, folder) }) {
		return true
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(key, files.Attempts+"/"), "/")
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	return err == nil && n > l.last
}

func (r *Results) leftBehind(id string) (left leftBehind, err error) {
	var task farm.Task
	var job farm.Job
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		if task, err = tx.Task(id); err != nil {
			return err
		}
		job, err = tx.JobHead(task.Job)
		return err
	})
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return leftBehind{unknown: true}, nil
	case err != nil:
		return left, err
	}
	return leftBy(task, job), nil
}

// leftBy is leftBehind for a task and its job as they are.
func leftBy(task farm.Task, job farm.Job) (left leftBehind) {
	left.over = job.Status.Ended() || task.Status == farm.TaskDone && len(task.Parts) == 0
	left.folders, left.last = countingFolders(task), task.Attempt
	if task.Status == farm.TaskDone && job.Output != nil {
		left.result = new(job)
	}
	return left
}

// settle deletes all files of a task's attempts, once a result among them has its name.
func (r *Results) settle(ctx context.Context, id string, left leftBehind) error {
	if left.result != nil {
		if err := r.promote(ctx, *left.result); err != nil && !errors.Is(err, files.ErrNotFound) {
			return err
		}
	}
	return r.files.DeleteBelow(ctx, taskFolder(files.Part(id)))
}

// countingFolders are the folders of the attempts of a task that may still come to something.
func countingFolders(task farm.Task) []string {
	numbers := make([]int, 0, len(task.Parts)+1)
	if task.Status == farm.TaskLeased {
		numbers = append(numbers, task.Attempt)
	}
	for _, part := range task.Parts {
		numbers = append(numbers, part.Attempt)
	}
	folders := make([]string, len(numbers))
	for i, n := range numbers {
		folders[i] = attemptFolder(wire.Attempt{Task: task.ID, Attempt: n}) + "/"
	}
	return folders
}
