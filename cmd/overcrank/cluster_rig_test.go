//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/raftstore/porttest"
)

// clusterRig is a farm of several coordinators on this machine, which begin it together.
type clusterRig struct {
	t      testing.TB
	dir    string
	nodes  []*clusterNode
	token  string
	client http.Client
}

// clusterNode is one of them.
type clusterNode struct {
	dir, api, cluster string
	args              []string
	cmd               *exec.Cmd // nil while it does not run
}

// startCluster starts n coordinators and waits until all serve.
func startCluster(t testing.TB, n int) *clusterRig {
	t.Helper()
	c := &clusterRig{t: t, dir: t.TempDir(), client: http.Client{Timeout: 10 * time.Second}}
	key, err := exec.Command(binary, "cluster", "key").Output()
	if err != nil {
		t.Fatal(err)
	}
	keyFile, storage := filepath.Join(c.dir, "farm.key"), filepath.Join(c.dir, "storage")
	if err := errors.Join(os.WriteFile(keyFile, key, 0o600), os.Mkdir(storage, 0o700)); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range n {
		node := &clusterNode{dir: filepath.Join(c.dir, fmt.Sprint("node", i)), api: porttest.Address(t), cluster: porttest.Address(t)}
		c.nodes, all = append(c.nodes, node), append(all, node.cluster)
	}
	for i, node := range c.nodes {
		node.args = []string{
			"coordinator", "--data-dir", node.dir, "--listen", node.api, "--min-free", "1", "--cluster-listen", node.cluster,
			"--join", strings.Join(all, ","), "--bootstrap-expect", fmt.Sprint(n), "--farm-key-file", keyFile, "--storage", storage,
		}
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.kill(i)
		}
	})
	for i := range c.nodes {
		c.awaitReady(i)
	}
	c.await("the administrator's token", func() bool {
		for _, node := range c.nodes {
			if text, err := os.ReadFile(filepath.Join(node.dir, "admin.token")); err == nil {
				c.token = strings.TrimSpace(string(text))
				return true
			}
		}
		return false
	})
	return c
}

// start starts a node.
func (c *clusterRig) start(i int) {
	c.t.Helper()
	node := c.nodes[i]
	log, err := os.OpenFile(node.dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	node.cmd = exec.Command(binary, node.args...)
	node.cmd.Stdout, node.cmd.Stderr = log, log
	if err := node.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// kill ends a node as a power cut would end its process, if it runs.
func (c *clusterRig) kill(i int) {
	node := c.nodes[i]
	if node.cmd == nil {
		return
	}
	_ = node.cmd.Process.Kill()
	_ = node.cmd.Wait() // it was killed
	node.cmd = nil
}

func (c *clusterRig) base(i int) string { return "http://" + c.nodes[i].api }

// awaitReady waits until a node serves.
func (c *clusterRig) awaitReady(i int) {
	c.t.Helper()
	c.await(fmt.Sprintf("node %d to be ready", i), func() bool { return ready(c.t.Context(), c.base(i)) == nil })
}

func (c *clusterRig) await(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			for _, node := range c.nodes {
				text, _ := os.ReadFile(node.dir + ".log")
				c.t.Logf("%s:\n%s", node.dir, text)
			}
			c.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// ask sends a request to a node, and gives the status of its answer.
func (c *clusterRig) ask(ctx context.Context, i int, method, path, body string, into any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base(i)+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if into == nil || res.StatusCode/100 != 2 {
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	}
	return res.StatusCode, json.NewDecoder(res.Body).Decode(into)
}

// leader is the node that leads, as a node that runs says.
func (c *clusterRig) leader() int {
	c.t.Helper()
	leads := -1
	c.await("a leader", func() bool {
		for i, node := range c.nodes {
			if node.cmd == nil {
				continue
			}
			var cluster struct {
				Leader  string
				Members []struct{ ID, PublicAddress string }
			}
			if status, err := c.ask(c.t.Context(), i, http.MethodGet, "/api/farm/v1/cluster", "", &cluster); err != nil || status != http.StatusOK {
				continue
			}
			for _, m := range cluster.Members {
				for at, other := range c.nodes {
					if m.ID == cluster.Leader && strings.HasSuffix(m.PublicAddress, other.api) && other.cmd != nil {
						leads = at
						return true
					}
				}
			}
		}
		return false
	})
	return leads
}
