package dispatch

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
)

// AddProgress merges what only the leader's memory knows into a job. Of a job with nested jobs each of these counts as much
// as its own render, so its progress grows while it is pending.
func (d *Dispatcher) AddProgress(job *farm.Job) error {
	switch {
	case job.Status == farm.JobFinished:
		job.Progress = 100
	case job.Status.Ended():
	case len(job.Children) == 0:
		d.addOwnProgress(job)
	default:
		family := map[string]farm.Job{}
		err := d.state.View(func(tx *raftstore.Tx) error { return readFamily(tx, job.Children, family) })
		if err != nil {
			return err
		}
		job.Progress = d.familyProgress(job, family)
	}
	return nil
}

// readFamily reads the unended jobs among ids with all that are nested in them. What has finished counts as a whole, and
// needs no look at its own children.
func readFamily(tx *raftstore.Tx, ids []string, family map[string]farm.Job) error {
	for _, id := range ids {
		job, err := tx.JobHead(id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		family[id] = job
		if !job.Status.Ended() {
			if err := readFamily(tx, job.Children, family); err != nil {
				return err
			}
		}
	}
	return nil
}

// familyProgress is the mean over a job's own render and its nested jobs.
func (d *Dispatcher) familyProgress(job *farm.Job, family map[string]farm.Job) float64 {
	if job.Status == farm.JobFinished {
		return 100
	}
	d.addOwnProgress(job)
	sum := job.Progress
	for _, id := range job.Children {
		child := family[id]
		sum += d.familyProgress(&child, family)
	}
	return sum / float64(1+len(job.Children))
}

// addOwnProgress notes how far the leases of a rendering job are.
func (d *Dispatcher) addOwnProgress(job *farm.Job) {
	if job.Status != farm.JobRendering {
		return
	}
	known := false
	if l := d.leading(); l != nil {
		known = l.addTo(job)
	} else {
		known = d.mirror.addTo(job)
	}
	if known {
		return
	}
	// It may have finished between the look at the state and the one at the leases: nobody is to see progress fall.
	err := d.state.View(func(tx *raftstore.Tx) error {
		now, err := tx.JobHead(job.ID)
		if err == nil && now.Status == farm.JobFinished {
			job.Progress = 100
		}
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		d.log.Warn("looking how far a job is", "job", job.ID, "error", err)
	}
}

// addTo merges into a rendering job how far it is; known is false when it has no lease.
func (l *leader) addTo(job *farm.Job) (known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.courses[job.ID]; c != nil {
		job.Progress = l.outlookLocked(job.ID, c).progress
		return true
	}
	for _, h := range l.byJob[job.ID] {
		known = true
		job.Progress = max(job.Progress, h.progress)
		if job.FramesTotal == 0 {
			job.FramesTotal = h.framesTotal
		}
	}
	return known
}

// outerJobs are the jobs that a job is nested in, from the nearest.
func (d *Dispatcher) outerJobs(id string) (outer []string, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		for {
			job, err := tx.JobHead(id)
			if err != nil || job.Parent == "" {
				return err
			}
			outer, id = append(outer, job.Parent), job.Parent
		}
	})
	return outer, err
}

// RunningTask is what is known of a task's lease, nil for a task that nobody holds.
func (d *Dispatcher) RunningTask(t farm.Task) *farm.RunningTask {
	if t.Status != farm.TaskLeased {
		return nil
	}
	for _, lease := range d.leasesOf(t.Job) {
		if lease.Task == t.ID {
			running := lease.running()
			return &running
		}
	}
	return nil
}

// leasesOf are a job's leases, as this node knows them: as leader, or from what the leader tells.
func (d *Dispatcher) leasesOf(job string) []leaseNews {
	l := d.leading()
	if l == nil {
		return d.mirror.ofJob(job)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]leaseNews, len(l.byJob[job]))
	for i, h := range l.byJob[job] {
		list[i] = h.news()
	}
	return list
}

// RunningOf is what machines do for a job of the caller's team now.
func (d *Dispatcher) RunningOf(_ context.Context, p farm.Principal, job string) []farm.RunningTask {
	var running []farm.RunningTask
	for _, lease := range d.leasesOf(job) {
		if lease.Team == p.Team && !lease.Cancelled {
			running = append(running, lease.running())
		}
	}
	return running
}
