package shelf

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandoned is the age after which a file that was never finished is removed: its program has ended.
const abandoned = time.Hour

type file struct {
	name string
	size int64
	used time.Time
}

// Trim removes the frames of a folder that were not used for the longest time, until the rest takes at most limit bytes, and what was never
// finished. With a limit of 0 it removes the folder. A folder that is not there has nothing to remove.
func Trim(dir string, limit int64) error {
	if limit <= 0 {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove the kept frames: %w", err)
		}
		return nil
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look through the kept frames: %w", err)
	}
	var list []file
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := file{e.Name(), info.Size(), info.ModTime()}
		switch {
		case isFrame(f.name):
			list = append(list, f)
			total += f.size
		case strings.HasPrefix(f.name, partPrefix) && time.Since(f.used) > abandoned:
			_ = os.Remove(filepath.Join(dir, f.name)) // the next Trim tries again
		}
	}
	return drop(dir, list, total-limit)
}

// drop removes files, the least recently used first, until that many bytes are gone.
func drop(dir string, list []file, bytes int64) error {
	slices.SortFunc(list, func(a, b file) int { return a.used.Compare(b.used) })
	var failed error
	for _, f := range list {
		if bytes <= 0 {
			break
		}
		if err := os.Remove(filepath.Join(dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = fmt.Errorf("remove a kept frame: %w", err)
			continue
		}
		bytes -= f.size
	}
	return failed
}

func isFrame(name string) bool {
	sum, err := hex.DecodeString(name)
	return err == nil && len(sum) == len(Address{})
}
