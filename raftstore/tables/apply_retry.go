package tables

import (
	"fmt"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// ending is how an attempt ended.
type ending struct {
	outcome  farm.Outcome
	class    farm.FailureClass // of a failure
	cause    farm.Cause        // of a failure; the zero Cause leaves it to the class
	message  string
	measured farm.Measured
	at       time.Time
}

// failTask accepts the same report again, as it comes when an answer was lost.
func (t *tables) failTask(c command.FailTask) command.Result {
	task, job, err := t.leased(c.Task, c.Attempt)
	if err != nil {
		if task.Attempt == c.Attempt && (task.Status == farm.TaskReady || task.Status == farm.TaskFailed) {
			return command.Result{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
		}
		return refuse(err)
	}
	if c.Message == "" {
		c.Message = "Render failed"
	}
	end := ending{outcome: farm.OutcomeFailed, class: c.Class, cause: c.Cause, message: c.Message, measured: c.Measured, at: c.At}
	switch {
	case end.class != "":
	case c.Retry:
		end.class = farm.FailureTransient
	default:
		end.class = farm.FailureDeterministic
	}
	job.Warnings = addWarnings(job.Warnings, c.Warnings)
	if !slices.Contains(task.Avoid, task.Agent) {
		task.Avoid = append(task.Avoid, task.Agent)
	}
	task.NotBefore = c.NotBefore
	result := command.Result{Named: true}
	t.failAttempt(task, job, end, &result)
	return result
}

// failAttempt ends a leased attempt that gave no result: the task is ready again, or it has failed too often, or for good, and
// takes its job with it.
func (t *tables) failAttempt(task farm.Task, job farm.Job, end ending, result *command.Result) {
	t.attemptEnded(task, job, end, result)
	task.Error = end.message
	follows := end.class.Consequence()
	if follows.Uncounted {
		task.Licences++
		t.readyAgain(task, job, end.at, result)
		return
	}
	task.Licences = 0
	task.Failures++
	job.Failures++
	if follows.BarsMachine && !slices.Contains(task.Barred, task.Agent) {
		task.Barred = append(task.Barred, task.Agent)
	}
	if message := t.givenUp(task, job, end); message != "" {
		t.moveTask(&task, farm.TaskFailed)
		result.AddTask(task)
		t.failJob(job, failing{message: message, cause: end.causeOn(task), task: task.ID, agent: task.Agent, at: end.at}, result)
		return
	}
	t.readyAgain(task, job, end.at, result)
}

// givenUp is the error with which a job ends because of a failed attempt; "" when the task is tried again.
func (t *tables) givenUp(task farm.Task, job farm.Job, end ending) string {
	retry, follows := t.retrying(), end.class.Consequence()
	switch {
	case task.Failures >= retry.AttemptsOf(job), follows.FailsJob && !t.triedElsewhere(task):
		return end.message
	case job.Failures >= retry.JobFailures(len(t.keysUnder(bucketTasks, job.ID+"."))):
		return fmt.Sprintf("%s (attempts of this job have failed %d times)", end.message, job.Failures)
	case follows.BarsMachine && t.allBarred(task):
		return end.message + " (no other machine is left to try)"
	}
	return ""
}

// allBarred says whether every machine of the farm is barred from a task.
func (t *tables) allBarred(task farm.Task) bool {
	cursor := t.cursor(bucketAgents)
	for id, _ := cursor.First(); id != nil; id, _ = cursor.Next() {
		if !slices.Contains(task.Barred, string(id)) {
			return false
		}
	}
	return true
}

// attemptEnded keeps what is to be known of a leased attempt that ends now, and what it says of its machine. Every end of an
// attempt passes through it, with the task and the job as they were until then.
func (t *tables) attemptEnded(task farm.Task, job farm.Job, end ending, result *command.Result) {
	encoded, err := record.EncodeAttempt(&farm.AttemptRecord{
		Task: task.ID, Number: task.Attempt, Agent: task.Agent, LeasedAt: task.LeasedAt, EndedAt: end.at,
		Outcome: end.outcome, Class: end.class, Message: end.message, Measured: end.measured,
	})
	t.setEncoded(bucketAttempts, attemptKey(task.ID, task.Attempt), encoded, err)
	if task.Attempt > maxAttemptRecords {
		t.remove(bucketAttempts, attemptKey(task.ID, task.Attempt-maxAttemptRecords))
	}
	t.keepTiming(task, job, end)
	t.countUsage(task, end.at)
	t.sumUp(task, job, end)
	t.countProject(task, job, end.at)
	switch follows := end.class.Consequence(); {
	case end.outcome == farm.OutcomeDone:
		t.clearFailures(task.Agent, result)
		t.blameDoubted(task, end, result)
	case follows.BlamesMachine:
		t.countFailure(task, job, end, result)
	case follows.FailsJob && t.since(command.CheckedLevel):
		t.countSpoiltJob(task, job, end, result)
		t.countForGood(task, job)
	}
}

// maxAttemptRecords is how many attempts of a task are remembered: one that waits for a licence may have very many.
const maxAttemptRecords = 50

func attemptKey(task string, number int) string { return task + sep + padded(int64(number), 10) }

func (t *tables) attempts(task string) []farm.AttemptRecord {
	var records []farm.AttemptRecord
	for _, number := range t.keysUnder(bucketAttempts, task+sep) {
		if record, ok := get[farm.AttemptRecord](t, bucketAttempts, task+sep+number); ok {
			records = append(records, record)
		}
	}
	return records
}

func (t *tables) redactAttempts(task string) {
	for _, record := range t.attempts(task) {
		if record.Message != "" {
			record.Message = farm.Redacted
			put(t, bucketAttempts, attemptKey(task, record.Number), record)
		}
	}
}

func (t *tables) dropAttempts(task string) {
	for _, number := range t.keysUnder(bucketAttempts, task+sep) {
		t.remove(bucketAttempts, task+sep+number)
	}
}
