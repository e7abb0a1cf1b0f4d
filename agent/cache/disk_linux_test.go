package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"overcrank/durable"
)

func TestAFullDiskMakesTheCacheGiveRoom(t *testing.T) {
	disk := t.TempDir()
	if os.Geteuid() != 0 || syscall.Mount("none", disk, "tmpfs", 0, "size=4m") != nil {
		t.Skip("a small disk can only be made by root")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	c := open(t, filepath.Join(disk, "cache"), 1<<30) // more than the disk has
	var files [][]byte
	for i := range 6 {
		files = append(files, bytes.Repeat([]byte{byte(i)}, 1<<20))
	}
	for i, content := range files {
		if err := get(t, c, content, giving(content)); err != nil {
			t.Fatalf("file %d: %v", i, err)
		}
	}
	if c.Has(hashOf(files[0])) || !c.Has(hashOf(files[5])) {
		t.Error("it was not what was used longest ago that gave way")
	}
	huge := bytes.Repeat([]byte("x"), 6<<20)
	if err := get(t, c, huge, giving(huge)); !durable.Full(err) {
		t.Errorf("a file larger than the disk: %v", err)
	}
	if left, total := onDisk(t, c.dir); total != c.Size() {
		t.Errorf("%d bytes on the disk, %d in the books: %v", total, c.Size(), left)
	}
	for i, content := range files {
		if err := get(t, c, content, giving(content)); err != nil {
			t.Errorf("file %d, after the disk was full: %v", i, err)
		}
	}
	passing, held := bytes.Repeat([]byte("y"), 3<<20), c.Size()
	if err := c.Bring(t.Context(), hashOf(passing), int64(len(passing)), filepath.Join(disk, "passing"), giving(passing)); err != nil {
		t.Errorf("a file that is not kept, with the disk full of kept ones: %v", err)
	}
	if c.Has(hashOf(passing)) || c.Size() >= held {
		t.Errorf("the cache has %d bytes, and had %d", c.Size(), held)
	}
}
