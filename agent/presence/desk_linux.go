package presence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// linuxDesk sees sessions by the login manager, input by the X server, GNOME or the login manager, and processes by /proc.
type linuxDesk struct {
	inputs []input
	idleIn IdleIn // nil without runners
	boot   time.Time
}

// input is one way of seeing who works at the desk. known is false where it does not serve.
type input interface {
	look(ctx context.Context) (seen inputSight, known bool, err error)
	close() error
}

// inputSight is what a way of seeing input shows.
type inputSight struct {
	session Session
	idle    time.Duration
	known   bool // idle is
}

// NewDesk is the desk of this machine. What it cannot see of people's sessions, as an X server that lets only its user in, idleIn tells.
func NewDesk(idleIn IdleIn) (Desk, error) {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return nil, fmt.Errorf("asking when the machine was started: %w", err)
	}
	return &linuxDesk{idleIn: idleIn, inputs: []input{&loginInput{}, &gnomeInput{}, &xInput{}}, boot: time.Now().Add(-time.Duration(since.Nano()))}, nil
}

func (d *linuxDesk) Look(ctx context.Context, want Want) (Sight, error) {
	var seen Sight
	var all error
	if want.Input {
		all = errors.Join(all, d.lookAtInput(ctx, &seen))
	}
	if want.Processes {
		list, err := processesIn("/proc", d.boot)
		all = errors.Join(all, err)
		seen.Processes = list
	}
	if want.Battery {
		seen.OnBattery = onBattery("/sys/class/power_supply")
	}
	return seen, all
}

// lookAtInput asks all ways. Those behind the first know input by themselves, and count more than the login manager's word.
func (d *linuxDesk) lookAtInput(ctx context.Context, seen *Sight) error {
	var all error
	for _, in := range d.inputs {
		one, known, err := in.look(ctx)
		all = errors.Join(all, err)
		if !known {
			continue
		}
		if one.session != SessionUnknown {
			seen.Session = one.session
		}
		if one.known {
			seen.Input, seen.InputKnown = one.idle, true
		}
	}
	if d.idleIn == nil {
		return all
	}
	if idle, known := d.idleIn(0); known && (!seen.InputKnown || idle < seen.Input) {
		seen.Input, seen.InputKnown = idle, true
	}
	return all
}

func (d *linuxDesk) Close() error {
	var all error
	for _, in := range d.inputs {
		all = errors.Join(all, in.close())
	}
	return all
}

// ticks is how many of the kernel's clock ticks, in which /proc counts, make a second. It is 100 for programs on every Linux.
const ticks = 100

// processesIn reads the processes below a proc file system.
func processesIn(proc string, boot time.Time) ([]Process, error) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, fmt.Errorf("listing the processes: %w", err)
	}
	list := make([]Process, 0, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join(proc, e.Name())
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseStat(pid, stat, boot); ok {
			p.Name = programName(dir, p.Name)
			list = append(list, p)
		}
	}
	return list, nil
}

// parseStat reads /proc/<pid>/stat, as proc(5) describes it. The name in it may hold anything, brackets too.
func parseStat(pid int, stat []byte, boot time.Time) (Process, bool) {
	open, last := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || last < open {
		return Process{}, false
	}
	const parent, user, system, started = 1, 11, 12, 19 // fields behind the name
	fields := strings.Fields(string(stat[last+1:]))
	if len(fields) <= started {
		return Process{}, false
	}
	number := func(field int) int64 {
		n, err := strconv.ParseInt(fields[field], 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	const tick = time.Second / ticks
	return Process{
		PID: pid, Parent: int(number(parent)), Name: string(stat[open+1 : last]),
		CPU: time.Duration(number(user)+number(system)) * tick, Started: boot.Add(time.Duration(number(started)) * tick),
	}, true
}

// programName is the name of a process's file: the kernel cuts the one that it tells after 15 bytes, and a process may change it.
func programName(dir, short string) string {
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return short
	}
	first, _, _ := strings.Cut(string(line), "\x00")
	if name := filepath.Base(first); strings.HasPrefix(name, short) {
		return name
	}
	return short
}

// onBattery tells whether a machine with a battery has no other power, from the kernel's list of power supplies.
func onBattery(supplies string) bool {
	entries, err := os.ReadDir(supplies)
	if err != nil {
		return false
	}
	discharging := false
	for _, e := range entries {
		read := func(name string) string {
			b, err := os.ReadFile(filepath.Join(supplies, e.Name(), name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		switch {
		case read("type") == "Mains" && read("online") == "1":
			return false
		case read("type") == "Battery" && read("scope") != "Device" && read("status") == "Discharging":
			discharging = true
		}
	}
	return discharging
}
