//go:build linux

package machines_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

const (
	// mostAtRest is the memory (PSS) that launcher, agent and the runner in a person's session may take together, in bytes. They take about 42.
	mostAtRest = 60 << 20
	// restFor is how long they are looked at, at least; longRest where OVERCRANK_FIGURES is set.
	restFor  = 5 * time.Second
	longRest = time.Minute
	// mostBusy is how much of one processor they may take together, in percent. They are held to it where OVERCRANK_FIGURES is set (make release-checks):
	// beside other programs that varies.
	mostBusy = 0.5
)

// TestAnAgentAtRestTakesLittle measures the real programs, as packages have them, beside a farm that has no work for them.
func TestAnAgentAtRestTakesLittle(t *testing.T) {
	t.Parallel()
	figures, looks := os.Getenv("OVERCRANK_FIGURES") != "", restFor
	if figures {
		looks = longRest
	}
	program := filepath.Join(t.TempDir(), "overcrank-agent")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "overcrank/cmd/overcrank-agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the agent: %v\n%s", err, out)
	}
	agent, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	_, token, _ := f.Command("agents", "invite")
	m := farmtest.StartLauncherOf(t, agent, f, "suite-4", strings.TrimSpace(token), os.DevNull)
	f.Await("the machine to be linked", func() bool {
		status, err := control.Ask(t.Context(), m.DataDir)
		return err == nil && status.Linked
	})
	// The runner of a person's session, which waits for a service that has use for it.
	runner := exec.Command(m.Program, "session", "--data-dir", m.DataDir)
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = runner.Process.Kill()
		_ = runner.Wait()
	})

	parts := func() []int { return append(descendants(m.PID), runner.Process.Pid) }
	f.Await("the first look at the machine to be over", func() bool { return len(parts()) == 3 })
	before := usedBy(t, parts())
	least := int64(1 << 40) // the garbage of having started goes in time
	began, end := time.Now(), time.Now().Add(farmtest.Patience)
	for now := began; now.Before(end) && (least > mostAtRest || now.Sub(began) < looks); now = time.Now() {
		least = min(least, memoryOf(t, parts()))
		time.Sleep(restFor / 10)
	}
	busy := 100 * (usedBy(t, parts()) - before).Seconds() / time.Since(began).Seconds()
	t.Logf("launcher, agent and runner take %.1f MB at rest, and took %.2f %% of one processor", float64(least)/(1<<20), busy)
	if figures && busy > mostBusy {
		t.Errorf("they take %.2f %% of one processor, more than %.2f", busy, mostBusy)
	}
	if least > mostAtRest {
		t.Errorf("they take %d bytes, more than %d", least, mostAtRest)
	}
}

// descendants are a process and all that it has started.
func descendants(pid int) []int {
	all := []int{pid}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range threads {
		children, _ := os.ReadFile(path) // a thread may have ended
		for text := range strings.FieldsSeq(string(children)) {
			if child, err := strconv.Atoi(text); err == nil {
				all = append(all, descendants(child)...)
			}
		}
	}
	return all
}

// memoryOf is the memory of processes in bytes, where what several share counts for each in part (PSS).
func memoryOf(t *testing.T, pids []int) (bytes int64) {
	t.Helper()
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // it may have ended: ffmpeg is asked now and then
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
				kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				bytes += kilobytes << 10
			}
		}
	}
	if bytes == 0 {
		t.Fatal("nothing is known of the memory that the processes take")
	}
	return bytes
}

// usedBy is the processor time that processes have taken.
func usedBy(t *testing.T, pids []int) (used time.Duration) {
	t.Helper()
	const tick = time.Second / 100 // USER_HZ, as proc(5) has it
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ") // the name before may hold blanks
		fields := strings.Fields(rest)
		const user, system = 11, 12 // utime and stime, counted from the state
		if len(fields) <= system {
			continue
		}
		for _, at := range []int{user, system} {
			n, err := strconv.ParseInt(fields[at], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			used += time.Duration(n) * tick
		}
	}
	return used
}
