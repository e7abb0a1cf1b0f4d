package gossip_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
	"go.uber.org/goleak"

	"overcrank/coordinator/gossip"
	"overcrank/farm/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var key = bytes.Repeat([]byte{7}, 32)

func pool(t *testing.T) *gossip.Pool {
	t.Helper()
	p, err := gossip.Join(gossip.Config{
		Bind: "127.0.0.1:0", Key: key, Label: "farm", Logger: slog.New(slog.DiscardHandler),
		Node: wire.Node{ID: "head", Role: wire.RoleCoordinator, Address: "http://127.0.0.1:1"},
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

type meta []byte

func (m meta) NodeMeta(int) []byte             { return m }
func (meta) NotifyMsg([]byte)                  {}
func (meta) GetBroadcasts(int, int) [][]byte   { return nil }
func (meta) LocalState(bool) []byte            { return nil }
func (meta) MergeRemoteState(_ []byte, _ bool) {}

// agent joins as a workstation does, with an own memberlist.
func agent(t *testing.T, id string, key []byte, p *gossip.Pool) (*memberlist.Memberlist, error) {
	t.Helper()
	m, err := wire.Node{ID: id, Role: wire.RoleAgent, Engines: []string{"26.0"}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	cfg := memberlist.DefaultLocalConfig()
	cfg.Name, cfg.BindAddr, cfg.BindPort = "a-"+id, "127.0.0.1", 0
	cfg.SecretKey, cfg.Label, cfg.Delegate, cfg.LogOutput = key, "farm", meta(m), &bytes.Buffer{}
	list, err := memberlist.Create(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = list.Shutdown() })
	_, err = list.Join([]string{p.Address()})
	return list, err
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

func TestAgentsComeAndGo(t *testing.T) {
	p := pool(t)
	list, err := agent(t, "one", key, p)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the agent is alive", func() bool { return p.Alive()["one"] })
	if err := list.Leave(time.Second); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the agent has left", func() bool { return !p.Alive()["one"] })
}

func TestAnotherKeyIsKeptOut(t *testing.T) {
	p := pool(t)
	if _, err := agent(t, "stranger", bytes.Repeat([]byte{8}, 32), p); err == nil {
		t.Error("joined with a key that is not the pool's")
	}
	if p.Alive()["stranger"] {
		t.Error("counts as alive")
	}
}
