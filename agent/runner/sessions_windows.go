package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"overcrank/agent/presence"
)

// Command are the arguments that start a runner.
var Command = []string{"agent", "session"}

// againAfter is how long a session is left alone after its runner has ended.
const againAfter = 5 * time.Second

// attach starts a runner in each active session, until ctx ends. The channel is the runner's standard input and
// output: the service holds the other ends and has made the process with the person's token, so each side knows who the other one is.
func (s *Sessions) attach(ctx context.Context) error {
	running := map[uint32]*launched{}
	defer func() {
		for _, l := range running {
			l.close()
			<-l.done
		}
	}()
	tick := time.NewTicker(whoEvery)
	defer tick.Stop()
	told := ""
	for {
		if err := s.launchAll(running); err != nil && err.Error() != told {
			s.cfg.Log.Warn("Overcrank cannot be started in a person's session", "error", err)
			told = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// launchAll starts missing runners, and ends those in sessions that are no longer active.
func (s *Sessions) launchAll(running map[uint32]*launched) error {
	active, err := presence.ActiveSessions()
	if err != nil {
		return err
	}
	here := map[uint32]bool{}
	var all error
	for _, id := range active {
		here[id] = true
		if l := running[id]; l != nil && !l.over() {
			continue
		}
		l, err := s.launch(id)
		if errors.Is(err, windows.ERROR_NO_TOKEN) {
			continue // the sign-in screen
		}
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		running[id] = l
	}
	for id, l := range running {
		if !here[id] {
			l.close()
			if l.over() {
				delete(running, id)
			}
		}
	}
	return all
}

// launched is a runner that the service has started. It is the service's end of the channel, too.
type launched struct {
	io.Reader // its standard output
	io.Writer // its standard input
	close     func()
	done      chan struct{} // closed when it has ended
	rests     time.Time     // until when no other one is started, once done is closed
}

// Close ends the runner, which also ends a write that blocks.
func (l *launched) Close() error {
	l.close()
	return nil
}

// over tells whether another one may be started.
func (l *launched) over() bool {
	select {
	case <-l.done:
		return time.Now().After(l.rests)
	default:
		return false
	}
}

// launch starts a runner as the person of a session, with that person's environment.
func (s *Sessions) launch(session uint32) (*launched, error) {
	who, err := presence.PersonIn(session)
	if err != nil {
		return nil, err
	}
	token, err := presence.SessionToken(session)
	if err != nil {
		return nil, err
	}
	defer token.Close()
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting a runner: %w", err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting a runner: %w", err), theirIn.Close(), in.Close())
	}
	process, err := startAs(token, append([]string{s.cfg.Program}, Command...), theirIn, theirOut)
	err = errors.Join(err, theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting a runner in session %d: %w", session, err), in.Close(), out.Close())
	}
	l := &launched{Reader: out, Writer: in, done: make(chan struct{})}
	l.close = sync.OnceFunc(func() {
		// An error means that it has ended already. Its job objects end what it has started.
		_ = process.Kill()
		_ = in.Close()
	})
	s.wg.Go(func() {
		defer close(l.done)
		s.admit(l, who, -1, process.Pid)
		_, _ = process.Wait() // it is started again while it is wanted, however it ended
		_ = out.Close()
		l.rests = time.Now().Add(againAfter)
	})
	return l, nil
}

// startAs starts a program as the person of a token, on that person's desktop: os/exec would leave it on that of the services, which After
// Effects cannot draw on.
func startAs(token windows.Token, command []string, stdin, stdout *os.File) (*os.Process, error) {
	var env *uint16
	if err := windows.CreateEnvironmentBlock(&env, token, false); err != nil {
		return nil, fmt.Errorf("reading the environment of the person: %w", err)
	}
	defer windows.DestroyEnvironmentBlock(env)
	handles := []windows.Handle{windows.Handle(stdin.Fd()), windows.Handle(stdout.Fd())}
	for _, h := range handles {
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return nil, fmt.Errorf("handing over the channel: %w", err)
		}
	}
	list, err := windows.NewProcThreadAttributeList(1)
	if err != nil {
		return nil, err
	}
	defer list.Delete()
	size := uintptr(len(handles)) * unsafe.Sizeof(handles[0])
	if err := list.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&handles[0]), size); err != nil {
		return nil, fmt.Errorf("handing over the channel: %w", err)
	}
	desktop, err := windows.UTF16PtrFromString(`winsta0\default`)
	if err != nil {
		return nil, err
	}
	program, err := windows.UTF16PtrFromString(command[0])
	if err != nil {
		return nil, err
	}
	line, err := windows.UTF16PtrFromString(windows.ComposeCommandLine(command))
	if err != nil {
		return nil, err
	}
	dir, err := windows.UTF16PtrFromString(filepath.Dir(command[0]))
	if err != nil {
		return nil, err
	}
	info := windows.StartupInfoEx{ProcThreadAttributeList: list.List()}
	info.Cb, info.Desktop = uint32(unsafe.Sizeof(info)), desktop
	info.Flags, info.StdInput, info.StdOutput = windows.STARTF_USESTDHANDLES, handles[0], handles[1]
	var made windows.ProcessInformation
	const flags = windows.CREATE_UNICODE_ENVIRONMENT | windows.CREATE_NO_WINDOW | windows.EXTENDED_STARTUPINFO_PRESENT
	if err := windows.CreateProcessAsUser(token, program, line, nil, nil, true, flags, env, dir, &info.StartupInfo, &made); err != nil {
		return nil, err
	}
	process, err := os.FindProcess(int(made.ProcessId)) // while its handle below keeps the number from being used again
	return process, errors.Join(err, windows.CloseHandle(made.Thread), windows.CloseHandle(made.Process))
}

// Run serves the service that has started this process, whose standard input and output are the channel, until that is gone or ctx ends.
func Run(ctx context.Context, _ string, with Session) error {
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, inherited{}, with) }()
	select {
	case <-ctx.Done():
		return nil // reading standard input cannot be interrupted; this process ends now, and with it the job objects of what it started
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// inherited is the runner's end of the channel.
type inherited struct{}

func (inherited) Read(b []byte) (int, error)  { return os.Stdin.Read(b) }
func (inherited) Write(b []byte) (int, error) { return os.Stdout.Write(b) }
func (inherited) Close() error                { return os.Stdout.Close() }
