package coordinator_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/gossip"
)

func gossiping(cfg *coordinator.Config) { cfg.GossipBind = "127.0.0.1:0" }

// member is an agent's part of the pool.
func (r *rig) member(id string, g wire.Gossip, label string) *gossip.Pool {
	r.t.Helper()
	p, err := gossip.Join(gossip.Config{
		Bind: "127.0.0.1:0", Keys: g.Keys, Seeds: g.Seeds, Label: label, Node: wire.Node{ID: id, Role: wire.RoleAgent}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return p
}

func meets(p *gossip.Pool) bool {
	return slices.ContainsFunc(p.Members(), func(n wire.Node) bool { return n.Role == wire.RoleCoordinator })
}

// ringOf are the fingerprints of the keys that a machine was given.
func ringOf(g *wire.Gossip) (ids []string) {
	if g == nil {
		return nil
	}
	for _, key := range g.Keys {
		ids = append(ids, gossip.Fingerprint(key))
	}
	return ids
}

func (s *station) ring() wire.Gossip {
	s.r.t.Helper()
	m := s.hear()
	if m.Gossip == nil {
		s.r.t.Fatalf("got %+v instead of keys of gossip", m)
	}
	return *m.Gossip
}

func TestTheKeyOfGossipChangesInStepsThatNoMemberMisses(t *testing.T) {
	clock := newClock()
	r := open(t, clock.config, gossiping)
	awake, asleep := r.enrol("awake"), r.enrol("asleep")
	first := awake.connect()
	before := asleep.connect()
	asleep.hangUp()
	enrolled, err := r.Enrol(t.Context(), r.invite(), wire.Enrol{Name: "m", Request: request(t)})
	if err != nil {
		t.Fatal(err)
	}
	pool := r.member("awake", *first.Gossip, enrolled.Cluster)
	slept := r.member("asleep", *before.Gossip, enrolled.Cluster)
	r.eventually("both are in the pool", func() bool { return meets(pool) && meets(slept) })
	old := ringOf(first.Gossip)
	if len(old) != 1 {
		t.Fatalf("a farm begins with the keys %v", old)
	}

	ring, err := r.Gossip().Rotate(t.Context(), r.admin, time.Minute, time.Hour)
	if err != nil || len(ring.Keys) != 2 || ring.Keys[0].ID != old[0] {
		t.Fatalf("the ring is %+v, %v", ring, err)
	}
	next := ring.Keys[1].ID
	for _, key := range ring.Keys {
		if key.Sealed != nil {
			t.Error("a key leaves the coordinator, sealed as it is")
		}
	}
	if _, err := r.Gossip().Rotate(t.Context(), r.admin, 0, 0); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a second change begins while the first is under way: %v", err)
	}
	step := func(want ...string) {
		t.Helper()
		g := awake.ring()
		if got := ringOf(&g); !slices.Equal(got, want) {
			t.Fatalf("the machine is given %v, want %v", got, want)
		}
		if err := pool.SetKeys(g.Keys); err != nil {
			t.Fatal(err)
		}
	}
	step(old[0], next)
	clock.pass(time.Minute)
	step(next, old[0])
	clock.pass(59 * time.Minute)
	if ring, err := r.Gossip().Keys(t.Context(), r.admin); err != nil || len(ring.Keys) != 2 {
		t.Errorf("before its time the ring is %+v, %v", ring, err)
	}
	clock.pass(time.Minute)
	step(next)

	r.eventually("a member that followed has not lost the coordinator for good", func() bool { return meets(pool) }) // a busy machine may miss another for a while
	r.restart()
	again := asleep.connect()
	if got := ringOf(again.Gossip); !slices.Equal(got, []string{next}) {
		t.Errorf("a machine that slept is given %v, want %v", got, next)
	}
	slept.SetSeeds(again.Gossip.Seeds)
	if err := slept.SetKeys(again.Gossip.Keys); err != nil {
		t.Fatal(err)
	}
	r.eventually("the machine that slept is back in the pool", func() bool { return meets(slept) })
	r.nowhere(again.Gossip.Keys[0])
}

// nowhere looks for a key in everything that the coordinator keeps.
func (r *rig) nowhere(key []byte) {
	r.t.Helper()
	err := filepath.WalkDir(r.cfg.DataDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, key) {
			r.t.Errorf("%s holds a key of gossip in clear", path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestOnlyTheFarmsAdministratorsSeeAndChangeGossipKeys(t *testing.T) {
	r := open(t)
	other := farm.Principal{Team: "t2", Role: farm.RoleAdmin}
	if _, err := r.Gossip().Keys(t.Context(), other); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("seeing: %v", err)
	}
	if _, err := r.Gossip().Rotate(t.Context(), other, 0, 0); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("changing: %v", err)
	}
	for _, wrong := range []time.Duration{-time.Second, time.Millisecond, 91 * 24 * time.Hour} {
		if _, err := r.Gossip().Rotate(t.Context(), r.admin, wrong, 0); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("a spread of %v: %v", wrong, err)
		}
	}
}
