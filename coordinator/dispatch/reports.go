package dispatch

import (
	"context"
	"sync"

	"overcrank/farm"
	"overcrank/farm/wire"
)

const (
	// reportsAtOnce is how many reports of one machine are settled at once, and reportRoom how many may wait for that. What finds no room
	// is not lost: agents repeat their reports until they are settled.
	reportsAtOnce = 4
	reportRoom    = 256
)

// reports are those of one session that are being settled, or wait for it. Settling one asks the storage and writes to the farm's log,
// either of which may take very long; the agent's other messages are heard meanwhile. Its zero value is empty.
type reports struct {
	mu        sync.Mutex
	waiting   []wire.Message
	under     map[wire.Attempt]bool // that wait or are being settled
	running   int
	inventory *farm.Inventory // the latest that was told and not taken in yet; nil for none
	taking    bool            // one is being taken in
}

// add takes a report; work says that somebody has to begin settling. One of an attempt whose report is being settled is dropped.
func (r *reports) add(m wire.Message) (work bool) {
	at := attemptOf(m)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under[at] || len(r.waiting) >= reportRoom {
		return false
	}
	if r.under == nil {
		r.under = map[wire.Attempt]bool{}
	}
	r.under[at] = true
	r.waiting = append(r.waiting, m)
	if r.running == reportsAtOnce {
		return false
	}
	r.running++
	return true
}

// next is the report that has waited longest; false when there is none, and whoever asked is done.
func (r *reports) next() (m wire.Message, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.running--
		return m, false
	}
	m, r.waiting = r.waiting[0], r.waiting[1:]
	return m, true
}

// through notes that a report needs no more settling, so that it is heard when it comes again.
func (r *reports) through(at wire.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, at)
}

// stock takes what a machine has, in the place of what has not been taken in yet; work is as in add.
func (r *reports) stock(inv farm.Inventory) (work bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inventory = &inv
	work = !r.taking
	r.taking = true
	return work
}

func (r *reports) nextStock() *farm.Inventory {
	r.mu.Lock()
	defer r.mu.Unlock()
	inv := r.inventory
	r.inventory, r.taking = nil, inv != nil
	return inv
}

func attemptOf(m wire.Message) wire.Attempt {
	if m.Finished != nil {
		return m.Finished.Attempt
	}
	return m.Failed.Attempt
}

// takeUpReport has a report, or an inventory, settled beside the session's other messages, which may outlast the session: what an agent
// has reported is not less true for its having gone. ctx ends the waiting for storage.
func (l *leader) takeUpReport(ctx context.Context, s *session, m wire.Message) {
	work := l.settleReports
	if m.Inventory != nil {
		if !s.reports.stock(*m.Inventory) {
			return
		}
		work = l.settleStock
	} else if !s.reports.add(m) {
		return
	}
	l.d.clerks.carryOut(func() { work(ctx, s) }) // a coordinator that stops takes no more up, and ends the session
}

func (l *leader) settleReports(ctx context.Context, s *session) {
	for m, more := s.reports.next(); more; m, more = s.reports.next() {
		at := attemptOf(m)
		after, err := l.end(ctx, s, m)
		s.reports.through(at)
		l.settle(s, at, after, err)
	}
}

func (l *leader) settleStock(ctx context.Context, s *session) {
	for inv := s.reports.nextStock(); inv != nil; inv = s.reports.nextStock() {
		l.takeInventory(ctx, s, *inv)
	}
}
