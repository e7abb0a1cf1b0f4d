//go:build linux

package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/raftstore/porttest"
)

// memberNode is a coordinator of several, in a process of its own that may be ended and started again.
type memberNode struct {
	t             *testing.T
	dir           string
	api, internal string // addresses, host:port
	flags         []string
	cmd           *exec.Cmd
	said          *farmtest.Buffer
	done          chan struct{}
}

// newMember prepares a coordinator; storage is the folder that all of them share.
func newMember(t *testing.T, storage string, flags ...string) *memberNode {
	t.Helper()
	n := &memberNode{t: t, dir: filepath.Join(t.TempDir(), "farm"), api: porttest.Address(t), internal: porttest.Address(t), flags: flags}
	n.flags = append(n.flags, "--storage", storage, "--promote-after", "500ms", "--min-free", "1")
	t.Cleanup(func() {
		n.kill()
		if t.Failed() && n.said != nil {
			t.Logf("the coordinator at %s said:\n%s", n.api, n.said)
		}
	})
	return n
}

func (n *memberNode) start(more ...string) *memberNode {
	n.t.Helper()
	args := append([]string{"coordinator", "--data-dir", n.dir, "--listen", n.api, "--gossip-listen", "127.0.0.1:0", "--cluster-listen", n.internal}, n.flags...)
	n.cmd = exec.Command(farmtest.Program(n.t), append(args, more...)...)
	n.said, n.done = &farmtest.Buffer{}, make(chan struct{})
	n.cmd.Stdout, n.cmd.Stderr = n.said, n.said
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	go func(cmd *exec.Cmd, done chan struct{}) {
		defer close(done)
		_ = cmd.Wait()
	}(n.cmd, n.done)
	return n
}

func (n *memberNode) end(signal syscall.Signal) {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Signal(signal)
	<-n.done
	n.cmd = nil
}

func (n *memberNode) kill() { n.end(syscall.SIGKILL) }

func (n *memberNode) readyz() string {
	res, err := http.Get("http://" + n.api + "/readyz")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	var text bytes.Buffer
	_, _ = text.ReadFrom(res.Body)
	return text.String()
}

func (n *memberNode) awaitReady() {
	n.t.Helper()
	farmtest.Await(n.t, n.api+" to be ready", func() bool { return client.Ready(n.t.Context(), "http://"+n.api) == nil })
}

// client speaks to this coordinator as the farm's administrator.
func (n *memberNode) client(token string) *client.Client {
	return &client.Client{Server: "http://" + n.api, Token: token, Patience: farmtest.Patience, HTTP: &http.Client{Transport: farmtest.Contract(n.t).Transport(n.t, nil)}}
}

func (n *memberNode) cluster(token string) client.Cluster {
	c, err := n.client(token).Cluster(n.t.Context())
	if err != nil {
		return client.Cluster{}
	}
	return c
}

// cli runs a command against this coordinator.
func (n *memberNode) cli(token string, words ...string) (stdout string, err error) {
	cmd := exec.CommandContext(n.t.Context(), farmtest.Program(n.t), words...)
	cmd.Env = append(os.Environ(), "OVERCRANK_SERVER=http://"+n.api, "OVERCRANK_TOKEN="+token)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, said.String())
	}
	return out.String(), nil
}

// tokenIn is the administrator's token, once all nodes know it: it is written before any of them does.
func tokenIn(t *testing.T, nodes ...*memberNode) (token string) {
	t.Helper()
	farmtest.Await(t, "the administrator's token", func() bool {
		for _, n := range nodes {
			if raw, err := os.ReadFile(filepath.Join(n.dir, "admin.token")); err == nil {
				token = strings.TrimSpace(string(raw))
			}
		}
		return token != ""
	})
	for _, n := range nodes {
		farmtest.Await(t, n.api+" to know the administrator's token", func() bool {
			_, err := n.client(token).Me(t.Context())
			return err == nil
		})
	}
	return token
}

// foundTogether starts n coordinators with one key, and waits for the farm.
func foundTogether(t *testing.T, count int, flags ...string) (nodes []*memberNode, token string) {
	t.Helper()
	storage, key := t.TempDir(), filepath.Join(t.TempDir(), "farm.key")
	text, err := exec.Command(farmtest.Program(t), "cluster", "key").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for range count {
		nodes = append(nodes, newMember(t, storage, append([]string{"--farm-key-file", key, "--bootstrap-expect", fmt.Sprint(count)}, flags...)...))
	}
	for i, n := range nodes {
		// Each knows only the one before it: the rest it hears of from that one.
		n.start("--join", nodes[max(0, i-1)].internal+","+nodes[min(1, count-1)].internal)
	}
	for _, n := range nodes {
		n.awaitReady()
	}
	return nodes, tokenIn(t, nodes...)
}

// agree waits until all nodes that are given see so many voters, all alive, and the same state.
func agree(t *testing.T, token string, voters int, nodes ...*memberNode) client.Cluster {
	t.Helper()
	var c client.Cluster
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the farm was %s", c.JSON())
		}
	})
	for _, n := range nodes {
		farmtest.Await(t, fmt.Sprintf("%s to see %d voters of one mind", n.api, voters), func() bool {
			c = n.cluster(token)
			prints := map[string]bool{}
			for _, m := range c.Members {
				if m.Alive {
					prints[m.Fingerprint] = true
				}
			}
			return c.Leader != "" && c.Voters == voters && c.Alive == voters && len(prints) == 1 && !prints[""]
		})
	}
	return c
}

func TestCoordinatorsBeginAFarmTogether(t *testing.T) {
	t.Parallel()
	for _, count := range []int{3, 5} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			nodes, token := foundTogether(t, count)
			agree(t, token, count, nodes...)
			farmtest.Await(t, "the coordinators to know each other's addresses", func() bool {
				c := nodes[count-1].cluster(token)
				return c.Spare == (count-1)/2 && len(c.Warnings) == 1 && strings.Contains(c.Warnings[0], "no address of its own")
			})
			farmtest.Await(t, "the status to say who leads", func() bool {
				status, err := nodes[1].cli(token, "cluster", "status")
				return err == nil && strings.Count(status, "voter") == count-1 && strings.Count(status, "leader") == 1
			})
		})
	}
}

func TestCoordinatorsFindEachOtherByGossip(t *testing.T) {
	t.Parallel()
	storage, key, meeting := t.TempDir(), filepath.Join(t.TempDir(), "farm.key"), porttest.Address(t)
	if err := os.WriteFile(key, []byte(strings.Repeat("cd", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	var nodes []*memberNode
	for i := range 3 {
		n := newMember(t, storage, "--farm-key-file", key, "--bootstrap-expect", "3", "--gossip-join", meeting)
		if i == 0 {
			n.start("--gossip-listen", meeting)
		} else {
			n.start()
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		n.awaitReady()
	}
	agree(t, tokenIn(t, nodes...), 3, nodes...)
}

func TestACoordinatorThatWaitsSaysForWhom(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "farm.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newMember(t, t.TempDir(), "--farm-key-file", key, "--bootstrap-expect", "3", "--join", porttest.Address(t)).start()
	farmtest.Await(t, "words, also of who is missing", func() bool {
		said := n.readyz()
		return strings.Contains(said, "3 coordinators are to begin the farm, 1 are there") && strings.Contains(said, "connection refused")
	})
	// Started without its flags it goes on waiting, and begins no farm of its own.
	n.end(syscall.SIGTERM)
	n.flags = n.flags[6:]
	n.start()
	farmtest.Await(t, "words", func() bool { return strings.Contains(n.readyz(), "3 coordinators are to begin the farm") })
}

// join adds a coordinator by a token and waits until it votes.
func (n *memberNode) joinBy(token string, of *memberNode) *memberNode {
	n.t.Helper()
	text, err := of.cli(token, "cluster", "invite", "--for", "test")
	if err != nil {
		n.t.Fatal(err)
	}
	file := filepath.Join(n.t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
	n.start("--join", "https://"+of.api, "--cluster-token-file", file)
	n.awaitReady()
	return n
}

// sameKeys waits until all have the same keys for secrets.
func sameKeys(t *testing.T, nodes ...*memberNode) {
	t.Helper()
	farmtest.Await(t, "one file of keys for secrets on all", func() bool {
		keys := map[string]bool{}
		for _, n := range nodes {
			text, err := os.ReadFile(filepath.Join(n.dir, "secrets.key"))
			if err != nil {
				return false
			}
			keys[string(text)] = true
		}
		return len(keys) == 1
	})
}

// submitting submits jobs, one after the other and by all nodes in turn, until its end; every one of them has to be taken.
func submitting(t *testing.T, token string, nodes ...*memberNode) (end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	taken := 0
	work.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			body := map[string]any{"template": map[string]any{"src": "https://files.example/title.aep", "composition": "main"}}
			if _, err := nodes[i%len(nodes)].client(token).Submit(context.WithoutCancel(ctx), body); err != nil {
				t.Errorf("submission %d: %v", i, err)
				return
			}
			taken++
		}
	})
	return func() int {
		cancel()
		work.Wait()
		return taken
	}
}

func TestAFarmOfOneBecomesAFarmOfThreeWhileItWorks(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	one := newMember(t, storage).start()
	one.awaitReady()
	token := tokenIn(t, one)
	end := submitting(t, token, one)
	two := newMember(t, storage).joinBy(token, one)
	three := newMember(t, storage).joinBy(token, one)
	agree(t, token, 3, one, two, three)
	taken := end()
	if taken == 0 {
		t.Error("nothing was submitted meanwhile")
	}
	// The keys are the same, so a secret that one has put another can change the key of.
	value := filepath.Join(t.TempDir(), "value")
	if err := os.WriteFile(value, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := two.cli(token, "secrets", "set", "greeting", "--from-file", value); err != nil {
		t.Error(err)
	}
	if said, err := three.cli(token, "secrets", "rotate-key", "--drop-old"); err != nil || !strings.HasPrefix(said, "1 secret sealed") {
		t.Errorf("changing the key for secrets: %s, %v", said, err)
	}
	sameKeys(t, one, two, three)
	// The one that was alone may go, and the rest goes on.
	if _, err := one.cli(token, "cluster", "leave"); err != nil {
		t.Fatal(err)
	}
	<-one.done
	agree(t, token, 2, two, three)
	one.start()
	<-one.done
	if said := one.said.String(); !strings.Contains(said, "left its farm") || !strings.Contains(said, "cluster invite") {
		t.Errorf("started again it says\n%s", said)
	}
}

func TestATokenForCoordinatorsWorksOnce(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	one := newMember(t, storage).start()
	one.awaitReady()
	token := tokenIn(t, one)
	_, port, _ := strings.Cut(one.api, ":")
	asked := exec.Command(farmtest.Program(t), "cluster", "invite", "--server", "http://localhost:"+port, "--token", token)
	said := &bytes.Buffer{}
	asked.Stderr = said
	if err := asked.Run(); err != nil || !strings.Contains(said.String(), "--join http://"+one.api) {
		t.Errorf("others are not told where the farm is for them: %s%v", said, err)
	}
	text, err := one.cli(token, "cluster", "invite")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(words string) {
		t.Helper()
		n := newMember(t, storage).start("--join", "https://"+one.api, "--cluster-token-file", file)
		<-n.done
		if said := n.said.String(); !strings.Contains(said, words) {
			t.Errorf("it says\n%s\nwant %q", said, words)
		}
	}
	write(text)
	storage, shared := "", storage
	refused("give this one the --storage") // and the token is good still
	storage = shared
	if said, err := one.cli(token, "cluster", "transfer"); err == nil || !strings.Contains(err.Error(), "no other coordinator has a vote") {
		t.Errorf("with nobody to lead instead it says %s%v", said, err)
	}
	secret, _, _ := strings.Cut(text, ".")
	write(secret + "." + strings.Repeat("0", 64))
	refused("not the farm that was meant")
	write("occ_" + strings.Repeat("z", 40) + text[len(secret):])
	refused("no such token for coordinators")
	write(text)
	two := newMember(t, storage).start("--join", "https://"+one.api, "--cluster-token-file", file)
	two.awaitReady()
	refused("has been used")
}

func TestALostCoordinatorIsReplaced(t *testing.T) {
	t.Parallel()
	nodes, token := foundTogether(t, 3)
	agree(t, token, 3, nodes...)
	lost, left := nodes[0], nodes[1:]
	var id string
	if c := lost.cluster(token); c.ID != "" {
		id = c.ID
	}
	lost.kill()
	farmtest.Await(t, "the dead one to be called dead", func() bool {
		return slices.ContainsFunc(left[0].cluster(token).Members, func(m client.Coordinator) bool { return m.ID == id && !m.Alive })
	})
	fresh := newMember(t, lost.flags[slices.Index(lost.flags, "--storage")+1]).joinBy(token, left[0])
	farmtest.Await(t, "the new one to have a vote", func() bool { return left[0].cluster(token).Voters == 4 })
	if _, err := left[1].cli(token, "cluster", "remove", id); err != nil {
		t.Fatal(err)
	}
	agree(t, token, 3, append(left, fresh)...)
	// The lost one comes back, and learns that it has lost its place.
	lost.start()
	<-lost.done
	if said := lost.said.String(); !strings.Contains(said, "no longer part of the farm") {
		t.Errorf("the one that came back says\n%s", said)
	}
}

// TestACoordinatorThatStaysDeadLosesItsPlace waits until the farm itself gives a place up, and lets another coordinator have it.
func TestACoordinatorThatStaysDeadLosesItsPlace(t *testing.T) {
	t.Parallel()
	nodes, token := foundTogether(t, 3, "--remove-dead-after", "30s")
	agree(t, token, 3, nodes...)
	lost, left := nodes[0], nodes[1:]
	end := submitting(t, token, left...)
	lost.kill()
	agree(t, token, 2, left...)
	fresh := newMember(t, lost.flags[slices.Index(lost.flags, "--storage")+1]).joinBy(token, left[0])
	agree(t, token, 3, append(left, fresh)...)
	if end() == 0 {
		t.Error("nothing was submitted meanwhile")
	}
	lost.start()
	<-lost.done
	if said := lost.said.String(); !strings.Contains(said, "no longer part of the farm") {
		t.Errorf("the one that came back says\n%s", said)
	}
}

func TestAFarmIsRecoveredFromALostMajority(t *testing.T) {
	t.Parallel()
	nodes, token := foundTogether(t, 3)
	agree(t, token, 3, nodes...)
	for _, n := range nodes {
		n.kill()
	}
	left := nodes[2]
	var found struct {
		ID      string
		Members []struct{ ID string }
	}
	text, err := left.cli(token, "cluster", "recover", "--data-dir", left.dir, "--dry-run", "--json")
	if err != nil || json.Unmarshal([]byte(text), &found) != nil || len(found.Members) != 3 {
		t.Fatalf("it finds %s, %v", text, err)
	}
	if _, err := left.cli(token, "cluster", "recover", "--data-dir", left.dir, "--yes"); err != nil {
		t.Fatal(err)
	}
	left.start()
	left.awaitReady()
	agree(t, token, 1, left)
	// The others are a majority of what they remember, and must not bring the old farm back.
	for _, n := range nodes[:2] {
		n.start()
	}
	for _, n := range nodes[:2] {
		<-n.done
		if said := n.said.String(); !strings.Contains(said, "the farm was recovered or restored without it") {
			t.Errorf("one of before says\n%s", said)
		}
	}
	if c := left.cluster(token); c.ID != found.ID || c.Leader != found.ID || len(c.Members) != 1 {
		t.Errorf("the farm is %+v", c)
	}
	end := submitting(t, token, left)
	fresh := newMember(t, left.flags[slices.Index(left.flags, "--storage")+1]).joinBy(token, left)
	agree(t, token, 2, left, fresh)
	end()
}
