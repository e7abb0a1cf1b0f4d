//go:build linux

package farmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/raftstore/porttest"
)

// Rig is a farm of several coordinators on this machine, which begin it together.
type Rig struct {
	T      testing.TB
	Dir    string
	Nodes  []*Node
	Token  string
	Client http.Client
}

// Node is one of them.
type Node struct {
	Dir, API, Cluster string
	Args              []string
	Cmd               *exec.Cmd // nil while it does not run
}

// StartRig starts n coordinators and waits until all serve.
func StartRig(t testing.TB, n int) *Rig {
	t.Helper()
	c := &Rig{T: t, Dir: t.TempDir(), Client: http.Client{Timeout: Patience}}
	key, err := exec.Command(Program(t), "cluster", "key").Output()
	if err != nil {
		t.Fatal(err)
	}
	keyFile, storage := filepath.Join(c.Dir, "farm.key"), filepath.Join(c.Dir, "storage")
	if err := errors.Join(os.WriteFile(keyFile, key, 0o600), os.Mkdir(storage, 0o700)); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range n {
		node := &Node{Dir: filepath.Join(c.Dir, fmt.Sprint("node", i)), API: porttest.Address(t), Cluster: porttest.Address(t)}
		c.Nodes, all = append(c.Nodes, node), append(all, node.Cluster)
	}
	for i, node := range c.Nodes {
		node.Args = []string{
			"coordinator", "--data-dir", node.Dir, "--listen", node.API, "--min-free", "1", "--cluster-listen", node.Cluster,
			"--join", strings.Join(all, ","), "--bootstrap-expect", fmt.Sprint(n), "--farm-key-file", keyFile, "--storage", storage,
		}
		c.Start(i)
	}
	t.Cleanup(func() {
		for i := range c.Nodes {
			c.Kill(i)
		}
	})
	for i := range c.Nodes {
		c.AwaitReady(i)
	}
	c.Await("the administrator's token", func() bool {
		for _, node := range c.Nodes {
			if text, err := os.ReadFile(filepath.Join(node.Dir, "admin.token")); err == nil {
				c.Token = strings.TrimSpace(string(text))
			}
		}
		return c.Token != ""
	})
	for i := range c.Nodes { // it is written before any of them knows it
		c.Await(fmt.Sprintf("node %d to know the administrator's token", i), func() bool {
			status, err := c.Ask(t.Context(), i, http.MethodGet, "/api/farm/v1/me", "", nil)
			return err == nil && status == http.StatusOK
		})
	}
	return c
}

// Start starts a node.
func (c *Rig) Start(i int) {
	c.T.Helper()
	node := c.Nodes[i]
	log, err := os.OpenFile(node.Dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.T.Fatal(err)
	}
	defer log.Close()
	node.Cmd = exec.Command(Program(c.T), node.Args...)
	node.Cmd.Stdout, node.Cmd.Stderr = log, log
	if err := node.Cmd.Start(); err != nil {
		c.T.Fatal(err)
	}
}

// Kill ends a node as a power cut would end its process, if it runs.
func (c *Rig) Kill(i int) {
	node := c.Nodes[i]
	if node.Cmd == nil {
		return
	}
	_ = node.Cmd.Process.Kill()
	_ = node.Cmd.Wait() // it was killed
	node.Cmd = nil
}

func (c *Rig) Base(i int) string { return "http://" + c.Nodes[i].API }

// AwaitReady waits until a node serves.
func (c *Rig) AwaitReady(i int) {
	c.T.Helper()
	c.Await(fmt.Sprintf("node %d to be ready", i), func() bool { return client.Ready(c.T.Context(), c.Base(i)) == nil })
}

func (c *Rig) Await(what string, ok func() bool) {
	c.T.Helper()
	for end := time.Now().Add(Patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			for _, node := range c.Nodes {
				text, _ := os.ReadFile(node.Dir + ".log")
				c.T.Logf("%s:\n%s", node.Dir, text)
			}
			c.T.Fatalf("waited in vain for %s", what)
		}
	}
}

// Ask sends a request to a node, and gives the status of its answer.
func (c *Rig) Ask(ctx context.Context, i int, method, path, body string, into any) (int, error) {
	status, text, err := c.send(ctx, i, method, path, body)
	if err != nil || into == nil || status/100 != 2 {
		return status, err
	}
	return status, json.Unmarshal(text, into)
}

// AskPatiently is Ask, again and again where the node has waited in vain for a leader, as callers do: on a machine that stands still nobody may lead for
// longer than a node waits. A node that refuses without that wait is not asked again. unsure says that a try before the last may have done what was asked.
func (c *Rig) AskPatiently(ctx context.Context, i int, method, path, body string, into any) (status int, unsure bool, err error) {
	for end := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		status, text, err := c.send(ctx, i, method, path, body)
		if err == nil && status == http.StatusServiceUnavailable && waitedForLeader.Match(text) && time.Now().Before(end) {
			unsure = unsure || mayBeDone.Match(text)
			continue
		}
		if err == nil && into != nil && status/100 == 2 {
			err = json.Unmarshal(text, into)
		}
		return status, unsure, err
	}
}

// What a node answers that has looked for a leader for as long as it ever does, and where that leaves open what has become of the request.
var (
	waitedForLeader = regexp.MustCompile("most of its coordinators cannot be reached|the farm's leader does not answer|too busy to answer in time")
	mayBeDone       = regexp.MustCompile("may or may not have been made|too busy to answer in time")
)

func (c *Rig) send(ctx context.Context, i int, method, path, body string) (status int, text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base(i)+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	return res.StatusCode, text, err
}

// Leader is the node that leads, as a node that runs says.
func (c *Rig) Leader() int {
	c.T.Helper()
	leads := -1
	c.Await("a leader", func() bool {
		for i, node := range c.Nodes {
			if node.Cmd == nil {
				continue
			}
			var cluster struct {
				Leader  string
				Members []struct{ ID, PublicAddress string }
			}
			if status, err := c.Ask(c.T.Context(), i, http.MethodGet, "/api/farm/v1/cluster", "", &cluster); err != nil || status != http.StatusOK {
				continue
			}
			for _, m := range cluster.Members {
				for at, other := range c.Nodes {
					if m.ID == cluster.Leader && strings.HasSuffix(m.PublicAddress, other.API) && other.Cmd != nil {
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

// JobOf2KB is a job of 2 KB with 6 assets, of a template that the job names by address.
func JobOf2KB(n int) string {
	return JobOf(`{"src": "https://files.example/title.aep", "composition": "main"}`, n)
}

// JobOf is JobOf2KB on a template that is given as JSON.
func JobOf(template string, n int) string {
	words := strings.Repeat("autumn sale begins on friday with prices that nobody has seen before ", 20)
	return fmt.Sprintf(`{"template": %s, "name": "variant %d", "tags": ["campaign-%d"],
		"assets": [{"type": "text", "layerName": "title", "value": %q}, {"type": "text", "layerName": "terms", "value": %q},
		{"type": "image", "layerName": "product", "src": "https://cdn.shop.example/products/2026/autumn/%d/front-1920.png"},
		{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48},
		{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": [0.5, 0.5, 0.25]},
		{"type": "function", "name": "nx:layer-state-set", "params": {"layerName": "badge", "visible": true}}]}`,
		template, n, n%50, words[:120], words[:1060], n)
}

// Register gives the farm a project, and how a job names it.
func (c *Rig) Register() string {
	c.T.Helper()
	path := filepath.Join(c.Dir, "card.aep")
	var project bytes.Buffer
	if err := aep.Write(&project, titlecard.Project()); err != nil {
		c.T.Fatal(err)
	}
	if err := os.WriteFile(path, project.Bytes(), 0o600); err != nil {
		c.T.Fatal(err)
	}
	asks := client.Client{Server: c.Base(0), Token: c.Token, Patience: Patience}
	made, err := asks.CreateTemplate(c.T.Context(), "aep", "card", path, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	c.Await("the project to be read", func() bool {
		t, err := asks.Template(c.T.Context(), made.ID)
		return err == nil && t.Status == "uploaded"
	})
	return fmt.Sprintf(`{"id": %q, "composition": %q}`, made.ID, titlecard.Composition)
}
