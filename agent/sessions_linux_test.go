package agent

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/agent/internal/signedintest"
	"overcrank/agent/inventory"
	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// service is an agent that runs as a service, on a machine with After Effects 26 and people.
type service struct {
	*agent
	own, engine string
	who         atomic.Pointer[presence.Person]
}

func startService(t *testing.T, p *peer, part string) *service {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: After Effects runs under another account")
	}
	s := &service{own: signedintest.Program(t, "runner"), engine: signedintest.Program(t, "plays-"+part)}
	// Nothing in the data folder is open to others, but they may pass through the folder that it is in.
	cfg := Config{
		DataDir: filepath.Join(signedintest.Folder(t), "agent"), Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "studio", Desk: &shownDesk{},
		Logger: slog.New(slog.DiscardHandler), Version: signedintest.Version, Sessions: true,
		Who: func(context.Context) (presence.Person, bool, error) {
			if who := s.who.Load(); who != nil {
				return *who, true, nil
			}
			return presence.Person{}, false, nil
		},
	}
	if err := cfg.Complete(); err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.agent = a
	take := a.inventory.take
	a.inventory.take = func(ctx context.Context, patience time.Duration) inventory.Report {
		report := take(ctx, patience)
		report.Engines = append(report.Engines, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2", Path: s.engine})
		return report
	}
	a.inventory.look(t.Context(), time.Minute)
	// Only that there is a command counts here: the runner puts together its own.
	a.machine.AfterEffects.Script = func(engine, script string) []string { return []string{engine, "afterfx", script} }
	a.machine.Pace.Pictures, a.machine.Pace.Return = time.Minute, time.Minute // for machines that are busy with other tests
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return s
}

// signIn has a person sit down before the machine, with a runner in their session.
func (s *service) signIn(t *testing.T, p *peer) *signedintest.Runner {
	t.Helper()
	s.who.Store(&presence.Person{ID: strconv.Itoa(signedintest.UID)})
	r := signedintest.Start(t, s.own, s.cfg.DataDir, signedintest.UID, "ok", s.engine)
	s.lacks(p, "")
	return r
}

// lacks waits until the farm is told that After Effects cannot run for this reason; "" for none.
func (s *service) lacks(p *peer, why string) {
	p.t.Helper()
	p.eventually("the farm to hear of After Effects: "+why, func() bool {
		return len(p.presences) > 0 && p.available.AfterEffects == why
	})
}

func TestAfterEffectsOfAServiceRendersInTheSessionOfWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	s := startService(t, p, "normal")
	s.lacks(p, "nobody is signed in")
	if why := s.Status().Presence.AfterEffects; why != "nobody is signed in" {
		t.Errorf("people at the machine are told %q", why)
	}
	refused := lease(t, p, "early.1")
	refused.Settings = farm.Settings{Engine: "ae2026"}
	p.send(wire.Message{Lease: &refused})
	m := p.report(refused.Attempt)
	if f := m.Failed; f == nil || !f.Cancelled || !f.Retry || !strings.Contains(f.Message, "Given back by machine 'studio': nobody is signed in") {
		t.Errorf("with nobody signed in: %s", describe(m))
	}
	s.signIn(t, p)
	l := lease(t, p, "film.1")
	l.Settings, l.Ext = farm.Settings{Engine: "ae2026", Codec: "video_prores_422"}, "mov"
	l.Assets = []farm.Asset{{Type: "static", Name: "data.json", Src: "data:application/json,{}"}, {Type: "audio", LayerName: "x", Name: "a.wav", Src: "data:,RIFF"}}
	l.Discard = true
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Finished == nil || m.Finished.Output.Frames != 25 {
		t.Fatalf("%s\n%s", describe(m), p.logged(l.Attempt))
	}
	if _, err := os.Stat(signedintest.Cleared(s.own, signedintest.UID)); err != nil {
		t.Errorf("the person's caches keep what nothing is to be kept of: %v", err)
	}
	packed := lease(t, p, "aep.1")
	packed.Settings, packed.Ext = farm.Settings{Type: "aep"}, "zip"
	p.send(wire.Message{Lease: &packed})
	if m := p.report(packed.Attempt); m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(packed.Attempt))
	}
	left, err := os.ReadDir(s.workDir())
	if err != nil || len(left) > 0 {
		t.Errorf("of the attempts %v stays, %v", left, err)
	}
}

func TestARenderInASessionThatEndsIsGivenBack(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for name, tt := range map[string]struct {
		end  func(s *service, r *signedintest.Runner)
		why  string
		then string
	}{
		"signed out": {func(_ *service, r *signedintest.Runner) { r.Kill() }, "the session in which After Effects ran has ended",
			"Overcrank does not run in the session of who is signed in"},
		"switched": {func(s *service, _ *signedintest.Runner) { s.who.Store(nil) }, "another person's session is in front now", "nobody is signed in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t)
			s := startService(t, p, "one-by-one")
			r := s.signIn(t, p)
			l := lasting(t, p, "range.1")
			l.Part, l.Settings.Frames, l.Discard = true, &farm.Frames{Start: 4, End: 20_000}, true
			p.send(wire.Message{Lease: &l})
			p.eventually("frames to be done", func() bool {
				paths, err := filepath.Glob(filepath.Join(s.workDir(), "*", "out", "part*"))
				if err != nil || len(paths) != 1 {
					return false
				}
				grown, err := growthOf(paths[0])
				return err == nil && grown.Frames >= 4
			})
			tt.end(s, r)
			m := p.report(l.Attempt)
			defer func() { // and what is owed to the person's caches is done when they are back
				s.signIn(t, p)
				p.eventually("the caches to be cleared", func() bool {
					_, err := os.Stat(signedintest.Cleared(s.own, signedintest.UID))
					owed, readErr := s.readOwed()
					return err == nil && readErr == nil && len(owed) == 0
				})
			}()
			if f := m.Failed; f == nil || !f.Cancelled || !f.Retry || !strings.Contains(f.Message, tt.why) || f.Done == nil || f.Done.Start != 4 || f.Done.End < 7 {
				t.Fatalf("got %s\n%s", describe(m), p.logged(l.Attempt))
			}
			s.lacks(p, tt.then)
		})
	}
}
