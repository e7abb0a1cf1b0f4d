//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"overcrank/aep"
	"overcrank/cmd/overcrank/titlecard"
)

// BenchmarkUpReady is the time from starting `overcrank up` on an empty folder until /readyz says 200.
func BenchmarkUpReady(b *testing.B) {
	farmtest.Program(b) // built before it is timed
	for b.Loop() {
		f := farmtest.Up(b, b.TempDir())
		b.StopTimer()
		f.Stop()
		b.StartTimer()
	}
}

// BenchmarkSubmitToEngine is the time from POST /jobs on an idle farm until the agent has started the engine's process,
// which a look into /proc every 100 µs finds; it reports the median. The title card has to be unpacked first, 2 MB; the
// bare project is the same one without its archive.
func BenchmarkSubmitToEngine(b *testing.B) {
	f := farmtest.Up(b, b.TempDir())
	bare := filepath.Join(b.TempDir(), "card.aep")
	if err := durable.Write(bare, 0o644, func(w io.Writer) error { return aep.Write(w, titlecard.Project()) }); err != nil {
		b.Fatal(err)
	}
	project := f.Register("aep", bare).ID
	b.Run("bare project", func(b *testing.B) { benchmarkStart(f, b, project, titlecard.Strip) })
	card := f.Register("zip", farmtest.TitleCard(f.T)).ID
	b.Run("archive", func(b *testing.B) { benchmarkStart(f, b, card, titlecard.Composition) })
}

// benchmarkStart starts one still of a composition after the other; each waits for the end of the one before.
func benchmarkStart(f *farmtest.Farm, b *testing.B, template, composition string) {
	agents := farmtest.Processes(f.Dir, "agent", "--until-stdin-ends")
	if len(agents) != 1 {
		b.Fatalf("%d agents run, want one", len(agents))
	}
	still := map[string]any{
		"template": map[string]string{"id": template, "composition": composition},
		"settings": map[string]any{"type": "image", "frames": 0},
	}
	submit := func() string {
		job, err := f.Submit(b.Context(), still)
		if err != nil {
			b.Fatal(err)
		}
		return job.ID
	}
	f.Finished(submit()) // the project is in the agent's cache
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		id := submit()
		for !runsEngine(agents[0]) {
			time.Sleep(100 * time.Microsecond)
		}
		took = append(took, time.Since(began))
		b.StopTimer()
		f.Finished(id)
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms(median)")
}

// runsEngine tells whether a child of the agent is the engine.
func runsEngine(agent int) bool {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(agent), "task", "*", "children"))
	for _, path := range threads {
		children, _ := os.ReadFile(path)
		for _, child := range strings.Fields(string(children)) {
			line, _ := os.ReadFile(filepath.Join("/proc", child, "cmdline"))
			if bytes.Contains(line, []byte("aerender")) {
				return true
			}
		}
	}
	return false
}

// BenchmarkRenderCard is the whole film of the title card, seven layers at 1280 x 720, through the engine with encoding;
// it reports frames per second.
func BenchmarkRenderCard(b *testing.B) {
	dir := b.TempDir()
	if out, err := exec.Command("unzip", "-q", farmtest.TitleCard(b), "-d", dir).CombinedOutput(); err != nil {
		b.Skipf("unzip: %v\n%s", err, out)
	}
	project := filepath.Join(dir, "Title Card folder", "Title Card.aep")
	program, frames := farmtest.Program(b), 0
	for b.Loop() {
		cmd := exec.Command(program, "aerender", "-project", project, "-comp", titlecard.Composition, "-output", filepath.Join(dir, "film.mp4"))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		frames += titlecard.Frames
	}
	b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkAgentAtRest reports what an idle agent takes: resident memory, and the share of one processor over a second.
func BenchmarkAgentAtRest(b *testing.B) {
	f := farmtest.Up(b, b.TempDir())
	f.Finished(f.SubmitCard(f.Register("zip", farmtest.TitleCard(f.T)).ID, map[string]any{"type": "image", "frames": 0}))
	pids := farmtest.Processes(f.Dir, "agent", "--until-stdin-ends")
	if len(pids) != 1 {
		b.Fatalf("%d agents run, want one", len(pids))
	}
	time.Sleep(3 * time.Second) // it comes to rest
	var ticks, rounds float64
	for b.Loop() {
		before := cpuTicks(b, pids[0])
		time.Sleep(time.Second)
		ticks += cpuTicks(b, pids[0]) - before
		rounds++
	}
	const ticksPerSecond = 100 // USER_HZ, fixed on Linux
	b.ReportMetric(100*ticks/ticksPerSecond/rounds, "%core")
	b.ReportMetric(residentMB(b, pids[0]), "MB")
}

func cpuTicks(b *testing.B, pid int) float64 {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return user + system
}

func residentMB(b *testing.B, pid int) float64 { return statusMB(b, pid, "VmRSS:") }

// statusMB reads a size that the system tells of a process.
func statusMB(b *testing.B, pid int, name string) float64 {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range strings.Split(string(raw), "\n") {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	b.Fatal("no " + name)
	return 0
}

// BenchmarkRestartAfterKill fills a farm with OVERCRANK_BENCH_JOBS jobs, 20,000 without, ends its coordinator with -9 while more are
// submitted, and measures the time from the next start until /readyz says 200.
func BenchmarkRestartAfterKill(b *testing.B) {
	dir := b.TempDir()
	f := farmtest.LaunchAs(b, "coordinator", dir)
	template := f.Register("zip", farmtest.TitleCard(f.T)).ID
	anywhere := func(int) string { return "elsewhere" }
	submitBatches(f, b, template, titlecard.Composition, benchmarkJobs(b, 20_000), anywhere)
	var took []time.Duration
	for b.Loop() {
		submitBatches(f, b, template, titlecard.Composition, 3000, anywhere)
		f.Kill()
		began := time.Now()
		f = farmtest.LaunchAs(b, "coordinator", dir)
		f.Await("the farm to be ready", func() bool { return client.Ready(b.Context(), f.Server) == nil })
		took = append(took, time.Since(began))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(slices.Max(took).Seconds(), "s(worst)")
}
