package hosts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// inside is set for the process that Enter started, and says what it could not be given, "" when nothing is missing.
const inside = "OVERCRANK_TEST_HOSTS"

// lacking notes what this process could not be given.
func lacking(reason string) {
	if err := os.Setenv(inside, reason); err != nil {
		panic(err) // only for names and values with a zero in them
	}
}

// Enter runs the program once more, as the first process of process, network and mount namespaces of its own, and returns its exit code: when
// it ends, the kernel ends everything that it started. In that inner process, and where the system does not allow it, Enter returns
// false at once, and the program goes on. It belongs at the beginning of TestMain.
func Enter() (code int, entered bool) {
	if _, ok := os.LookupEnv(inside); ok {
		if err := settle(); err != nil {
			lacking(err.Error())
		}
		return 0, false
	}
	if reason := missing(); reason != "" {
		lacking(reason)
		return 0, false
	}
	runtime.LockOSThread() // the kernel ends the inner process with this thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), inside+"=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		lacking(fmt.Sprintf("this system gives no namespaces to user %d: %v", os.Geteuid(), err))
		return 0, false
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	err := cmd.Wait()
	signal.Stop(signals)
	close(signals)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "run in namespaces:", err)
		return 1, true
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code, true
	}
	return 1, true // ended by a signal
}

// missing is what this machine lacks, "" when it seems to have everything.
func missing() string {
	if _, err := exec.LookPath("ip"); err != nil {
		return "the command ip is missing: install iproute2"
	}
	return ""
}

// settle gives the inner process the view of processes that belongs to its namespace.
func settle() error {
	if os.Getpid() != 1 {
		return nil // a child of the inner process
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to this process: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return run("ip", "link", "set", "lo", "up")
}

// Missing is why New cannot work in this process, "" when it can.
func Missing() string {
	reason, ok := os.LookupEnv(inside)
	if !ok {
		return "the program did not begin with hosts.Enter"
	}
	return reason
}

func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
