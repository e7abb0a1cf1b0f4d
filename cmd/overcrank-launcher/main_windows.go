package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"

	"overcrank/launcher"
)

// replace runs a program in this console and returns its exit code. Ctrl-C reaches both processes; the program decides what it does.
func replace(program string, args []string) (int, error) {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return failed, err
	}
	return 0, nil
}

// serve keeps the agent running until Windows asks the service to end, or a person who started the launcher in a console does.
func (s *service) serve() error {
	handler := &handler{service: s}
	if events, err := eventlog.Open(launcher.ServiceName); err == nil {
		defer func() { _ = events.Close() }() // all was written
		handler.events = eventHandler{log: events}
	}
	// Windows itself knows whether it started this program as a service. svc.IsWindowsService guesses by the session and the parent, wrongly under wine.
	err := svc.Run(launcher.ServiceName, handler)
	if !errors.Is(err, windows.ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
		return err
	}
	s.logs = ""
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return s.keep(ctx, nil, nil)
}

// handler answers Windows' service control manager.
type handler struct {
	service *service
	events  slog.Handler // nil when there is no event log
}

// stopHint is how long Windows is told that stopping takes, longer than an agent gets.
const stopHint = 40 * time.Second

// Execute runs the service. The package svc calls it.
func (h *handler) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (specific bool, code uint32) {
	const accepts = svc.AcceptStop | svc.AcceptShutdown | svc.AcceptParamChange
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := startAgainAfterFailures(); err != nil && h.events != nil {
		slog.New(h.events).Warn("Windows may not start the agent again when it fails", "error", err)
	}
	notices := make(chan string, 16)
	ended := make(chan error, 1)
	go func() { ended <- h.service.keep(ctx, notices, h.events) }()
	status <- svc.Status{State: svc.Running, Accepts: accepts}
	for {
		select {
		case err := <-ended:
			if err != nil {
				return true, failed // Windows starts the service again
			}
			return false, 0
		case request := <-requests:
			switch request.Cmd {
			case svc.Interrogate:
				status <- request.CurrentStatus
			case svc.Stop, svc.Shutdown:
				status <- svc.Status{State: svc.StopPending, WaitHint: uint32(stopHint.Milliseconds())}
				stop()
			case svc.ParamChange:
				tell(notices, launcher.NoticeReload)
			}
		}
	}
}

// tell drops a notice when the channel is full: an earlier one asks for the same.
func tell(notices chan<- string, notice string) {
	select {
	case notices <- notice:
	default:
	}
}
