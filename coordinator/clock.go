package coordinator

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/interval"
)

const (
	clockLook = 250 * time.Millisecond // how often is looked whether the clock was set
	// clockSlack is what a clock may be corrected by before that counts: services that keep clocks do so by less.
	clockSlack = 2 * time.Second
	// clockDistrust is how long after the clock was set nothing is deleted for its age: it may be set back.
	clockDistrust = time.Hour
)

// clock watches over the clock that cfg.Now reads. Times of Go carry the time of the day and a count of what passed; a clock that
// is set moves one of them. A clock without that count, as tests have, is never seen to be set.
type clock struct {
	now func() time.Time
	log *slog.Logger
	set chan struct{} // the clock was set

	mu   sync.Mutex
	last time.Time     // as it was read last
	by   time.Duration // how far it was set the last time
	when time.Time     // zero for never
}

func newClock(now func() time.Time, log *slog.Logger) *clock {
	return &clock{now: now, log: log, set: make(chan struct{}, 1), last: now()}
}

// setBetween is by how much a clock was set between two readings of it.
func setBetween(before, after time.Time) time.Duration {
	return after.Round(0).Sub(before.Round(0)) - after.Sub(before)
}

// watch looks for a clock that is set, until ctx ends.
func (k *clock) watch(ctx context.Context) {
	interval.Every(ctx, clockLook, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.lookLocked()
	})
}

func (k *clock) lookLocked() {
	now := k.now()
	by := setBetween(k.last, now)
	k.last = now
	if by.Abs() < clockSlack {
		return
	}
	k.by, k.when = by, now
	k.log.Warn("the clock of this machine was set; nothing is deleted for its age in the next hour", "by", by.Round(time.Second))
	select {
	case k.set <- struct{}{}:
	default:
	}
}

// trusted says whether what is old by the clock may be deleted.
func (k *clock) trusted() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lookLocked()
	return k.when.IsZero() || k.last.Sub(k.when) >= clockDistrust
}

func (k *clock) check() farm.Check {
	const name = "clock"
	if k.trusted() {
		return farm.Passed(name, "it was not set of late")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	way := "forward"
	if k.by < 0 {
		way = "back"
	}
	check := farm.Passed(name, fmt.Sprintf("it was set %s by %s at %s; see that a service such as chrony keeps it right", way, wording.Duration(k.by.Abs()), k.when.UTC().Format(time.RFC3339)))
	check.Warn = true
	return check
}
