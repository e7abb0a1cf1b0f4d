package presence

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/durable/programtest"
)

func TestTheFarmsOwnProgramsAreKnown(t *testing.T) {
	began := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	p := func(pid, parent int, after time.Duration) Process {
		return Process{PID: pid, Parent: parent, Started: began.Add(after)}
	}
	c := census{self: 10}
	ours := func(list ...Process) (pids []int) {
		c.sample(began.Add(time.Hour), list)
		for _, one := range list {
			if one.Ours {
				pids = append(pids, one.PID)
			}
		}
		return pids
	}
	want := func(got []int, pids ...int) {
		t.Helper()
		if len(got) != len(pids) {
			t.Errorf("ours are %v, want %v", got, pids)
			return
		}
		for i := range got {
			if got[i] != pids[i] {
				t.Errorf("ours are %v, want %v", got, pids)
			}
		}
	}
	want(ours(p(1, 0, 0), p(5, 1, 0), p(10, 5, time.Minute), p(11, 10, 2*time.Minute), p(12, 11, 3*time.Minute), p(20, 5, 0)), 10, 11, 12)
	// aerender has ended, and what it started goes on
	want(ours(p(1, 0, 0), p(10, 5, time.Minute), p(12, 1, 3*time.Minute)), 10, 12)
	// the number of one that was ours is another's now
	want(ours(p(1, 0, 0), p(10, 5, time.Minute), p(12, 1, 30*time.Minute)), 10)
	// a child of ours whose parent's number was given to a later process
	want(ours(p(1, 0, 0), p(10, 5, time.Minute), p(30, 10, time.Second)), 10)
}

// TestProgramsThatTheSystemStartsForTheFarmAreItsOwn: macOS starts an After Effects that a script is sent to, and not the agent.
func TestProgramsThatTheSystemStartsForTheFarmAreItsOwn(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	artists := Process{PID: 20, Name: "After Effects", Started: now.Add(-time.Hour)}
	farms := Process{PID: 30, Name: "After Effects", Started: now.Add(5 * time.Second)}
	later := Process{PID: 40, Name: "After Effects", Started: now.Add(time.Minute)}
	desk := &shownDesk{}
	w := NewWatch(desk, Rules{}, Pause{}, slog.New(slog.DiscardHandler))
	w.now = func() time.Time { return now }
	running := func(list ...Process) bool {
		t.Helper()
		desk.show(Sight{Processes: list}, nil)
		name, err := w.Running(t.Context(), "After Effects")
		if err != nil {
			t.Fatal(err)
		}
		return name != ""
	}
	done := w.Expect("After Effects*")
	if !running(artists, farms) {
		t.Error("the artist's After Effects is taken for the farm's")
	}
	if running(farms) {
		t.Error("the farm's After Effects is taken for the artist's")
	}
	done()
	if running(farms) {
		t.Error("one that is still there is no more the farm's")
	}
	if !running(farms, later) {
		t.Error("one that began when none was expected is taken for the farm's")
	}
}

func TestOnlyWhatOthersTakeIsLoad(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	c := census{self: 10}
	all := time.Duration(runtime.NumCPU())
	look := func(after, ours, theirs, fresh time.Duration) float64 {
		list := []Process{{PID: 10, CPU: ours * all}, {PID: 20, CPU: theirs * all}}
		if fresh > 0 {
			list = append(list, Process{PID: 30, CPU: fresh * all, Started: now.Add(after)})
		}
		return c.sample(now.Add(after), list)
	}
	if load := look(0, time.Hour, time.Hour, 0); load != 0 {
		t.Errorf("at first sight the load is %v", load)
	}
	if load := look(loadTime, 2*time.Hour, time.Hour, 0); load != 0 {
		t.Errorf("what the farm takes counts: %v", load)
	}
	if load := look(2*loadTime, 2*time.Hour, time.Hour+loadTime/2, 0); load != 50 {
		t.Errorf("half of the processors are taken: %v", load)
	}
	if load := look(3*loadTime, 2*time.Hour, time.Hour+loadTime/2, loadTime/4); load != 25 {
		t.Errorf("a new program takes a quarter: %v", load)
	}
	if load := look(3*loadTime+loadTime/20, 2*time.Hour, time.Hour+loadTime/2+loadTime/20, 0); load < 26 || load > 30 {
		t.Errorf("one second of full load makes it %v", load)
	}
}

func TestWhatMacOSPrintsIsRead(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	list := parsePS("    1     0 02-03:04:05  10:00.50 /sbin/launchd\n  501     1    01:30   0:00.07 /Applications/Adobe After Effects 2026/Adobe After Effects 2026.app/Contents/MacOS/After Effects\n 777 501 01:30 0:00,07 ps\nrubbish\n", now)
	if len(list) != 3 || list[0].Name != "launchd" || list[0].Started != now.Add(-(51*time.Hour+4*time.Minute+5*time.Second)) || list[0].CPU != 10*time.Minute+500*time.Millisecond {
		t.Fatalf("%+v", list)
	}
	if ae := list[1]; ae.Name != "After Effects" || ae.PID != 501 || ae.Parent != 1 || ae.Started != now.Add(-90*time.Second) || ae.CPU != 70*time.Millisecond || list[2].CPU != ae.CPU {
		t.Errorf("%+v", list[1:])
	}
	if idle, known := parseIdle("+-o IOHIDSystem  <class IOHIDSystem>\n    {\n      \"HIDIdleTime\" = 12500000000\n      \"HIDParameters\" = {\"HIDClickTime\"=500000000}\n"); !known || idle != 12500*time.Millisecond {
		t.Errorf("idle for %v (%v)", idle, known)
	}
	if _, known := parseIdle("nothing"); known {
		t.Error("idle time is made up")
	}
	const artist = `"kCGSSessionUserNameKey"="mia","kCGSSessionOnConsoleKey"=Yes,"kCGSessionLoginDoneKey"=Yes`
	for out, want := range map[string]Session{
		`"IOConsoleUsers" = ({` + artist + `})`:                                SessionActive,
		`"IOConsoleUsers" = ({` + artist + `,"CGSSessionScreenIsLocked"=Yes})`: SessionLocked,
		`"IOConsoleUsers" = ({"kCGSSessionUserNameKey"="ben","kCGSSessionOnConsoleKey"=No,"CGSSessionScreenIsLocked"=Yes},{` + artist + `})`: SessionActive,
		`"IOConsoleUsers" = ({"kCGSSessionOnConsoleKey"=Yes,"kCGSessionLoginDoneKey"=No})`:                                                   SessionNone,
		"\"IOConsoleLocked\" = No\n": SessionNone,
		"":                           SessionUnknown,
	} {
		if got := parseConsole(out); got != want {
			t.Errorf("%s is %q, want %q", out, got, want)
		}
	}
	if !parseBattery("Now drawing from 'Battery Power'\n") || parseBattery("Now drawing from 'AC Power'\n") {
		t.Error("the battery is not seen")
	}
}

// TestThisMachinesProcessesAreSeen starts a program and looks for it.
func TestThisMachinesProcessesAreSeen(t *testing.T) {
	desk, err := NewDesk(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	program := filepath.Join(t.TempDir(), "a long name of a (program)"+strings.Repeat("x", 20))
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep to copy")
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	if err := programtest.Write(program, b); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		seen, err := desk.Look(t.Context(), Want{Processes: true, Battery: true, Input: true})
		if err != nil {
			t.Fatal(err)
		}
		c := census{self: os.Getpid()}
		c.sample(time.Now(), seen.Processes)
		found := false
		for _, p := range seen.Processes {
			if p.PID == cmd.Process.Pid && p.Name == filepath.Base(program) {
				found = true
				if !p.Ours || p.Parent != os.Getpid() || time.Since(p.Started) > time.Minute {
					t.Errorf("%+v", p)
				}
			}
			if p.PID == os.Getppid() && p.Ours {
				t.Error("who started the test counts as the farm's own")
			}
		}
		if found {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %s is not seen", strconv.Itoa(cmd.Process.Pid))
		}
	}
}
