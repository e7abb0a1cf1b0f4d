//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
	"overcrank/farm/wire"

	"github.com/gorilla/websocket"
)

// The watched farm.
const (
	watchers       = 300 // browsers
	watchingPeople = 10  // whose browsers they are
	watchedJobs    = 500 // that render, each on a machine of its own
	watchedFrames  = 150 // of each job
	watchedSeconds = 30
)

// shownFrame finds the frame that the row of a job shows.
var shownFrame = regexp.MustCompile(fmt.Sprintf(`Frame (\d+) of %d`, watchedFrames))

// BenchmarkWatchers has 300 browsers watch the list of jobs while 500 machines render one job each and tell every second how far they are. It
// reports how long an update takes from the machine to each browser, and what the browsers cost the coordinator, a process of its own, in memory and
// in part of a core. Machines and browsers run on the same processors.
func BenchmarkWatchers(b *testing.B) {
	f := farmtest.LaunchAs(b, "coordinator", b.TempDir(), "--lease", "60s", "--connections-per-address", "10000")
	f.Await("the farm to be ready", func() bool { return client.Ready(b.Context(), f.Server) == nil })
	template := f.Register("zip", farmtest.TitleCard(f.T)).ID
	c := gather(b, f, watchedJobs, func(int) farm.Inventory {
		return farm.Inventory{OS: "linux", Arch: "amd64", CPUs: 8, Memory: 32 << 30, Version: "simulated", Slots: 1, Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: "1.0"}}}
	})
	job, attempt := renderAll(b, f, c, template)
	w := &watched{crowd: c, marked: attempt, row: []byte("job-" + job), told: map[int64]time.Time{}}
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() { w.report(stop) })
	b.Cleanup(func() { close(stop); work.Wait() })
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
	idle, idleMemory := w.cost(b, f)
	w.open(b, f)
	busy, busyMemory := w.cost(b, f)
	b.ReportMetric(idle, "%core(unwatched)")
	b.ReportMetric(busy, "%core(watched)")
	b.ReportMetric(busyMemory-idleMemory, "MB(watchers)")
	took := w.times()
	if len(took) < watchers {
		b.Fatalf("%d updates reached %d browsers", len(took), watchers)
	}
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms(median)")
	b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "ms(p99)")
}

// renderAll gives every machine a job, and is the newest one and its attempt.
func renderAll(b *testing.B, f *farmtest.Farm, c *crowd, template string) (newest string, attempt wire.Attempt) {
	b.Helper()
	c.keeps.Store(true)
	var mu sync.Mutex
	attempts := map[string]wire.Attempt{}
	told := func(l *wire.Lease) {
		mu.Lock()
		defer mu.Unlock()
		attempts[l.Job] = l.Attempt
	}
	c.leased.Store(&told)
	for i := range watchedJobs {
		job, err := f.Submit(b.Context(), map[string]any{"name": fmt.Sprintf("Spot %03d", i), "sequential": true, "template": map[string]string{"id": template, "composition": "Title Card"}})
		if err != nil {
			b.Fatal(err)
		}
		newest = job.ID
	}
	f.Await("all machines to have a job", func() bool { // which they are told of after they count as taken
		mu.Lock()
		defer mu.Unlock()
		return len(attempts) == watchedJobs
	})
	return newest, attempts[newest]
}

// watched is a farm whose machines tell how far they are.
type watched struct {
	crowd  *crowd
	marked wire.Attempt // whose updates are timed
	row    []byte       // what begins its job's row
	frame  atomic.Int64 // that the marked job's machine has told of last

	mu   sync.Mutex
	told map[int64]time.Time // when it did
	took []time.Duration     // from there to a browser, of each frame and browser
}

// report has every machine tell once a second, one after the other.
func (w *watched) report(stop <-chan struct{}) {
	ticker := time.NewTicker(time.Second / watchedJobs)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		a := w.crowd.agents[i%watchedJobs]
		a.mu.Lock()
		var held []wire.Attempt
		for at := range a.held {
			held = append(held, at)
		}
		a.mu.Unlock()
		for _, at := range held {
			frame := i / watchedJobs
			if at == w.marked {
				w.mu.Lock()
				w.told[int64(frame)] = time.Now()
				w.mu.Unlock()
				w.frame.Store(int64(frame))
			}
			_ = a.write(wire.Message{Progress: &wire.Progress{Attempt: at, Phase: "rendering", Frame: frame, FramesTotal: watchedFrames, Percent: 100 * float64(frame) / watchedFrames}})
		}
	}
}

// cost is what part of a core the coordinator takes for a while, in percent, and its memory at the end.
func (w *watched) cost(b *testing.B, f *farmtest.Farm) (percent, mb float64) {
	b.Helper()
	before := cpuTicks(b, f.Cmd.Process.Pid)
	time.Sleep(watchedSeconds * time.Second)
	return (cpuTicks(b, f.Cmd.Process.Pid) - before) / watchedSeconds, residentMB(b, f.Cmd.Process.Pid)
}

// open has all browsers watch the list of jobs until the benchmark ends.
func (w *watched) open(b *testing.B, f *farmtest.Farm) {
	b.Helper()
	var work sync.WaitGroup
	b.Cleanup(work.Wait) // registered before the ends of the connections, it comes behind them
	for i := range watchingPeople {
		person, err := f.CreateToken(b.Context(), client.NewAccess{Name: fmt.Sprintf("watcher %d", i), Role: []string{"viewer", "artist", "producer"}[i%3]})
		if err != nil {
			b.Fatal(err)
		}
		cookies := signIn(b, f.Server, person.Secret)
		for range watchers / watchingPeople {
			conn := watchJobs(b, f.Server, cookies)
			b.Cleanup(func() { _ = conn.Close() })
			work.Go(func() { w.follow(conn) })
		}
	}
}

// signIn gives the cookies of somebody who has signed in.
func signIn(b *testing.B, server, secret string) []*http.Cookie {
	b.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	address, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server+"/sign-in", strings.NewReader(url.Values{"token": {secret}}.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", server)
	res, err := (&http.Client{Jar: jar}).Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("signing in: %d, %v", res.StatusCode, err)
	}
	return jar.Cookies(address)
}

// watchJobs opens the live connection of the list of jobs.
func watchJobs(b *testing.B, server string, cookies []*http.Cookie) *websocket.Conn {
	b.Helper()
	header := http.Header{"Origin": {server}}
	for _, c := range cookies {
		header.Add("Cookie", c.String())
	}
	dialer := websocket.Dialer{EnableCompression: true, HandshakeTimeout: farmtest.Patience}
	conn, res, err := dialer.DialContext(b.Context(), "ws"+strings.TrimPrefix(server, "http")+"/live?topic="+url.QueryEscape("jobs:"), header)
	if err != nil {
		b.Fatal(err)
	}
	res.Body.Close()
	return conn
}

// follow notes how long each update of the marked job took to one browser, until its connection is closed.
func (w *watched) follow(conn *websocket.Conn) {
	seen := w.frame.Load() // what has been told before is no news
	for {
		_, message, err := conn.ReadMessage()
		if err != nil {
			return
		}
		now := time.Now()
		_, row, drawn := bytes.Cut(message, w.row)
		if !drawn {
			continue
		}
		shown := shownFrame.FindSubmatch(row)
		if shown == nil {
			continue
		}
		frame, err := strconv.ParseInt(string(shown[1]), 10, 64)
		if frame--; err != nil || frame <= seen {
			continue
		}
		w.mu.Lock()
		for ; seen < frame; seen++ { // frames between the two came late as well
			if at, known := w.told[seen+1]; known {
				w.took = append(w.took, now.Sub(at))
			}
		}
		w.mu.Unlock()
	}
}

// times are all times that were noted, in order.
func (w *watched) times() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(slices.Values(w.took))
}
