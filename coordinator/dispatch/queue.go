package dispatch

import (
	"cmp"
	"strings"
	"time"

	"overcrank/coordinator/ranges"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/tables"
)

// enqueue puts ready tasks into the queue, as their jobs ask for it now. known are jobs that need not be read.
func (l *leader) enqueue(tasks []farm.Task, known map[string]*farm.Job) error {
	queued, err := l.tasksOf(tasks, known)
	if err != nil {
		return err
	}
	l.readCourses(severalOf(tasks)...)
	now := l.d.state.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range queued {
		if t.ID != "" {
			l.queue.Add(t, now)
		} else {
			l.queue.Remove(tasks[i].ID) // its job may just have been held
		}
	}
	l.wake()
	return nil
}

// tasksOf are tasks as the queue has them. One whose job is held, or gone, is empty.
func (l *leader) tasksOf(tasks []farm.Task, known map[string]*farm.Job) ([]schedule.Task, error) {
	queued, now := make([]schedule.Task, len(tasks)), l.d.state.Now()
	adobe := l.hasAfterEffects()
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		job, template, named := new(farm.Job), (*farm.Template)(nil), [2]string{} // those of the task before, most often
		for i, t := range tasks {
			if have, ok := known[t.Job]; ok {
				job = have
			} else if job.ID != t.Job {
				head, err := tx.JobHead(t.Job)
				if farm.CodeOf(err) == farm.CodeNotFound {
					continue
				} else if err != nil {
					return err
				}
				job = &head
			}
			if job.Hold && t.Status == farm.TaskReady {
				continue
			}
			var err error
			if named != fileOf(*job) {
				if template, err = templateOf(tx, *job); err != nil {
					return err
				}
				named = fileOf(*job)
			}
			if queued[i], err = queuedTask(tx, t, *job, template, now); err != nil {
				return err
			}
			if err := l.speeds.meet(tx, queued[i].Work, *job, template, adobe); err != nil {
				return err
			}
		}
		return nil
	})
	return queued, err
}

// queuedTask is a task as the queue has it, under the number of its lease, or of the one that it would get next.
func queuedTask(tx *raftstore.Tx, t farm.Task, job farm.Job, template *farm.Template, now time.Time) (schedule.Task, error) {
	next, err := tx.NextAttempt(t)
	if err != nil {
		return schedule.Task{}, err
	}
	q := schedule.Task{
		ID: t.ID, Job: t.Job, Team: t.Team, Attempt: next, Level: job.Level, Priority: job.Priority, Created: job.CreatedAt,
		NotBefore: job.NotBefore, Sample: t.Kind == farm.TaskSample || t.Kind == farm.TaskAssemble, Whole: ranges.MaySplit(t, job, template), Need: schedule.NeedOf(job, template, t),
		Avoid: t.Avoid, Barred: t.Barred, MaxMachines: job.MaxMachines, Work: workOf(job, template),
	}
	if t.Status == farm.TaskLeased {
		q.Attempt = t.Attempt
	}
	if at := noLater(t.NotBefore, now.Add(longestRest(t))); at.After(q.NotBefore) {
		q.NotBefore = at
	}
	return q, nil
}

// hasAfterEffects says whether some machine of the farm has After Effects.
func (l *leader) hasAfterEffects() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.HasAfterEffects()
}

// fileOf names the template of a job, and the file of it that the job holds. Jobs of which both are the same render the same.
func fileOf(job farm.Job) [2]string {
	if job.Project == nil {
		return [2]string{job.Template.ID}
	}
	return [2]string{job.Template.ID, job.Project.SHA256}
}

// templateOf is the registered template of a job, as the job renders it; nil when it has none.
func templateOf(tx *raftstore.Tx, job farm.Job) (*farm.Template, error) {
	if job.Template.ID == "" {
		return nil, nil
	}
	template, err := tx.Template(job.Template.ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil, nil
	}
	template = template.RenderedBy(job)
	return &template, err
}

// workOf is what machines are remembered for when they render a job.
func workOf(job farm.Job, template *farm.Template) schedule.Work {
	w := schedule.Work{Name: cmp.Or(job.Template.ID, job.Template.Src) + "/" + job.Template.Composition}
	sha256, _ := strings.CutPrefix(job.Template.Src, farm.KeptScheme)
	if template != nil && template.File != nil {
		sha256 = template.File.SHA256
	}
	if len(sha256) == 64 {
		w.File = sha256[:16]
	}
	return w
}

// readUsage reads what machine time the teams had of late, which the queue shares the farm by.
func (l *leader) readUsage() error {
	var usages []tables.Usage
	err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
		usages, err = tx.Usages()
		return err
	})
	if err != nil {
		return err
	}
	now := l.d.state.Now()
	seconds := map[string]float64{}
	for _, u := range usages {
		// What ended within an hour is taken as if it had ended in its middle, or half-way from its beginning to now.
		ended := u.From.Add(min(now.Sub(u.From), time.Hour) / 2)
		seconds[u.Team] += schedule.Decayed(u.Time.Seconds(), now.Sub(ended))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for team, used := range seconds {
		l.queue.SetUsage(team, used, now)
	}
	return nil
}
