package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcrank/interval"
)

// Service keeps the agent running: it starts the chosen version, restarts it when it ends, and goes back to the previous version when a new one
// does not become healthy.
type Service struct {
	Folder   string   // of the state; made when missing
	Programs string   // the folder of the launcher, with the installed version below it
	Args     []string // of the agent. It has to end when its standard input ends
	// Output receives what the agent prints. An *os.File is passed to the agent directly.
	Output io.Writer
	Log    *slog.Logger
	// Notices are passed on to the agent, such as NoticeReload; nil for none.
	Notices <-chan string
	Times   Times
}

// Times are the launcher's timeouts and pauses. Zero values mean the defaults given here.
type Times struct {
	Healthy time.Duration // within which a version on trial has to become healthy: 5 minutes
	Away    time.Duration // which it is given in addition while it says that the farm cannot be reached: an hour
	Stop    time.Duration // an agent that was asked to end is killed after this: 25 seconds, less than systemd and Windows allow
	Pause   time.Duration // before the first restart of an agent that ended: 2 seconds, then twice as long each time
	Longest time.Duration // the longest pause: 5 minutes
	Settled time.Duration // an agent that ran this long restarts after the first, short pause: 20 minutes
}

func (t Times) withDefaults() Times {
	defaults := Times{Healthy: 5 * time.Minute, Away: time.Hour, Stop: 25 * time.Second, Pause: 2 * time.Second, Longest: 5 * time.Minute, Settled: 20 * time.Minute}
	for _, field := range []struct{ set, to *time.Duration }{
		{&t.Healthy, &defaults.Healthy}, {&t.Away, &defaults.Away}, {&t.Stop, &defaults.Stop}, {&t.Pause, &defaults.Pause}, {&t.Longest, &defaults.Longest}, {&t.Settled, &defaults.Settled},
	} {
		if *field.set <= 0 {
			*field.set = *field.to
		}
	}
	return t
}

// trialStarts is how often a version on trial is started: a single crash may have another cause.
const trialStarts = 3

// ErrRunning means that another launcher runs with the same state folder.
var ErrRunning = errors.New("another launcher runs with this state folder")

// Run keeps the agent running until ctx ends; then it asks the agent to end, and waits for that. The error is nil when ctx ended.
func (s *Service) Run(ctx context.Context) error {
	k := &supervisor{Service: s, times: s.Times.withDefaults()}
	if !s.prepareFolder() {
		k.installedOnly = true
		k.keep(ctx)
		return nil
	}
	only, err := tryLock(filepath.Join(s.Folder, "service.lock"))
	if errors.Is(err, errHeld) {
		return fmt.Errorf("%w: %s", ErrRunning, s.Folder)
	} else if err != nil {
		s.Log.Error("cannot lock the launcher's state folder", "error", err)
	} else {
		defer func() { _ = unlockFile(only) }() // the system unlocks it in any case, if later
	}
	if err := k.awaitFormerAgent(ctx); err != nil {
		return nil //nolint:nilerr // ctx ended while waiting for the agent of an earlier launcher
	}
	if err := clean(s.Folder); err != nil {
		s.Log.Warn("cannot remove what an interrupted update left", "error", err)
	}
	k.keep(ctx)
	return nil
}

// stateLevels is how deep the state folder is: it holds versions, these folders with files.
const stateLevels = 3

// prepareFolder makes the state folder. It sets aside one that another account could have changed, since the launcher starts what it holds. It returns false
// if there cannot be a safe one.
func (s *Service) prepareFolder() bool {
	err := TrustedTree(s.Folder, stateLevels)
	// Where a folder above is not safe, setting aside what is in it would help nothing.
	if planted := (*UntrustedError)(nil); errors.As(err, &planted) && (planted.Path == s.Folder || strings.HasPrefix(planted.Path, s.Folder+string(filepath.Separator))) {
		aside, renamed := SetAside(s.Folder, time.Now())
		s.Log.Error("another account could have changed the launcher's state: starting the installed version", "reason", err, "set aside", aside)
		if err = renamed; errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		// Even on a full or read-only disk an agent is started: it tells the farm what is wrong.
		if made := MakeFolder(filepath.Join(s.Folder, versionsFolder)); made != nil {
			s.Log.Error("cannot make the launcher's state folder", "error", made)
		}
		err = TrustedTree(s.Folder, stateLevels)
	}
	if err != nil {
		s.Log.Error("the launcher has no safe state folder: only the installed version is started, without updates", "error", err)
	}
	return err == nil
}

// supervisor is a running Service.
type supervisor struct {
	*Service
	times Times
	// installedOnly is set when the state folder is not safe: it is neither read nor written.
	installedOnly bool
	pause         time.Duration // before the next start
	// failed is a pending version to roll back, for which reason; "" for none. It stays set until the state can be written.
	failed, reason string
	away           bool // it failed since the farm could not be reached
	unstarted      int  // starts that failed one after the other: a machine without memory for it, or a virus scanner, may be the reason
}

// keep starts one agent after the other.
func (k *supervisor) keep(ctx context.Context) {
	for ctx.Err() == nil {
		choice, err := k.next()
		if err != nil {
			k.Log.Error("no agent can be started", "error", err)
			k.rest(ctx)
			continue
		}
		began := time.Now()
		ended := k.runAgent(ctx, choice)
		if ctx.Err() != nil {
			k.stopped(choice)
			return
		}
		if time.Since(began) >= k.times.Settled {
			k.pause = 0
		}
		if again := k.judge(choice, ended); !again {
			k.rest(ctx)
		}
	}
}

// rest waits before the next start, longer each time.
func (k *supervisor) rest(ctx context.Context) {
	k.pause = k.longer()
	k.Log.Info("restarting the agent after a pause", "pause", k.pause)
	_ = interval.Wait(ctx, k.pause) // the caller looks at ctx
}

// longer is the next pause.
func (k *supervisor) longer() time.Duration {
	return min(max(2*k.pause, k.times.Pause), k.times.Longest)
}

// next chooses what to start. It counts a start on trial before it happens, so that a version that crashes the machine is rolled back too.
func (k *supervisor) next() (Choice, error) {
	if k.installedOnly {
		return installedChoice(k.Programs)
	}
	st, err := change(k.Folder, func(st *State) error {
		st.noteInstalled(Installed(k.Programs))
		if p := st.Pending; p != nil && p.Version == k.failed {
			st.rollBack(k.reason, k.away, time.Now())
		} else if p != nil && p.Starts >= trialStarts {
			st.rollBack(fmt.Sprintf("it was started %d times and did not become healthy", p.Starts), false, time.Now())
		} else if p != nil && !starts(programOf(k.Folder, p.Version)) {
			st.rollBack("its program is not there", false, time.Now())
		}
		if st.Pending != nil {
			st.Pending.Starts++
			st.Pending.Away = false
		}
		return nil
	})
	switch damaged := (*DamagedError)(nil); {
	case errors.As(err, &damaged):
		k.Log.Error("the launcher's state is damaged: starting the installed version, and keeping the damaged file beside it", "error", err)
		if err := os.Rename(damaged.Path, damaged.Path+".damaged"); err != nil {
			k.Log.Error("cannot put the damaged state aside", "error", err)
		}
	case err != nil:
		// A start on trial that cannot be counted must not happen.
		k.Log.Error("cannot write the launcher's state", "error", err)
		st, _ = Read(k.Folder) // damaged or not readable: the zero State, as above
		st.Pending = nil
	default:
		k.failed = ""
		if len(st.kept()) == 0 && Installed(k.Programs) == "" {
			break // what lies in the folder is all there is to start
		}
		if err := prune(k.Folder, st); err != nil {
			k.Log.Warn("cannot remove versions that are not needed any more", "error", err)
		}
	}
	all := choices(k.Folder, k.Programs, st)
	if len(all) == 0 {
		return Choice{}, fmt.Errorf("neither %s nor %s holds a version of the agent", filepath.Join(k.Folder, versionsFolder), filepath.Join(k.Programs, versionsFolder))
	}
	return all[0], nil
}

// stopped takes back the count of a start on trial that the launcher itself ended.
func (k *supervisor) stopped(choice Choice) {
	if !choice.Trial {
		return
	}
	_, err := change(k.Folder, func(st *State) error {
		if st.Pending != nil && st.Pending.Version == choice.Version {
			st.Pending.Starts--
		}
		return nil
	})
	if err != nil {
		k.Log.Warn("cannot write the launcher's state", "error", err)
	}
}

// judge decides what to do after an agent has ended. again means that the next one is started at once.
func (k *supervisor) judge(choice Choice, ended ending) (again bool) {
	var st State
	if !k.installedOnly {
		var err error
		if st, err = Read(k.Folder); err != nil {
			k.Log.Error("cannot read the launcher's state", "error", err)
		}
	}
	if k.unstarted++; !ended.failedToStart {
		k.unstarted = 0
	}
	onTrial := choice.Trial && st.Pending != nil && st.Pending.Version == choice.Version
	switch {
	case onTrial && (ended.late || st.Pending.Starts >= trialStarts):
		k.failed, k.reason, k.away = choice.Version, ended.why(k.times), ended.away
		k.Log.Error("rolling back the new version", "version", choice.Version, "reason", k.reason)
		k.pause = 0
		return true // next rolls it back, and keeps trying while the state cannot be written
	case onTrial:
		k.Log.Warn("the new version did not become healthy", "version", choice.Version, "starts", st.Pending.Starts, "reason", ended.why(k.times))
	case ended.code == ExitUpdate && st.Pending != nil && st.Pending.Starts == 0:
		k.Log.Info("the agent asks for a new version", "from", choice.Version, "to", st.Pending.Version)
		k.pause = 0
		return true
	case ended.failedToStart:
		k.Log.Error("the agent cannot be started", "version", choice.Version, "error", ended.err)
		if k.unstarted >= trialStarts && !k.installedOnly {
			k.dropBroken(choice)
			k.unstarted = 0
		}
	default:
		k.Log.Warn("the agent ended", "version", choice.Version, "reason", ended.why(k.times))
	}
	return false
}

// dropBroken drops an update whose program no longer starts, so that the previous version is started.
func (k *supervisor) dropBroken(choice Choice) {
	_, err := change(k.Folder, func(st *State) error {
		is := func(kept *Kept) bool { return kept != nil && kept.Version == choice.Version }
		switch {
		case is(st.Current):
			st.Outcome = &Outcome{Version: choice.Version, Number: st.Current.Number, Reason: "its program can no longer be started", At: time.Now().UTC().Truncate(time.Second)}
			st.Current, st.Previous = st.Previous, nil
		case is(st.Previous):
			st.Previous = nil
		default:
			return errUnchanged
		}
		if !slices.Contains(st.Bad, choice.Version) {
			st.Bad = append(st.Bad, choice.Version)
		}
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		k.Log.Error("cannot write the launcher's state", "error", err)
	}
}

// errUnchanged keeps change from writing an unchanged state.
var errUnchanged = errors.New("nothing changes")
