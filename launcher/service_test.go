//go:build unix

package launcher

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/durable/programtest"
)

// TestAGoodUpdateIsKept: the agent stages a release and asks for it, the new version says that it is healthy, and is the one from then on. Two versions
// are kept.
func TestAGoodUpdateIsKept(t *testing.T) {
	t.Parallel()
	began := time.Now().Truncate(time.Second) // as outcomes have it
	s := newStation(t, updating)
	s.release(s.waiting(), "1.1.0", 11, updating, nil)
	r := s.launch(nil)
	r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
	equal(t, "started", s.started(), []string{"1.0.0", "1.1.0"})
	if o := s.state().Outcome; o == nil || !o.Good || o.Version != "1.1.0" || o.Number != 11 || o.At.Before(began) {
		t.Errorf("the outcome is %+v", o)
	}
	r.stop()
	for i, version := range []string{"1.2.0", "1.3.0"} {
		s.release(s.waiting(), version, int64(12+i), updating, nil)
		r = s.launch(nil)
		r.await(version+" is healthy", func() bool { return versionOf(s.state().Current) == version })
		r.stop()
	}
	st := s.state()
	if versionOf(st.Previous) != "1.2.0" || st.Pending != nil || st.Seen.Number != 13 {
		t.Errorf("the state is %+v", st)
	}
	equal(t, "kept", s.folders(), []string{"1.2.0", "1.3.0"})
	equal(t, "started", s.started(), []string{"1.0.0", "1.1.0", "1.1.0", "1.2.0", "1.2.0", "1.3.0"})
	r = s.launch(nil) // as after the machine was started anew
	r.await("1.3.0 runs", r.runs("1.3.0", 7))
}

// TestABadUpdateIsRolledBack: one that crashes, one that is never healthy, one that is no program at all. The version before runs again, and the bad
// one is not taken a second time.
func TestABadUpdateIsRolledBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, does, reason string
		healthy            time.Duration // 0 for as long as the others have
	}{
		{"crashes", crash, "it ended with exit status 7", 0},
		{"is never healthy", silent, "it was not healthy within 400ms", 400 * time.Millisecond},
		{"is no program", "\x00", "it cannot be started", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStation(t, good)
			s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
			r := s.launch(nil)
			r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
			r.stop()

			s.must(s.stage("1.1.0", s.incoming("b", "1.2.0", 12, c.does)))
			if c.does == "\x00" {
				s.must(programtest.Write(programOf(s.folder, "1.2.0"), []byte("\x7fELF, but not much of it")))
			}
			r = s.launch(func(service *Service) { service.Times.Healthy = cmp.Or(c.healthy, service.Times.Healthy) })
			r.await("1.2.0 is rolled back, and 1.1.0 runs", func() bool { return s.state().Pending == nil && r.runs("1.1.0", 0)() })
			st := s.state()
			if st.Outcome == nil || st.Outcome.Good || st.Outcome.Version != "1.2.0" || !strings.Contains(st.Outcome.Reason, c.reason) {
				t.Errorf("the outcome is %+v", st.Outcome)
			}
			equal(t, "bad", st.Bad, []string{"1.2.0"})
			equal(t, "current", versionOf(st.Current), "1.1.0")
			r.await("the bad version is gone", func() bool { return slices.Equal(s.folders(), []string{"1.1.0"}) })
			if err := s.stage("1.1.0", s.incoming("c", "1.2.0", 12, good)); !errors.Is(err, ErrBad) {
				t.Errorf("it is staged again: %v", err)
			}
			s.must(s.stage("1.1.0", s.incoming("d", "1.2.1", 13, good))) // the one that mends it is taken
		})
	}
}

// TestATrialWaitsForAFarmThatIsAway: while no version could reach the farm, the time of the trial stands. It is bounded: then the version before runs again,
// and the new one may be taken once more.
func TestATrialWaitsForAFarmThatIsAway(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, away)))
	r := s.launch(nil)
	r.await("1.1.0 says that the farm is away", func() bool {
		p := s.state().Pending
		return p != nil && p.Away
	})
	s.must(os.WriteFile(programOf(s.folder, "1.1.0")+".back", nil, 0o600))
	r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
	r.stop()

	s.must(s.stage("1.1.0", s.incoming("b", "1.2.0", 12, away)))
	r = s.launch(func(service *Service) { service.Times.Away = 400 * time.Millisecond })
	r.await("1.2.0 is given up, and 1.1.0 runs", func() bool { return s.state().Pending == nil && r.runs("1.1.0", 0)() })
	r.stop()
	if o, bad := s.state().Outcome, s.state().Bad; o == nil || o.Good || !o.Away || !strings.Contains(o.Reason, "could not be reached for 400ms") || len(bad) > 0 {
		t.Errorf("the outcome is %+v, bad are %v", o, bad)
	}
	s.must(s.stage("1.1.0", s.incoming("c", "1.2.0", 12, good)))
	r = s.launch(nil)
	r.await("1.2.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.2.0" })
}

// TestTheTimeOfATrialStandsWhileTheFarmIsAway, however long that is, and goes on when it is back.
func TestTheTimeOfATrialStandsWhileTheFarmIsAway(t *testing.T) {
	t.Parallel()
	times := Times{Healthy: 5 * time.Minute, Away: time.Hour}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	on := trial{last: now}
	for i, c := range []struct {
		passed        time.Duration
		isAway        bool
		over, forAway bool
	}{
		{4 * time.Minute, false, false, false}, {59 * time.Minute, true, false, false}, {59 * time.Second, false, false, false}, {time.Second, false, true, false},
	} {
		now = now.Add(c.passed)
		on.pass(now, c.isAway)
		if over, away := on.over(times); over != c.over || over && away != c.forAway {
			t.Errorf("after step %d it is over: %v, for the farm: %v", i, over, away)
		}
	}
	on = trial{last: now}
	on.pass(now.Add(time.Hour), true)
	if over, away := on.over(times); !over || !away {
		t.Errorf("after an hour without the farm it is over: %v, for the farm: %v", over, away)
	}
}

// TestTheReasonOfAGivenUpTrialIsInWords: it is read on the page of the machine.
func TestTheReasonOfAGivenUpTrialIsInWords(t *testing.T) {
	t.Parallel()
	times := Times{Healthy: 5 * time.Minute, Away: time.Hour}
	for e, want := range map[ending]string{
		{late: true}:             "it was not healthy within 5 minutes",
		{late: true, away: true}: "the farm could not be reached for 60 minutes during its trial",
	} {
		if why := e.why(times); why != want {
			t.Errorf("the reason is %q, want %q", why, want)
		}
	}
}

// TestACrashOnTrialMayHaveAnotherReason: a version that is healthy at its second start is kept.
func TestACrashOnTrialMayHaveAnotherReason(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, `[ -e "$0.once" ] || { touch "$0.once"; exit 7; }`+"\n"+good)))
	r := s.launch(nil)
	r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
	equal(t, "started", s.started(), []string{"1.1.0", "1.1.0"})
}

// TestAStopDuringTheTrialCountsForNothing: machines are switched off at any time.
func TestAStopDuringTheTrialCountsForNothing(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, silent)))
	for range 2 * trialStarts {
		before := len(s.started())
		r := s.launch(nil)
		r.await("1.1.0 is on trial", func() bool { return len(s.started()) > before })
		r.stop()
	}
	if p := s.state().Pending; p == nil || p.Version != "1.1.0" || p.Starts != 0 {
		t.Errorf("pending is %+v", p)
	}
}

// TestPausesGrow: an agent that ends again and again does not take the machine's time.
func TestPausesGrow(t *testing.T) {
	t.Parallel()
	s := newStation(t, crash)
	r := s.launch(nil)
	r.await("five starts", func() bool { return len(s.started()) >= 6 })
	r.stop()
	var pauses []string
	for _, m := range regexp.MustCompile(`pause=(\S+)`).FindAllStringSubmatch(r.log.String(), 5) {
		pauses = append(pauses, m[1])
	}
	equal(t, "pauses", pauses, []string{"10ms", "20ms", "40ms", "50ms", "50ms"})
}

// TestAUsualLauncherIsPatient holds the usual times to what the documentation says.
func TestAUsualLauncherIsPatient(t *testing.T) {
	t.Parallel()
	want := Times{Healthy: 5 * time.Minute, Away: time.Hour, Stop: 25 * time.Second, Pause: 2 * time.Second, Longest: 5 * time.Minute, Settled: 20 * time.Minute}
	if got := (Times{}).withDefaults(); got != want {
		t.Errorf("the usual times are %+v", got)
	}
	k := &supervisor{times: want}
	var all []time.Duration
	for range 9 {
		k.pause = k.longer()
		all = append(all, k.pause/time.Second)
	}
	equal(t, "pauses in seconds", all, []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 300})
}

// TestAllThatAnAgentStartedEndsWithIt, whether it ends when it is asked or has to be killed.
func TestAllThatAnAgentStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]string{
		"one that ends":  "sleep 600 & echo $! >\"$0.child\"\nexec cat >/dev/null",
		"one that won't": "trap '' TERM INT\nsleep 600 & echo $! >\"$0.child\"\nwhile :; do sleep 0.05; done",
		"one that ended": "sleep 600 & echo $! >\"$0.child\"\n[ -e \"$0.again\" ] && exec cat >/dev/null\ntouch \"$0.again\"; exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStation(t, does)
			child := func() int {
				text, _ := os.ReadFile(programOf(s.programs, "1.0.0") + ".child") // not there at first
				pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
				return pid
			}
			r := s.launch(func(service *Service) { service.Times.Stop = 300 * time.Millisecond })
			r.await("the agent has a child", func() bool { return child() > 0 })
			first := child()
			if name == "one that ended" {
				r.await("the second agent has one", func() bool { return child() != first })
				await(t, "the first agent's child has ended", func() bool { return gone(first) })
			}
			r.stop()
			await(t, "the child has ended", func() bool { return gone(child()) })
		})
	}
}

// gone tells whether a process has ended. One that nobody waits for counts as well.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// TestALauncherThatIsKilledLeavesNoAgent: the agent ends, since its standard input has, and the next launcher waits for that.
func TestALauncherThatIsKilledLeavesNoAgent(t *testing.T) {
	t.Parallel()
	// It takes its time to end, as one that gives work back.
	s := newStation(t, `echo "$$" >"$0.pid"; cat >/dev/null; sleep 0.5; echo ended >>"$0.ended"`)
	program := programOf(s.programs, "1.0.0")
	launcher := exec.Command(s.binary)
	launcher.Env = append(os.Environ(), envRole+"=service", envFolder+"="+s.folder, envPrograms+"="+s.programs)
	s.must(launcher.Start())
	await(t, "the agent runs", func() bool { _, err := os.Stat(program + ".pid"); return err == nil })
	if err := testService(s.folder, s.programs, &syncBuffer{}).Run(t.Context()); !errors.Is(err, ErrRunning) {
		t.Errorf("a second launcher runs beside it: %v", err)
	}
	s.must(launcher.Process.Kill())
	_ = launcher.Wait() // it was killed
	r := s.launch(nil)
	r.await("the next agent runs", r.runs("1.0.0", 2))
	if ended, err := os.ReadFile(program + ".ended"); err != nil || string(ended) != "ended\n" {
		t.Errorf("the agent before had not ended: %q, %v", ended, err)
	}
}

// TestAgentsAreTold: what the launcher passes on arrives as lines.
func TestAgentsAreTold(t *testing.T) {
	t.Parallel()
	s := newStation(t, `exec cat >"$0.heard"`)
	notices := make(chan string)
	r := s.launch(func(service *Service) { service.Notices = notices })
	notices <- NoticeReload
	r.stop()
	heard, err := os.ReadFile(programOf(s.programs, "1.0.0") + ".heard")
	if err != nil || string(heard) != "reload\n" {
		t.Errorf("the agent heard %q, %v", heard, err)
	}
}

// TestANewPackageTakesThePlaceOfAnOlderUpdate, and an older one does not.
func TestANewPackageTakesThePlaceOfAnOlderUpdate(t *testing.T) {
	t.Parallel()
	for installed, runs := range map[string]string{"1.0.5": "1.1.0", "1.1.0-3-gabc": "1.1.0-3-gabc", "2.0.0": "2.0.0", "built-here": "built-here"} {
		t.Run(installed, func(t *testing.T) {
			t.Parallel()
			s := newStation(t, good)
			s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
			r := s.launch(nil)
			r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
			r.stop()
			s.must(os.RemoveAll(filepath.Join(s.programs, versionsFolder)))
			s.install(installed, good)
			for starts := 2; starts <= 3; starts++ {
				r = s.launch(nil)
				r.await(runs+" runs", r.runs(runs, starts))
				r.stop()
			}
			if chosen, err := Chosen(s.folder, s.programs); err != nil || chosen.Version != runs {
				t.Errorf("somebody at the machine is given %+v, %v", chosen, err)
			}
		})
	}
}

// TestAnUpdateThatIsBroken later, by whatever: the launcher goes back to what still starts, in the end to the installed version.
func TestAnUpdateThatIsBroken(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	for i, version := range []string{"1.1.0", "1.2.0"} {
		s.must(s.stage([]string{"1.0.0", "1.1.0"}[i], s.incoming("a", version, int64(11+i), good)))
		r := s.launch(nil)
		r.await(version+" is healthy", func() bool { return versionOf(s.state().Current) == version })
		r.stop()
	}
	for starts, c := range []struct {
		do   func() error
		runs string
	}{
		{func() error { return programtest.Write(programOf(s.folder, "1.2.0"), []byte("\x7fELF")) }, "1.1.0"},
		{func() error { return os.Remove(programOf(s.folder, "1.1.0")) }, "1.0.0"},
	} {
		s.must(c.do())
		r := s.launch(nil)
		r.await(c.runs+" runs", r.runs(c.runs, 3+starts))
		r.stop()
	}
}

// TestAStartThatFailsMayHaveAnotherReason: an update that ran before is given up after several starts that fail one after the other.
func TestAStartThatFailsMayHaveAnotherReason(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	s.must(Launch{Folder: s.folder, Version: "1.1.0"}.Healthy(""))
	k := &supervisor{Service: testService(s.folder, s.programs, io.Discard), times: Times{}.withDefaults()}
	choice := Choice{Version: "1.1.0", Program: programOf(s.folder, "1.1.0")}
	failed := ending{code: -1, err: errors.New("no memory"), failedToStart: true}
	for i, ended := range []ending{failed, failed, {}, failed, failed} {
		k.judge(choice, ended)
		if st := s.state(); versionOf(st.Current) != "1.1.0" || len(st.Bad) > 0 {
			t.Fatalf("after end %d the state is %+v", i, st)
		}
	}
	k.judge(choice, failed)
	equal(t, "bad", s.state().Bad, []string{"1.1.0"})
	equal(t, "current", versionOf(s.state().Current), "")
}

// TestADamagedStateIsPutAside: the launcher says so and starts the installed version.
func TestADamagedStateIsPutAside(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\x00\x00\x00\x00", "{", `{"current": 7}`, `{"current": {"version": "../../etc"}}`, `{"pending": {"version": ""}}`, `{"bad": ["a/b"]}`,
		strings.Repeat("x", maxStateBytes+1),
	} {
		s := newStation(t, good)
		s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
		s.must(os.WriteFile(filepath.Join(s.folder, stateFile), []byte(text), 0o644))
		if err := s.stage("1.0.0", s.incoming("b", "1.2.0", 12, good)); !errors.As(err, new(*DamagedError)) {
			t.Errorf("%.20q: a release is staged on it: %v", text, err)
		}
		r := s.launch(nil)
		r.await("the installed version runs", r.runs("1.0.0", 1))
		r.stop()
		if !strings.Contains(r.log.String(), "state is damaged") {
			t.Errorf("%.20q: the launcher says nothing of it:\n%s", text, r.log)
		}
		if kept, err := os.ReadFile(filepath.Join(s.folder, stateFile+".damaged")); err != nil || string(kept) != text {
			t.Errorf("%.20q: the damaged file is not kept: %v", text, err)
		}
		s.must(s.stage("1.0.0", s.incoming("c", "1.3.0", 13, good))) // and updates go on
	}
}

// TestWithoutAnInstalledVersion an update that is there is better than nothing, also when the state is lost.
func TestWithoutAnInstalledVersion(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	s.must(os.RemoveAll(s.programs))
	s.must(os.WriteFile(filepath.Join(s.folder, stateFile), []byte("{"), 0o644))
	for starts := 1; starts <= 3; starts++ {
		r := s.launch(nil)
		r.await("1.1.0 runs", r.runs("1.1.0", starts))
		r.stop()
	}
}
