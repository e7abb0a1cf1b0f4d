package coordinator

import (
	"sync"
	"time"

	"overcrank/farm"
)

// paceWindow is over how many minutes the farm's pace is told.
const paceWindow = 60

// pace counts, minute by minute, how tasks ended that this node has seen end.
type pace struct {
	mu      sync.Mutex
	since   time.Time
	minutes [paceWindow]paceMinute
}

type paceMinute struct {
	minute       int64 // since the epoch
	done, failed int
}

func newPace(now time.Time) *pace { return &pace{since: now} }

func (p *pace) note(now time.Time, status farm.TaskStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	minute := now.Unix() / 60
	m := &p.minutes[minute%paceWindow]
	if m.minute != minute {
		*m = paceMinute{minute: minute}
	}
	switch status {
	case farm.TaskDone:
		m.done++
	case farm.TaskFailed:
		m.failed++
	}
}

// told is how many tasks have ended since a moment, which is at most paceWindow minutes ago.
func (p *pace) told(now time.Time) (done, failed int, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := now.Unix()/60 - paceWindow + 1
	for _, m := range p.minutes {
		if m.minute >= first {
			done, failed = done+m.done, failed+m.failed
		}
	}
	since = time.Unix(first*60, 0).UTC()
	if p.since.After(since) {
		since = p.since
	}
	return done, failed, since
}

// notePace counts the tasks that a command ended.
func (c *Coordinator) notePace(tasks []farm.Task) {
	for _, t := range tasks {
		if t.Status == farm.TaskDone || t.Status == farm.TaskFailed {
			c.pace.note(c.cfg.Now(), t.Status)
		}
	}
}
