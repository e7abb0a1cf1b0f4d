package agent

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/farm/wire"
)

// TestAnAgentOfAnotherVersionWaitsForItsUpdate: it drops its work, says what it runs and nothing else, and takes up no work. When the farm speaks its version
// again, it works.
func TestAnAgentOfAnotherVersionWaitsForItsUpdate(t *testing.T) {
	t.Parallel()
	p, dir := newPeer(t), t.TempDir()
	var a *agent
	s, stop := startOf(t, Config{
		DataDir: dir, Engine: aerenderdouble.Program(t, "hang-half"), Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "test-machine",
		CacheSize: 1 << 30, Logger: slog.New(slog.DiscardHandler), Protocol: wire.Version + 1,
	}, func(it *agent) { a = it })
	defer stop()
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)

	p.mu.Lock()
	p.speaks, p.got = wire.Version+2, nil
	p.mu.Unlock()
	p.hangUp()
	p.eventually("it says what it runs, again and again", func() bool { return len(p.got) >= 3 })
	eventuallyEmpty(t, filepath.Join(dir, "work"), p)
	status := a.Status()
	if status.Linked || !status.UpdatesOnly || !strings.Contains(status.Trouble, "this agent is too old for the farm (protocol 4, the farm's is 5)") || !a.link.away.Load() {
		t.Errorf("people at the machine are told %+v, away: %v", status, a.link.away.Load())
	}
	other := lease(t, p, "other.1")
	p.send(wire.Message{Lease: &other})
	p.send(wire.Message{Update: &wire.Update{Release: "2.0.0"}})
	p.mu.Lock()
	heard := len(p.got)
	p.mu.Unlock()
	p.eventually("it speaks on", func() bool { return len(p.got) >= heard+3 })
	p.mu.Lock()
	for _, m := range p.got {
		if m.Updating == nil {
			t.Errorf("it said %s", describe(m))
		}
	}
	if last := p.hellos[len(p.hellos)-1]; last.Version != wire.Version+1 {
		t.Errorf("its hello was %+v", last)
	}
	if s.busy() {
		t.Error("it has taken up work that it may not understand")
	}
	p.speaks = wire.Version + 1
	p.mu.Unlock()
	p.hangUp()
	p.eventually("it is welcomed again", func() bool { return a.Status().Linked })
	again := lease(t, p, "again.1")
	p.send(wire.Message{Lease: &again})
	p.rendering(again.Attempt)
	if status := a.Status(); status.UpdatesOnly || status.Trouble != "" {
		t.Errorf("people at the machine are told %+v", status)
	}
}
