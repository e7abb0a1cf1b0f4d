// Package readiness knows whether a machine has what every task needs: space on its disk, a disk that takes writes, and ffmpeg.
package readiness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/agent/film"
	"overcrank/durable"
	"overcrank/interval"
)

// leastSpace is how many bytes have to be free on an agent's disk for it to take work. With less no render succeeds, and each machine that
// tries uses up one of the job's attempts.
const leastSpace = 64 << 20

// How long a machine takes no work after a task found its disk full. The pause doubles up to the longest, and always ends: another task may
// need less space.
const (
	firstPause   = time.Minute
	longestPause = 30 * time.Minute
)

// Readiness is whether a machine can work at all. It is safe for concurrent use.
type Readiness struct {
	// NoFFmpeg is why the farm's ffmpeg is not there, for a machine without its own; nil or "" when there is nothing to tell. It is set before the
	// first use.
	NoFFmpeg func() string

	dir string // on the disk that tasks use; "" for a machine that is always ready

	looking sync.Mutex // held while it looks, so that an earlier look never replaces what a later one has seen; taken before mu

	mu     sync.Mutex
	needs  int64                  // bytes that have to be free until the pause ends; 0 for leastSpace
	until  time.Time              // end of the pause
	pause  time.Duration          // the last one
	reason atomic.Pointer[string] // why the machine cannot work; nil when it can
}

// New is the readiness of a machine whose tasks work below dir; "" for one that is always ready. It knows nothing before the first Look.
func New(dir string) *Readiness { return &Readiness{dir: dir} }

// Look checks disk and programs, and tells whether the machine has become ready or has ceased to be.
func (r *Readiness) Look() (changed bool) {
	r.looking.Lock()
	defer r.looking.Unlock()
	reason := r.trouble()
	before := r.Why()
	if reason == "" {
		r.reason.Store(nil)
	} else {
		r.reason.Store(&reason)
	}
	return (reason == "") != (before == "")
}

// Why is the reason for which the machine cannot work, as of the last Look; "" when it can.
func (r *Readiness) Why() string {
	if reason := r.reason.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Lacked is asked after a task that failed for want of something, once its files are gone. It tells whether that was a passing state of the
// machine, so that the task may be given back, and not a task that is too large for this machine.
func (r *Readiness) Lacked(ctx context.Context, now time.Time) bool {
	r.lookUntilFreed(ctx)
	return r.Why() != "" || r.filled(now)
}

// How often is looked whether the system has freed the space of files that were removed, within five seconds: a program that is just being started, or
// that looks for viruses, may still have them open. Looks are counted, since on a machine that stood still that program did too.
const (
	freedLooks = 100
	freedPause = 50 * time.Millisecond
)

func (r *Readiness) lookUntilFreed(ctx context.Context) {
	r.Look()
	for range freedLooks {
		if r.Why() == "" || interval.Wait(ctx, freedPause) != nil {
			return
		}
		r.Look()
	}
}

// filled begins a pause, during which more space is asked for than there is now, and tells whether that is right: a disk half of which is
// free without the task's files is too small for the task.
func (r *Readiness) filled(now time.Time) (passes bool) {
	free, total, err := durable.Space(r.dir)
	if err != nil || free >= total/2 {
		return false
	}
	r.mu.Lock()
	r.needs = free + max(leastSpace, free/4)
	r.pause = min(max(2*r.pause, firstPause), longestPause)
	r.until = now.Add(r.pause)
	r.mu.Unlock()
	r.Look()
	return true
}

// Sufficed notes that a task succeeded: the next pause is a short one again.
func (r *Readiness) Sufficed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pause = 0
}

// TakesBytes is durable.ErrNoRoom when so many more bytes would leave less than the machine's other tasks need: an archive is small to fetch
// and may be large to unpack.
func (r *Readiness) TakesBytes(bytes int64) error {
	free, _, err := durable.Space(r.dir)
	if err != nil {
		return fmt.Errorf("measuring free disk space: %w", err)
	}
	if free-bytes < leastSpace {
		return fmt.Errorf("%w: %d bytes are to be unpacked, %d are free, and %d must stay free", durable.ErrNoRoom, bytes, free, int64(leastSpace))
	}
	return nil
}

// least is how many bytes have to be free now. Enough free space ends a pause early.
func (r *Readiness) least(free int64, now time.Time) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if free >= r.needs || !now.Before(r.until) {
		r.needs = 0
	}
	return max(leastSpace, r.needs)
}

func (r *Readiness) trouble() string {
	if r.dir == "" {
		return ""
	}
	if film.Tools() != nil {
		why := "ffmpeg or ffprobe is missing: "
		if r.NoFFmpeg != nil && r.NoFFmpeg() != "" {
			why += "the farm's cannot be used (" + r.NoFFmpeg() + "); "
		}
		return why + "install ffmpeg where the PATH of the agent's account finds it, or give the farm a build to hand out ('overcrank ffmpeg add')"
	}
	if free, _, err := durable.Space(r.dir); err == nil && free < r.least(free, time.Now()) {
		return "its disk is full: make room on the disk of " + r.dir
	}
	// A disk that the system has made read-only after an error still has free space.
	path := filepath.Join(r.dir, ".writable")
	err := os.WriteFile(path, nil, 0o600)
	if err == nil {
		err = os.Remove(path)
	}
	if durable.Blocked(err) {
		return fmt.Sprintf("its disk takes no writes (%v): look at the disk of %s", err, r.dir)
	}
	return ""
}
