package gossip

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overcrank/farm/wire"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) {
	// memberlist's shutdown does not wait for its own loops; they end within a tick.
	leaktest.Main(m, goleak.IgnoreAnyFunction("github.com/hashicorp/memberlist.(*Memberlist).triggerFunc"))
}

func config(role wire.NodeRole, id string, key byte, seeds ...string) Config {
	return Config{
		Bind: "127.0.0.1:0", Keys: [][]byte{bytes.Repeat([]byte{key}, 32)}, Label: "test", Seeds: seeds,
		Node: wire.Node{ID: id, Role: role, Version: "v1"}, Logger: slog.New(slog.DiscardHandler),
	}
}

func join(t *testing.T, cfg Config) *Pool {
	t.Helper()
	p, err := Join(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave(t, p) })
	return p
}

func leave(t *testing.T, p *Pool) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (p *Pool) meets(id string) bool {
	return slices.ContainsFunc(p.Members(), func(n wire.Node) bool { return n.ID == id })
}

func TestMembersFindEachOtherAndSayGoodbye(t *testing.T) {
	var changes atomic.Int32
	watched := config(wire.RoleCoordinator, "n1", 1)
	watched.OnChange = func(wire.Node, bool) { changes.Add(1) }
	head := join(t, watched)
	agent, err := Join(config(wire.RoleAgent, "a1", 1, "127.0.0.1:1", head.Address()))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the agent sees the coordinator", func() bool { return agent.meets("n1") })
	eventually(t, "the coordinator sees the agent", func() bool { return head.meets("a1") })
	if got := agent.missing(time.Now()); !slices.Equal(got, []string{"127.0.0.1:1"}) {
		t.Errorf("the agent would call %v", got)
	}
	leave(t, agent)
	eventually(t, "the agent has left", func() bool { return !head.meets("a1") })
	if changes.Load() < 2 {
		t.Errorf("%d changes were told of", changes.Load())
	}
	if got := head.missing(time.Now()); len(got) != 0 {
		t.Errorf("the coordinator would call %v, but agents call for themselves", got)
	}
}

func TestACoordinatorThatWentIsCalled(t *testing.T) {
	agent := join(t, config(wire.RoleAgent, "a1", 1))
	head, err := Join(config(wire.RoleCoordinator, "n1", 1, agent.Address()))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the agent sees the coordinator", func() bool { return agent.meets("n1") })
	if got := agent.missing(time.Now()); len(got) != 0 {
		t.Errorf("%v is called although it is alive", got)
	}
	leave(t, head)
	eventually(t, "the coordinator is missed", func() bool { return slices.Equal(agent.missing(time.Now()), []string{head.Address()}) })
	if got := agent.missing(time.Now().Add(2 * forgetAfter)); len(got) != 0 {
		t.Errorf("two days later %v is still called", got)
	}
}

// TestAMemberLooksForOthersWhileTheyChange: what is noted of a change, and who is missing, must not wait for each other.
func TestAMemberLooksForOthersWhileTheyChange(t *testing.T) {
	head := join(t, config(wire.RoleCoordinator, "n1", 1))
	agent := join(t, config(wire.RoleAgent, "a1", 1, head.Address()))
	eventually(t, "the coordinator sees the agent", func() bool { return head.meets("a1") })
	var looking sync.WaitGroup
	over := make(chan struct{})
	looking.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				head.missing(time.Now())
			}
		}
	})
	for n := range 10 {
		version := fmt.Sprintf("v%d", n+2)
		if err := agent.Update(wire.Node{Version: version}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the change is known", func() bool { return head.knows(version) })
	}
	close(over)
	looking.Wait()
}

// knows tells whether a member says that it runs a version.
func (p *Pool) knows(version string) bool {
	return slices.ContainsFunc(p.Members(), func(n wire.Node) bool { return n.Version == version })
}

func TestPoolOfAnotherKeyStaysApart(t *testing.T) {
	head := join(t, config(wire.RoleCoordinator, "n1", 1))
	stranger := join(t, config(wire.RoleAgent, "a2", 2))
	if n, err := stranger.list.Join([]string{head.Address()}); err == nil || n != 0 {
		t.Fatalf("joined %d members with a foreign key", n)
	}
	if len(head.Members()) != 0 || len(stranger.Members()) != 0 {
		t.Fatal("a machine with a foreign key was let in")
	}
}

func TestMemberComesBackUnderItsAddress(t *testing.T) {
	cfg := config(wire.RoleAgent, "a1", 1)
	cfg.PortFile = filepath.Join(t.TempDir(), "port")
	var addresses []string
	for len(addresses) < 2 || len(addresses) < 6 && addresses[len(addresses)-2] != addresses[len(addresses)-1] { // another program may be given the port in between
		p, err := Join(cfg)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, p.Address())
		leave(t, p)
	}
	if last := len(addresses) - 1; addresses[last-1] != addresses[last] {
		t.Errorf("its addresses are %q", addresses)
	}
	other := join(t, config(wire.RoleAgent, "a2", 1))
	_, port, err := net.SplitHostPort(other.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg.PortFile, []byte(port), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Join(cfg)
	if err != nil {
		t.Fatalf("a port that is taken by now was insisted on: %v", err)
	}
	leave(t, p)
}

func TestBadAddressesAreNamed(t *testing.T) {
	for _, bad := range []string{"", "nohost", "1.2.3.4:port", "1.2.3.4:70000"} {
		cfg := config(wire.RoleAgent, "x", 1)
		cfg.Bind = bad
		if _, err := Join(cfg); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
