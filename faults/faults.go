// Package faults makes a machine misbehave on demand: a clock that is wrong, a disk that is slow or full, storage that
// stalls, cuts connections or fails. Only test builds of the program contain it (build tag faults); a release build
// neither links it nor reads its file.
package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"overcrank/interval"
)

// Faults is what is wrong with a machine. The zero Faults is a healthy machine.
type Faults struct {
	Clock time.Duration // how far the clock is ahead of the true time, in whole seconds
	Sync  time.Duration // added to each sync of the farm's log
	Disk  error         // error of each write of the farm's log; nil when it works
}

// Parse reads faults, one per line: "clock +1h", "sync 250ms", "disk full", "disk read-only". Empty text is a healthy
// machine.
func Parse(text string) (Faults, error) {
	var f Faults
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return Faults{}, fmt.Errorf("read faults: %q is not a name and a value", line)
		}
		var err error
		switch words[0] {
		case "clock":
			f.Clock, err = time.ParseDuration(words[1])
		case "sync":
			f.Sync, err = time.ParseDuration(words[1])
		case "disk":
			f.Disk, err = diskError(words[1])
		default:
			err = errors.New("there is no such fault")
		}
		if err != nil {
			return Faults{}, fmt.Errorf("read faults: %q: %w", strings.TrimSpace(line), err)
		}
	}
	return f, nil
}

func diskError(word string) (error, error) {
	switch word {
	case "full":
		return syscall.ENOSPC, nil
	case "read-only":
		return syscall.EROFS, nil
	default:
		return nil, errors.New("a disk is full or read-only")
	}
}

// Machine is a machine with faults. It is safe for concurrent use.
type Machine struct{ faults atomic.Pointer[Faults] }

// NewMachine makes a healthy machine.
func NewMachine() *Machine {
	m := &Machine{}
	m.Set(Faults{})
	return m
}

// Set replaces the machine's faults.
func (m *Machine) Set(f Faults) { m.faults.Store(&f) }

// Now is the time that the machine's clock shows.
func (m *Machine) Now() time.Time { return Shift(time.Now(), m.faults.Load().Clock) }

// BeforeSync is called before each sync of the farm's log: it delays it, and fails when the disk does.
func (m *Machine) BeforeSync() error {
	f := m.faults.Load()
	time.Sleep(f.Sync)
	if f.Disk != nil {
		return &os.PathError{Op: "write", Path: "the farm's log", Err: f.Disk}
	}
	return nil
}

// lookEvery is how often the file of faults is read.
const lookEvery = 20 * time.Millisecond

// Follow applies the faults in the file at path, and their changes, until ctx ends. A missing file means a healthy
// machine.
func (m *Machine) Follow(ctx context.Context, path string, logger *slog.Logger) {
	m.look(path, logger)
	interval.Every(ctx, lookEvery, func() { m.look(path, logger) })
}

func (m *Machine) look(path string, logger *slog.Logger) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		logger.Error("reading this machine's faults", "error", err)
		return
	}
	f, err := Parse(string(text))
	if err != nil {
		logger.Error("reading this machine's faults", "error", err)
		return
	}
	if *m.faults.Load() != f {
		m.Set(f)
		logger.Warn("this machine's faults have changed", "clock", f.Clock, "sync", f.Sync, "disk", f.Disk)
	}
}
