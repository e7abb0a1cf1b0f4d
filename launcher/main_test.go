package launcher

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"

	"overcrank/release"
)

// What tests start as other processes: this test binary with a role, in the environment.
const (
	envRole     = "LAUNCHER_TEST_ROLE"
	envPrograms = "LAUNCHER_TEST_PROGRAMS"
	envIncoming = "LAUNCHER_TEST_INCOMING"
	envRoots    = "LAUNCHER_TEST_ROOTS"
)

func TestMain(m *testing.M) {
	roles := map[string]func() error{"healthy": sayHealthy, "away": sayAway, "stage": stageOnce, "service": runService, "switch": switchOnce}
	act := roles[os.Getenv(envRole)]
	if act == nil {
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // strace counts the calls of one thread
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sayHealthy is what an agent on trial does.
func sayHealthy() error {
	l, _ := Launched()
	return l.Healthy("")
}

// sayAway is what an agent on trial does that cannot reach the farm.
func sayAway() error {
	l, _ := Launched()
	return l.Away(true)
}

// stageOnce is what an agent does that has fetched a release.
func stageOnce() error {
	l, _ := Launched()
	roots, err := release.Roots(os.Getenv(envRoots))
	if err != nil {
		return err
	}
	_, err = l.Stage(os.Getenv(envIncoming), roots, time.Now())
	return err
}

// runService is a launcher, until it is asked to end.
func runService() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return testService(os.Getenv(envFolder), os.Getenv(envPrograms), os.Stderr).Run(ctx)
}

// switchOnce is a launcher until a version that is not on trial has been running for a moment.
func switchOnce() error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	folder := os.Getenv(envFolder)
	go func() {
		for {
			time.Sleep(10 * time.Millisecond)
			if st, err := Read(folder); err == nil && st.Pending == nil {
				time.Sleep(50 * time.Millisecond)
				stop()
			}
		}
	}()
	return testService(folder, os.Getenv(envPrograms), os.Stderr).Run(ctx)
}

// testService is a launcher that does not pause long. What an agent needs time for on a busy machine it has time for.
func testService(folder, programs string, log io.Writer) *Service {
	return &Service{
		Folder: folder, Programs: programs, Output: os.Stderr, Log: slog.New(slog.NewTextHandler(log, nil)),
		Times: Times{Healthy: 5 * time.Minute, Stop: time.Minute, Pause: 10 * time.Millisecond, Longest: 50 * time.Millisecond},
	}
}
