package dispatch

import (
	"maps"
	"slices"
	"sync"
	"time"

	"overcrank/coordinator/events"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// leaseNews is a lease as its leader tells the other nodes of it.
type leaseNews struct {
	wire.Attempt
	Job         string    `json:"job"`
	Team        string    `json:"team"`
	Agent       string    `json:"agent,omitempty"`
	Progress    float64   `json:"progress"` // 0..100
	Frame       int       `json:"frame"`
	FramesTotal int       `json:"framesTotal,omitempty"`
	Phase       string    `json:"phase,omitempty"`
	Since       time.Time `json:"since"`
	Cancelled   bool      `json:"cancelled,omitempty"`
}

func (n leaseNews) running() farm.RunningTask {
	return farm.RunningTask{
		Task: n.Task, Job: n.Job, Attempt: n.Attempt.Attempt, Agent: n.Agent, Progress: n.Progress, Frame: n.Frame, Phase: n.Phase, Since: n.Since,
	}
}

// news is what has changed at the leader since the news before. The first news of a stream is the whole.
type news struct {
	Leases []leaseNews `json:"leases,omitempty"`
	Gone   []string    `json:"gone,omitempty"` // tasks whose leases have ended
	// Reached is how far jobs with several tasks are, in percent; Over are those of them that have ended.
	Reached map[string]float64 `json:"reached,omitempty"`
	Over    []string           `json:"over,omitempty"`
	Events  []events.Told      `json:"events,omitempty"`
}

func (n news) empty() bool {
	return len(n.Leases) == 0 && len(n.Gone) == 0 && len(n.Reached) == 0 && len(n.Over) == 0 && len(n.Events) == 0
}

// mirror is what a node knows of the leader's leases. While there is no leader it stays as it was, and the next leader begins with
// it, so that nobody sees progress fall.
type mirror struct {
	mu      sync.Mutex
	leases  map[string]leaseNews // by task
	byJob   map[string][]string  // tasks with leases, by job
	reached map[string]float64   // of jobs with several tasks, by job
	ended   map[string]endedLease
}

// endedLease is how far a job was when its lease ended, which a node may hear of before its own state knows why.
type endedLease struct {
	progress float64
	at       time.Time
}

// endedFor is how long that is remembered: far longer than a state is behind the news.
const endedFor = 2 * time.Second

func newMirror() *mirror {
	m := &mirror{ended: map[string]endedLease{}}
	m.clearLocked()
	return m
}

func (m *mirror) clearLocked() {
	m.leases, m.byJob, m.reached = map[string]leaseNews{}, map[string][]string{}, map[string]float64{}
}

// take notes what has changed; with whole it is all that there is.
func (m *mirror) take(n news, whole bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if whole {
		m.clearLocked()
	}
	now := time.Now()
	maps.DeleteFunc(m.ended, func(_ string, e endedLease) bool { return now.Sub(e.at) > endedFor })
	for _, task := range n.Gone {
		lease := m.leases[task]
		m.ended[lease.Job] = endedLease{lease.Progress, now}
		m.dropLocked(task)
	}
	for _, lease := range n.Leases {
		m.dropLocked(lease.Task)
		m.leases[lease.Task] = lease
		m.byJob[lease.Job] = append(m.byJob[lease.Job], lease.Task)
	}
	for _, job := range n.Over {
		delete(m.reached, job)
	}
	for job, reached := range n.Reached {
		m.reached[job] = reached
	}
}

func (m *mirror) dropLocked(task string) {
	job := m.leases[task].Job
	delete(m.leases, task)
	rest := slices.DeleteFunc(m.byJob[job], func(other string) bool { return other == task })
	if len(rest) == 0 {
		delete(m.byJob, job)
	} else {
		m.byJob[job] = rest
	}
}

// lease is what is known of an attempt.
func (m *mirror) lease(at wire.Attempt) (lease leaseNews, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	lease = m.leases[at.Task]
	return lease, lease.Attempt == at
}

// ofJob are the leases of a job.
func (m *mirror) ofJob(job string) []leaseNews {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []leaseNews
	for _, task := range m.byJob[job] {
		list = append(list, m.leases[task])
	}
	return list
}

// reachedBy is how far a job with several tasks is; known is false for others.
func (m *mirror) reachedBy(job string) (percent float64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	percent, known = m.reached[job]
	return percent, known
}

// addTo merges into a rendering job how far it is, or was when its lease ended a moment ago; known is false when neither is known.
func (m *mirror) addTo(job *farm.Job) (known bool) {
	percent, known := m.reachedBy(job.ID)
	if known {
		job.Progress = percent
		return true
	}
	for _, lease := range m.ofJob(job.ID) {
		known = true
		job.Progress = max(job.Progress, lease.Progress)
		if job.FramesTotal == 0 {
			job.FramesTotal = lease.FramesTotal
		}
	}
	if known {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.ended[job.ID]
	job.Progress = max(job.Progress, last.progress)
	return known
}

// follower is what another node was told of the leader's leases.
type follower struct {
	at      uint64         // of leader.changes
	leases  map[string]int // attempts by task
	reached map[string]float64
}

func newFollower() *follower {
	return &follower{leases: map[string]int{}, reached: map[string]float64{}}
}

// next is what has changed since it was asked last.
func (f *follower) next(l *leader) (n news) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for task, h := range l.leases {
		if h.changed > f.at || f.leases[task] != h.Attempt.Attempt {
			n.Leases = append(n.Leases, h.news())
			f.leases[task] = h.Attempt.Attempt
		}
	}
	for task := range f.leases {
		if l.leases[task] == nil {
			n.Gone = append(n.Gone, task)
			delete(f.leases, task)
		}
	}
	for job, c := range l.courses {
		if percent := l.outlookLocked(job, c).progress; percent != f.reached[job] {
			if n.Reached == nil {
				n.Reached = map[string]float64{}
			}
			n.Reached[job], f.reached[job] = percent, percent
		}
	}
	for job := range f.reached {
		if l.courses[job] == nil {
			n.Over = append(n.Over, job)
			delete(f.reached, job)
		}
	}
	f.at = l.changes
	return n
}

// news is the lease for the other nodes.
func (h *lease) news() leaseNews {
	return leaseNews{
		Attempt: h.Attempt, Job: h.job, Team: h.team, Agent: h.agent, Progress: h.progress, Frame: h.frame, FramesTotal: h.framesTotal,
		Phase: h.phase, Since: h.since, Cancelled: h.cancelled,
	}
}

// changedLocked notes that a lease is not as the other nodes were told.
func (l *leader) changedLocked(h *lease) {
	l.changes++
	h.changed = l.changes
}
