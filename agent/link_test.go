package agent

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm/wire"
)

func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// rendering waits until an attempt has told that it renders.
func (p *peer) rendering(at wire.Attempt) {
	p.t.Helper()
	p.eventually(at.Task+" renders", func() bool {
		return slices.ContainsFunc(p.got, func(m wire.Message) bool {
			return m.Progress != nil && m.Progress.Attempt == at && m.Progress.Phase == "rendering" && m.Progress.Frame > 0
		})
	})
}

func TestCancelEndsTheAttemptAndItsEngine(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "hang-half", dir)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: l.Attempt, Reason: "Cancelled by ann"}})
	m := p.report(l.Attempt)
	if m.Failed == nil || !m.Failed.Cancelled || m.Failed.Message != "Cancelled by ann" {
		t.Fatalf("%s", describe(m))
	}
	if left, err := os.ReadDir(filepath.Join(dir, "work")); err != nil || len(left) != 0 {
		t.Errorf("left in the work folder: %v, %v", left, err)
	}
}

func TestAgentGoesOnRenderingWithoutTheFarm(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	dir := t.TempDir()
	p.silent = true
	start(t, p, "normal", dir)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.eventually("the agent is at it", func() bool { return len(p.got) > 0 }) // a plug that is pulled may lose what was said last
	p.hangUp()
	p.eventually("the agent is back", func() bool { return len(p.hellos) >= 2 })
	p.report(l.Attempt)
	// A report that is not settled is kept, and is the first thing that the next session hears of.
	p.hangUp()
	p.eventually("the agent is back, holding its report", func() bool {
		last := p.hellos[len(p.hellos)-1]
		return len(p.hellos) >= 3 && slices.Contains(last.Holding, l.Attempt)
	})
	p.mu.Lock()
	p.got, p.silent = nil, false
	p.mu.Unlock()
	p.hangUp()
	if m := p.report(l.Attempt); m.Finished == nil {
		t.Fatalf("%s", describe(m))
	}
	eventuallyEmpty(t, filepath.Join(dir, "outbox"), p)
}

func eventuallyEmpty(t *testing.T, dir string, p *peer) {
	t.Helper()
	p.eventually("nothing is left in "+filepath.Base(dir), func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == 0
	})
}

func TestDroppedAttemptIsForgottenWithoutAReport(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "hang-half", dir)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	p.mu.Lock()
	p.drop = []wire.Attempt{l.Attempt}
	p.mu.Unlock()
	p.hangUp()
	eventuallyEmpty(t, filepath.Join(dir, "work"), p)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.got {
		if m.Finished != nil || m.Failed != nil {
			t.Errorf("reported %s", describe(m))
		}
	}
}

func TestNewerAttemptReplacesTheOlder(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	start(t, p, "hang-half", t.TempDir())
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	second := l
	second.Attempt.Attempt = 2
	p.send(wire.Message{Lease: &second})
	p.rendering(second.Attempt)
	other := lease(t, p, "other.1")
	p.send(wire.Message{Lease: &other})
	if m := p.report(other.Attempt); m.Failed == nil || !m.Failed.Cancelled || m.Failed.Message != "The machine is busy" {
		t.Errorf("%s", describe(m))
	}
}

func TestStoppedAgentGivesItsWorkBack(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	r := start(t, p, "hang-half", dir)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	r.stop()
	m := p.report(l.Attempt)
	if m.Failed == nil || !m.Failed.Cancelled || !m.Failed.Retry {
		t.Fatalf("%s", describe(m))
	}
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "work")); err != nil || len(left) != 0 {
		t.Errorf("left in the work folder: %v, %v", left, err)
	}
}

func TestAgentFollowsTheLeader(t *testing.T) {
	t.Parallel()
	leader, follower := newPeer(t), newPeer(t)
	follower.redirect = leader.server.URL
	start(t, follower, "normal", t.TempDir())
	leader.eventually("the leader is greeted", func() bool { return len(leader.hellos) > 0 })
	if got := leader.hellos[0]; got.Version != wire.Version || got.Name != "test-machine" || len(got.Inventory) != 64 {
		t.Errorf("hello %+v", got)
	}
	leader.eventually("the leader knows what the machine has", func() bool { return len(leader.stock) > 0 })
	if got := leader.stock[0]; len(got.Engines) == 0 || got.Slots != 1 || got.Memory <= 0 || got.Hash() != leader.hellos[0].Inventory {
		t.Errorf("inventory %+v", got)
	}
}

func TestForgottenAgentEnrolsAgain(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	start(t, p, "normal", t.TempDir())
	p.eventually("the first greeting", func() bool { return len(p.hellos) > 0 })
	p.mu.Lock()
	p.secret = "s2"
	p.mu.Unlock()
	p.hangUp()
	p.eventually("a greeting with the new credential", func() bool { return len(p.hellos) >= 2 && p.enrolled == 2 })
}

func TestCredentialIsKeptOverARestart(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	r := start(t, p, "normal", dir)
	p.eventually("the first greeting", func() bool { return len(p.hellos) > 0 })
	leftover := filepath.Join(dir, "work", "old-1")
	if err := os.MkdirAll(leftover, 0o700); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	start(t, p, "normal", dir)
	p.eventually("the second greeting", func() bool { return len(p.hellos) >= 2 })
	if p.enrolled != 1 {
		t.Errorf("enrolled %d times", p.enrolled)
	}
	if _, err := os.Stat(leftover); !os.IsNotExist(err) {
		t.Errorf("what an earlier run left is still there: %v", err)
	}
}

func TestAgentThatCannotJoinSaysWhy(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	quiet := slog.New(slog.DiscardHandler)
	cases := []struct {
		cfg  Config
		want string
	}{
		{Config{Coordinators: []string{p.server.URL}}, "needs a data folder"},
		{Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, Logger: quiet}, "start the agent once with a join token"},
		{Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, JoinToken: "wrong", Logger: quiet}, "this is not a join token"},
		{Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, JoinToken: strings.Replace(joinToken(t), "good", "evil", 1), Logger: quiet}, "enrolling with the join token"},
	}
	for _, c := range cases {
		if err := Run(context.Background(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	dir := t.TempDir()
	start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	err := Run(context.Background(), Config{DataDir: dir, Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Logger: quiet})
	if err == nil || !strings.Contains(err.Error(), "another agent works in") {
		t.Errorf("got %v", err)
	}
}
