package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/durable/disktest"
)

// TestAFullDisk: a release that finds no room is not staged, a version on trial is not started where that cannot be counted, and the version that runs goes
// on. When there is room again, the update goes on as well.
func TestAFullDisk(t *testing.T) {
	s := newStation(t, good)
	disk, _ := disktest.Mount(t, 1)
	s.folder = filepath.Join(disk, "launcher")
	s.must(os.MkdirAll(filepath.Join(s.folder, versionsFolder), 0o755))
	s.install("1.0.0", good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	incoming := s.incoming("b", "1.2.0", 12, good)
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, []byte(strings.Repeat("x", 2<<20)), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := s.stage("1.0.0", incoming); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a release is staged on a full disk: %v", err)
	}
	r := s.launch(nil)
	r.await("1.0.0 runs", r.runs("1.0.0", 1))
	r.stop()
	if strings.Contains(r.log.String(), "version=1.1.0") {
		t.Errorf("1.1.0 was started, though that cannot be counted:\n%s", r.log)
	}
	equal(t, "pending", s.state().Pending, &Pending{Kept: Kept{Version: "1.1.0", Number: 11}})

	s.must(os.Remove(filler))
	r = s.launch(nil)
	r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
}
