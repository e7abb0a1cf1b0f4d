package gossip

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overcrank/farm/wire"
)

func TestMain(m *testing.M) {
	// memberlist's shutdown does not wait for its own loops; they end within a tick.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashicorp/memberlist.(*Memberlist).triggerFunc"))
}

func join(t *testing.T, role wire.NodeRole, id string, key byte, seeds ...string) *Pool {
	t.Helper()
	p, err := Join(Config{
		Bind: "127.0.0.1:0", Key: bytes.Repeat([]byte{key}, 32), Label: "test", Seeds: seeds,
		Node: wire.Node{ID: id, Role: role, Version: "v1"}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Leave(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestMembersFindEachOther(t *testing.T) {
	head := join(t, wire.RoleCoordinator, "n1", 1)
	agent := join(t, wire.RoleAgent, "a1", 1, "127.0.0.1:1", head.Address())
	eventually(t, "the agent sees the coordinator", func() bool { m := agent.Members(); return len(m) == 1 && m[0].ID == "n1" })
	eventually(t, "the coordinator sees the agent", func() bool { m := head.Members(); return len(m) == 1 && m[0].ID == "a1" })
}

func TestPoolOfAnotherKeyStaysApart(t *testing.T) {
	head := join(t, wire.RoleCoordinator, "n1", 1)
	stranger := join(t, wire.RoleAgent, "a2", 2, head.Address())
	if n, err := stranger.list.Join([]string{head.Address()}); err == nil || n != 0 {
		t.Fatalf("joined %d members with a foreign key", n)
	}
	if len(head.Members()) != 0 || len(stranger.Members()) != 0 {
		t.Fatal("a machine with a foreign key was let in")
	}
}

func TestMemberComesBackUnderItsAddress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	cfg := Config{Bind: "127.0.0.1:0", PortFile: file, Key: bytes.Repeat([]byte{1}, 32), Label: "test", Node: wire.Node{ID: "a1", Role: wire.RoleAgent}, Logger: slog.New(slog.DiscardHandler)}
	var addresses []string
	for range 2 {
		p, err := Join(cfg)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, p.Address())
		if err := p.Leave(); err != nil {
			t.Fatal(err)
		}
	}
	if addresses[0] != addresses[1] {
		t.Errorf("first %s, then %s", addresses[0], addresses[1])
	}
	other := join(t, wire.RoleAgent, "a2", 1)
	_, port, err := net.SplitHostPort(other.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(port), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Join(cfg)
	if err != nil {
		t.Fatalf("a port that is taken by now was insisted on: %v", err)
	}
	if err := p.Leave(); err != nil {
		t.Fatal(err)
	}
}

func TestBadAddressesAreNamed(t *testing.T) {
	for _, bad := range []string{"", "nohost", "1.2.3.4:port", "1.2.3.4:70000"} {
		if _, err := Join(Config{Bind: bad, Node: wire.Node{ID: "x", Role: wire.RoleAgent}, Logger: slog.New(slog.DiscardHandler)}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
