package raftstore

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/porttest"
	"overcrank/raftstore/tables"
)

// childNode is the environment variable that makes the test's program one node of a cluster, whose orders are lines of its input.
const childNode = "RAFTSTORE_TEST_CHILD_NODE"

// nodeOrders say what such a node is.
type nodeOrders struct {
	Folder, ID string
	Peers      []Peer
}

// runNode does what it is told, and answers each order with a line. It ends with its input, or with status 3 when it cannot go on.
func runNode(orders string) int {
	var o nodeOrders
	if err := json.Unmarshal([]byte(orders), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fail := func(err error) {
		fmt.Println("fatal", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(3)
	}
	var listener net.Listener
	var err error
	for _, peer := range o.Peers {
		if peer.ID == o.ID {
			listener, err = net.Listen("tcp", peer.Address)
		}
	}
	if err != nil {
		fail(err)
	}
	s, err := Open(context.Background(), Config{Dir: o.Folder, NodeID: o.ID, Peers: o.Peers, Layer: &loopback{Listener: listener}, MinFree: 1, OnFatal: fail})
	if err != nil {
		fail(err)
	}
	defer s.Close()
	fmt.Println("ready", command.NewestLevel)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(obey(s, strings.Fields(lines.Text())))
	}
	return 0
}

func obey(s *Store, order []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	said := func(result command.Result, err error) string {
		switch {
		case err != nil:
			return "error " + err.Error()
		case result.Refused != nil:
			return "refused " + result.Refused.Message
		}
		return "ok"
	}
	switch order[0] {
	case "put":
		return said(s.Apply(ctx, command.PutTeam{Team: farm.Team{ID: order[1]}}))
	case "later":
		return said(s.Apply(ctx, fromLater(order[1])))
	case "describe":
		return said(s.Apply(ctx, command.PutCoordinator{Coordinator: farm.Coordinator{ID: order[1], Name: "rack", Version: order[2], Level: len(order[3])}}))
	case "raise":
		return said(s.Apply(ctx, command.SetLevel{Level: command.NewestLevel, Version: order[1]}))
	case "leads":
		id, _ := s.Leader()
		return fmt.Sprint(id == s.ID())
	case "name":
		name := ""
		_ = s.View(func(tx *tables.Tx) error {
			team, err := tx.Team(order[1])
			name = team.Name
			return err
		})
		return "name " + name
	case "print":
		index, print, err := s.Fingerprint()
		return fmt.Sprint(index, print, err)
	case "has":
		found := false
		_ = s.View(func(tx *tables.Tx) error {
			_, err := tx.Team(order[1])
			found = err == nil
			return nil
		})
		return fmt.Sprint(found)
	}
	return "unknown order"
}

// node is such a process, as its test sees it.
type node struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

func startNode(t *testing.T, program string, o nodeOrders) *node {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, cmd: exec.Command(program), lines: make(chan string, 100)}
	n.cmd.Env = append(os.Environ(), childNode+"="+string(text))
	n.cmd.Stderr = os.Stderr
	out, err := n.cmd.StdoutPipe()
	if err == nil {
		n.in, err = n.cmd.StdinPipe()
	}
	if err == nil {
		err = n.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(n.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			n.lines <- scan.Text()
		}
	}()
	t.Cleanup(n.stop)
	return n
}

// stop ends the process in order; again it does nothing.
func (n *node) stop() {
	if n.cmd.ProcessState != nil {
		return
	}
	n.in.Close()
	late := time.AfterFunc(time.Minute, func() { _ = n.cmd.Process.Kill() })
	defer late.Stop()
	for range n.lines {
	}
	_ = n.cmd.Wait()
}

// line is the next that the process says.
func (n *node) line() string {
	n.t.Helper()
	select {
	case line := <-n.lines:
		return line
	case <-time.After(3 * time.Minute):
		n.t.Fatal("a node says nothing")
		return ""
	}
}

func (n *node) ask(format string, args ...any) string {
	n.t.Helper()
	if _, err := fmt.Fprintf(n.in, format+"\n", args...); err != nil {
		n.t.Fatal(err)
	}
	return n.line()
}

// trialBuild builds this package's tests as those of a release to come, which knows a level more.
func trialBuild(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a second build of the program takes a while")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on this machine")
	}
	program := filepath.Join(t.TempDir(), "later.test")
	cmd := exec.Command("go", "test", "-c", "-tags", "trial_level", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as `make build`, with which it shares what is compiled
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestNodesAreUpdatedOneByOneAndBack runs three nodes of two releases in every mixture that an update goes through, back too, then
// raises the level, after which the earlier release cannot follow.
func TestNodesAreUpdatedOneByOneAndBack(t *testing.T) {
	earlier, later := os.Args[0], trialBuild(t)
	var peers []Peer
	for i := range 3 {
		peers = append(peers, Peer{ID: fmt.Sprint("n", i), Address: porttest.Address(t)})
	}
	nodes, folders := make([]*node, 3), []string{t.TempDir(), t.TempDir(), t.TempDir()}
	start := func(i int, program string) string {
		t.Helper()
		nodes[i] = startNode(t, program, nodeOrders{Folder: folders[i], ID: peers[i].ID, Peers: peers})
		return nodes[i].line()
	}
	leader := func() (found *node) {
		t.Helper()
		eventually(t, "a leader", func() bool {
			for _, n := range nodes {
				if n.cmd.ProcessState == nil && n.ask("leads") == "true" {
					found = n
				}
			}
			return found != nil
		})
		return found
	}
	// apply has the leader apply a command; who leads may change meanwhile.
	apply := func(format string, args ...any) (said string) {
		t.Helper()
		eventually(t, fmt.Sprintf(format, args...)+" to be answered", func() bool {
			said = leader().ask(format, args...)
			return !strings.Contains(said, "leader") && !strings.Contains(said, "lead the farm")
		})
		return said
	}
	oldLevel, newLevel := strings.Repeat("x", command.NewestLevel), strings.Repeat("x", command.NewestLevel+1) // as many letters as the level
	for i := range nodes {
		start(i, earlier)
	}
	for i := range nodes {
		apply("describe n%d v0.2.0 %s", i, oldLevel)
	}
	if said := apply("raise v0.2.0"); said != "ok" {
		t.Fatal(said)
	}
	// agree has all nodes hold the same rows, whichever release applied which of them, and from whichever place of the log.
	agree := func(when string) {
		t.Helper()
		var said []string
		eventually(t, "all nodes to be at one index", func() bool {
			said = said[:0]
			for _, n := range nodes {
				said = append(said, n.ask("print"))
			}
			index := func(words string) string { return strings.Fields(words)[0] }
			return index(said[0]) == index(said[1]) && index(said[0]) == index(said[2])
		})
		if said[0] != said[1] || said[0] != said[2] {
			t.Fatalf("%s the nodes hold different rows: %q", when, said)
		}
	}
	written := 0
	update := func(i int, program, version, level string) {
		t.Helper()
		nodes[i].stop()
		if said := start(i, program); !strings.HasPrefix(said, "ready") {
			t.Fatalf("node %d: %s", i, said)
		}
		if said := apply("describe n%d %s %s", i, version, level); said != "ok" {
			t.Fatalf("node %d: %s", i, said)
		}
		written++
		if said := apply("put team%d", written); said != "ok" {
			t.Fatal(said)
		}
		for _, n := range nodes {
			eventually(t, "every node to have every change", func() bool { return n.ask("has team%d", written) == "true" })
		}
		agree(fmt.Sprintf("with node %d at %s", i, version))
	}
	for _, forward := range []int{0, 1} {
		update(forward, later, "v0.3.0", newLevel)
	}
	// A node of the later release leads or not: what one of the earlier could not read is refused.
	eventually(t, "a node of the later release to lead", func() bool {
		n := leader()
		if n == nodes[2] {
			update(2, earlier, "v0.2.0", oldLevel)
			return false
		}
		return true
	})
	for _, order := range []string{"later team", "raise v0.3.0"} {
		if said := apply("%s", order); !strings.Contains(said, "n2 (rack) runs overcrank v0.2.0") {
			t.Errorf("%s: %s", order, said)
		}
	}
	for _, back := range []int{0, 1} {
		update(back, earlier, "v0.2.0", oldLevel)
	}
	for i := range nodes {
		update(i, later, "v0.3.0", newLevel)
	}
	if said := apply("raise v0.3.0"); said != "ok" {
		t.Fatal(said)
	}
	if said := apply("later new"); said != "ok" {
		t.Error(said)
	}
	eventually(t, "every node to know what is new", func() bool { return nodes[0].ask("has new") == "true" })
	// A rule that the later release changed is the old one for what lies below its level in the log, and the new one above.
	if said := apply("put ruled"); said != "ok" {
		t.Fatal(said)
	}
	for i, n := range nodes {
		eventually(t, "every node to have the change", func() bool { return n.ask("has ruled") == "true" })
		if was, is := n.ask("name team1"), n.ask("name ruled"); was != "name " || is != "name RULED" {
			t.Errorf("node %d: before the rule changed %q, after it %q", i, was, is)
		}
	}
	agree("after a rule changed")
	// Nodes that apply the whole log again come to the same.
	for i, n := range nodes {
		n.stop()
		if err := os.Remove(filepath.Join(folders[i], stateFile)); err != nil {
			t.Fatal(err)
		}
		if said := start(i, later); !strings.HasPrefix(said, "ready") {
			t.Fatal(said)
		}
		eventually(t, "the node to have its state again", func() bool { return nodes[i].ask("has ruled") == "true" })
		if was, is := nodes[i].ask("name team1"), nodes[i].ask("name ruled"); was != "name " || is != "name RULED" {
			t.Errorf("node %d, from its log again: before the rule changed %q, after it %q", i, was, is)
		}
	}
	agree("from their logs again")
	nodes[0].stop()
	if said := start(0, earlier); !strings.HasPrefix(said, "fatal") || !strings.Contains(said, "since overcrank v0.3.0 raised it") || !strings.Contains(said, "update overcrank on this machine") {
		t.Errorf("a node of the earlier release on the raised farm says: %s", said)
	}
	nodes[0].stop()
	if said := start(0, later); !strings.HasPrefix(said, "ready") {
		t.Errorf("updated again it says: %s", said)
	}
	eventually(t, "the node to be back", func() bool { return nodes[0].ask("has new") == "true" })
}
