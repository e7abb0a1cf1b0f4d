package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// onSmallDisk mounts a disk of so many megabytes for an agent's folder, and gives the way to mount it anew with other options.
func onSmallDisk(t *testing.T, megabytes int) (dir string, remount func(flags uintptr)) {
	t.Helper()
	dir = t.TempDir()
	size := fmt.Sprintf("size=%dm", megabytes)
	if os.Geteuid() != 0 || syscall.Mount("none", dir, "tmpfs", 0, size) != nil {
		t.Skip("a small disk can only be made by root")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|flags, size); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAgentOnAFullDiskGivesTheTaskBackAndGoesOn(t *testing.T) {
	dir, _ := onSmallDisk(t, 96)
	p := newPeer(t)
	start(t, p, "crash", dir)
	big := p.keep("big.png", make([]byte, 100<<20))
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "image", LayerName: "x", Src: "farm://big"}}
	l.Files = map[string]farm.FileRef{"farm://big": big}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the disk of machine 'test-machine' is full" || !m.Failed.Retry || m.Failed.Class != farm.FailureWorker {
		t.Fatalf("%s", describe(m))
	}
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: After Effects exited with code 1" {
		t.Fatalf("after the full disk: %s", describe(m))
	}
}

func TestAnAgentWithoutRoomTakesNoWork(t *testing.T) {
	dir, _ := onSmallDisk(t, 96)
	ballast := filepath.Join(dir, "ballast")
	p := newPeer(t)
	start(t, p, "crash", dir)
	if err := os.WriteFile(ballast, make([]byte, 60<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 5; n++ { // as often as may be: none of them is a failure of the task
		l := lease(t, p, fmt.Sprintf("job.%d", n))
		p.send(wire.Message{Lease: &l})
		if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled || !strings.Contains(m.Failed.Message, "its disk is full") || !strings.Contains(m.Failed.Message, dir) {
			t.Fatalf("%s", describe(m))
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	l := lease(t, p, "job.9")
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: After Effects exited with code 1" {
		t.Fatalf("with room again: %s", describe(m))
	}
}

func TestADiskThatIsReadOnlyIsTold(t *testing.T) {
	dir, remount := onSmallDisk(t, 96)
	r := room{dir: dir}
	if r.look() || r.why() != "" {
		t.Errorf("on a good disk: %q", r.why())
	}
	remount(syscall.MS_RDONLY)
	if !r.look() || !strings.Contains(r.why(), "read-only") || r.look() {
		t.Errorf("on a disk that is read-only: %q", r.why())
	}
	remount(0)
	if !r.look() || r.why() != "" {
		t.Errorf("on a disk that was mended: %q", r.why())
	}
}
