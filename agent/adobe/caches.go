package adobe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"overcrank/agent/aerender"
	"overcrank/durable"
)

// Caches are the folders in which After Effects keeps frames and converted media for the next time. All of it can be made again.
type Caches []string

// NewCaches finds the folders of this account. Settings of After Effects may have moved them, which is not seen.
func NewCaches(goos string, env func(string) string) Caches {
	var common, drawn string
	switch goos {
	case "windows":
		common, drawn = filepath.Join(env("APPDATA"), "Adobe", "Common"), filepath.Join(env("LOCALAPPDATA"), "Temp", "Adobe", "After Effects")
	case "darwin":
		library := filepath.Join(env("HOME"), "Library")
		common, drawn = filepath.Join(library, "Application Support", "Adobe", "Common"), filepath.Join(library, "Caches", "Adobe", "After Effects")
	default:
		return nil
	}
	folders := Caches{drawn}
	for _, name := range []string{"Media Cache", "Media Cache Files", "Peak Files", "PTX"} {
		folders = append(folders, filepath.Join(common, name))
	}
	return folders
}

// Clear removes what has been written into the caches since then.
func (c Caches) Clear(since time.Time) error {
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

// discardMark is the file in an attempt's folder whose time says since when After Effects' caches hold something of a job that wants nothing
// kept. It outlives this process, so that the next start clears what a crash left.
const discardMark = "discard"

// DiscardFrom marks the beginning of an attempt, by its folder, of which nothing may stay in the caches of a seat. discard removes what was
// written into them since. A seat that is gone is owed that.
func (a *AfterEffects) DiscardFrom(attempt string, seat Seat) (discard func() error, err error) {
	mark := filepath.Join(attempt, discardMark)
	if err := os.WriteFile(mark, []byte(seat.Owner()), 0o600); err != nil {
		return nil, fmt.Errorf("marking an attempt: %w", err)
	}
	return func() error {
		info, err := os.Stat(mark)
		if err != nil {
			return fmt.Errorf("looking at the mark of an attempt: %w", err)
		}
		err = seat.Discard(info.ModTime())
		if errors.As(err, new(*aerender.GoneError)) && a.Owe != nil {
			return a.Owe(map[string]time.Time{seat.Owner(): info.ModTime()})
		}
		return err
	}, nil
}

// DiscardLeft does what attempts of an earlier run, whose folders are in work, did not live to do. What is in the caches of other accounts than
// the agent's is owed, since these times.
func (c Caches) DiscardLeft(work string) (owed map[string]time.Time, err error) {
	marks, err := durable.Find(work, "*/"+discardMark)
	if err != nil {
		return nil, fmt.Errorf("looking for attempts: %w", err)
	}
	owed = map[string]time.Time{}
	for _, mark := range marks {
		owner, readErr := os.ReadFile(mark)
		info, statErr := os.Stat(mark)
		if readErr != nil || statErr != nil {
			err = errors.Join(err, readErr, statErr)
			continue
		}
		if since, known := owed[string(owner)]; !known || info.ModTime().Before(since) {
			owed[string(owner)] = info.ModTime()
		}
	}
	if since, own := owed[""]; own {
		err = errors.Join(err, c.Clear(since))
		delete(owed, "")
	}
	return owed, err
}
