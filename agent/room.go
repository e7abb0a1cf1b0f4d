package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/agent/film"
	"overcrank/durable"
	"overcrank/farm"
)

const (
	// leastRoom is how many bytes have to be free on an agent's disk for it to take work. With less no render succeeds, and each
	// machine that tries uses up one of the job's attempts.
	leastRoom = 64 << 20
	lookRoom  = 2 * time.Second // how often is looked
)

// refill is how long a machine takes no work at first after a task found its disk full, and refillLongest how long at most: in the end
// another task may need less room.
const (
	refill        = time.Minute
	refillLongest = 30 * time.Minute
)

// room is whether an agent can work at all: the disk of its folder has room, and there are the programs that every task needs.
type room struct {
	dir    string
	mu     sync.Mutex
	needs  int64                  // bytes that have to be free before there is work again; 0 for no more than leastRoom
	until  time.Time              // when needs no longer counts
	pause  time.Duration          // that was last
	reason atomic.Pointer[string] // why it cannot; nil when it can
}

// look looks at the disk, and tells whether what it found is another than before.
func (r *room) look() (changed bool) {
	reason := r.trouble()
	before := r.why()
	if reason == "" {
		r.reason.Store(nil)
	} else {
		r.reason.Store(&reason)
	}
	return (reason == "") != (before == "")
}

// lacked tells, once the files of a task are gone that ended for want of something, whether that is the machine's passing state and no
// fault of the task.
func (r *room) lacked(now time.Time) bool {
	r.look()
	return r.why() != "" || r.filled(now)
}

// filled notes that a task found the disk full, once its own files are gone, and tells whether that passes: a disk half of which is
// free now is too small for the task.
func (r *room) filled(now time.Time) (passes bool) {
	free, total, err := durable.Space(r.dir)
	if err != nil || free >= total/2 {
		return false
	}
	r.mu.Lock()
	r.needs = free + max(leastRoom, free/4)
	r.pause = min(max(2*r.pause, refill), refillLongest)
	r.until = now.Add(r.pause)
	r.mu.Unlock()
	r.look()
	return true
}

// takes is durable.ErrNoRoom when so many more bytes would leave less than an agent needs to work at all: an archive is small to fetch
// and may be large to unpack, and the machine's other tasks write to the same disk.
func (r *room) takes(bytes int64) error {
	free, _, err := durable.Space(r.dir)
	if err != nil {
		return fmt.Errorf("measuring free disk space: %w", err)
	}
	if free-bytes < leastRoom {
		return fmt.Errorf("%w: %d bytes are to be unpacked, %d are free, and %d must stay so", durable.ErrNoRoom, bytes, free, int64(leastRoom))
	}
	return nil
}

// sufficed notes that a task had the room it needed.
func (r *room) sufficed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pause = 0
}

// least is how many bytes have to be free now.
func (r *room) least(free int64, now time.Time) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if free >= r.needs || !now.Before(r.until) {
		r.needs = 0
	}
	return max(leastRoom, r.needs)
}

// why is the reason for which no work is taken, "" when there is none.
func (r *room) why() string {
	if reason := r.reason.Load(); reason != nil {
		return *reason
	}
	return ""
}

func (r *room) trouble() string {
	if r.dir == "" {
		return "" // no agent's: the doctor tries an engine
	}
	if film.Tools() != nil {
		return "ffmpeg or ffprobe is missing: install ffmpeg where the PATH of the agent's account finds it"
	}
	if free, _, err := durable.Space(r.dir); err == nil && free < r.least(free, time.Now()) {
		return "its disk is full: make room on the disk of " + r.dir
	}
	// A disk that went read-only after an error still has room.
	path := filepath.Join(r.dir, ".writable")
	err := os.WriteFile(path, nil, 0o600)
	if err == nil {
		err = os.Remove(path)
	}
	if durable.Blocked(err) {
		return fmt.Sprintf("its disk takes no writes (%v): look at the disk of %s", err, r.dir)
	}
	return ""
}

// watchRoom looks at disk and programs until ctx ends. Work under way goes on: it may need no more room than it has.
func (a *agent) watchRoom(ctx context.Context) {
	tick := time.NewTicker(lookRoom)
	defer tick.Stop()
	for {
		if a.room.look() {
			if why := a.room.why(); why != "" {
				a.log.Warn("this machine takes no work", "reason", why)
			} else {
				a.log.Info("this machine is ready again")
			}
			a.link.nudge()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// mayWork is whether the machine may begin something: nobody is at it, and it has what it needs.
func (a *agent) mayWork() farm.Availability {
	now := a.watch.Now()
	if why := a.room.why(); why != "" {
		return farm.Availability{Presence: farm.PresenceAway, Reason: why, NotReady: true}
	}
	return now
}
