package update

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/durable/disktest"
	"overcrank/farm"
)

// TestAReleaseThatFindsNoRoom: the machine says so, keeps its work and what it runs, leaves nothing of the download, and takes the release when there is room.
func TestAReleaseThatFindsNoRoom(t *testing.T) {
	b := newBench(t)
	disk, _ := disktest.Mount(t, 1)
	b.launch.Folder = filepath.Join(disk, "launcher")
	if err := os.Mkdir(b.launch.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	b.program = []byte(strings.Repeat("x", 64<<10))
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20-48<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	u := b.updater()
	u.cfg.Changed = func() {
		if u.Told().State != farm.UpdateRetrying || u.Told().Failures != 3 {
			return
		}
		if b.finished != 0 || !strings.Contains(u.Told().Reason, syscall.ENOSPC.Error()) {
			t.Errorf("without room it says %+v, and finished its work %d times", u.Told(), b.finished)
		}
		if left, err := filepath.Glob(filepath.Join(b.launch.Folder, "versions", ".incoming-*", "*")); err != nil || len(left) > 0 {
			t.Errorf("it leaves %v, %v", left, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Error(err)
		}
	}
	u.Want(b.released(nil))
	if err := u.Run(t.Context()); !errors.Is(err, ErrRestart) {
		t.Errorf("with room again, the update ended with %v: %+v", err, u.Told())
	}
}
