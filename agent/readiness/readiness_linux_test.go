package readiness

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/durable/disktest"
)

func TestAMachineWaitsForMoreSpaceThanATaskFound(t *testing.T) {
	t.Parallel()
	dir, _ := disktest.Mount(t, 400)
	if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 300<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r, now := New(dir), time.Now()
	if r.Look(); r.Why() != "" {
		t.Fatalf("100 MB are free, and %q", r.Why())
	}
	if !r.filled(now) || !strings.Contains(r.Why(), "its disk is full") {
		t.Errorf("after a task found it full: %q", r.Why())
	}
	if r.least(200<<20, now) != leastSpace {
		t.Error("with more room than before it waits still")
	}
	r.filled(now)
	if r.least(100<<20, now.Add(firstPause)) == leastSpace {
		t.Error("the second pause is no longer than the first")
	}
	if r.least(100<<20, now.Add(2*firstPause)) != leastSpace {
		t.Error("it waits for ever")
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	if r.filled(now) {
		t.Error("a disk that is empty but for the task is said to have been filled by others")
	}
}

func TestADiskThatIsReadOnlyIsTold(t *testing.T) {
	t.Parallel()
	dir, remount := disktest.Mount(t, 96)
	r := New(dir)
	if r.Look() || r.Why() != "" {
		t.Errorf("on a good disk: %q", r.Why())
	}
	remount(syscall.MS_RDONLY)
	if !r.Look() || !strings.Contains(r.Why(), "read-only") || r.Look() {
		t.Errorf("on a disk that is read-only: %q", r.Why())
	}
	remount(0)
	if !r.Look() || r.Why() != "" {
		t.Errorf("on a disk that was mended: %q", r.Why())
	}
}

func TestSpaceThatIsFreedAMomentLateWasTheTasksOwn(t *testing.T) {
	t.Parallel()
	dir, _ := disktest.Mount(t, 96)
	file, err := os.Create(filepath.Join(dir, "of the task"))
	if err != nil {
		t.Fatal(err)
	}
	err = syscall.Fallocate(int(file.Fd()), 0, 0, 90<<20)
	if err := errors.Join(err, os.Remove(file.Name())); err != nil {
		t.Fatal(err)
	}
	r := New(dir)
	if r.Look(); r.Why() == "" {
		t.Fatal("an open file takes no space")
	}
	late := time.AfterFunc(100*time.Millisecond, func() { file.Close() })
	defer late.Stop()
	if r.Lacked(t.Context(), time.Now()) {
		t.Errorf("a task that is too large is taken for a full disk: %q", r.Why())
	}
}
