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

// lookEvery is how often a desk is looked at: the artist's return has to be known well within the five seconds in which the work
// is given back.
const lookEvery = time.Second

// Watch keeps an eye on a desk. Its methods may be called from several goroutines.
type Watch struct {
	desk Desk
	now  func() time.Time
	log  *slog.Logger
	turn chan struct{} // rules or pause have changed

	looking sync.Mutex // held over a look at the desk, and before mu
	census  census     // guarded by looking
	blind   bool       // the desk could not be seen the last time, and that was said; guarded by looking

	mu    sync.Mutex
	rules Rules
	pause Pause
	last  farm.Availability
	// peopled is whether anybody could be seen, if he were there.
	peopled bool
}

// NewWatch makes a watch over a desk, which it does not close.
func NewWatch(desk Desk, rules Rules, pause Pause, log *slog.Logger) *Watch {
	return &Watch{desk: desk, rules: rules, pause: pause, log: log, now: time.Now, turn: make(chan struct{}, 1), census: census{self: os.Getpid()}}
}

// Run looks until ctx ends, and calls change whenever the machine's availability becomes another one; also at its begin. change
// has to return soon.
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
		case <-w.turn:
		}
		if now := w.look(ctx); now != told && ctx.Err() == nil {
			told = now
			change(now)
		}
	}
}

// SomebodyMayCome tells whether the rules may want the machine back from the farm: not where nobody sits and nothing else is ruled.
// Where nothing but Untouched is, it looks whether somebody is there: Run does not look for that.
func (w *Watch) SomebodyMayCome(ctx context.Context) bool {
	w.mu.Lock()
	r, peopled := w.rules, w.peopled
	w.mu.Unlock()
	switch {
	case len(r.Hours) > 0, len(r.Programs) > 0, r.MaxOtherLoad > 0, r.NotOnBattery:
		return true
	case r.IdleAfter > 0:
		return peopled
	case len(r.Untouched) == 0:
		return false
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Input: true})
	if err != nil {
		w.log.Debug("who is at the machine cannot be seen as a whole", "error", err)
	}
	return seen.peopled()
}

// Now is how available the machine was at the last look.
func (w *Watch) Now() farm.Availability {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// Running is the first of the programs of these names that runs on the machine and is not the farm's, "" when none does.
func (w *Watch) Running(ctx context.Context, names ...string) (string, error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Processes: true})
	if err != nil {
		return "", err
	}
	w.census.take(w.now(), seen.Processes)
	return seen.running(names), nil
}

// Expect says that programs of these names that begin from now on are the farm's though they are none of its children: macOS starts
// applications itself. done ends that; those that have begun stay the farm's.
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

// End ends the programs of these names that are the farm's, at once: macOS lets an application go on whose script nobody waits for.
func (w *Watch) End(ctx context.Context, names ...string) error {
	w.looking.Lock()
	defer w.looking.Unlock()
	seen, err := w.desk.Look(ctx, Want{Processes: true})
	if err != nil {
		return err
	}
	w.census.take(w.now(), seen.Processes)
	for _, p := range seen.Processes {
		if !p.Ours || !slices.ContainsFunc(names, func(name string) bool { return Named(p.Name, name) }) {
			continue
		}
		one, found := os.FindProcess(p.PID)
		if found == nil {
			found = one.Kill()
		}
		if found != nil && !errors.Is(found, os.ErrProcessDone) {
			err = errors.Join(err, fmt.Errorf("ending %s: %w", p.Name, found))
		}
	}
	return err
}

// startRounding is how much earlier than it did a process may seem to have begun: macOS tells whole seconds.
const startRounding = time.Second

// Look looks at once. Run tells of what it finds, too.
func (w *Watch) Look(ctx context.Context) farm.Availability { return w.look(ctx) }

// look judges the desk.
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
		w.log.Warn("the desk cannot be seen as a whole; what is not seen counts as idle", "error", err)
	}
	w.blind = err != nil
	now := w.now()
	if seen.Processes != nil {
		seen.OtherLoad = w.census.take(now, seen.Processes)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if rules.MaxOtherLoad > 0 && w.last.Presence == farm.PresenceAway {
		// What has just been too much has to fall well below, or the work would come and go with each look.
		seen.OtherLoad *= backBelow
	}
	w.peopled = seen.peopled()
	w.last = settled(w.last, rules.Judge(now, pause, seen))
	return w.last
}

// backBelow makes load count for more while the machine is away.
const backBelow = 1.25

// settled keeps a verdict that differs from the next one only in when it may change: with somebody at work that moves all the time.
func settled(before, now farm.Availability) farm.Availability {
	const moves = 30 * time.Second
	if before.Presence != now.Presence {
		return now
	}
	if before.Reason == now.Reason && before.Until.Sub(now.Until).Abs() < moves {
		return before
	}
	return now
}

// Pause says that the machine does no work for the farm until then, or that it does again.
func (w *Watch) Pause(p Pause) {
	w.mu.Lock()
	w.pause = p
	w.mu.Unlock()
	w.hurry()
}

// Paused is the pause that holds now, the zero value when none does.
func (w *Watch) Paused() Pause {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.pause.holds(w.now()) {
		return Pause{}
	}
	return w.pause
}

// Rule sets other rules.
func (w *Watch) Rule(r Rules) {
	w.mu.Lock()
	w.rules = r
	w.mu.Unlock()
	w.hurry()
}

// hurry makes Run look at once.
func (w *Watch) hurry() {
	select {
	case w.turn <- struct{}{}:
	default:
	}
}
