package dispatch

import (
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

// waiting is what the state says of a job that has not ended.
type waiting struct {
	in       *common
	job      farm.Job
	template *farm.Template
	finished int // of its children
	tasks    []farm.Task
	task     farm.Task // the first that is ready; empty when none is
	queued   schedule.Task
}

func (w *waiting) read(tx *raftstore.Tx, now time.Time) (err error) {
	if w.job.Status == farm.JobPending {
		for _, id := range w.job.Children {
			child, err := tx.JobHead(id)
			if err != nil {
				return err
			}
			if child.Status == farm.JobFinished {
				w.finished++
			}
		}
		return nil
	}
	if w.template, err = w.in.template(tx, w.job); err != nil {
		return err
	}
	if w.tasks, err = tx.TasksOf(w.job.ID); err != nil {
		return err
	}
	for _, t := range w.tasks {
		if t.Status == farm.TaskReady {
			w.task = t
			w.queued, err = queuedTask(tx, t, w.job, w.template, now)
			return err
		}
	}
	return nil
}

// why says what a job waits for before any machine is looked for, zero when that is not so.
func (w *waiting) why() farm.Text {
	switch {
	case w.job.Hold && w.job.Status == farm.JobRendering:
		return farm.Say("The job is held: machines finish what they have begun of it, and nothing more starts until it is released.")
	case w.job.Hold && !w.job.StartedAt.IsZero():
		return farm.Say("The job is held: what is rendered of it is kept, and the rest starts when it is released.")
	case w.job.Hold:
		return farm.Say("The job is held: it starts when it is released.")
	case w.job.Status == farm.JobPending:
		return farm.Say("The job waits for its nested jobs: %d of %d have finished.", w.finished, len(w.job.Children))
	case w.task.ID != "":
		return farm.Text{}
	case w.template != nil && w.template.Status == farm.TemplateAwaitingUpload:
		return farm.Say("Template %q has not been uploaded yet.", w.template.DisplayName)
	case w.template != nil && w.template.Status == farm.TemplateDownloading:
		return farm.Say("Template %q is still being downloaded.", w.template.DisplayName)
	case w.template != nil && w.template.Status == farm.TemplateProcessing:
		return farm.Say("Template %q is still being read.", w.template.DisplayName)
	case w.job.AwaitsApproval(w.tasks):
		return wording.Approval()
	}
	return farm.Text{}
}
