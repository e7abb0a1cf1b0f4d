package presence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"overcrank/farm"
)

// lookEvery is how often the machine is observed: the return of the artist has to be noticed well within the five seconds in which the
// machine has to be free for them.
const lookEvery = time.Second

// Watch observes how a machine is used. It is safe for concurrent use.
type Watch struct {
	desk    Desk
	runners func() []int // process ids of the agent's runners; may be nil
	now     func() time.Time
	log     *slog.Logger
	changed chan struct{} // rules or pause have changed

	looking sync.Mutex // locked during an observation; locked before mu
	census  census     // guarded by looking
	blind   bool       // the last observation failed, which was logged; guarded by looking

	mu    sync.Mutex
	rules Rules
	pause Pause
	last  farm.Availability
	// mayHaveUser is Sight.mayHaveUser of the last observation, and session its Session.
	mayHaveUser bool
	session     Session
	inUse       bool // Rules.inUse of it
}

// NewWatch makes a watch on a desk. Its owner closes the desk.
func NewWatch(desk Desk, rules Rules, pause Pause, log *slog.Logger) *Watch {
	return &Watch{desk: desk, rules: rules, pause: pause, log: log, now: time.Now, changed: make(chan struct{}, 1), census: census{self: os.Getpid()}}
}

// Run observes the machine until ctx ends. It calls change at the start, and whenever the availability of the machine changes. change must
// not block.
func (w *Watch) Run(ctx context.Context, change func(farm.Availability)) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	told := w.look(ctx)
	change(told)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-w.changed:
		}
		if now := w.look(ctx); now != told && ctx.Err() == nil {
			told = now
			change(now)
		}
	}
}

// SomebodyMayCome reports whether the machine may have to be given back to somebody: not when nobody uses it and no rule can require it.
// When Untouched is the only rule, it observes whether somebody may use the machine, which Run does not do then.
func (w *Watch) SomebodyMayCome(ctx context.Context) bool {
	w.mu.Lock()
	r, mayHaveUser := w.rules, w.mayHaveUser
	w.mu.Unlock()
	switch {
	case len(r.Hours)+len(r.FarmHours) > 0, len(r.Programs) > 0, r.MaxOtherLoad > 0, r.NotOnBattery:
		return true
	case r.IdleAfter > 0:
		return mayHaveUser
	case len(r.Untouched) == 0:
		return false
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Input: true})
	if err != nil {
		w.log.Debug("cannot fully observe whether somebody uses the machine", "error", err)
	}
	return seen.mayHaveUser()
}

// Now is the availability of the machine at the last observation.
func (w *Watch) Now() farm.Availability {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// Session is whether somebody was logged in at the last observation; SessionUnknown while no rule asks for it.
func (w *Watch) Session() Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

// InUse tells whether somebody used the machine at the last observation, as far as rules ask for it.
func (w *Watch) InUse() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inUse
}

// CountRunners makes what descends from runners count as the farm's; processes are their ids. It is called before the first observation.
func (w *Watch) CountRunners(processes func() []int) { w.runners = processes }

// sample takes in the processes that were seen. w.looking is held.
func (w *Watch) sample(list []Process) (load float64) {
	if w.runners != nil {
		w.census.more = w.runners()
	}
	return w.census.sample(w.now(), list)
}

// Running is the name of a running program that matches one of names and is not the farm's, "" when there is none.
func (w *Watch) Running(ctx context.Context, names ...string) (string, error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Processes: true})
	if err != nil {
		return "", err
	}
	w.sample(seen.Processes)
	return seen.running(names), nil
}

// Expect makes programs with these names that start from now on count as the farm's, though they are not the agent's children: macOS
// starts applications itself. done ends that; programs that have started until then still count.
func (w *Watch) Expect(names ...string) (done func()) {
	e := &expected{names: names, since: w.now().Add(-startRounding)}
	w.looking.Lock()
	defer w.looking.Unlock()
	w.census.expected = append(w.census.expected, e)
	return func() {
		w.looking.Lock()
		defer w.looking.Unlock()
		w.census.expected = slices.DeleteFunc(w.census.expected, func(other *expected) bool { return other == e })
	}
}

// End kills the programs with these names that are the farm's. On macOS an application goes on when the program that controls it by script
// is killed.
func (w *Watch) End(ctx context.Context, names ...string) error {
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Processes: true})
	if err != nil {
		return err
	}
	w.sample(seen.Processes)
	for _, p := range seen.Processes {
		if !p.Ours || !slices.ContainsFunc(names, func(name string) bool { return Named(p.Name, name) }) {
			continue
		}
		one, found := os.FindProcess(p.PID)
		if found == nil {
			found = one.Kill()
		}
		if found != nil && !errors.Is(found, os.ErrProcessDone) {
			err = errors.Join(err, fmt.Errorf("kill %s: %w", p.Name, found))
		}
	}
	return err
}

// startRounding is how much too early the start time of a process may be: macOS reports whole seconds.
const startRounding = time.Second

// Look observes the machine now. Run reports a change that it finds, too.
func (w *Watch) Look(ctx context.Context) farm.Availability { return w.look(ctx) }

// look observes the machine and applies the rules.
func (w *Watch) look(ctx context.Context) farm.Availability {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.mu.Lock()
	rules, pause := w.rules, w.pause
	w.mu.Unlock()
	var seen Sight
	var err error
	if want := rules.Want(); !want.nothing() {
		seen, err = w.desk.Look(ctx, want)
	}
	if err != nil && ctx.Err() == nil && !w.blind {
		w.log.Warn("cannot fully observe the use of this machine; what cannot be observed counts as idle", "error", err)
	}
	w.blind = err != nil
	now := w.now()
	if seen.Processes != nil {
		seen.OtherLoad = w.sample(seen.Processes)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if rules.MaxOtherLoad > 0 && w.last.Presence == farm.PresenceAway {
		// Once the load was too high it has to fall well below the limit, or the machine would start and stop working all the time.
		seen.OtherLoad *= awayLoadFactor
	}
	w.mayHaveUser, w.session, w.inUse = seen.mayHaveUser(), seen.Session, rules.inUse(seen)
	w.last = steady(w.last, rules.Judge(now, pause, seen))
	return w.last
}

// awayLoadFactor is by how much load counts for more while the machine is away.
const awayLoadFactor = 1.25

// steady returns before when now differs from it only a little in when it may change: with somebody at work that time moves all the time.
func steady(before, now farm.Availability) farm.Availability {
	const moves = 30 * time.Second
	if before.Presence != now.Presence {
		return now
	}
	if before.Reason == now.Reason && before.Until.Sub(now.Until).Abs() < moves {
		return before
	}
	return now
}

// Pause pauses the work for the farm, or resumes it.
func (w *Watch) Pause(p Pause) {
	w.mu.Lock()
	w.pause = p
	w.mu.Unlock()
	w.lookNow()
}

// Paused is the pause in force, the zero value when there is none.
func (w *Watch) Paused() Pause {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.pause.holds(w.now()) {
		return Pause{}
	}
	return w.pause
}

// SetRules replaces the rules.
func (w *Watch) SetRules(r Rules) {
	w.mu.Lock()
	w.rules = r
	w.mu.Unlock()
	w.lookNow()
}

// lookNow makes Run observe the machine at once.
func (w *Watch) lookNow() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
