//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// BenchmarkMillion holds a farm of OVERCRANK_BENCH_JOBS jobs that wait against an empty one. Both are processes of their own, as a studio
// has them. It reports what docs/benchmarks.md says of such a farm: submissions to the one and the other in turns, memory, a stop and the
// next start, the first lease of a coordinator that begins to lead, and starts after it was killed and after a loss of power.
func BenchmarkMillion(b *testing.B) {
	if os.Getenv("OVERCRANK_BENCH_JOBS") == "" {
		b.Skip("make bench BENCH=million, or OVERCRANK_BENCH_JOBS=1000000, runs it")
	}
	jobs := benchmarkJobs(b, 0)
	dir := filepath.Join(b.TempDir(), "large")
	empty, large := farmtest.LaunchAs(b, "coordinator", b.TempDir()), farmtest.LaunchAs(b, "coordinator", dir)
	emptyCard, largeCard := empty.Card(), large.Card()
	b.Run("fill", func(b *testing.B) {
		for b.Loop() {
			began := time.Now()
			fill(large, b, largeCard, jobs)
			b.ReportMetric(float64(jobs)/time.Since(began).Seconds(), "jobs/s")
		}
		b.ReportMetric(stateMB(large, b), "state-MB")
	})
	b.Run("submit", func(b *testing.B) {
		for b.Loop() {
			inTurns(b, empty, large, emptyCard, largeCard)
		}
	})
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(residentMB(b, large.Cmd.Process.Pid), "MB")
		b.ReportMetric(statusMB(b, large.Cmd.Process.Pid, "RssAnon:"), "own-MB")
		b.ReportMetric(statusMB(b, large.Cmd.Process.Pid, "VmHWM:"), "highest-MB")
	})
	empty.Stop()
	whole := b // which outlives its parts
	begin := func(b *testing.B, unit string, end func()) {
		for b.Loop() {
			began := time.Now()
			end()
			ended := time.Since(began)
			began = time.Now()
			large = farmtest.LaunchAs(whole, "coordinator", dir)
			large.Await("the farm to be ready", func() bool { return client.Ready(b.Context(), large.Server) == nil })
			b.ReportMetric(ended.Seconds(), "stop-s")
			b.ReportMetric(time.Since(began).Seconds(), unit)
			firstLease(large, b)
			b.ReportMetric(residentMB(b, large.Cmd.Process.Pid), "MB")
		}
	}
	b.Run("restart", func(b *testing.B) { begin(b, "start-s", func() { large.Stop() }) })
	b.Run("killed", func(b *testing.B) { begin(b, "start-s", func() { large.Kill() }) })
	b.Run("power lost", func(b *testing.B) {
		begin(b, "start-s", func() {
			fill(large, b, largeCard, min(jobs, 20_000))
			large.Kill()
			losePower(b, dir)
		})
	})
}

// turns is how often submissions go to the one farm and then to the other, and turnJobs how many each time.
const (
	turns       = 7
	turnJobs    = 4000
	turnCallers = 64
)

// inTurns submits jobs one by one to two farms, a few thousand to each at a time: what else the machine does befalls both.
func inTurns(b *testing.B, empty, large *farmtest.Farm, emptyCard, largeCard string) {
	var rates, costs [2][]float64
	for turn := range 1 + turns { // the first is not counted
		for i, f := range []*farmtest.Farm{empty, large} {
			template := []string{emptyCard, largeCard}[i]
			ticks := cpuTicks(b, f.Cmd.Process.Pid)
			rate := submitMany(f, b, template, turnJobs)
			if turn > 0 {
				rates[i] = append(rates[i], rate)
				costs[i] = append(costs[i], (cpuTicks(b, f.Cmd.Process.Pid)-ticks)/100*1e6/turnJobs)
			}
		}
	}
	for i, name := range []string{"empty", "large"} {
		slices.Sort(rates[i])
		slices.Sort(costs[i])
		b.ReportMetric(rates[i][turns/2], name+"/s")
		b.ReportMetric(costs[i][turns/2], name+"-cpu-µs")
	}
	b.ReportMetric(rates[1][turns/2]/rates[0][turns/2], "share")
	b.ReportMetric(costs[1][turns/2]/costs[0][turns/2], "cost")
}

// submitMany submits n jobs from many callers, and gives how many a second.
func submitMany(f *farmtest.Farm, b *testing.B, template string, n int) float64 {
	b.Helper()
	bodies := make([][]byte, 100)
	for i := range bodies {
		bodies[i], _ = json.Marshal(sizedJob(template, i))
	}
	transport := &http.Transport{MaxConnsPerHost: turnCallers, MaxIdleConnsPerHost: turnCallers}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var sent atomic.Int64
	var callers sync.WaitGroup
	began := time.Now()
	for range turnCallers {
		callers.Go(func() {
			for i := int(sent.Add(1)); i <= n; i = int(sent.Add(1)) {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, f.Server+"/api/v2/jobs", bytes.NewReader(bodies[i%len(bodies)]))
				if err != nil {
					b.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+f.Token)
				req.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if resp.StatusCode != http.StatusCreated {
					b.Errorf("a submission was answered %s", resp.Status)
					return
				}
			}
		})
	}
	callers.Wait()
	return float64(n) / time.Since(began).Seconds()
}

// fill submits n jobs in batches of a thousand, two at a time.
func fill(f *farmtest.Farm, b *testing.B, template string, n int) {
	b.Helper()
	const group = 1000
	var begun atomic.Int64
	var senders sync.WaitGroup
	for range 2 {
		senders.Go(func() {
			for from := int(begun.Add(group)) - group; from < n; from = int(begun.Add(group)) - group {
				batch := make([]map[string]any, min(group, n-from))
				for i := range batch {
					batch[i] = sizedJob(template, from+i)
				}
				f.Post("/api/v2/batches", map[string]any{"jobs": batch}, nil)
			}
		})
	}
	senders.Wait()
}

// sizedJob is a job of 2 KB with six assets, which no two jobs share.
func sizedJob(template string, n int) map[string]any {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	words := func(size int) string {
		var text strings.Builder
		for text.Len() < size {
			fmt.Fprintf(&text, "%d ", random.IntN(100_000))
		}
		return text.String()[:size]
	}
	return map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition},
		"name":     fmt.Sprint("variant ", n), "tags": []string{"campaign-" + strconv.Itoa(n%50)}, "priority": n%3 - 1, "sequential": true,
		"assets": []map[string]any{
			{"type": "text", "layerName": "title", "value": words(120)},
			{"type": "text", "layerName": "terms", "value": words(1060)},
			{"type": "image", "layerName": "product", "src": fmt.Sprintf("https://cdn.shop.example/products/%d/front-1920.png", random.Uint64())},
			{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48 + n%9},
			{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": []float64{random.Float64(), 0.5, 0.25}},
			{"type": "function", "name": "nx:layer-state-set", "params": map[string]any{"layerName": "badge", "visible": n%2 == 0}},
		},
	}
}

// firstLease reports how long a farm that says it is ready takes to give a machine that comes then its first task.
func firstLease(f *farmtest.Farm, b *testing.B) {
	began := time.Now()
	arrived := make(chan time.Time, 1)
	told := func(*wire.Lease) {
		select {
		case arrived <- time.Now():
		default:
		}
	}
	a, err := enter(b.Context(), f.Server, machineInvitation(f, b, 1), "simulated", farm.Inventory{
		OS: "linux", Arch: "amd64", CPUs: 8, Memory: 32 << 30, Version: "simulated", Slots: 1, Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: "1.0"}},
	})
	if err != nil {
		b.Fatal(err)
	}
	c := &crowd{agents: []*simulated{a}, quit: make(chan struct{})}
	c.leased.Store(&told)
	c.work.Go(func() { c.listen(a) })
	c.work.Go(c.beat)
	defer c.leave()
	select {
	case at := <-arrived:
		b.ReportMetric(at.Sub(began).Seconds(), "first-lease-s")
	case <-time.After(2 * time.Minute):
		b.Fatal("no lease came")
	}
}

// losePower makes the folder of a farm that was killed look as if its machine had been restarted since. When the mark was written stays.
func losePower(b *testing.B, dir string) {
	b.Helper()
	mark := filepath.Join(dir, "state", "state.mark")
	was, err := os.Stat(mark)
	if err == nil {
		err = os.WriteFile(mark, []byte("running since boot of another day\n"), 0o600)
	}
	if err == nil {
		err = os.Chtimes(mark, was.ModTime(), was.ModTime())
	}
	if err != nil {
		b.Fatal(err)
	}
	syscall.Sync()
}

func stateMB(f *farmtest.Farm, b *testing.B) float64 {
	b.Helper()
	info, err := os.Stat(filepath.Join(f.Dir, "state", "state.db"))
	if err != nil {
		b.Fatal(err)
	}
	return float64(info.Size()) / (1 << 20)
}
