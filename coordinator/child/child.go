// Package child is what child processes of this program share that handle files from outside: limits, a low priority, and what their end
// says. A file that demands too much then costs a process that can be killed without harm.
package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// lookEvery is how often a child checks its memory.
	lookEvery = 20 * time.Millisecond
	// collectAt is the share of the memory limit, in percent, above which the garbage collector works harder.
	collectAt = 80
	// overMemory is the exit code of a child that exceeded its memory limit.
	overMemory = 87
	// maxWords is how many bytes of a child's stderr are kept.
	maxWords = 64 << 10
)

// ErrMemory marks a child that exceeded its memory limit, ErrCrash one that ended without a word.
var (
	ErrMemory = errors.New("the process exceeded its limit of memory")
	ErrCrash  = errors.New("the process crashed")
)

// Confine limits the memory of this process to so many bytes, 0 for no limit, and lowers its priority. A process that exceeds the limit ends.
func Confine(memory int64) error {
	if memory > 0 {
		debug.SetMemoryLimit(memory / 100 * collectAt)
		if err := limitMemory(memory); err != nil {
			return fmt.Errorf("limiting the memory of a child process: %w", err)
		}
		go watchMemory(memory)
	}
	giveWay()
	return nil
}

// EndWith ends this process when r ends: nobody else would, if the parent dies.
func EndWith(r io.Reader) {
	_, _ = io.Copy(io.Discard, r)
	os.Exit(1)
}

// watchMemory ends the process when it exceeds its memory limit. Where the system enforces one, this is only a second check.
func watchMemory(most int64) {
	for {
		CheckMemory(most)
		time.Sleep(lookEvery)
	}
}

// CheckMemory ends the process when it has taken more memory than most bytes from the system, 0 for no limit. A busy machine may have
// left the watch of Confine no time.
func CheckMemory(most int64) {
	if most <= 0 {
		return
	}
	taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(taken)
	if taken[0].Value.Uint64()-taken[1].Value.Uint64() > uint64(most) {
		os.Exit(overMemory)
	}
}

// Ended explains why a child ended, of the error of its Wait and what it wrote to stderr: ErrMemory, or ErrCrash with its words. Other
// errors say nothing of the child.
func Ended(err error, words []byte) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("waiting for a child process: %w", err)
	}
	// Go's runtime dies with one of these messages when the system refuses it memory. The garbage collector of Go 1.26 does not look
	// whether it got some, and dies of a fault of its own, which is told apart from a panic of the program by its first words. In a program
	// with cgo the C library takes memory too, for the stack of a thread.
	for _, says := range []string{"out of memory", "cannot allocate memory", "errno=12", "SIGSEGV: segmentation violation\nPC=", "pthread_create failed"} {
		if bytes.Contains(words, []byte(says)) {
			return ErrMemory
		}
	}
	if exit.ExitCode() == overMemory {
		return ErrMemory
	}
	return fmt.Errorf("%w: %w: %s", ErrCrash, err, words)
}

// Words keeps the first 64 KiB that are written to it: of a child's stderr.
type Words struct{ bytes.Buffer }

// Write implements io.Writer.
func (w *Words) Write(p []byte) (int, error) {
	if room := maxWords - w.Len(); room > 0 {
		w.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
