//go:build linux

package chaos_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/upload/s3test"
	"overcrank/cmd/overcrank/chaos/hosts"
	"overcrank/cmd/overcrank/farmtest"
)

func TestMain(m *testing.M) {
	if code, entered := hosts.Enter(); entered {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// The environment says how long and with which seed.
const (
	envDuration = "OVERCRANK_CHAOS"              // without it the test is skipped
	envSeed     = "OVERCRANK_CHAOS_SEED"         // without it a new one is made
	envNodes    = "OVERCRANK_CHAOS_COORDINATORS" // 3 without it
	envProgram  = "OVERCRANK_CHAOS_PROGRAM"      // one that was built before, with the tag faults
	envKeep     = "OVERCRANK_CHAOS_KEEP"         // keeps history and logs of a good run too
)

const (
	callers     = 8
	agentsCount = 8
)

// settings of one run.
type settings struct {
	duration time.Duration
	seed     uint64
	nodes    int
}

func readSettings(t *testing.T) settings {
	t.Helper()
	text := os.Getenv(envDuration)
	if text == "" {
		t.Skipf("chaos takes its time: make chaos DURATION=1m, or %s=1m", envDuration)
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", envDuration, err)
	}
	s := settings{duration: duration, seed: rand.Uint64N(1_000_000), nodes: 3}
	if text := os.Getenv(envSeed); text != "" {
		if s.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", envSeed, err)
		}
	}
	if s.nodes, err = strconv.Atoi(cmp.Or(os.Getenv(envNodes), "3")); err != nil {
		t.Fatalf("%s: %v", envNodes, err)
	}
	if reason := hosts.Missing(); reason != "" {
		t.Skipf("chaos needs hosts of its own: %s", reason)
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("chaos renders films, and ffmpeg is missing")
	}
	return s
}

func TestChaos(t *testing.T) {
	s := readSettings(t)
	folder, err := os.MkdirTemp("", fmt.Sprintf("overcrank-chaos-%d-", s.seed))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("chaos: seed %d, %v, %d coordinators, %d agents; SEED=%d repeats it\n", s.seed, s.duration, s.nodes, agentsCount, s.seed)
	program := os.Getenv(envProgram)
	if program == "" { // under the race detector if this test is, and then a race that a process finds fails it
		program = farmtest.Variant(t, "faults")
	}
	wrong, err := chaos(t.Context(), s, program, serveStorage(t, s), folder)
	if err != nil {
		t.Error(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
	if t.Failed() || os.Getenv(envKeep) != "" {
		t.Logf("seed %d: the history and all logs are in %s", s.seed, folder)
		return
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Error(err)
	}
}

// chaos has a farm work under faults, and gives what was wrong with it in the end.
func chaos(ctx context.Context, s settings, program string, storage *s3test.Server, folder string) (wrong []string, err error) {
	f, err := found(ctx, program, folder, size{coordinators: s.nodes, agents: agentsCount, storage: storage})
	if err != nil {
		return nil, err
	}
	defer f.close()
	h := &history{began: time.Now()}
	r, err := newReceiver(h, f.lab.Desk.IP.String())
	if err != nil {
		return nil, err
	}
	defer r.close()
	var key struct{ Key string }
	if err := f.read(ctx, f.doors[0], "/api/farm/v1/webhook-key", &key); err != nil {
		return nil, fmt.Errorf("read the webhooks' key: %w", err)
	}
	r.setKey(key.Key)
	w := newWork(f, h, s.seed, r.address)
	watching := newWatch(f)
	m := newMisfortune(f, h, s.seed, watching.leading)
	left := s.duration
	if f.store != nil {
		alone := max(s.duration/5, 10*time.Second)
		left -= alone
		if err := f.grow(ctx, m, func() { suffer(ctx, alone, w, m, watching, r) }); err != nil {
			return nil, err
		}
	}
	suffer(ctx, left, w, m, watching, r)

	fmt.Println("chaos: all faults end; waiting for every job to end")
	err = m.heal()
	if err == nil {
		err = f.await(ctx, healPatience, "all agents to be back", func() error { return f.allAgents(ctx) })
	}
	if err == nil {
		err = w.finish(ctx)
	}
	var found *evidence
	if err == nil {
		found, err = f.gather(ctx, w, r)
	}
	if found != nil {
		found.jumped, found.shaken = m.clocksJumped(), w.shaken
		wrong = found.check()
	}
	byJob := h.byJob()
	wrong = append(wrong, checkHistory(byJob, folder)...)
	wrong = append(wrong, w.complaints()...)
	summarize(os.Stdout, s, w, m, watching, r, found)
	return wrong, errors.Join(err, h.write(filepath.Join(folder, "history.jsonl")), tellWrong(folder, byJob),
		os.WriteFile(filepath.Join(folder, "faults.txt"), []byte(strings.Join(m.told, "\n")+"\n"), 0o600))
}

// suffer has clients work and faults happen for so long.
func suffer(ctx context.Context, duration time.Duration, w *work, m *misfortune, watching *watch, r *receiver) {
	ctx, stop := context.WithTimeout(ctx, duration)
	defer stop()
	w.resume()
	defer w.pause()
	var all sync.WaitGroup
	all.Go(func() { w.run(ctx, callers) })
	all.Go(func() { m.run(ctx) })
	all.Go(func() { watching.run(ctx) })
	all.Go(func() { w.putBacks(ctx) })
	all.Go(func() {
		for rest(ctx, 5*time.Second) {
			silence, _ := w.longestSilence()
			fmt.Printf("chaos: %4.0f s  %d jobs taken, %d wait, %d webhooks came; longest without a write %.1f s; leader %s; now: %s\n",
				w.history.now().Seconds(), len(w.promises()), w.waiting(), len(r.all()), silence.Seconds(), watching.name(), cmp.Or(m.now(), "nothing"))
		}
	})
	all.Wait()
}

// longestSilence is the longest time in which clients worked and no write was acknowledged, and when it began.
func (w *work) longestSilence() (longest, began time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.writes)
	for i := 1; i < len(w.writes); i++ {
		paused := slices.ContainsFunc(w.pauses, func(p pause) bool { return p.from < w.writes[i] && w.writes[i-1] < p.to })
		if silence := w.writes[i] - w.writes[i-1]; silence > longest && !paused {
			longest, began = silence, w.writes[i-1]
		}
	}
	return longest, began
}

// summarize tells what was done and what happened.
func summarize(out io.Writer, s settings, w *work, m *misfortune, watching *watch, r *receiver, e *evidence) {
	fmt.Fprintf(out, "chaos: seed %d, %v\n", s.seed, s.duration)
	row := func(what string, counts map[string]int) {
		fmt.Fprintf(out, "  %-10s", what)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(out, " %s %d,", name, counts[name])
		}
		fmt.Fprintln(out)
	}
	row("requests", w.counted)
	row("faults", m.counted)
	if e != nil {
		ends := map[string]int{}
		for _, job := range e.final() {
			ends[job.Status]++
		}
		row("jobs", ends)
		outcomes, split := map[string]int{}, 0
		for _, attempts := range e.attempts {
			tasks := map[string]bool{}
			for _, a := range attempts {
				outcomes[a.Outcome]++
				tasks[a.Task] = true
			}
			if len(tasks) > 1 {
				split++
			}
		}
		row("attempts", outcomes)
		fmt.Fprintf(out, "  films      %d were split\n", split)
	}
	deliveries := map[string]bool{}
	calls := r.all()
	for _, c := range calls {
		deliveries[c.Delivery] = true
	}
	fmt.Fprintf(out, "  webhooks   %d deliveries in %d calls\n", len(deliveries), len(calls))
	silence, began := w.longestSilence()
	fmt.Fprintf(out, "  %d requests found no coordinator; longest time without an acknowledged write %.2f s, from %.1f s on; %d changes of leader\n",
		w.blocked.Load(), silence.Seconds(), began.Seconds(), watching.changes())
}
