package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
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
	sending  map[wire.Attempt]*sending // uploads that take no slot
	feeds    map[wire.Attempt]*feed    // also of attempts that have ended, until they are settled
	stopping bool
	// lower is closed when engines are to go on with what others leave of the processor; a machine that is free again has another.
	lower chan struct{}
}

func newBoard(a *agent) *board {
	return &board{a: a, running: make(map[wire.Attempt]context.CancelCauseFunc), sending: make(map[wire.Attempt]*sending), feeds: make(map[wire.Attempt]*feed), lower: make(chan struct{})}
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
	for at, s := range b.sending {
		if at.Task == lease.Task {
			s.cancel(errDropped)
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
	t := newAttempt(b.a, lease, f, log)
	m := t.run(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[lease.Attempt](nil)
	delete(b.running, lease.Attempt)
	if m == (wire.Message{}) {
		log.Info("attempt has rendered; its upload goes on")
		return
	}
	if t.sending != nil {
		defer t.sending.forgotten() // once the report is on disk
	}
	if errors.Is(context.Cause(ctx), errDropped) {
		delete(b.feeds, lease.Attempt)
		log.Info("attempt dropped")
		return
	}
	switch {
	case m.Failed == nil:
		b.a.room.sufficed()
	case t.lacking && b.a.room.lacked(time.Now()):
		// Another machine, or this one when it has room again, begins as if nothing had been.
		m.Failed.Message, m.Failed.Cancelled, m.Failed.Retry = b.a.givenBackFor(b.a.room.why()), true, true
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
	if s := b.sending[at]; s != nil {
		s.cancel(cause)
	}
}

// sendOn has an upload go on without a slot; false when too many do already.
func (b *board) sendOn(s *sending) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopping || len(b.sending) >= wire.MaxSending {
		return false
	}
	b.sendOnLocked(s)
	return true
}

func (b *board) sendOnLocked(s *sending) {
	b.sending[s.about.Attempt] = s
	b.wg.Go(func() {
		<-s.done
		b.sent(s)
	})
	b.a.link.nudge()
}

// resume goes on with the uploads of an earlier run.
func (b *board) resume(list []*sending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range list {
		b.feeds[s.about.Attempt] = s.t.feed
		b.wg.Go(s.run)
		b.sendOnLocked(s)
	}
}

// sent reports the end of an upload that took no slot.
func (b *board) sent(s *sending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := s.about.Attempt
	delete(b.sending, at)
	if s.goesOn() {
		return
	}
	defer s.forgotten()
	if errors.Is(context.Cause(s.ctx), errDropped) {
		delete(b.feeds, at)
		return
	}
	m := s.message()
	if m.Failed != nil {
		s.t.log.Warn("the upload failed", "message", m.Failed.Message)
	}
	b.report(at, m)
}

// slotless lists the attempts whose upload takes no slot, in order.
func (b *board) slotless() []wire.Attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.SortedFunc(maps.Keys(b.sending), func(x, y wire.Attempt) int {
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Attempt, y.Attempt))
	})
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
	if s := b.sending[at]; s != nil {
		s.cancel(errDropped)
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
	for at := range b.sending {
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
	for at := range b.sending {
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
	for _, s := range b.sending {
		s.cancel(errStopping)
	}
	b.mu.Unlock()
	b.wg.Wait()
}
