package launcher

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// steps are the calls to the system by which the launcher changes what a power cut would leave: the process is killed before each of them.
const steps = "renameat,renameat2,unlinkat,mkdirat,fsync,fchmod,fchmodat,flock,write,clone,clone3"

// killedBefore runs this test binary in a role under strace, which kills it before its nth step. killed is false when it has fewer.
func (s *station) killedBefore(n int, role string, env ...string) (killed bool) {
	s.t.Helper()
	cmd := exec.Command("strace", "-qq", "-o", os.DevNull, "-e", "trace="+steps, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", steps, n), s.binary)
	cmd.Env = append(os.Environ(), append(env, envRole+"="+role, "GOMAXPROCS=1")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		return true
	}
	s.t.Fatalf("%s, killed before step %d: %v\n%s", role, n, err, said.String())
	return false
}

// traced skips a test where processes cannot be traced.
func traced(t *testing.T) {
	t.Helper()
	if err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("needs strace, and the right to trace processes: %v", err)
	}
}

// everyStep runs a test of a kill before the first step, the second, and so on until there are no more. Several at a time.
func everyStep(t *testing.T, atLeast int, try func(t *testing.T, n int) (killed bool)) {
	t.Helper()
	traced(t)
	const atOnce = 4
	var mu sync.Mutex
	next, done := 1, false
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for {
				mu.Lock()
				n, stop := next, done || t.Failed()
				next++
				mu.Unlock()
				if stop {
					return
				}
				if !try(t, n) {
					mu.Lock()
					done = true
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	t.Logf("killed before each of %d steps", next-1-atOnce)
	if next-1-atOnce < atLeast {
		t.Errorf("there were only %d steps", next-1-atOnce)
	}
}

// TestAKillAtAnyStepOfStaging leaves the version that runs, or has the new one staged. Staging once more works.
func TestAKillAtAnyStepOfStaging(t *testing.T) {
	t.Parallel()
	everyStep(t, 8, func(t *testing.T, n int) bool {
		s := newStation(t, good)
		s.must(s.stage("1.0.0", s.incoming("a", "1.0.5", 10, good)))
		s.must(Launch{Folder: s.folder, Version: "1.0.5"}.Healthy(""))
		incoming := s.incoming("b", "1.1.0", 11, good)
		killed := s.killedBefore(n, "stage", envFolder+"="+s.folder, envVersion+"=1.0.5", envOurs+"=1", envIncoming+"="+incoming, envRoots+"="+s.roots)
		startsAfterwards(s, t, n, "1.0.5", "1.1.0")
		if versionOf(s.state().Current) == "1.0.5" {
			s.must(s.stage("1.0.5", s.incoming("c", "1.1.0", 11, good)))
			startsAfterwards(s, t, n, "1.1.0")
		}
		return killed
	})
}

// startsAfterwards: a launcher starts one of the versions, which runs and, if it is new, is kept. Nothing is left of what was interrupted.
func startsAfterwards(s *station, t *testing.T, n int, want ...string) {
	t.Helper()
	before := len(s.started())
	r := s.launch(nil)
	r.await(fmt.Sprintf("after a kill before step %d, one of %v runs", n, want), func() bool {
		all := s.started()
		if len(all) <= before || s.state().Pending != nil {
			return false
		}
		last := all[len(all)-1]
		for _, version := range want {
			if last == version {
				return true
			}
		}
		return false
	})
	r.stop()
	st := s.state()
	if len(st.Bad) > 0 && n >= 0 {
		t.Errorf("after a kill before step %d, %v are bad", n, st.Bad)
	}
	left, _ := filepath.Glob(filepath.Join(s.folder, ".part-*"))
	for _, name := range s.folders() {
		if name != versionOf(st.Current) && name != versionOf(st.Previous) {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		t.Errorf("after a kill before step %d there is left: %v", n, left)
	}
}

// TestAKillAtAnyStepOfSwitching kills the launcher while it starts a version on trial and until it has cleared up.
func TestAKillAtAnyStepOfSwitching(t *testing.T) {
	t.Parallel()
	everyStep(t, 8, func(t *testing.T, n int) bool {
		s := newStation(t, good)
		s.must(s.stage("1.0.0", s.incoming("a", "1.0.5", 10, good)))
		s.must(Launch{Folder: s.folder, Version: "1.0.5"}.Healthy(""))
		s.must(s.stage("1.0.5", s.incoming("b", "1.1.0", 11, good+"\n")))
		s.must(os.MkdirAll(filepath.Join(s.folder, versionsFolder, incomingPrefix+"left"), 0o700))
		killed := s.killedBefore(n, "switch", envFolder+"="+s.folder, envPrograms+"="+s.programs)
		startsAfterwards(s, t, n, "1.1.0")
		return killed
	})
}

// TestAKillAtAnyStepOfRollingBack: afterwards the version before runs, and never the bad one for good.
func TestAKillAtAnyStepOfRollingBack(t *testing.T) {
	t.Parallel()
	everyStep(t, 8, func(t *testing.T, n int) bool {
		s := newStation(t, good)
		s.must(s.stage("1.0.0", s.incoming("a", "1.0.5", 10, good)))
		s.must(Launch{Folder: s.folder, Version: "1.0.5"}.Healthy(""))
		s.must(s.stage("1.0.5", s.incoming("b", "1.1.0", 11, crash)))
		killed := s.killedBefore(n, "switch", envFolder+"="+s.folder, envPrograms+"="+s.programs)
		startsAfterwards(s, t, -n, "1.0.5")
		if st := s.state(); st.Outcome == nil || st.Outcome.Good || versionOf(st.Current) != "1.0.5" {
			t.Errorf("after a kill before step %d the state is %+v", n, st)
		}
		return killed
	})
}
