package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// shownDesk shows what a test puts there.
type shownDesk struct {
	mu   sync.Mutex
	seen presence.Sight
}

func (d *shownDesk) Look(context.Context, presence.Want) (presence.Sight, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	seen.Processes = slices.Clone(seen.Processes) // who looks writes to it
	return seen, nil
}

func (d *shownDesk) Close() error { return nil }

func (d *shownDesk) show(seen presence.Sight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = seen
}

var (
	deskLeft = presence.Sight{Session: presence.SessionActive, Input: time.Hour, InputKnown: true}
	deskUsed = presence.Sight{Session: presence.SessionActive, InputKnown: true}
)

// startAtDesk runs an agent with the desk of an artist, and an engine that plays the named part.
func startAtDesk(t *testing.T, p *peer, part string, desk presence.Desk, manners Manners) (dir string, changes chan<- Manners) {
	t.Helper()
	dir = t.TempDir()
	settings := make(chan Manners)
	startOf(t, Config{
		DataDir: dir, Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "desk", Engine: aerenderdouble.Program(t, part), Writers: writers, CacheSize: 1 << 30,
		Logger: slog.New(slog.DiscardHandler), Desk: desk, Manners: manners, Changes: settings,
	}, func(*agent) {})
	return dir, settings
}

var artist = Manners{Rules: presence.Rules{IdleAfter: time.Minute}}

// present waits until the farm was told of a presence.
func (p *peer) present(want farm.Presence) (a farm.Availability) {
	p.t.Helper()
	p.eventually("the farm hears that the machine is "+string(want), func() bool {
		a = p.available
		return a.Presence == want
	})
	return a
}

func TestTheArtistGetsTheMachineBack(t *testing.T) {
	t.Parallel()
	p, desk := newPeer(t), &shownDesk{}
	desk.show(deskLeft)
	startAtDesk(t, p, "stubborn", desk, artist)
	p.present(farm.PresenceFree)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)

	desk.show(deskUsed)
	back := time.Now()
	f := p.report(l.Attempt).Failed
	t.Logf("given back %v after the artist, by an engine that does not end when it is asked to", time.Since(back).Round(time.Millisecond))
	if f == nil || !f.Cancelled || !f.Retry || f.Message != "Given back by machine 'desk': somebody works at it" {
		t.Fatalf("%+v", f)
	}
	if a := p.present(farm.PresenceAway); a.Reason != "somebody works at it" || a.Until.IsZero() {
		t.Errorf("%+v", a)
	}
	p.mu.Lock()
	yielded := slices.Contains(p.presences, farm.PresenceYielding)
	p.mu.Unlock()
	if !yielded {
		t.Error("the farm did not hear that the machine was yielding")
	}

	again := l
	again.Attempt.Attempt = 2
	p.send(wire.Message{Lease: &again})
	if f := p.report(again.Attempt).Failed; f == nil || !f.Cancelled || !f.Retry {
		t.Errorf("a lease for an artist's machine: %+v", f)
	}
	desk.show(deskLeft)
	p.present(farm.PresenceFree)
	third := lease(t, p, "job.3")
	p.send(wire.Message{Lease: &third})
	p.rendering(third.Attempt)
}

// TestTheArtistWaitsForAFrameAtMostSoLong: an engine in the midst of a long frame is ended when its time is over.
func TestTheArtistWaitsForAFrameAtMostSoLong(t *testing.T) {
	t.Parallel()
	p, desk := newPeer(t), &shownDesk{}
	desk.show(deskLeft)
	manners := artist
	manners.Return, manners.FrameTime = ReturnFrame, 100*time.Millisecond
	startAtDesk(t, p, "hang-half", desk, manners)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	desk.show(deskUsed)
	if f := p.report(l.Attempt).Failed; f == nil || !f.Cancelled {
		t.Errorf("%+v", f)
	}
}

// TestAPauseEndsWhatWasToFinishBesideTheArtist: who asks for it wants the machine, whatever becomes of work otherwise.
func TestAPauseEndsWhatWasToFinishBesideTheArtist(t *testing.T) {
	t.Parallel()
	p, desk := newPeer(t), &shownDesk{}
	desk.show(deskLeft)
	manners := artist
	manners.Return = ReturnLower
	dir, _ := startAtDesk(t, p, "hang-half", desk, manners)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	desk.show(deskUsed)
	p.present(farm.PresenceYielding)
	if _, err := control.Pause(t.Context(), dir, presence.Pause{On: true}); err != nil {
		t.Fatal(err)
	}
	if f := p.report(l.Attempt).Failed; f == nil || !f.Cancelled || !strings.HasSuffix(f.Message, "paused by somebody at the machine") {
		t.Errorf("%+v", f)
	}
}

func TestAPauseOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	r := start(t, p, "hang-half", dir)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	status, err := control.Ask(t.Context(), dir)
	if err != nil || status.Name != "test-machine" || !status.Linked || len(status.Working) != 1 || status.Working[0].Task != "job.1" || status.Working[0].Phase != "rendering" {
		t.Fatalf("%+v, %v", status, err)
	}
	until := time.Now().Add(time.Hour).Round(time.Second)
	if status, err = control.Pause(t.Context(), dir, presence.Pause{On: true, Until: until}); err != nil || !status.Pause.On || !status.Pause.Until.Equal(until) {
		t.Fatalf("%+v, %v", status, err)
	}
	if f := p.report(l.Attempt).Failed; f == nil || !f.Cancelled || !f.Retry || !strings.HasSuffix(f.Message, "paused by somebody at the machine") {
		t.Errorf("%+v", f)
	}
	p.present(farm.PresenceAway)
	r.stop()
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	if _, err := control.Ask(t.Context(), dir); !errors.Is(err, control.ErrNoAgent) {
		t.Errorf("an agent that has ended says %v", err)
	}

	p.mu.Lock()
	p.available = farm.Availability{}
	p.mu.Unlock()
	start(t, p, "normal", dir)
	if a := p.present(farm.PresenceAway); !a.Until.Equal(until) {
		t.Errorf("%+v", a)
	}
	if status, err = control.Pause(t.Context(), dir, presence.Pause{}); err != nil || status.Pause.On || status.Presence.Presence != farm.PresenceFree {
		t.Fatalf("%+v, %v", status, err)
	}
	p.present(farm.PresenceFree)
}

// TestPeopleAtTheMachineAreToldWhatTheFarmWantsOfIt, and why there is no link to it.
func TestPeopleAtTheMachineAreToldWhatTheFarmWantsOfIt(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "normal", dir)
	p.present(farm.PresenceFree)
	is := func(what string, ok func(control.Status) bool) {
		t.Helper()
		p.eventually(what, func() bool {
			status, err := control.Ask(t.Context(), dir)
			return err == nil && ok(status)
		})
	}
	p.send(wire.Message{Standing: &wire.Standing{State: farm.MachineDrained}})
	is("the machine knows that it is drained", func(s control.Status) bool { return s.Standing.State == farm.MachineDrained })
	p.hangUp()
	is("it is linked again, and knows nothing of the kind", func(s control.Status) bool { return s.Linked && s.Trouble == "" && s.Standing == wire.Standing{} })
	p.die()
	is("it knows why there is no link", func(s control.Status) bool { return !s.Linked && s.Trouble != "" })
}

// TestAnAgentThatHasNotEnrolledYetIsSpokenWith: it says why it is not linked, and can be paused before it ever was.
func TestAnAgentThatHasNotEnrolledYetIsSpokenWith(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.die()
	dir := t.TempDir()
	start(t, p, "normal", dir)
	p.eventually("it says why it is not linked", func() bool {
		status, err := control.Ask(t.Context(), dir)
		return err == nil && !status.Linked && status.Trouble != "" && status.Presence.Presence == farm.PresenceFree
	})
	if status, err := control.Pause(t.Context(), dir, presence.Pause{On: true}); err != nil || !status.Pause.On {
		t.Errorf("%+v, %v", status, err)
	}
}

func TestMannersChangeWhileTheAgentRuns(t *testing.T) {
	t.Parallel()
	p, desk := newPeer(t), &shownDesk{}
	desk.show(deskUsed)
	_, changes := startAtDesk(t, p, "normal", desk, artist)
	p.present(farm.PresenceAway)
	changes <- Manners{Tags: []string{"spring"}}
	p.present(farm.PresenceFree)
	p.eventually("the farm hears of the tags", func() bool {
		return len(p.stock) > 0 && slices.Equal(p.stock[len(p.stock)-1].Tags, []string{"spring"})
	})
}

// TestAMachineWithAfterEffectsKeepsAwayFromAnOpenOne without any rule of its owner.
func TestAMachineWithAfterEffectsKeepsAwayFromAnOpenOne(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]farm.Presence{"AfterFX.exe": farm.PresenceAway, "After Effects (Beta)": farm.PresenceAway, "aerendercore": farm.PresenceFree} {
		a := &agent{inventory: &inventoryWatch{}, log: slog.New(slog.DiscardHandler)}
		a.manners.Store(&Manners{})
		a.inventory.has.Store(&hashedInventory{Inventory: farm.Inventory{Engines: []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0"}}}})
		seen := presence.Sight{Processes: []presence.Process{{Name: name}}}
		if got := a.rules().Judge(time.Now(), presence.Pause{}, seen); got.Presence != want {
			t.Errorf("%s: %+v", name, got)
		}
		a.inventory.has.Store(&hashedInventory{})
		if got := a.rules().Judge(time.Now(), presence.Pause{}, seen); got.Presence != farm.PresenceFree {
			t.Errorf("%s, which this machine has not: %+v", name, got)
		}
	}
}
