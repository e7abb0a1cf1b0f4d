package presence

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"overcrank/farm"
)

// shownDesk shows what a test puts there.
type shownDesk struct {
	mu    sync.Mutex
	seen  Sight
	err   error
	wants []Want
}

func (d *shownDesk) Look(_ context.Context, want Want) (Sight, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wants = append(d.wants, want)
	return d.seen, d.err
}

func (d *shownDesk) Close() error { return nil }

func (d *shownDesk) show(seen Sight, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen, d.err = seen, err
}

// watched runs a watch, and gives the changes that it tells.
func watched(t *testing.T, desk Desk, rules Rules) (*Watch, <-chan farm.Availability) {
	t.Helper()
	w := NewWatch(desk, rules, Pause{}, slog.New(slog.DiscardHandler))
	changes := make(chan farm.Availability, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func(a farm.Availability) { changes <- a })
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w, changes
}

func next(t *testing.T, changes <-chan farm.Availability) farm.Availability {
	t.Helper()
	select {
	case a := <-changes:
		return a
	case <-time.After(time.Minute):
		t.Fatal("no change is told")
		return farm.Availability{}
	}
}

func TestTheWatchTellsWhenTheArtistComesAndGoes(t *testing.T) {
	desk := &shownDesk{}
	away := Sight{Session: SessionActive, Input: time.Hour, InputKnown: true}
	desk.show(away, nil)
	w, changes := watched(t, desk, Rules{IdleAfter: time.Minute, Programs: []string{"maya"}})
	if a := next(t, changes); a.Presence != farm.PresenceFree {
		t.Fatalf("%+v", a)
	}
	desk.show(Sight{Session: SessionActive, InputKnown: true}, nil)
	if a := next(t, changes); a.Presence != farm.PresenceAway || a.Reason != "somebody works at it" || a.Until.IsZero() {
		t.Errorf("%+v", a)
	}
	desk.show(Sight{}, errors.New("the desk is out of sight"))
	if a := next(t, changes); a.Presence != farm.PresenceFree {
		t.Errorf("a desk that cannot be seen keeps the machine away: %+v", a)
	}
	desk.show(away, nil)
	w.Pause(Pause{On: true})
	if a := next(t, changes); a.Reason != "paused by somebody at the machine" || !w.Paused().On {
		t.Errorf("%+v", a)
	}
	w.Pause(Pause{On: true, Until: time.Now().Add(-time.Second)})
	if a := next(t, changes); a.Presence != farm.PresenceFree || w.Paused().On {
		t.Errorf("%+v", a)
	}
	w.SetRules(Rules{Hours: hours(t, time.Now().Add(2*time.Hour).Format("15:04")+"-"+time.Now().Add(3*time.Hour).Format("15:04"))})
	if a := next(t, changes); a.Presence != farm.PresenceAway || a.Until.IsZero() {
		t.Errorf("%+v", a)
	}
}

func TestOnlyWhatTheRulesNeedIsLookedAt(t *testing.T) {
	desk := &shownDesk{}
	w, changes := watched(t, desk, Rules{})
	next(t, changes)
	w.SetRules(Rules{NotOnBattery: true})
	desk.show(Sight{OnBattery: true}, nil)
	next(t, changes)
	desk.mu.Lock()
	defer desk.mu.Unlock()
	for _, want := range desk.wants {
		if want != (Want{Battery: true}) {
			t.Errorf("looked for %+v", want)
		}
	}
}

// TestLoadComesAndGoesOnlyOnce: a machine whose other programs take about as much as they may does not change its mind with each look.
func TestLoadComesAndGoesOnlyOnce(t *testing.T) {
	w := NewWatch(&shownDesk{}, Rules{MaxOtherLoad: 50}, Pause{}, slog.New(slog.DiscardHandler))
	now := time.Now()
	w.now = func() time.Time { return now }
	desk := w.desk.(*shownDesk)
	cpu := time.Duration(0)
	step := func(load float64) farm.Presence {
		now = now.Add(loadTime)
		cpu += time.Duration(load / 100 * float64(loadTime) * float64(runtime.NumCPU()))
		desk.show(Sight{Processes: []Process{{PID: 1, CPU: cpu}, {PID: os.Getpid()}}}, nil)
		return w.look(t.Context()).Presence
	}
	step(0)
	for i, c := range []struct {
		load float64
		want farm.Presence
	}{{10, farm.PresenceFree}, {49, farm.PresenceFree}, {52, farm.PresenceAway}, {49, farm.PresenceAway}, {42, farm.PresenceAway}, {38, farm.PresenceFree}, {49, farm.PresenceFree}} {
		if got := step(c.load); got != c.want {
			t.Errorf("look %d with a load of %v %%: %s", i, c.load, got)
		}
	}
}
