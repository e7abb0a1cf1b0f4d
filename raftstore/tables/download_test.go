package tables

import (
	"fmt"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// testDownload is a package for Linux whose file has a hash.
func testDownload(version, sha256 string) farm.Download {
	return farm.Download{Kind: farm.DownloadPackage, System: "linux", Arch: "amd64", Format: "deb", Version: version,
		File: farm.FileRef{SHA256: sha256, Size: 9, Name: "overcrank-agent_" + version + "_amd64.deb"}}
}

func TestDownloadsAreKeptAndTheirFilesWithThem(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	named := func(sha256 string) (named bool) {
		m.read(func(tx *Tx) (err error) {
			named, err = tx.FileReferenced(sha256)
			return err
		})
		return named
	}
	m.must(command.PutDownload{Download: testDownload("1.0.0", "first")})
	m.must(command.PutDownload{Download: testDownload("1.0.0", "first")}) // once more changes nothing
	m.must(command.PutDownload{Download: testDownload("1.1.0", "second")})
	if !named("first") || !named("second") {
		t.Error("the files of downloads are not kept")
	}
	m.must(command.PutDownload{Download: testDownload("1.0.0", "made-again")})
	if named("first") || !named("made-again") {
		t.Error("a package that was made again does not take the place of the one before")
	}
	// The same file as another version of itself.
	m.must(command.PutDownload{Download: testDownload("1.2.0", "second")})
	m.read(func(tx *Tx) error {
		list, err := tx.Downloads()
		if len(list) != 2 {
			t.Errorf("the farm hands out %+v", list)
		}
		return err
	})
	m.must(command.RemoveDownload{SHA256: "second"})
	wantRefused(t, m, command.RemoveDownload{SHA256: "second"}, farm.CodeNotFound)
	if named("second") {
		t.Error("the file of a removed download is kept")
	}
	m.read(func(tx *Tx) error {
		if _, err := tx.Download("second"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("a removed download: %v", err)
		}
		d, err := tx.Download("made-again")
		if d.Version != "1.0.0" {
			t.Errorf("the download is %+v", d)
		}
		return err
	})
}

func TestRemovedDownloadsAreRemembered(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	removed := func(sha256 string) (is bool) {
		m.read(func(tx *Tx) (err error) {
			is, err = tx.DownloadRemoved(sha256)
			return err
		})
		return is
	}
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	remove := func(sha256 string, at time.Time) {
		m.must(command.PutDownload{Download: testDownload("1.0.0", sha256)})
		m.must(command.RemoveDownload{SHA256: sha256, At: at})
	}
	m.must(command.PutDownload{Download: testDownload("1.0.0", "silent")})
	m.must(command.RemoveDownload{SHA256: "silent"}) // as an earlier program wrote it
	remove("first", at)
	remove("second", at.Add(time.Second))
	if removed("silent") || !removed("first") || !removed("second") || removed("never") {
		t.Errorf("removed: silent %v, first %v, second %v, never %v", removed("silent"), removed("first"), removed("second"), removed("never"))
	}
	m.must(command.PutDownload{Download: testDownload("1.0.0", "first")}) // brought back
	if removed("first") {
		t.Error("what was brought back is still removed")
	}
	for i := range maxDownloads {
		remove(fmt.Sprint("content", i), at.Add(time.Minute+time.Duration(i)))
	}
	if removed("second") || !removed("content0") || !removed(fmt.Sprint("content", maxDownloads-1)) {
		t.Error("the earliest removal is not the one that is forgotten")
	}
}

func TestDownloadsThatCannotBe(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	for name, change := range map[string]func(*farm.Download){
		"kind":         func(d *farm.Download) { d.Kind = "virus" },
		"system":       func(d *farm.Download) { d.System = "plan9" },
		"processor":    func(d *farm.Download) { d.Arch = "" },
		"format":       func(d *farm.Download) { d.Format = "zip" },
		"no version":   func(d *farm.Download) { d.Version = "" },
		"version":      func(d *farm.Download) { d.Version = "1\n2" },
		"path":         func(d *farm.Download) { d.File.Name = "../agent.deb" },
		"no name":      func(d *farm.Download) { d.File.Name = "" },
		"hash":         func(d *farm.Download) { d.File.SHA256 = "" },
		"hash and key": func(d *farm.Download) { d.File.SHA256 = "a\x00b" },
	} {
		d := testDownload("1.0.0", "content")
		change(&d)
		t.Log(name)
		wantRefused(t, m, command.PutDownload{Download: d}, farm.CodeInvalid)
	}
	for i := range maxDownloads {
		m.must(command.PutDownload{Download: testDownload(fmt.Sprint(i), fmt.Sprint("content", i))})
	}
	wantRefused(t, m, command.PutDownload{Download: testDownload("one more", "more")}, farm.CodeConflict)
	m.must(command.PutDownload{Download: testDownload("7", "replaced")})
}
