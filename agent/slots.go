package agent

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"overcrank/agent/attempt"
	"overcrank/agent/control"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// slots holds the attempts that this agent works on, and those whose report the farm has not settled. It decides whether a lease is begun,
// and is where every attempt's end arrives (ended). It is safe for concurrent use.
type slots struct {
	a  *agent
	wg sync.WaitGroup

	mu       sync.Mutex
	running  map[wire.Attempt]context.CancelCauseFunc // each takes a slot
	uploads  map[wire.Attempt]*attempt.Upload         // that take no slot
	feeds    map[wire.Attempt]*attempt.Feed           // also of attempts that have ended, until they are settled
	stopping bool
	lowered  chan struct{} // closed while engines run with the lowest priority
}

func newSlots(a *agent) *slots {
	return &slots{
		a: a, running: make(map[wire.Attempt]context.CancelCauseFunc), uploads: make(map[wire.Attempt]*attempt.Upload),
		feeds: make(map[wire.Attempt]*attempt.Feed), lowered: make(chan struct{}),
	}
}

// take begins a lease, or reports why not. One that is known already changes nothing; an earlier attempt of the same task is dropped.
func (s *slots) take(lease wire.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := lease.Attempt
	if _, known := s.feeds[at]; known {
		return
	}
	for earlier := range s.running {
		if earlier.Task == at.Task {
			s.cancelLocked(earlier, attempt.ErrDropped)
		}
	}
	for earlier := range s.uploads {
		if earlier.Task == at.Task {
			s.cancelLocked(earlier, attempt.ErrDropped)
		}
	}
	feed := attempt.NewFeed(lease, s.a.link.nudge)
	s.feeds[at] = feed
	if why := s.refusal(lease); why != "" {
		s.ended(at, attempt.Refused(at, why))
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.running[at] = cancel
	log := s.a.log.With("job", lease.Job, "task", at.Task, "attempt", at.Attempt)
	log.Info("attempt starts", "composition", lease.Composition)
	s.wg.Go(func() {
		end := attempt.Run(ctx, s.a.machine, lease, feed, log)
		s.mu.Lock()
		defer s.mu.Unlock()
		cancel(nil)
		delete(s.running, at)
		s.ended(at, end)
	})
}

// refusal is why a lease is not begun; "" when it is.
func (s *slots) refusal(lease wire.Lease) string {
	if s.a.readiness.Look() { // the disk may have filled since it was looked at last
		s.a.link.nudge()
	}
	now := s.a.mayWork()
	switch {
	case s.stopping:
		return "The agent is stopping"
	case now.Presence == farm.PresenceAway: // the farm did not know yet
		return s.a.givenBackFor(now.Reason)
	case s.takenWithout(lease.Task) >= s.a.cfg.Slots:
		return "The machine is busy"
	}
	return ""
}

// takenWithout counts the slots that tasks take, other than one whose earlier attempt is about to leave its slot. An attempt whose upload goes on
// without a slot has left its own, though it may not have ended yet: the farm may have been told already.
func (s *slots) takenWithout(task string) int {
	tasks := make(map[string]bool)
	for at := range s.running {
		if at.Task != task && s.uploads[at] == nil {
			tasks[at.Task] = true
		}
	}
	return len(tasks)
}

// ended takes note of how an attempt ended, whichever way that was, and puts its report on disk for the link to send. s.mu is held.
func (s *slots) ended(at wire.Attempt, end attempt.End) {
	defer s.a.link.nudge()
	if end.Continues {
		return
	}
	if end.Upload != nil {
		defer end.Upload.Remove() // once the report is on disk
	}
	if end.Dropped {
		delete(s.feeds, at)
		return
	}
	if err := s.a.outbox.Put(end.Report); err != nil {
		s.a.log.Error("a report is not on disk and would be lost with this process", "task", at.Task, "attempt", at.Attempt, "error", err)
	}
}

// cancel ends an attempt for a cause.
func (s *slots) cancel(at wire.Attempt, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelLocked(at, cause)
}

// cancelLocked tells whether there was something to end.
func (s *slots) cancelLocked(at wire.Attempt, cause error) (was bool) {
	if cancel := s.running[at]; cancel != nil {
		cancel(cause)
		was = true
	}
	if u := s.uploads[at]; u != nil {
		u.Cancel(cause)
		was = true
	}
	return was
}

// settle drops an attempt and its report: the farm has it, or it is no longer this machine's.
func (s *slots) settle(at wire.Attempt) {
	if err := s.a.outbox.Remove(at); err != nil {
		s.a.log.Warn("an old report stays on disk", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cancelLocked(at, attempt.ErrDropped) {
		delete(s.feeds, at)
	}
}

// giveBack gives all attempts that take a slot back to the farm, for a reason in the words of a job's log: at once, or when the frame in
// work is done, which may take so long. It does not wait.
func (s *slots) giveBack(reason string, frame time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, cancel := range s.running {
		end := func() { cancel(&attempt.GivenBack{Reason: reason}) }
		if f := s.feeds[at]; frame > 0 && f != nil {
			f.AtNextFrame(end, frame)
			continue
		}
		end()
	}
}

// stop ends every attempt, gives it back to the farm, and waits until nothing of it is left.
func (s *slots) stop() {
	s.mu.Lock()
	s.stopping = true
	for _, at := range s.workedOn() {
		s.cancelLocked(at, attempt.ErrStopping)
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// leave has an upload go on without a slot; false when too many do already.
func (s *slots) leave(u *attempt.Upload) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || len(s.uploads) >= wire.MaxSending {
		return false
	}
	s.follow(u)
	return true
}

// resume goes on with the uploads of an earlier run.
func (s *slots) resume(list []*attempt.Upload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range list {
		s.feeds[u.Attempt()] = u.Feed()
		s.follow(u)
	}
}

// follow waits for the end of an upload that takes no slot. s.mu is held.
func (s *slots) follow(u *attempt.Upload) {
	at := u.Attempt()
	s.uploads[at] = u
	s.wg.Go(func() {
		end := u.End()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.uploads, at)
		s.ended(at, end)
	})
	s.a.link.nudge()
}

// withoutSlot lists the attempts whose upload takes no slot, in order.
func (s *slots) withoutSlot() []wire.Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Keys(s.uploads), func(x, y wire.Attempt) int {
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Attempt, y.Attempt))
	})
}

// workedOn lists the attempts that have not ended. s.mu is held.
func (s *slots) workedOn() []wire.Attempt {
	return slices.AppendSeq(slices.Collect(maps.Keys(s.running)), maps.Keys(s.uploads))
}

// holding lists what this agent works on or still has to report.
func (s *slots) holding() []wire.Attempt {
	reports := s.a.outbox.Attempts()
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(reports, s.workedOn()...)
}

// told gives the feeds, to be emptied by the link.
func (s *slots) told() []*attempt.Feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.feeds))
}

// busy tells whether a slot is taken.
func (s *slots) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running) > 0
}

// working lists what the agent works on, the oldest first.
func (s *slots) working() []control.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []control.Work{}
	for _, at := range s.workedOn() {
		list = append(list, s.feeds[at].Work())
	}
	slices.SortFunc(list, func(x, y control.Work) int { return x.Since.Compare(y.Since) })
	return list
}

// picture is a small picture of the latest frame of a task that is worked on, nil when there is none.
func (s *slots) picture(task string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.workedOn() {
		if at.Task == task {
			return s.feeds[at].Picture()
		}
	}
	return nil
}

// lower lets engines go on with what other programs leave of the processor.
func (s *slots) lower() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.areLowered() {
		close(s.lowered)
	}
}

// raise lets attempts that begin from now on run with the usual priority.
func (s *slots) raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.areLowered() {
		s.lowered = make(chan struct{})
	}
}

func (s *slots) areLowered() bool {
	select {
	case <-s.lowered:
		return true
	default:
		return false
	}
}

// lowering is closed when engines are to run with the lowest priority.
func (s *slots) lowering() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lowered
}
