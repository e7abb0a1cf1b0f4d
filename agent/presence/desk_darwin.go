package presence

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// macDesk asks macOS' own programs, which answer in every session and outside of any.
type macDesk struct{}

// NewDesk is the desk of this machine, which sees the input of all sessions by itself.
func NewDesk(IdleIn) (Desk, error) { return macDesk{}, nil }

// macColumns are what parsePS reads of ps(1). etime tells how long a process has run: when it began is told in the language of the
// user.
const macColumns = "pid=,ppid=,etime=,time=,comm="

// askTime is how long one of the programs may take.
const askTime = 2 * time.Second

func ask(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = askTime
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking %s: %w", name, err)
	}
	return string(out), nil
}

func (macDesk) Look(ctx context.Context, want Want) (Sight, error) {
	var seen Sight
	var all error
	if want.Input {
		out, err := ask(ctx, "/usr/sbin/ioreg", "-r", "-d", "1", "-c", "IOHIDSystem")
		all = errors.Join(all, err)
		seen.Input, seen.InputKnown = parseIdle(out)
		out, err = ask(ctx, "/usr/sbin/ioreg", "-n", "Root", "-d", "1")
		all = errors.Join(all, err)
		seen.Session = parseConsole(out)
	}
	if want.Processes {
		out, err := ask(ctx, "/bin/ps", "-axww", "-o", macColumns)
		all = errors.Join(all, err)
		seen.Processes = parsePS(out, time.Now())
	}
	if want.Battery {
		out, err := ask(ctx, "/usr/bin/pmset", "-g", "batt")
		all = errors.Join(all, err)
		seen.OnBattery = parseBattery(out)
	}
	return seen, all
}

func (macDesk) Close() error { return nil }
