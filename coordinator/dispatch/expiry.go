package dispatch

import (
	"context"
	"time"

	"overcrank/interval"
)

// expireLoop takes leases back whose agents have been silent for a lease time, once the queue has been read in which they go.
func (l *leader) expireLoop(ctx context.Context) {
	last := l.began // of which on the leases run
	interval.Every(ctx, min(max(l.d.cfg.Lease/10, 10*time.Millisecond), 500*time.Millisecond), func() {
		slept := time.Since(last)
		last = time.Now()
		if slept > max(l.d.cfg.Lease/4, frozen) {
			l.excuse(slept)
		}
		if !l.hasRead() {
			return
		}
		l.expire(ctx)
		l.wakeMachines()
		l.sweepOver()
		l.refresh(ctx)
	})
}

// frozen is how long this process must have done nothing at least to count as frozen.
const frozen = time.Second

// excuse does not hold against the agents what time this process slept through: what they said meanwhile waits to be read.
func (l *leader) excuse(slept time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.leases {
		h.seen = h.seen.Add(slept)
	}
	l.d.log.Warn("this process did not run for a while; no agent loses its work for that", "for", slept.Round(time.Millisecond), "leases", len(l.leases))
}
