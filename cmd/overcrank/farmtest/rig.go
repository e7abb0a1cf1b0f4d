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
	c := &Rig{T: t, Dir: t.TempDir(), Client: http.Client{Timeout: time.Minute}}
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
	req, err := http.NewRequestWithContext(ctx, method, c.Base(i)+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Client.Do(req)
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
	var project bytes.Buffer
	if err := aep.Write(&project, titlecard.Project()); err != nil {
		c.T.Fatal(err)
	}
	var made struct {
		ID         string
		UploadInfo struct{ URL string }
	}
	if status, err := c.Ask(c.T.Context(), 0, http.MethodPost, "/api/v2/templates", `{"type": "aep", "displayName": "card"}`, &made); err != nil || status != http.StatusCreated {
		c.T.Fatalf("registering a project: %d, %v", status, err)
	}
	req, err := http.NewRequestWithContext(c.T.Context(), http.MethodPut, made.UploadInfo.URL, &project)
	if err != nil {
		c.T.Fatal(err)
	}
	res, err := c.Client.Do(req)
	if err != nil {
		c.T.Fatal(err)
	}
	res.Body.Close()
	c.Await("the project to be read", func() bool {
		var t struct{ Status string }
		_, err := c.Ask(c.T.Context(), 0, http.MethodGet, "/api/v2/templates/"+made.ID, "", &t)
		return err == nil && t.Status == "uploaded"
	})
	return fmt.Sprintf(`{"id": %q, "composition": %q}`, made.ID, titlecard.Composition)
}
