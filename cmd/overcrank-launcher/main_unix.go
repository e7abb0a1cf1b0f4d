//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"overcrank/launcher"
)

// replace has a program take the place of this one.
func replace(program string, args []string) (int, error) {
	return failed, syscall.Exec(program, append([]string{program}, args...), os.Environ())
}

// serve keeps the agent running until systemd, launchd or a person asks the launcher to end.
func (s *service) serve() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	notices := make(chan string)
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			select {
			case <-asked:
			case <-ctx.Done():
				return
			}
			select {
			case notices <- launcher.NoticeReload:
			case <-ctx.Done():
				return
			}
		}
	})
	defer passing.Wait()
	defer stop()
	return s.keep(ctx, notices, nil)
}

// stopService is for Windows, whose installer needs it.
func stopService() error { return errors.New("systemctl and launchctl stop the service here") }
