package farm

import "slices"

// jobMoves are the legal moves of a job. A rendering job that has lost all its leases is queued again; a pending one is
// queued when its last child has finished.
var jobMoves = map[JobStatus][]JobStatus{
	JobQueued:    {JobRendering, JobFailed, JobCancelled},
	JobPending:   {JobQueued, JobFailed, JobCancelled},
	JobRendering: {JobQueued, JobFinished, JobFailed, JobCancelled},
	JobFinished:  nil,
	JobFailed:    nil,
	JobCancelled: nil,
}

// taskMoves are the legal moves of a task. Ready to ready does not exist: an attempt always passes through a lease. A
// leased or ready task is blocked again when something that it builds on has to be made again.
var taskMoves = map[TaskStatus][]TaskStatus{
	TaskBlocked:   {TaskReady, TaskFailed, TaskCancelled},
	TaskReady:     {TaskLeased, TaskBlocked, TaskCancelled},
	TaskLeased:    {TaskReady, TaskBlocked, TaskDone, TaskFailed, TaskCancelled},
	TaskDone:      nil,
	TaskFailed:    nil,
	TaskCancelled: nil,
}

// templateMoves are the legal moves of a template. No state is final: a new file may be uploaded at any time, even while
// an earlier one is being read.
var templateMoves = map[TemplateStatus][]TemplateStatus{
	TemplateAwaitingUpload: {TemplateProcessing},
	TemplateDownloading:    {TemplateProcessing, TemplateError},
	TemplateProcessing:     {TemplateProcessing, TemplateUploaded, TemplateError},
	TemplateUploaded:       {TemplateProcessing},
	TemplateError:          {TemplateAwaitingUpload, TemplateProcessing},
}

// JobStatuses are all states of a job, in the order in which a successful job passes through them.
func JobStatuses() []JobStatus {
	return []JobStatus{JobPending, JobQueued, JobRendering, JobFinished, JobFailed, JobCancelled}
}

// Known says whether s is one of the states of a job.
func (s JobStatus) Known() bool { _, ok := jobMoves[s]; return ok }

// Ended says whether a job in state s never moves again.
func (s JobStatus) Ended() bool { return s.Known() && len(jobMoves[s]) == 0 }

// CanBecome says whether a job may move from s to next.
func (s JobStatus) CanBecome(next JobStatus) bool { return slices.Contains(jobMoves[s], next) }

// Waiting says whether a job in state s has not started: such a job can be cancelled without force.
func (s JobStatus) Waiting() bool { return s == JobQueued || s == JobPending }

// Known says whether s is one of the states of a task.
func (s TaskStatus) Known() bool { _, ok := taskMoves[s]; return ok }

// Ended says whether a task in state s never moves again.
func (s TaskStatus) Ended() bool { return s.Known() && len(taskMoves[s]) == 0 }

// CanBecome says whether a task may move from s to next.
func (s TaskStatus) CanBecome(next TaskStatus) bool { return slices.Contains(taskMoves[s], next) }

// Known says whether s is one of the states of a template.
func (s TemplateStatus) Known() bool { _, ok := templateMoves[s]; return ok }

// CanBecome says whether a template may move from s to next.
func (s TemplateStatus) CanBecome(next TemplateStatus) bool {
	return slices.Contains(templateMoves[s], next)
}

// Unread says whether the farm still has to fetch or read the file of a template in state s.
func (s TemplateStatus) Unread() bool { return s == TemplateDownloading || s == TemplateProcessing }
