//go:build linux

package linux_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// machine is a machine of its own with systemd as its first process: its namespaces hide this one's processes, network and changes of files. Packages
// are at /mnt.
type machine struct {
	t    *testing.T
	init int // process id of its systemd
}

// startMachine starts a machine that ends with the test. It needs root.
func startMachine(t *testing.T, packages string) *machine {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a machine of its own: run make test-packages as root")
	}
	for _, program := range []string{"unshare", "nsenter", "ip", "/lib/systemd/systemd"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("a machine of its own needs %s: %v", program, err)
		}
	}
	var said bytes.Buffer
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--net", "--uts", "--ipc", "--cgroup", "--kill-child",
		"sh", filepath.Join("testdata", "machine.sh"), t.TempDir(), packages)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	m := &machine{t: t}
	var state string
	var err error
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the machine does not start: %v: %s", err, said.String())
		default:
		}
		if m.init = systemdOf(cmd.Process.Pid); m.init == 0 {
			continue
		}
		if state, err = m.try("systemctl is-system-running"); strings.TrimSpace(state) == "running" {
			return m
		}
	}
	t.Fatalf("the machine's systemd is not ready after three minutes: %s: %v", state, err)
	return nil
}

// systemdOf is the child of a process, 0 until it has become systemd.
func systemdOf(parent int) int {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		return 0
	}
	if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(name)) != "systemd" {
		return 0
	}
	return pid
}

// patience is after how long what a machine does counts as what it never does.
const patience = 10 * time.Minute

// try runs a shell command on the machine as root and returns what it says.
func (m *machine) try(command string) (string, error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", "--target", strconv.Itoa(m.init), "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--root", "--wd",
		"sh", "-c", command)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"}
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.Join(err, ctx.Err())
	}
	return string(out), err
}

// run is try for commands that have to succeed.
func (m *machine) run(command string) string {
	m.t.Helper()
	out, err := m.try(command)
	if err != nil {
		log, _ := m.try("journalctl --no-pager --lines 40")
		m.t.Fatalf("%s: %v\n%s\nthe machine's log ends with\n%s", command, err, out, log)
	}
	return strings.TrimSpace(out)
}

// await runs a command until it succeeds and says what is wanted.
func (m *machine) await(command, want string) {
	m.t.Helper()
	var out string
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if out, err = m.try(command); err == nil && strings.Contains(out, want) {
			return
		}
	}
	log, _ := m.try("journalctl --no-pager --lines 60")
	m.t.Fatalf("%s never says %q: %v\n%s\nthe machine's log ends with\n%s", command, want, err, out, log)
}
