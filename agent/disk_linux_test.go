package agent

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the embedded engine exited with code 1" {
		t.Fatalf("after the full disk: %s", describe(m))
	}
}

func TestADiskThatFillsDuringATaskCostsNoAttempt(t *testing.T) {
	dir, _ := onSmallDisk(t, 160)
	ballast := filepath.Join(dir, "ballast")
	p := newPeer(t)
	start(t, p, "crash", dir)
	picture := bytes.Repeat([]byte("x"), 8<<20)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f, err := os.Create(ballast)
		for block := make([]byte, 1<<20); err == nil; {
			_, err = f.Write(block)
		}
		f.Close()
		w.Write(picture)
	}))
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "image", LayerName: "x", Src: server + "/a.png"}}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled || !m.Failed.Retry || !strings.Contains(m.Failed.Message, "its disk is full") {
		t.Fatalf("%s", describe(m))
	}
	p.eventually("it is not ready", func() bool { return p.available.NotReady && strings.Contains(p.available.Reason, "disk is full") })
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	p.eventually("it is ready", func() bool { return p.available.Presence == farm.PresenceFree && !p.available.NotReady })
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Cancelled {
		t.Fatalf("with room again: %s", describe(m))
	}
}

func TestAMachineWaitsForMoreRoomThanATaskFound(t *testing.T) {
	dir, _ := onSmallDisk(t, 400)
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 300<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r, now := room{dir: dir}, time.Now()
	if r.look(); r.why() != "" {
		t.Fatalf("100 MB are free, and %q", r.why())
	}
	if !r.filled(now) || !strings.Contains(r.why(), "its disk is full") {
		t.Errorf("after a task found it full: %q", r.why())
	}
	if r.least(200<<20, now) != leastRoom {
		t.Error("with more room than before it waits still")
	}
	r.filled(now)
	if r.least(100<<20, now.Add(refill)) == leastRoom {
		t.Error("the second pause is no longer than the first")
	}
	if r.least(100<<20, now.Add(2*refill)) != leastRoom {
		t.Error("it waits for ever")
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	if r.filled(now) {
		t.Error("a disk that is empty but for the task is said to have been filled by others")
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
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the embedded engine exited with code 1" {
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
