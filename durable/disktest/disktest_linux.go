// Package disktest gives tests a disk that is soon full.
package disktest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// Mount makes a disk of so many megabytes until the test ends, and gives its folder and the way to mount it anew with other flags. The test
// is skipped where it may not mount.
func Mount(t *testing.T, megabytes int) (dir string, remount func(flags uintptr)) {
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
