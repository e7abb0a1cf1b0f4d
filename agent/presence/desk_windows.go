package presence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// windowsDesk sees the sessions of the machine. Input is known only inside of a session (GetLastInputInfo), so a service, which
// lives in a session of its own, hears of it from the runners in the others.
type windowsDesk struct {
	own    uint32 // this process's session; 0 is that of the services
	idleIn IdleIn
}

// NewDesk is the desk of this machine. What it cannot see of other sessions, idleIn tells.
func NewDesk(idleIn IdleIn) (Desk, error) {
	d := &windowsDesk{idleIn: idleIn}
	if err := windows.ProcessIdToSessionId(uint32(os.Getpid()), &d.own); err != nil {
		return nil, fmt.Errorf("finding this process's session: %w", err)
	}
	return d, nil
}

func (d *windowsDesk) Look(_ context.Context, want Want) (Sight, error) {
	var seen Sight
	var all error
	if want.Input {
		all = errors.Join(all, d.lookAtSessions(&seen))
	}
	if want.Processes {
		list, err := processes()
		all = errors.Join(all, err)
		seen.Processes = list
	}
	if want.Battery {
		seen.OnBattery = onBattery()
	}
	return seen, all
}

// lookAtSessions goes through the sessions that somebody has before them, at the machine or from afar.
func (d *windowsDesk) lookAtSessions(seen *Sight) error {
	sessions, err := ActiveSessions()
	if err != nil {
		return err
	}
	var all error
	seen.Session = SessionNone
	for _, id := range sessions {
		if sessionLocked(id) {
			if seen.Session == SessionNone {
				seen.Session = SessionLocked
			}
			continue
		}
		seen.Session = SessionActive
		idle, known, err := d.idle(id)
		all = errors.Join(all, err)
		if known && (!seen.InputKnown || idle < seen.Input) {
			seen.Input, seen.InputKnown = idle, true
		}
	}
	return all
}

// idle is the time since the last input in a session.
func (d *windowsDesk) idle(session uint32) (idle time.Duration, known bool, err error) {
	if session == d.own {
		idle, err = sinceInput()
		return idle, err == nil, err
	}
	if d.idleIn == nil {
		return 0, false, nil
	}
	idle, known = d.idleIn(session)
	return idle, known, nil
}

func (*windowsDesk) Close() error { return nil }

// ActiveSessions lists the sessions with somebody before them.
func ActiveSessions() ([]uint32, error) {
	var list *windows.WTS_SESSION_INFO
	var n uint32
	const thisServer = windows.Handle(0)
	if err := windows.WTSEnumerateSessions(thisServer, 0, 1, &list, &n); err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	defer windows.WTSFreeMemory(uintptr(unsafe.Pointer(list)))
	var active []uint32
	for _, s := range unsafe.Slice(list, n) {
		if s.State == windows.WTSActive && s.SessionID != 0 {
			active = append(active, s.SessionID)
		}
	}
	return active, nil
}

// sessionInfo is the beginning of WTSINFOEXW of the Windows interface.
type sessionInfo struct {
	level   uint32
	_       uint32 // what follows lies at a multiple of eight bytes
	id      uint32
	state   int32
	flags   int32
	station [33]uint16
	user    [21]uint16
}

var (
	user32    = windows.NewLazySystemDLL("user32.dll")
	kernel32  = windows.NewLazySystemDLL("kernel32.dll")
	wtsapi32  = windows.NewLazySystemDLL("wtsapi32.dll")
	lastInput = user32.NewProc("GetLastInputInfo")
	tickCount = kernel32.NewProc("GetTickCount")
	powerNow  = kernel32.NewProc("GetSystemPowerStatus")
	querySess = wtsapi32.NewProc("WTSQuerySessionInformationW")
)

// sessionLocked tells whether a session's screen is locked, or nobody is logged in behind it.
func sessionLocked(session uint32) bool {
	const infoEx, locked = 25, 0 // WTSSessionInfoEx, WTS_SESSIONSTATE_LOCK
	var info *sessionInfo
	var size uint32
	ok, _, _ := querySess.Call(0, uintptr(session), infoEx, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)))
	if ok == 0 || info == nil {
		return false
	}
	defer windows.WTSFreeMemory(uintptr(unsafe.Pointer(info)))
	if uintptr(size) < unsafe.Sizeof(*info) || info.level != 1 {
		return false
	}
	return info.flags == locked || info.user[0] == 0
}

// sinceInput is the time since the last input in this process's session.
func sinceInput() (time.Duration, error) {
	info := struct{ size, at uint32 }{size: 8} // LASTINPUTINFO
	if ok, _, err := lastInput.Call(uintptr(unsafe.Pointer(&info))); ok == 0 {
		return 0, fmt.Errorf("asking for the last input: %w", err)
	}
	now, _, _ := tickCount.Call()
	// Both count milliseconds and begin anew after 49 days, which the difference of 32 bits does not mind.
	return time.Duration(uint32(now)-info.at) * time.Millisecond, nil
}

// onBattery tells whether the machine runs on its battery.
func onBattery() bool {
	var status struct { // SYSTEM_POWER_STATUS
		line, flag, percent, system byte
		left, full                  uint32
	}
	const offline = 0
	ok, _, _ := powerNow.Call(uintptr(unsafe.Pointer(&status)))
	return ok != 0 && status.line == offline
}

// processes lists all processes with one call, whoever they belong to.
func processes() ([]Process, error) {
	size := uint32(1 << 19)
	var buf []byte
	for {
		buf = make([]byte, size)
		err := windows.NtQuerySystemInformation(windows.SystemProcessInformation, unsafe.Pointer(&buf[0]), size, &size)
		if errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) && size < 1<<28 {
			size += size / 4 // more may begin meanwhile
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing the processes: %w", err)
		}
		break
	}
	const hundred = 100 * time.Nanosecond
	var list []Process
	for at := uint32(0); ; {
		p := (*windows.SYSTEM_PROCESS_INFORMATION)(unsafe.Pointer(&buf[at]))
		if p.UniqueProcessID != 0 { // the idle process takes what nobody wants
			created := windows.Filetime{LowDateTime: uint32(p.CreateTime), HighDateTime: uint32(p.CreateTime >> 32)}
			list = append(list, Process{
				PID: int(p.UniqueProcessID), Parent: int(p.InheritedFromUniqueProcessID), Name: p.ImageName.String(),
				CPU: time.Duration(p.UserTime+p.KernelTime) * hundred, Started: time.Unix(0, created.Nanoseconds()),
			})
		}
		if p.NextEntryOffset == 0 {
			return list, nil
		}
		at += p.NextEntryOffset
	}
}
