//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// severalCoordinators is a farm of three coordinators, each on an address of this machine of its own, and a client that knows all.
type severalCoordinators struct {
	*client.Client
	t     *testing.T
	nodes []*runningFarm // with a client each, for that one alone
	ids   []string
}

// startSeveral starts three coordinators and waits until all of them serve.
func startSeveral(t *testing.T) *severalCoordinators {
	t.Helper()
	dir := t.TempDir()
	storage, keyFile := filepath.Join(dir, "storage"), filepath.Join(dir, "key")
	key, err := exec.Command(binary, "cluster", "key").Output()
	if err == nil {
		err = os.WriteFile(keyFile, key, 0o600)
	}
	if err == nil {
		err = os.Mkdir(storage, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	var ports []string
	for i := range 3 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+2))
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().String())
		l.Close()
	}
	s := &severalCoordinators{t: t, Client: &client.Client{}}
	for i, port := range ports {
		host, _, _ := net.SplitHostPort(port)
		n, address := startProgram(t, binary, "coordinator", filepath.Join(dir, fmt.Sprint("node", i+1)), "--listen", host+":0",
			"--gossip-listen", "", "--cluster-listen", port, "--bootstrap-expect", "3", "--join", strings.Join(ports, ","),
			"--farm-key-file", keyFile, "--storage", storage, "--lease", "10s")
		n.Client = &client.Client{Server: address}
		s.nodes = append(s.nodes, n)
	}
	s.await("the three to begin a farm", func() bool {
		for _, n := range s.nodes {
			if token, err := os.ReadFile(filepath.Join(n.dir, "admin.token")); err == nil {
				n.Token = strings.TrimSpace(string(token))
				if _, err := n.Farm(t.Context()); err == nil {
					s.Token = n.Token
				}
			}
		}
		return s.Token != ""
	})
	servers := make([]string, len(s.nodes))
	for i, n := range s.nodes {
		n.Token, servers[i] = s.Token, n.Server
		n.await("the coordinator to serve", func() bool {
			_, err := n.Farm(t.Context()) // which waits until the node has all that the others have
			return err == nil && ready(t.Context(), n.Server) == nil
		})
		var view struct{ ID string }
		s.read(n, "/cluster", &view)
		s.ids = append(s.ids, view.ID)
	}
	s.Server = strings.Join(servers, ",")
	return s
}

func (s *severalCoordinators) await(what string, ok func() bool) {
	s.t.Helper()
	s.nodes[0].await(what, ok)
}

// read asks one node of the farm's own interface.
func (s *severalCoordinators) read(n *runningFarm, path string, into any) {
	s.t.Helper()
	if err := json.Unmarshal(n.farmAPI(http.MethodGet, path, ""), into); err != nil {
		s.t.Fatal(err)
	}
}

// parted tells the node that leads from those that follow.
func (s *severalCoordinators) parted() (leader *runningFarm, followers []*runningFarm) {
	s.t.Helper()
	var view struct{ Leader string }
	s.read(s.nodes[0], "/cluster", &view)
	for i, n := range s.nodes {
		if s.ids[i] == view.Leader {
			leader = n
		} else {
			followers = append(followers, n)
		}
	}
	if leader == nil || len(followers) != 2 {
		s.t.Fatalf("the farm is led by %q, one of %v", view.Leader, s.ids)
	}
	return leader, followers
}

// agents starts agents that were told of one coordinator each, and waits until they are there.
func (s *severalCoordinators) agents(n int) {
	s.t.Helper()
	invited, err := s.Invite(s.t.Context(), client.NewJoinToken{Uses: n})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range n {
		startAgent(s.t, s.nodes[i%len(s.nodes)], filepath.Join(s.t.TempDir(), fmt.Sprint("machine", i+1)), invited.JoinToken)
	}
	s.await("the agents to be there", func() bool {
		return strings.Count(string(s.nodes[0].farmAPI(http.MethodGet, "/agents", "")), `"online":true`) == n
	})
}

func TestRendersGoOnWhenTheLeaderIsKilled(t *testing.T) {
	s := startSeveral(t)
	s.agents(3)
	leader, followers := s.parted()
	template := followers[0].card()
	var ids []string
	for i := range 3 {
		job, err := s.nodes[i].Submit(t.Context(), map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "sequential": true, "settings": map[string]any{},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, job.ID)
	}
	reached := map[string]float64{}
	look := func(n *client.Client, id string) client.Job {
		job, err := n.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if job.Progress < reached[id] {
			t.Errorf("the progress of job %s fell from %.1f to %.1f", id, reached[id], job.Progress)
		}
		reached[id] = job.Progress
		return job
	}
	s.await("a job to be half-way", func() bool {
		for _, id := range ids {
			if job := look(followers[0].Client, id); job.Status == "render:dorender" && job.Progress >= 5 {
				return true
			}
		}
		return false
	})
	leader.kill()
	// A caller who knows the survivors, or all, notices nothing but a moment's wait.
	for _, id := range ids {
		s.await("job "+id+" to end", func() bool { return look(followers[0].Client, id).Ended() })
		job, err := s.Job(t.Context(), id)
		if err != nil || job.Status != "finished" {
			t.Fatalf("job %s is %+v, %v", id, job, err)
		}
		var attempts []struct {
			Attempt int
			Outcome string
		}
		s.read(followers[1], "/jobs/"+id+"/attempts", &attempts)
		if len(attempts) != 1 || attempts[0].Attempt != 1 {
			t.Errorf("job %s took the attempts %+v, want the one that ran all along", id, attempts)
		}
		if log := followers[1].log(id); strings.Count(log, "attempt 1 finished") != 1 || strings.Contains(log, "attempt 2") {
			t.Errorf("the log of job %s:\n%s", id, log)
		}
		if _, err := os.Stat(followers[0].download(job)); err != nil {
			t.Error(err)
		}
	}
}
