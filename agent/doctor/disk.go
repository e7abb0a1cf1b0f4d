package doctor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

const (
	leastFree = 2 << 30  // bytes below which a render hardly succeeds
	tightFree = 20 << 30 // bytes below which long films may not fit
	trialSize = 32 << 20 // bytes that are written to measure a disk
	slowDisk  = 40 << 20 // bytes per second below which a disk holds renders up
	ownerOnly = 0o077    // permissions that nobody but the owner should have
)

// dataFolder tells whether the agent can write to its folder.
func (d *Doctor) dataFolder() bool {
	dir := d.Config.DataDir
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		d.add(Finding{
			Check: "data folder", About: dir, Health: Broken, Found: fmt.Sprintf("cannot be written: %v", err),
			Mend: "Give the account that the agent runs as the right to write there, or name another folder with --data-dir.",
		})
		return false
	}
	found := Finding{Check: "data folder", About: dir, Health: Well, Found: "can be written"}
	if loose := looseFile(dir); loose != "" {
		found.Health, found.Found = Poor, loose+" can be read by other accounts of this machine"
		found.Mend = "It holds the machine's credential: chmod -R go= " + dir
	}
	d.add(found)
	return true
}

// jobFonts sees whether fonts of jobs can be put where After Effects looks for them.
func (d *Doctor) jobFonts(folder string) {
	found := Finding{Check: "fonts of jobs", About: folder, Health: Well, Found: "can be installed for After Effects"}
	probe, err := os.CreateTemp(folder, ".overcrank-doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		found.Health, found.Found = Poor, fmt.Sprintf("cannot be installed for After Effects: %v", err)
		found.Mend = "Make the folder, and give the account that the agent runs as the right to write there. Without it After Effects replaces the fonts that jobs bring."
	}
	d.add(found)
}

// looseFile is a file with secrets that others may read, "" when there is none. Windows has rights of its own for profiles.
func looseFile(dir string) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	for _, name := range []string{"credential.json"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && info.Mode()&fs.FileMode(ownerOnly) != 0 {
			return name
		}
	}
	return ""
}

// disk checks free space and speed.
func (d *Doctor) disk(scratch string) {
	free, size, err := d.system.Space(scratch)
	if err != nil {
		d.add(Finding{Check: "disk", Health: Poor, Found: fmt.Sprintf("free space could not be determined: %v", err)})
	} else {
		found := Finding{Check: "disk", Health: Well, Found: fmt.Sprintf("%s of %s free", gib(free), gib(size))}
		switch {
		case free < leastFree:
			found.Health, found.Mend = Broken, "Free disk space: the agent's cache, its work folder and After Effects' own cache need it. --cache-size limits the agent's cache, --data-dir moves its folder to another disk."
		case free < tightFree:
			found.Health, found.Mend = Poor, "Free disk space: the intermediate file of a long film may not fit."
		}
		d.add(found)
	}
	began := time.Now()
	if err := writeTrial(filepath.Join(scratch, "speed")); err != nil {
		d.add(Finding{Check: "disk speed", Health: Broken, Found: fmt.Sprintf("%d MiB could not be written: %v", trialSize>>20, err), Mend: "Free disk space, or check the disk: writing to it fails."})
		return
	}
	took := time.Since(began)
	speed := float64(trialSize) / took.Seconds()
	found := Finding{Check: "disk speed", Health: Well, Found: fmt.Sprintf("%.0f MiB/s written", speed/(1<<20)), Seconds: took.Seconds()}
	if speed < slowDisk {
		found.Health, found.Mend = Poor, "Put the data folder on a faster disk (--data-dir), not on a network drive."
	}
	d.add(found)
}

// writeTrial writes what no disk can pack, to the disk itself.
func writeTrial(path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	block := make([]byte, 1<<20)
	if _, err := rand.Read(block); err != nil {
		return err
	}
	for range trialSize / len(block) {
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return f.Sync()
}
