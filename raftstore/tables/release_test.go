package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// testRelease is a release with one file.
func testRelease(version string, number, keys int64) farm.Release {
	return farm.Release{Version: version, Number: number, Keys: keys,
		Files:     []farm.ReleaseFile{{System: "linux", Arch: "amd64", File: farm.FileRef{SHA256: "content-of-" + version, Size: 9, Name: "agent"}}},
		Documents: []farm.ReleaseDocument{{Name: "manifest.json", Content: []byte(version)}}}
}

func TestReleasesAreKeptAndTheirFilesWithThem(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	first := testRelease("1.0.0", 1, 1)
	m.must(command.PutRelease{Release: first})
	m.must(command.PutRelease{Release: first}) // once more changes nothing
	other := testRelease("1.0.0", 1, 1)
	other.Documents[0].Content = []byte("another")
	wantRefused(t, m, command.PutRelease{Release: other}, farm.CodeConflict)
	wantRefused(t, m, command.PutRelease{Release: testRelease("1.0.1", 1, 1)}, farm.CodeConflict)
	wantRefused(t, m, command.PutRelease{Release: farm.Release{Version: "1.0.2", Number: 2}}, farm.CodeInvalid)
	m.must(command.PutRelease{Release: testRelease("1.1.0", 2, 2)})
	wantRefused(t, m, command.PutRelease{Release: testRelease("1.2.0", 3, 1)}, farm.CodeConflict) // its keys were replaced

	wantRefused(t, m, command.PutUpdates{Updates: farm.Updates{Release: "9.9.9"}}, farm.CodeNotFound)
	wantRefused(t, m, command.PutUpdates{Updates: farm.Updates{AtOnce: -1}}, farm.CodeInvalid)
	m.must(command.PutUpdates{Updates: farm.Updates{Release: "1.1.0"}})
	wantRefused(t, m, command.PutUpdates{Updates: farm.Updates{Release: "1.0.0"}}, farm.CodeConflict) // of an old revision
	wantRefused(t, m, command.RemoveRelease{Version: "1.1.0"}, farm.CodeConflict)
	wantRefused(t, m, command.RemoveRelease{Version: "9.9.9"}, farm.CodeNotFound)
	named := func(sha256 string) (named bool) {
		m.read(func(tx *Tx) (err error) {
			named, err = tx.FileReferenced(sha256)
			return err
		})
		return named
	}
	if !named("content-of-1.0.0") {
		t.Error("the file of a release is not kept")
	}
	m.must(command.RemoveRelease{Version: "1.0.0"})
	if named("content-of-1.0.0") || !named("content-of-1.1.0") {
		t.Error("removing a release frees other files than its own")
	}
	m.read(func(tx *Tx) error {
		list, err := tx.Releases()
		if len(list) != 1 || list[0].Version != "1.1.0" || len(list[0].Documents) > 0 {
			t.Errorf("the releases are %+v", list)
		}
		if err != nil {
			return err
		}
		one, err := tx.Release("1.1.0")
		if len(one.Documents) != 1 || string(one.Documents[0].Content) != "1.1.0" {
			t.Errorf("the release is %+v", one)
		}
		return err
	})
	m.must(command.PutRelease{Release: testRelease("1.0.2", 1, 2)}) // the number of the one that was removed
}

func TestWhatMachinesRunGoesWithThem(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	m.must(command.EnrolAgent{Agent: farm.Agent{ID: "a1", Name: "one", SecretHash: "h1"}})
	m.must(command.RecordUpdates{Machines: []farm.MachineUpdate{{Agent: "a1", Version: "1.0.0"}, {Agent: "nobody", Version: "1.0.0"}}})
	known := func() (list []farm.MachineUpdate) {
		m.read(func(tx *Tx) (err error) {
			list, err = tx.MachineUpdates()
			return err
		})
		return list
	}
	if list := known(); len(list) != 1 || list[0].Version != "1.0.0" {
		t.Errorf("machines run %+v", list)
	}
	m.must(command.RemoveAgent{ID: "a1"})
	if list := known(); len(list) != 0 {
		t.Errorf("a machine that is gone runs %+v", list)
	}
}
