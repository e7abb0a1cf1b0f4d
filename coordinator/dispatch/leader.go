package dispatch

import (
	"context"
	"sync"
	"time"

	"overcrank/coordinator/delivery"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// retryPause is how long the leader waits after the state could not be written.
const retryPause = time.Second

// leader is what only the node that leads has, and only in memory: the ready tasks in order, the leases with their
// progress, the agents' sessions. It lives for one term of leadership and is rebuilt from the state.
//
// Its locks are taken in this order, each with any of those before it held or without (DESIGN.md says more):
//
//	granting    while leases are written or reconciled with an agent; the state is waited for with it, storage never
//	the feed's  while results are handed on to observe (state.Feed.Between), and while a leader takes over
//	courseReads while courses are read
//	mu          for moments: nothing is waited for with it
type leader struct {
	d    *Dispatcher
	work chan struct{}   // there may be something to grant
	over <-chan struct{} // closed when the term ends
	read chan struct{}   // closed when all that is ready stands in the queue
	// began is when this node began to take up what the leader before had. It stays as it is.
	began time.Time

	outbox *delivery.Outbox // of webhooks
	told   *delivery.Outbox // of what people are told
	trial  trial            // guarded by mu
	speeds *speeds

	courseReads sync.Mutex // so that the latest reading of a course stays

	granting sync.Mutex     // so that nobody reconciles an agent's leases with half of them known
	hands    *hands         // who puts leases together
	handing  sync.WaitGroup // the goroutines of it

	mu       sync.Mutex
	queue    *schedule.Queue
	leases   map[string]*lease         // by task
	byJob    map[string][]*lease       // the same, by job
	byAgent  map[string][]*lease       // the same, by agent
	granted  map[string]int            // attempts, by task, that the queue has granted and the state does not have for certain
	sessions map[string]*session       // by agent
	recent   map[string][]wire.Attempt // that have ended, by agent, the last behind
	lastSeen map[string]time.Time
	days     map[string]*day // what machines did of late, by agent
	// daysSince is from when on days are known.
	daysSince time.Time
	// What people want, of each machine and of the farm, as far as this node has heard.
	standings    map[string]standing
	policy       farm.Policy
	policyIndex  uint64
	secretsIndex uint64             // of the state that the queue knows SecretTags of
	heldIndex    uint64             // of the state that the queue knows held work of
	heldMonth    time.Time          // for which it was read
	updates      updating           // see updates.go
	courses      map[string]*course // of jobs with several tasks, by job
	ended        []string           // of these, which have ended and left parts behind
	changes      uint64             // grows with each change of a lease
	attemptsFrom int                // number behind which all attempts begin since the farm was put back to a backup
	closed       bool               // takes no more sessions
	stale        time.Time          // when this memory may have come to differ from the state, see markStale; zero when it has not
}

// Lead takes up and gives up the leader's work as leadership comes and goes.
func (d *Dispatcher) Lead(ctx context.Context) {
	leading, stop := false, func() {}
	defer func() { stop() }()
	again := func() { // as after a change of leaders
		if leading {
			stop()
			stop = d.lead(ctx)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case leads, open := <-d.raft.Leadership():
			stop()
			stop = func() {}
			if !open {
				return
			}
			if leading = leads; leads {
				stop = d.lead(ctx)
			}
		case <-d.cfg.ClockSet: // what the leader remembers is full of times
			again()
		case <-d.anew: // it remembers another state
			again()
		}
	}
}

// lead starts a term of leadership; stop ends it and waits for it.
func (d *Dispatcher) lead(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	l := &leader{
		d:         d,
		work:      make(chan struct{}, 1),
		over:      ctx.Done(),
		read:      make(chan struct{}),
		queue:     schedule.NewQueue(),
		leases:    map[string]*lease{},
		granted:   map[string]int{},
		byJob:     map[string][]*lease{},
		byAgent:   map[string][]*lease{},
		sessions:  map[string]*session{},
		recent:    map[string][]wire.Attempt{},
		lastSeen:  map[string]time.Time{},
		days:      map[string]*day{},
		standings: map[string]standing{},
		courses:   map[string]*course{},
		updates:   newUpdating(d.state.Now()),
		speeds:    newSpeeds(),
		outbox:    delivery.NewOutbox(d.state.Now, d.webhooks.Try),
		told:      delivery.NewOutbox(d.state.Now, d.notices.Try),
	}
	l.queue.SetSpeed(l.speeds.of)
	l.hands = newHands(newCrew(func() (done func()) {
		l.handing.Add(1)
		return l.handing.Done
	}))
	var term sync.WaitGroup
	d.terms.Add(1)
	term.Go(func() {
		defer d.terms.Done()
		l.term(ctx)
	})
	return func() {
		cancel()
		term.Wait()
	}
}

// term is one term of leadership, from the barrier to the end of the sessions. When it ends the agents are sent on first: nothing that
// is still under way here concerns them.
func (l *leader) term(ctx context.Context) {
	own, led := l.begin(ctx)
	if !led {
		return
	}
	l.d.cluster.RaiseAlone(own)
	if !l.takeOver(ctx) {
		return
	}
	defer l.handing.Wait()
	defer l.noteDays()
	var loops sync.WaitGroup
	defer loops.Wait()
	defer l.endSessions()
	defer l.leave()
	l.d.events.Lose() // what the leader before told last may not have come
	loops.Go(l.recallDays)
	loops.Go(func() { l.expireLoop(own) })
	loops.Go(func() { l.tellLoop(ctx) })
	loops.Go(func() { l.updateLoop(own) })
	// The most urgent tasks are granted while the others are being read: reading a million takes seconds.
	if !l.untilRead(ctx, l.readUrgent) {
		return
	}
	loops.Go(func() { l.grantLoop(own) })
	// From here on the queue is told of what is submitted, so nothing falls between the two.
	if !l.untilRead(ctx, l.readReady) {
		return
	}
	l.mu.Lock()
	ready, leased := l.queue.Len(), len(l.leases)
	l.mu.Unlock()
	close(l.read)
	l.d.log.Info("this coordinator leads the farm", "ready tasks", ready, "leases", leased, "queue read in", time.Since(l.began).Round(time.Millisecond))
	l.d.templates.Wake()

	loops.Go(func() { l.outbox.Run(ctx) })
	loops.Go(func() { l.told.Run(ctx) })
	loops.Go(func() {
		if err := l.d.results.Sweep(ctx); err != nil && ctx.Err() == nil {
			l.d.log.Error("looking through unfinished results", "error", err)
		}
	})
	<-ctx.Done()
}

// queueTime is how long questions wait for the queue of a node that has begun to lead. One of hundreds of thousands takes longer; then
// nobody waits, since a page asks many.
const queueTime = time.Second

// queueRead waits a moment until the queue holds all that is ready. CodeUnavailable says that it does not yet.
func (l *leader) queueRead(ctx context.Context) error {
	if l.hasRead() {
		return nil
	}
	enough := time.NewTimer(time.Until(l.began.Add(queueTime)))
	defer enough.Stop()
	select {
	case <-l.read:
		return nil
	case <-enough.C:
	case <-ctx.Done():
	case <-l.over:
	}
	return farm.Errorf(farm.CodeUnavailable, "the coordinator that leads is reading the queue; try again in a moment")
}

// hasRead tells whether the queue holds all that is ready.
func (l *leader) hasRead() bool {
	select {
	case <-l.read:
		return true
	default:
		return false
	}
}

// leave ends the time in which this node is asked as leader. What is known of the leases stays known until the next leader tells.
func (l *leader) leave() {
	l.d.mirror.take(newFollower().next(l), true)
	l.d.setLeader(nil)
}

func (d *Dispatcher) setLeader(l *leader) {
	if l == nil {
		d.storage.NoteTrial(nil) // the next leader makes its own
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leader = l
}

func (l *leader) wake() {
	select {
	case l.work <- struct{}{}:
	default:
	}
}
