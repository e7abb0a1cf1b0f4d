package raftstore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyTheFirstReleasesStateIsTakenForIt(t *testing.T) {
	later := t.TempDir()
	s := openStore(t, config(t, later))
	putTeam(t, s, "team")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	opened := unpackFirstVersion(t)
	cfg := config(t, opened)
	cfg.NodeID = "n1"
	if err := openStore(t, cfg).Close(); err != nil {
		t.Fatal(err)
	}
	without := func(folder string, gone ...string) string {
		for _, name := range gone {
			if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	torn := unpackFirstVersion(t)
	if err := os.WriteFile(filepath.Join(torn, stateFile), bytes.Repeat([]byte("torn"), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		folder string
		want   bool
	}{
		"as it was left":         {unpackFirstVersion(t), true},
		"without its state file": {without(unpackFirstVersion(t), stateFile), true},
		"with the log alone":     {without(unpackFirstVersion(t), stateFile, "snapshots"), true},
		"with a torn state file": {torn, true},
		"opened since":           {opened, false},
		"of this release":        {later, false},
		"an empty folder":        {t.TempDir(), false},
	} {
		got, err := OfFirstRelease(test.folder)
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, test.want)
		}
	}
}

func TestWhatIsSetAsideIsTheWholeState(t *testing.T) {
	folder := unpackFirstVersion(t)
	aside := filepath.Join(t.TempDir(), "aside")
	if err := SetAside(folder, aside, 1<<60); err == nil || !strings.Contains(err.Error(), "make room") {
		t.Errorf("a disk without room: %v", err)
	}
	if _, err := os.Stat(aside); err == nil {
		t.Error("a copy was made all the same")
	}
	if err := SetAside(folder, aside, 0); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, folder)
	cfg.NodeID = "n1"
	s := openStore(t, cfg)
	putTeam(t, s, "since")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if is, err := OfFirstRelease(aside); err != nil || !is {
		t.Errorf("what was set aside is not what it was: %v", err)
	}
	cfg = config(t, aside)
	cfg.NodeID = "n1"
	checkFirstVersion(t, openStore(t, cfg))
}
