package raftstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/porttest"
	"overcrank/raftstore/tables"
)

// loopback is a layer of plain connections on this machine. Raft leaves those that it took open; they end with the layer.
type loopback struct {
	net.Listener
	mu    sync.Mutex
	taken []net.Conn
}

func (*loopback) Dial(address string, timeout time.Duration) (net.Conn, error) {
	return net.DialTimeout("tcp", address, timeout)
}

func (l *loopback) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken = append(l.taken, conn)
	return conn, nil
}

func (l *loopback) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.taken {
		conn.Close()
	}
	return l.Listener.Close()
}

// cluster is a number of nodes on this machine that may be stopped and started.
type cluster struct {
	t       testing.TB
	peers   []Peer
	folders []string
	adjust  func(i int, cfg *Config)

	mu    sync.Mutex
	nodes []*Store // nil for those that are stopped
}

// newCluster starts n nodes.
func newCluster(t testing.TB, n int) *cluster {
	t.Helper()
	return newClusterOf(t, n, func(_ int, cfg *Config) { cfg.Silence = time.Second }) // more than a busy machine stands still, mostly
}

// newClusterOf starts n nodes that are configured as adjust has it.
func newClusterOf(t testing.TB, n int, adjust func(i int, cfg *Config)) *cluster {
	t.Helper()
	c := &cluster{t: t, nodes: make([]*Store, n), adjust: adjust}
	for i := range n {
		c.peers = append(c.peers, Peer{ID: fmt.Sprint("n", i), Address: porttest.Address(t)})
		c.folders = append(c.folders, t.TempDir())
	}
	for i := range n {
		c.start(i)
	}
	return c
}

// newSteadyCluster is newClusterOf with nodes whose leader changes only when it is told to, unless this machine stands still for a minute. As long may
// handing over take.
func newSteadyCluster(t testing.TB, n int, adjust func(i int, cfg *Config)) *cluster {
	t.Helper()
	c := newClusterOf(t, n, func(i int, cfg *Config) {
		cfg.Silence = time.Minute
		adjust(i, cfg)
	})
	c.elect(0)
	return c
}

// elect has a node stand for election at once, as a leader does that hands over.
func (c *cluster) elect(i int) {
	c.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	transport := raft.NewNetworkTransportWithLogger(streamLayer{&loopback{Listener: listener}}, 1, time.Minute, hclog.NewNullLogger())
	defer transport.Close()
	header := raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte("test"), Addr: []byte(listener.Addr().String())}
	peer := c.peers[i]
	err = transport.TimeoutNow(raft.ServerID(peer.ID), raft.ServerAddress(peer.Address), &raft.TimeoutNowRequest{RPCHeader: header}, &raft.TimeoutNowResponse{})
	if err != nil {
		c.t.Fatal(err)
	}
}

// start starts a node, which hands commands to the leader by a call.
func (c *cluster) start(i int) *Store {
	c.t.Helper()
	cfg := config(c.t, c.folders[i])
	cfg.NodeID, cfg.Peers = c.peers[i].ID, c.peers
	listener, err := net.Listen("tcp", c.peers[i].Address)
	if err != nil {
		c.t.Fatal(err)
	}
	cfg.Layer = &loopback{Listener: listener}
	cfg.Forward = func(ctx context.Context, to Leading, p Proposal) (uint64, error) {
		if node := c.node(to.ID); node != nil {
			p.Entry = slices.Clone(p.Entry)
			return node.Take(ctx, to.Term, p)
		}
		return 0, ErrNotTaken
	}
	cfg.ReadIndex = func(ctx context.Context, to Leading) (uint64, error) {
		if node := c.node(to.ID); node != nil {
			return node.ReadIndex(ctx)
		}
		return 0, ErrNotTaken
	}
	c.adjust(i, &cfg)
	s := openStore(c.t, cfg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[i] = s
	return s
}

func (c *cluster) node(id string) *Store {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, peer := range c.peers {
		if peer.ID == id {
			return c.nodes[i]
		}
	}
	return nil
}

// stop stops a node.
func (c *cluster) stop(i int) {
	c.t.Helper()
	c.mu.Lock()
	s := c.nodes[i]
	c.nodes[i] = nil
	c.mu.Unlock()
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
}

// leader waits until a node leads and takes commands.
func (c *cluster) leader() int {
	c.t.Helper()
	leads := -1
	eventually(c.t, "a leader", func() bool {
		for i, node := range c.nodes {
			if node == nil {
				continue
			}
			if id, _ := node.Leader(); id == node.ID() && node.Barrier(c.t.Context()) == nil {
				leads = i
				return true
			}
		}
		return false
	})
	return leads
}

// eventually polls until fn is true.
func eventually(t testing.TB, what string, fn func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !fn() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("in vain waited for: %s", what)
		}
	}
}

func TestClusterGoesOnWithoutItsLeader(t *testing.T) {
	c := newCluster(t, 3)
	lost := c.leader()
	for i := range 50 {
		putTeam(t, c.nodes[lost], fmt.Sprint("before", i))
	}
	for _, node := range c.nodes {
		eventually(t, "all nodes to have all changes", func() bool { return hasTeam(t, node, "before49") && node.Ready() == nil })
	}
	if err := c.nodes[lost].Snapshot(); err != nil {
		t.Fatal(err)
	}
	c.stop(lost)
	putTeam(t, c.nodes[c.leader()], "after")
	c.start(lost)
	eventually(t, "the lost node to catch up", func() bool { return hasTeam(t, c.nodes[lost], "after") })

	leader := c.nodes[c.leader()]
	putTeam(t, leader, "last")
	index, want, err := leader.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range c.nodes {
		eventually(t, "the same fingerprint on all nodes", func() bool {
			at, got, err := node.Fingerprint()
			if err == nil && at == index && got != want {
				t.Fatalf("node %s has %s at %d, the leader %s", node.ID(), got, at, want)
			}
			return at >= index
		})
	}
}

func TestEveryNodeTakesCommandsAndShowsWhatAnyAcknowledged(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	c.leader()
	for round := range 20 {
		for i, node := range c.nodes {
			id := fmt.Sprintf("team%d-%d", round, i)
			putTeam(t, node, id)
			if !hasTeam(t, node, id) {
				t.Fatalf("node %d does not show what it has just acknowledged", i)
			}
			for j, other := range c.nodes {
				if err := other.Fresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !hasTeam(t, other, id) {
					t.Fatalf("node %d does not show what node %d acknowledged", j, i)
				}
			}
		}
	}
}

func TestARefusalIsTheSameOnEveryNode(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	c.leader()
	for i, node := range c.nodes {
		res, err := node.Apply(t.Context(), command.RevokeToken{ID: "none"})
		if err != nil || farm.CodeOf(res.Refused) != farm.CodeNotFound {
			t.Errorf("node %d answered %v, %v", i, res.Refused, err)
		}
	}
}

func TestNothingIsLostOrDoneTwiceWhileLeadersGo(t *testing.T) {
	c := newCluster(t, 3)
	putTeam(t, c.nodes[c.leader()], "t")
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	done := make([][]string, 3)
	for w := range done {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				id := fmt.Sprintf("w%d-%d", w, n)
				c.mu.Lock()
				node := c.nodes[(w+n)%3]
				c.mu.Unlock()
				if node == nil {
					continue
				}
				res, err := node.Apply(t.Context(), command.PutToken{Token: farm.Token{ID: id, Team: "t", Hash: id, Role: farm.RoleViewer}})
				if err == nil && res.Refused != nil {
					t.Errorf("%s was refused, as if it had been done before: %v", id, res.Refused)
				}
				if err == nil {
					done[w] = append(done[w], id)
				}
			}
		})
	}
	for range 4 {
		lost := c.leader()
		c.stop(lost)
		c.leader()
		c.start(lost)
	}
	cancel()
	writers.Wait()
	for i, node := range c.nodes {
		eventually(t, "each node to have what was acknowledged", func() bool { return node.Fresh(t.Context()) == nil })
		for w := range done {
			if len(done[w]) == 0 {
				t.Fatal("a writer got nothing done")
			}
			for _, id := range done[w] {
				if err := node.View(func(tx *tables.Tx) error { _, err := tx.Token(id); return err }); err != nil {
					t.Fatalf("node %d has lost %s: %v", i, id, err)
				}
			}
		}
	}
}

func TestACommandWaitsForTheNextLeader(t *testing.T) {
	c := newCluster(t, 3)
	lost := c.leader()
	c.stop(lost)
	node := c.nodes[(lost+1)%3]
	putTeam(t, node, "at-once")
	if !hasTeam(t, node, "at-once") {
		t.Fatal("it was acknowledged and is not there")
	}
}

func TestWithoutAMajorityNothingIsAcknowledgedAndNothingShownAsFresh(t *testing.T) {
	c := newCluster(t, 3)
	c.leader()
	c.stop(0)
	c.stop(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := c.nodes[2].Apply(ctx, command.PutTeam{Team: farm.Team{ID: "x"}}); err == nil {
		t.Error("a node alone acknowledged a change")
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := c.nodes[2].Fresh(ctx); err == nil {
		t.Error("a node alone calls its state fresh")
	}
}

func TestALeaderOfAnotherTermTakesNothing(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leader := c.nodes[c.leader()]
	entry, err := leader.codec.Encode(command.Sender{}, command.PutTeam{Team: farm.Team{ID: "late"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leader.Take(t.Context(), leader.raft.CurrentTerm()-1, Proposal{"a", entry}); !errors.Is(err, ErrNotTaken) {
		t.Errorf("got %v", err)
	}
	if _, err := leader.Take(t.Context(), leader.raft.CurrentTerm(), Proposal{"b", []byte{200, 1, '{', '}'}}); !errors.Is(err, ErrNotTaken) {
		t.Errorf("a command of an unknown kind: %v", err)
	}
}

func TestAProposalThatArrivesTwiceIsAppliedOnce(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leader := c.nodes[c.leader()]
	entry, err := leader.codec.Encode(command.Sender{}, command.PutTeam{Team: farm.Team{ID: "once"}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := leader.Take(t.Context(), leader.raft.CurrentTerm(), Proposal{"p1", entry})
	if err != nil {
		t.Fatal(err)
	}
	again, err := leader.Take(t.Context(), leader.raft.CurrentTerm(), Proposal{"p1", entry})
	if err != nil || again != first {
		t.Errorf("sent again it came to %d, %v instead of %d", again, err, first)
	}
	other, err := leader.Take(t.Context(), leader.raft.CurrentTerm(), Proposal{"p2", entry})
	if err != nil || other == first {
		t.Errorf("another one with the same bytes came to %d, %v", other, err)
	}
}
