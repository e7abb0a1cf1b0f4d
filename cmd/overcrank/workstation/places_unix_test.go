//go:build unix

package workstation

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestADataFolderIsTheServices: root, who names a new one, must not keep the service out of it.
func TestADataFolderIsTheServices(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give folders away")
	}
	const service = 12345
	dir := t.TempDir()
	c := Answers{launcherFolder: launcherFolder{LauncherState: filepath.Join(dir, "launcher")}}
	empty, used := filepath.Join(dir, "empty"), filepath.Join(dir, "used")
	for _, path := range []string{c.LauncherState, empty, filepath.Join(used, "cache")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(c.LauncherState, service, service); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "farm", "fresh")
	for path, want := range map[string]struct {
		uid  uint32
		mode os.FileMode
	}{fresh: {service, 0o700}, empty: {service, 0o755}, used: {0, 0o755}} {
		if err := c.makeDataFolder(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != want.uid || info.Mode().Perm() != want.mode {
			t.Errorf("%s belongs to %d with %v, want %+v", path, uid, info.Mode(), want)
		}
	}
	if info, err := os.Stat(filepath.Dir(fresh)); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder above is %v, %v: the service cannot pass", info.Mode(), err)
	}
}
