package raftstore

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"overcrank/farm"
)

// freePeers picks addresses for nodes n0, n1, ….
func freePeers(t *testing.T, n int) []Peer {
	t.Helper()
	var peers []Peer
	for i := range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		peers = append(peers, Peer{ID: fmt.Sprint("n", i), Address: listener.Addr().String()})
	}
	return peers
}

// eventually polls until fn is true.
func eventually(t *testing.T, what string, fn func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
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

// leaderOf is the node among nodes that leads and takes commands, nil while there is none.
func leaderOf(t *testing.T, nodes []*Store) *Store {
	for _, node := range nodes {
		if id, _ := node.Leader(); id == node.ID() && node.Barrier(t.Context()) == nil {
			return node
		}
	}
	return nil
}

func TestClusterGoesOnWithoutItsLeader(t *testing.T) {
	peers := freePeers(t, 3)
	var nodes []*Store
	var folders []string
	start := func(i int) *Store {
		cfg := config(t, folders[i])
		cfg.NodeID, cfg.Bind, cfg.Peers = peers[i].ID, peers[i].Address, peers
		return openStore(t, cfg)
	}
	for i := range peers {
		folders = append(folders, t.TempDir())
		nodes = append(nodes, start(i))
	}
	var leader *Store
	elect := func() {
		t.Helper()
		eventually(t, "a leader", func() bool { leader = leaderOf(t, nodes); return leader != nil })
	}
	elect()
	for i := range 50 {
		putTeam(t, leader, fmt.Sprint("before", i))
	}
	for _, node := range nodes {
		eventually(t, "all nodes to have all changes", func() bool { return hasTeam(t, node, "before49") && node.Ready() == nil })
		if node == leader {
			continue
		}
		if _, err := node.Apply(t.Context(), PutTeam{Team: farm.Team{ID: "x"}}); farm.CodeOf(err) != farm.CodeUnavailable {
			t.Errorf("a node that does not lead answered %v", err)
		}
	}

	lost := 0
	for nodes[lost] != leader {
		lost++
	}
	if err := leader.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if err := leader.Close(); err != nil {
		t.Fatal(err)
	}
	nodes = append(nodes[:lost:lost], nodes[lost+1:]...)
	elect()
	putTeam(t, leader, "after")
	nodes = append(nodes, start(lost))
	eventually(t, "the lost node to catch up", func() bool { return hasTeam(t, nodes[2], "after") })

	elect()
	putTeam(t, leader, "last")
	index, want, err := leader.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		eventually(t, "the same fingerprint on all nodes", func() bool {
			at, got, err := node.Fingerprint()
			if err == nil && at == index && got != want {
				t.Fatalf("node %s has %s at %d, the leader %s", node.ID(), got, at, want)
			}
			return at >= index
		})
	}
}
