//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"github.com/gorilla/websocket"

	"overcrank/agent/identity"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// crowd is simulated agents: they enrol, connect and report as real ones do, each over a connection of its own with its own
// certificate, and render nothing. What they are given they report as failed for good, which ends the job like a result does and
// needs no file.
type crowd struct {
	agents []*simulated
	// leased is told of each lease that arrives, before its report leaves.
	leased atomic.Pointer[func(lease *wire.Lease)]
	// keeps says that agents hold what they are given, and report no end.
	keeps atomic.Bool
	// updated is told of each release that an agent is to run.
	updated atomic.Pointer[func(a *simulated, u wire.Update)]
	taken   atomic.Int64
	work    sync.WaitGroup
	quit    chan struct{}
}

type simulated struct {
	id   string
	conn *websocket.Conn
	mu   sync.Mutex // writes
	held map[wire.Attempt]bool
}

// gather enrols and connects n agents; inventory says what each has.
func gather(b testing.TB, f *farmtest.Farm, n int, inventory func(i int) farm.Inventory) *crowd {
	b.Helper()
	token := machineInvitation(f, b, n)
	c := &crowd{agents: make([]*simulated, n), quit: make(chan struct{})}
	var wg sync.WaitGroup
	turn := make(chan struct{}, 16)
	for i := range n {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			a, err := enter(b.Context(), f.Server, token, fmt.Sprintf("simulated-%04d", i), inventory(i))
			if err != nil {
				b.Errorf("agent %d: %v", i, err)
			}
			c.agents[i] = a
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	for _, a := range c.agents {
		c.work.Go(func() { c.listen(a) })
	}
	c.work.Go(c.beat)
	b.Cleanup(c.leave)
	return c
}

// machineInvitation is a join token for n machines.
func machineInvitation(f *farmtest.Farm, b testing.TB, n int) wire.JoinToken {
	b.Helper()
	var made struct{ JoinToken string }
	f.Post("/api/farm/v1/join-tokens", map[string]any{"name": "simulated", "uses": n}, &made)
	token, err := wire.ParseJoinToken(made.JoinToken)
	if err != nil {
		b.Fatal(err)
	}
	return token
}

// enter enrols one agent and opens its session.
func enter(ctx context.Context, server string, token wire.JoinToken, name string, inv farm.Inventory) (*simulated, error) {
	key, err := identity.NewKey()
	if err != nil {
		return nil, err
	}
	csr, err := identity.Request(key)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(wire.Enrol{Name: name, Inventory: inv, Request: csr})
	if err != nil {
		return nil, err
	}
	address := "https" + strings.TrimPrefix(server, "http")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+wire.PathEnrol, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token.Secret)
	req.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{TLSClientConfig: identity.FirstContact(token.Authority)}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return nil, fmt.Errorf("enrolling: %s: %s: %w", resp.Status, answer, err)
	}
	self := identity.Identity{Key: key}
	if err := json.Unmarshal(answer, &self.Enrolled); err != nil {
		return nil, err
	}
	config, err := self.TLS()
	if err != nil {
		return nil, err
	}
	dialer := websocket.Dialer{TLSClientConfig: config, ReadBufferSize: 1024, WriteBufferSize: 1024, HandshakeTimeout: farmtest.Patience}
	conn, _, err := dialer.DialContext(ctx, "wss"+strings.TrimPrefix(server, "http")+wire.PathSession, nil)
	if err != nil {
		return nil, err
	}
	a := &simulated{id: self.AgentID, conn: conn, held: map[wire.Attempt]bool{}}
	err = a.write(wire.Message{Hello: &wire.Hello{Version: wire.Version, Name: name, Inventory: inv.Hash()}})
	var welcome wire.Message
	if err == nil {
		err = conn.ReadJSON(&welcome)
	}
	switch {
	case err != nil:
		return nil, err
	case welcome.Welcome == nil:
		return nil, fmt.Errorf("was not welcomed: %+v", welcome)
	case welcome.Welcome.WantInventory:
		err = a.write(wire.Message{Inventory: &inv})
	}
	return a, err
}

func (a *simulated) write(m wire.Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case m.Failed != nil:
		delete(a.held, m.Failed.Attempt)
	case m.Heartbeat != nil:
		for at := range a.held {
			m.Heartbeat.Holding = append(m.Heartbeat.Holding, at)
		}
	}
	return a.conn.WriteJSON(m)
}

// listen answers each lease at once, until the session ends.
func (c *crowd) listen(a *simulated) {
	for {
		var m wire.Message
		if err := a.conn.ReadJSON(&m); err != nil {
			return
		}
		if told := c.updated.Load(); told != nil && m.Update != nil {
			(*told)(a, *m.Update)
		}
		if m.Lease == nil {
			continue
		}
		a.mu.Lock()
		a.held[m.Lease.Attempt] = true
		a.mu.Unlock()
		c.taken.Add(1)
		if told := c.leased.Load(); told != nil {
			(*told)(m.Lease)
		}
		if c.keeps.Load() {
			continue
		}
		if err := a.write(wire.Message{Failed: &wire.Failed{Attempt: m.Lease.Attempt, Message: "simulated", Class: farm.FailureDeterministic}}); err != nil {
			return
		}
	}
}

// beat sends every agent's heartbeat every few seconds, one agent's after the other's: agents began at different times.
func (c *crowd) beat() {
	ticker := time.NewTicker(4 * time.Second / time.Duration(len(c.agents)))
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-c.quit:
			return
		case <-ticker.C:
		}
		a := c.agents[i%len(c.agents)]
		_ = a.write(wire.Message{Heartbeat: &wire.Heartbeat{}}) // listen learns of a session that has ended
	}
}

// leave ends all sessions.
func (c *crowd) leave() {
	close(c.quit)
	for _, a := range c.agents {
		_ = a.conn.Close()
	}
	c.work.Wait()
}

// await waits until so many leases have been taken.
func (c *crowd) await(b *testing.B, n int64) {
	b.Helper()
	for end := time.Now().Add(10 * time.Minute); c.taken.Load() < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("%d of %d leases came", c.taken.Load(), n)
		}
	}
}

// The simulated farm: machines of twenty profiles, each of which serves fifty of a thousand classes of requirements.
const (
	simulatedAgents   = 2000
	simulatedProfiles = 20
	simulatedClasses  = 1000
)

func classTag(class int) string { return fmt.Sprintf("class-%03d", class) }

// simulatedInventory is what the i-th machine has.
func simulatedInventory(i int) farm.Inventory {
	inv := farm.Inventory{
		OS: "linux", Arch: "amd64", CPUs: 8, Memory: 32 << 30, Version: "simulated", Slots: 1,
		Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: "1.0"}},
	}
	for class := i % simulatedProfiles; class < simulatedClasses; class += simulatedProfiles {
		inv.Tags = append(inv.Tags, classTag(class))
	}
	return inv
}

// submitBatches submits n jobs, a thousand at a time, each of which needs the tag of its number.
func submitBatches(f *farmtest.Farm, b *testing.B, template, composition string, n int, tag func(i int) string) {
	b.Helper()
	const group = 1000
	for begun := 0; begun < n; begun += group {
		jobs := make([]map[string]any, min(group, n-begun))
		for i := range jobs {
			jobs[i] = map[string]any{
				"template":    map[string]string{"id": template, "composition": composition},
				"assets":      []map[string]any{{"type": "text", "layerName": "title", "value": fmt.Sprint("Variant ", begun+i)}},
				"requireTags": []string{tag(begun + i)},
				"maxAttempts": 1, // a job is one lease, also where all of a machine's jobs fail and another one would be asked
			}
		}
		f.Post("/api/v2/batches", map[string]any{"jobs": jobs}, nil)
	}
}

// benchmarkJobs is how many jobs a benchmark is asked to work with, fewer without being asked.
func benchmarkJobs(b *testing.B, fewer int) int {
	b.Helper()
	said := os.Getenv("OVERCRANK_BENCH_JOBS")
	if said == "" {
		return fewer
	}
	n, err := strconv.Atoi(said)
	if err != nil || n < 1000 {
		b.Fatalf("OVERCRANK_BENCH_JOBS=%s is not a number of jobs", said)
	}
	return n
}

// BenchmarkSimulatedAgents connects two thousand agents to one coordinator, a process of its own, and reports what that costs it:
// memory, leases a second while much waits, and the time from a submission to its lease while agents are free, when nothing waits
// and when much waits for other machines. The number of jobs that wait is OVERCRANK_BENCH_JOBS, 50,000 without, in a thousand
// classes of requirements.
func BenchmarkSimulatedAgents(b *testing.B) {
	f := farmtest.LaunchAs(b, "coordinator", b.TempDir(), "--lease", "30s", "--connections-per-address", "10000") // all from this machine
	f.Await("the farm to be ready", func() bool { return client.Ready(b.Context(), f.Server) == nil })
	template, composition := f.Register("zip", farmtest.TitleCard(f.T)).ID, "Title Card"
	waiting := benchmarkJobs(b, 50_000)
	c := gather(b, f, simulatedAgents, simulatedInventory)
	b.Run("connected", func(b *testing.B) {
		for b.Loop() {
		}
		time.Sleep(6 * time.Second) // a heartbeat of each
		b.ReportMetric(residentMB(b, f.Cmd.Process.Pid), "MB")
		before := cpuTicks(b, f.Cmd.Process.Pid)
		time.Sleep(5 * time.Second)
		b.ReportMetric((cpuTicks(b, f.Cmd.Process.Pid)-before)/5, "%core")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("ready to leased", func(b *testing.B) { c.latency(b, f, template, composition) })
	leases := min(waiting/2, 100_000)
	submitBatches(f, b, template, composition, waiting-leases, func(i int) string { return fmt.Sprintf("elsewhere-%03d", i%(simulatedClasses/2)) })
	b.Run("ready to leased while much waits", func(b *testing.B) { c.latency(b, f, template, composition) })
	b.Run("leases", func(b *testing.B) { c.throughput(b, f, template, composition, leases) })
}

// latency submits jobs one after the other to a farm with free agents, at a pace that leaves it time.
func (c *crowd) latency(b *testing.B, f *farmtest.Farm, template, composition string) {
	var mu sync.Mutex
	arrived := map[string]time.Time{}
	told := func(l *wire.Lease) {
		now := time.Now()
		mu.Lock()
		arrived[l.Job] = now
		mu.Unlock()
	}
	c.leased.Store(&told)
	defer c.leased.Store(nil)
	sent := map[string]time.Time{}
	have := c.taken.Load()
	for i := 0; b.Loop(); i++ {
		at := time.Now()
		job, err := f.Submit(b.Context(), map[string]any{
			"template": map[string]string{"id": template, "composition": composition}, "requireTags": []string{classTag(i % simulatedClasses)},
			"sequential": true, "maxAttempts": 1, // a job is one lease: with all machines free it would be split into dozens
		})
		if err != nil {
			b.Fatal(err)
		}
		sent[job.ID] = at
		time.Sleep(2 * time.Millisecond)
	}
	c.await(b, have+int64(len(sent)))
	var took []time.Duration
	for id, at := range sent {
		took = append(took, arrived[id].Sub(at))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms(median)")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms(p99)")
}

// throughput has the agents work off so many jobs.
func (c *crowd) throughput(b *testing.B, f *farmtest.Farm, template, composition string, n int) {
	for b.Loop() {
	}
	f.Post("/api/farm/v1/farm/pause", map[string]any{}, nil)
	submitBatches(f, b, template, composition, n, func(i int) string { return classTag(i % (simulatedClasses / 2)) })
	b.ReportMetric(residentMB(b, f.Cmd.Process.Pid), "MB(queued)")
	// Counted before the farm goes on: on a busy machine leases arrive before its answer does.
	have := c.taken.Load()
	begun, ticks := time.Now(), cpuTicks(b, f.Cmd.Process.Pid)
	f.Post("/api/farm/v1/farm/resume", map[string]any{}, nil)
	c.await(b, have+int64(n))
	spent := time.Since(begun).Seconds()
	b.ReportMetric(float64(n)/spent, "leases/s")
	b.ReportMetric((cpuTicks(b, f.Cmd.Process.Pid)-ticks)/100*1e6/float64(n), "cpu-µs/lease")
	b.ReportMetric(0, "ns/op")
}
