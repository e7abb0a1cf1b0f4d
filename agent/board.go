package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"overcrank/agent/control"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Why an attempt's context ends.
var (
	errDropped  = errors.New("the attempt is no longer this machine's")
	errStopping = errors.New("the agent is stopping")
)

// cancelled is the farm's wish that an attempt ends.
type cancelled struct{ reason string }

func (c *cancelled) Error() string { return "cancelled: " + c.reason }

// board holds the attempts that this agent works on, and those whose report waits to be settled.
type board struct {
	a  *agent
	wg sync.WaitGroup

	mu       sync.Mutex
	running  map[wire.Attempt]context.CancelCauseFunc
	feeds    map[wire.Attempt]*feed // also of attempts that have ended, until they are settled
	stopping bool
	// lower is closed when engines are to go on with what others leave of the processor; a machine that is free again has another.
	lower chan struct{}
}

func newBoard(a *agent) *board {
	return &board{a: a, running: make(map[wire.Attempt]context.CancelCauseFunc), feeds: make(map[wire.Attempt]*feed), lower: make(chan struct{})}
}

// take starts a lease. One that is known already changes nothing; an earlier attempt of the same task is dropped.
func (b *board) take(lease wire.Lease) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.feeds[lease.Attempt]; known {
		return
	}
	for at, cancel := range b.running {
		if at.Task == lease.Task {
			cancel(errDropped)
		}
	}
	f := &feed{attempt: lease.Attempt, job: lease.Job, name: lease.JobName, since: time.Now(), wake: b.a.link.nudge}
	b.feeds[lease.Attempt] = f
	if b.a.room.look() { // which may have filled since it was looked at last
		b.a.link.nudge()
	}
	may := b.a.mayWork()
	switch {
	case b.stopping:
		b.report(lease.Attempt, wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: "The agent is stopping", Retry: true, Cancelled: true}})
		return
	case may.Presence == farm.PresenceAway: // the farm did not know yet
		b.report(lease.Attempt, wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: b.a.givenBackFor(may.Reason), Retry: true, Cancelled: true}})
		return
	case b.busyWithout(lease.Task) >= b.a.cfg.Slots:
		b.report(lease.Attempt, wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: "The machine is busy", Retry: true, Cancelled: true}})
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	b.running[lease.Attempt] = cancel
	b.wg.Go(func() { b.work(ctx, lease, f) })
}

// busyWithout counts the tasks that take a slot, other than one whose earlier attempt is about to leave its own.
func (b *board) busyWithout(task string) int {
	tasks := make(map[string]bool)
	for at := range b.running {
		if at.Task != task {
			tasks[at.Task] = true
		}
	}
	return len(tasks)
}

// work runs an attempt to its report.
func (b *board) work(ctx context.Context, lease wire.Lease, f *feed) {
	log := b.a.log.With("job", lease.Job, "task", lease.Task, "attempt", lease.Attempt.Attempt)
	log.Info("attempt starts", "composition", lease.Composition)
	m := newAttempt(b.a, lease, f, log).run(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[lease.Attempt](nil)
	delete(b.running, lease.Attempt)
	if errors.Is(context.Cause(ctx), errDropped) {
		delete(b.feeds, lease.Attempt)
		log.Info("attempt dropped")
		return
	}
	if m.Failed != nil {
		log.Warn("attempt failed", "message", m.Failed.Message, "retry", m.Failed.Retry, "cancelled", m.Failed.Cancelled)
	} else {
		log.Info("attempt finished")
	}
	b.report(lease.Attempt, m)
}

// report puts a report into the outbox. b.mu is held.
func (b *board) report(at wire.Attempt, m wire.Message) {
	if err := b.a.outbox.Put(m); err != nil {
		b.a.log.Error("a report is not on disk and would be lost with this process", "task", at.Task, "attempt", at.Attempt, "error", err)
	}
	b.a.link.nudge()
}

// cancel ends an attempt for a cause.
func (b *board) cancel(at wire.Attempt, cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.running[at]; cancel != nil {
		cancel(cause)
	}
}

// forget drops an attempt and its report: the farm has it, or it is no longer this machine's.
func (b *board) forget(at wire.Attempt) {
	if err := b.a.outbox.Remove(at); err != nil {
		b.a.log.Warn("an old report stays on disk", "error", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.running[at]; cancel != nil {
		cancel(errDropped)
		return
	}
	delete(b.feeds, at)
}

// holding lists what this agent works on or still has to report.
func (b *board) holding() []wire.Attempt {
	held := b.a.outbox.Attempts()
	b.mu.Lock()
	defer b.mu.Unlock()
	for at := range b.running {
		held = append(held, at)
	}
	return held
}

// waiting gives the feeds, to be emptied by the link.
func (b *board) waiting() []*feed {
	b.mu.Lock()
	defer b.mu.Unlock()
	feeds := make([]*feed, 0, len(b.feeds))
	for _, f := range b.feeds {
		feeds = append(feeds, f)
	}
	return feeds
}

// busy tells whether an attempt runs.
func (b *board) busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running) > 0
}

// working lists what the agent works on, the oldest first.
func (b *board) working() []control.Work {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := []control.Work{}
	for at := range b.running {
		list = append(list, b.feeds[at].work())
	}
	slices.SortFunc(list, func(x, y control.Work) int { return x.Since.Compare(y.Since) })
	return list
}

// stepBack lets the engines go on with what other programs leave of the processor.
func (b *board) stepBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.lower:
	default:
		close(b.lower)
	}
}

// lowered is closed when engines are to step back.
func (b *board) lowered() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lower
}

// welcome lets attempts that begin from now on run as usual.
func (b *board) welcome() {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.lower:
		b.lower = make(chan struct{})
	default:
	}
}

// stop ends every attempt, gives it back to the farm, and waits until nothing of it is left.
func (b *board) stop() {
	b.mu.Lock()
	b.stopping = true
	for _, cancel := range b.running {
		cancel(errStopping)
	}
	b.mu.Unlock()
	b.wg.Wait()
}
