//go:build linux

package farmtest

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
	"overcrank/raftstore/porttest"
)

// Several is a farm of three coordinators, each on an address of this machine of its own, and a client that knows all.
type Several struct {
	*client.Client
	T     testing.TB
	Nodes []*Farm // with a client each, for that one alone
	IDs   []string
}

// StartSeveral starts three coordinators and waits until all of them serve.
func StartSeveral(t testing.TB) *Several {
	t.Helper()
	dir := t.TempDir()
	storage, keyFile := filepath.Join(dir, "storage"), filepath.Join(dir, "key")
	key, err := exec.Command(Program(t), "cluster", "key").Output()
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
		_, port, _ := net.SplitHostPort(porttest.Address(t))
		ports = append(ports, net.JoinHostPort(fmt.Sprint("127.0.0.", i+2), port))
	}
	s := &Several{T: t, Client: &client.Client{Patience: Patience}}
	for i, port := range ports {
		host, _, _ := net.SplitHostPort(port)
		n, address := StartProgram(t, Program(t), "coordinator", filepath.Join(dir, fmt.Sprint("node", i+1)), "--listen", host+":0",
			"--gossip-listen", "", "--cluster-listen", port, "--bootstrap-expect", "3", "--join", strings.Join(ports, ","),
			"--farm-key-file", keyFile, "--storage", storage, "--lease", "30s")
		n.Client = &client.Client{Server: address, Patience: Patience}
		s.Nodes = append(s.Nodes, n)
	}
	s.Await("the three to begin a farm", func() bool {
		for _, n := range s.Nodes {
			if token, err := os.ReadFile(filepath.Join(n.Dir, "admin.token")); err == nil {
				n.Token = strings.TrimSpace(string(token))
				if _, err := n.Farm(t.Context()); err == nil {
					s.Token = n.Token
				}
			}
		}
		return s.Token != ""
	})
	servers := make([]string, len(s.Nodes))
	for i, n := range s.Nodes {
		n.Token, servers[i] = s.Token, n.Server
		n.Await("the coordinator to serve", func() bool {
			_, err := n.Farm(t.Context()) // which waits until the node has all that the others have
			return err == nil && client.Ready(t.Context(), n.Server) == nil
		})
		var view struct{ ID string }
		s.Read(n, "/cluster", &view)
		s.IDs = append(s.IDs, view.ID)
	}
	s.Server = strings.Join(servers, ",")
	return s
}

func (s *Several) Await(what string, ok func() bool) {
	s.T.Helper()
	s.Nodes[0].Await(what, ok)
}

// Read asks one node of the farm's own interface.
func (s *Several) Read(n *Farm, path string, into any) {
	s.T.Helper()
	if err := json.Unmarshal(n.FarmAPI(http.MethodGet, path, ""), into); err != nil {
		s.T.Fatal(err)
	}
}

// Parted tells the node that leads from those that follow.
func (s *Several) Parted() (leader *Farm, followers []*Farm) {
	s.T.Helper()
	s.Await("a coordinator to lead", func() bool {
		var view struct{ Leader string }
		s.Read(s.Nodes[0], "/cluster", &view)
		leader, followers = nil, nil
		for i, n := range s.Nodes {
			if s.IDs[i] == view.Leader {
				leader = n
			} else {
				followers = append(followers, n)
			}
		}
		return leader != nil
	})
	return leader, followers
}

// Agents starts agents that were told of one coordinator each, and waits until they are there.
func (s *Several) Agents(n int) {
	s.T.Helper()
	invited, err := s.Invite(s.T.Context(), client.NewJoinToken{Uses: n})
	if err != nil {
		s.T.Fatal(err)
	}
	for i := range n {
		StartAgent(s.T, s.Nodes[i%len(s.Nodes)], filepath.Join(s.T.TempDir(), fmt.Sprint("machine", i+1)), invited.JoinToken)
	}
	s.Await("the agents to be there", func() bool {
		return strings.Count(string(s.Nodes[0].FarmAPI(http.MethodGet, "/agents", "")), `"online":true`) == n
	})
}
