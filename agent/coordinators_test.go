package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/farm/wire"
)

// cluster is coordinators of one farm that tell of each other, the first of which leads.
func cluster(t *testing.T, n int) []*peer {
	peers := make([]*peer, n)
	var all []string
	for i := range peers {
		peers[i] = newPeer(t)
		all = append(all, peers[i].server.URL)
	}
	for i, p := range peers {
		p.others, p.files = all, peers[0].files // they share their storage
		if i > 0 {
			p.redirect = all[0]
		}
	}
	return peers
}

// lead makes one of the coordinators the leader.
func lead(peers []*peer, leader int) {
	for i, p := range peers {
		p.mu.Lock()
		p.redirect = ""
		if i != leader {
			p.redirect = peers[leader].server.URL
		}
		p.mu.Unlock()
	}
}

func TestARenderOutlivesItsCoordinator(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	peers := cluster(t, 3)
	r := start(t, peers[0], "half-way", t.TempDir()) // which is at it when its coordinator dies
	a, b := peers[0], peers[2]
	a.eventually("the greeting", func() bool { return len(a.hellos) > 0 })
	l := lease(t, a, "job.1")
	a.send(wire.Message{Lease: &l})
	a.eventually("the machine is at it", func() bool { return len(a.got) > 0 }) // what was said last may be lost with the connection
	lead(peers, 2)
	a.die()
	b.eventually("the machine is with the next leader, and holds its lease", func() bool {
		return len(b.hellos) > 0 && slices.Contains(b.hellos[len(b.hellos)-1].Holding, l.Attempt)
	})
	aerenderdouble.GoOn(t, r.engine, 0, 24)
	if m := b.report(l.Attempt); m.Finished == nil {
		t.Fatalf("%s", describe(m))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.outputs) != 1 {
		t.Errorf("%d results were handed over", len(b.outputs))
	}
}

func TestADownloadGoesOnWithAnotherCoordinator(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for _, c := range []struct {
		name string
		end  func(p *peer)
	}{
		{"that was killed", (*peer).die},
		{"that fell silent", func(p *peer) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.mute = true
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			peers := cluster(t, 2)
			a, b := peers[0], peers[1]
			start(t, a, "normal", t.TempDir())
			a.eventually("the greeting", func() bool { return len(a.hellos) > 0 })
			l := lease(t, a, "job.1")
			a.mu.Lock()
			a.cut = 10
			a.mu.Unlock()
			a.send(wire.Message{Lease: &l})
			a.eventually("half of a file has come", func() bool { return len(a.ranges) > 0 })
			lead(peers, 1)
			c.end(a)
			if m := b.report(l.Attempt); m.Finished == nil {
				t.Fatalf("%s", describe(m))
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if !slices.Contains(b.ranges, "bytes=10-") {
				t.Errorf("asked for was %q", b.ranges)
			}
		})
	}
}

func TestTheFarmIsFoundAgainWithoutTheConfiguredCoordinator(t *testing.T) {
	t.Parallel()
	peers := cluster(t, 2)
	a, b := peers[0], peers[1]
	a.gossip = &wire.Gossip{Keys: [][]byte{make([]byte, 32)}, Seeds: []string{"127.0.0.1:1"}}
	dir := t.TempDir()
	r := start(t, a, "normal", dir)
	a.eventually("the greeting", func() bool { return len(a.hellos) > 0 })
	a.eventually("what it was told is kept", func() bool {
		var kept farmFacts
		text, err := os.ReadFile(filepath.Join(dir, farmFileName))
		return err == nil && json.Unmarshal(text, &kept) == nil && len(kept.Coordinators) == 2 && len(kept.Gossip.Keys) == 1
	})
	r.stop()
	<-r.done
	if info, err := os.Stat(filepath.Join(dir, farmFileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the keys of gossip is %v, %v", info, err)
	}
	lead(peers, 1)
	a.die()
	start(t, a, "normal", dir) // which knows of the first one by its configuration
	b.eventually("the machine is with the other", func() bool { return len(b.hellos) > 0 })
}

func TestALinkedMachineHearsOfOtherCoordinators(t *testing.T) {
	t.Parallel()
	peers := cluster(t, 2)
	a, b := peers[0], peers[1]
	a.others = []string{a.server.URL} // the farm begins with one
	dir := t.TempDir()
	start(t, a, "normal", dir)
	a.eventually("the greeting", func() bool { return len(a.hellos) > 0 })
	a.send(wire.Message{Coordinators: &wire.Coordinators{}}) // of which nothing can be made
	a.send(wire.Message{Coordinators: &wire.Coordinators{Addresses: []string{a.server.URL, b.server.URL}}})
	a.eventually("the other one is written down", func() bool {
		var kept farmFacts
		text, err := os.ReadFile(filepath.Join(dir, farmFileName))
		return err == nil && json.Unmarshal(text, &kept) == nil && slices.Equal(kept.Coordinators, []string{a.server.URL, b.server.URL})
	})
	lead(peers, 1)
	a.die()
	b.eventually("the machine is with the other", func() bool { return len(b.hellos) > 0 })
}

func TestAMachineEnrolsWithWhicheverCoordinatorAnswers(t *testing.T) {
	t.Parallel()
	peers := cluster(t, 2)
	lead(peers, 1)
	peers[0].die()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{
			DataDir: t.TempDir(), Coordinators: []string{peers[0].server.URL, peers[1].server.URL}, JoinToken: joinToken(t), Name: "test-machine", Writers: writers, Logger: slog.New(slog.DiscardHandler),
		})
	}()
	peers[1].eventually("the greeting", func() bool { return len(peers[1].hellos) > 0 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAFarmWithAnotherAuthorityLetsMachinesInByAToken(t *testing.T) {
	t.Parallel()
	before := newPeer(t)
	dir := t.TempDir()
	r := start(t, before, "normal", dir)
	before.eventually("the greeting", func() bool { return len(before.hellos) > 0 })
	r.stop()
	<-r.done
	other, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	after := newPeerOf(t, other)
	run := func(token string) (stop func() error) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		// One coordinator has the new authority already, the other one has not.
		cfg := Config{DataDir: dir, Coordinators: []string{before.server.URL, after.server.URL}, JoinToken: token, Name: "test-machine", Writers: writers, Logger: slog.New(slog.DiscardHandler)}
		go func() { done <- Run(ctx, cfg) }()
		return func() error { cancel(); return <-done }
	}
	before.mu.Lock()
	before.redirect = after.server.URL
	before.mu.Unlock()
	stop := run(other.joinToken())
	after.eventually("the machine came in with the token, and is there", func() bool { return after.enrolled == 1 && len(after.hellos) > 0 })
	if err := stop(); err != nil {
		t.Error(err)
	}
	stop = run("")
	after.eventually("it is known from now on", func() bool { return len(after.hellos) >= 2 && after.enrolled == 1 })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestWhoeverAsksLearnsTheCoordinatorsThatTheFarmHasTold(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	p.others = []string{p.server.URL}
	start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) == 1 && len(p.presences) > 0 })
	if known := KnownCoordinators(dir); len(known) != 1 || known[0] != p.server.URL {
		t.Errorf("of an agent without settings the coordinators are %q", known)
	}
	if enrolled, err := Enrolled(dir); err != nil || !enrolled {
		t.Errorf("enrolled: %t, %v", enrolled, err)
	}
}
