package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"overcrank/durable"
	"overcrank/farm"
)

const (
	// leastRoom is how many bytes have to be free on an agent's disk for it to take work. With less no render succeeds, and each
	// machine that tries uses up one of the job's attempts.
	leastRoom = 64 << 20
	lookRoom  = 2 * time.Second // how often is looked
)

// room is whether the disk of an agent's folder can be worked on.
type room struct {
	dir    string
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

// why is the reason for which no work is taken, "" when there is none.
func (r *room) why() string {
	if reason := r.reason.Load(); reason != nil {
		return *reason
	}
	return ""
}

func (r *room) trouble() string {
	if free, _, err := durable.Space(r.dir); err == nil && free < leastRoom {
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

// watchRoom looks at the disk until ctx ends. Work under way goes on: it may need no more room than it has.
func (a *agent) watchRoom(ctx context.Context) {
	tick := time.NewTicker(lookRoom)
	defer tick.Stop()
	for {
		if a.room.look() {
			if why := a.room.why(); why != "" {
				a.log.Warn("this machine takes no work", "reason", why)
			} else {
				a.log.Info("this machine's disk takes writes again")
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

// mayWork is whether the machine may begin something: nobody is at it, and its disk can be worked on.
func (a *agent) mayWork() farm.Availability {
	now := a.watch.Now()
	if why := a.room.why(); why != "" && now.Presence == farm.PresenceFree {
		return farm.Availability{Presence: farm.PresenceAway, Reason: why}
	}
	return now
}
