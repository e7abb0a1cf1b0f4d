//go:build unix

package durable

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestKeepOwnerGivesAwayWhatTheAdministratorMade(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the system's administrator can give files away")
	}
	const service, other = 65534, 65533
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.MkdirAll(filepath.Join(dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "state", "made"), filepath.Join(dir, "theirs"), elsewhere} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, uid := range map[string]int{dir: service, filepath.Join(dir, "theirs"): other} {
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(elsewhere, filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := KeepOwner(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]uint32{
		filepath.Join(dir, "state"): service, filepath.Join(dir, "state", "made"): service, filepath.Join(dir, "theirs"): other, elsewhere: 0,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t).Uid; got != want {
			t.Errorf("%s belongs to %d, not to %d", path, got, want)
		}
	}
}
