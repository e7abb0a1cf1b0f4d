package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"overcrank/durable"
)

// adobeCaches are the folders in which After Effects keeps what it has drawn and heard, for the next time. All of it can be
// made again.
type adobeCaches []string

// newAdobeCaches are the folders of this account, where the settings have not moved them.
func newAdobeCaches(goos string, env func(string) string) adobeCaches {
	var common, drawn string
	switch goos {
	case "windows":
		common, drawn = filepath.Join(env("APPDATA"), "Adobe", "Common"), filepath.Join(env("LOCALAPPDATA"), "Temp", "Adobe", "After Effects")
	case "darwin":
		common, drawn = filepath.Join(env("HOME"), "Library", "Application Support", "Adobe", "Common"), filepath.Join(env("HOME"), "Library", "Caches", "Adobe", "After Effects")
	default:
		return nil
	}
	folders := adobeCaches{drawn}
	for _, name := range []string{"Media Cache", "Media Cache Files", "Peak Files", "PTX"} {
		folders = append(folders, filepath.Join(common, name))
	}
	return folders
}

// clear removes what has been written into the caches since then.
func (c adobeCaches) clear(since time.Time) error {
	var all error
	for _, folder := range c {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if info, err := d.Info(); err == nil && !info.ModTime().Before(since) {
				return os.Remove(path)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	if all != nil {
		return fmt.Errorf("removing what After Effects keeps of a job: %w", all)
	}
	return nil
}

// discardMark is the file in an attempt's folder that says that After Effects' caches are to be cleared behind it, also when
// this process does not live to do it. The file's time says since when.
const discardMark = "discard"

// discardTraces prepares an attempt of which nothing may stay, and gives what is to be done at its end.
func (t *attempt) discardTraces() (clear func(), err error) {
	mark := filepath.Join(t.dir, discardMark)
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return nil, fmt.Errorf("marking an attempt: %w", err)
	}
	return func() {
		if err := t.a.caches.clearBehind(mark); err != nil {
			t.log.Warn("After Effects' caches may hold something of a job that wants nothing kept", "error", err)
		}
	}, nil
}

// clearBehind clears the caches as a mark asks for.
func (c adobeCaches) clearBehind(mark string) error {
	info, err := os.Stat(mark)
	if err != nil {
		return fmt.Errorf("looking at the mark of an attempt: %w", err)
	}
	return c.clear(info.ModTime())
}

// clearLeft clears the caches behind attempts that an earlier run of this agent did not end.
func (c adobeCaches) clearLeft(work string) error {
	marks, err := durable.Find(work, "*/"+discardMark)
	if err != nil {
		return fmt.Errorf("looking for attempts: %w", err)
	}
	for _, mark := range marks {
		err = errors.Join(err, c.clearBehind(mark))
	}
	return err
}
