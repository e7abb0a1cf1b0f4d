package raftstore

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/raftstore/seglog"
)

// earlierFolder is the folder of a farm with teams "one" and "two", whose log lies where version 0.1 had it.
func earlierFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "one")
	putTeam(t, s, "two")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	moveBack(t, folder)
	return folder
}

// moveBack puts the log of a node into the file of its stable values. The folder of the log stays.
func moveBack(t *testing.T, folder string) {
	t.Helper()
	log, err := seglog.Open(seglog.Config{Folder: filepath.Join(folder, logFolder)})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	db, err := bbolt.Open(filepath.Join(folder, stableFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := log.FirstIndex()
	last, _ := log.LastIndex()
	err = db.Update(func(tx *bbolt.Tx) error {
		for i := first; i <= last; i++ {
			var entry raft.Log
			if err := log.GetLog(i, &entry); err != nil {
				return err
			}
			if err := tx.Bucket([]byte("log")).Put(binary.BigEndian.AppendUint64(nil, i), seglog.AppendEntry(nil, &entry)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestLogOfAnEarlierVersionIsBroughtOver(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, folder string){
		"as it was left":              func(t *testing.T, folder string) { remove(t, folder, logFolder) },
		"interrupted before the move": func(t *testing.T, folder string) { interrupted(t, folder) },
		"interrupted behind the move": func(*testing.T, string) {},
		"without the state file": func(t *testing.T, folder string) {
			remove(t, folder, logFolder)
			remove(t, folder, stateFile)
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := earlierFolder(t)
			before(t, folder)
			for _, more := range []string{"three", "four"} {
				s := openStore(t, config(t, folder))
				if !hasTeam(t, s, "one") || !hasTeam(t, s, "two") {
					t.Fatal("what the earlier log holds is lost")
				}
				putTeam(t, s, more)
				if err := s.log.logStore.(*journal).Last(new(raft.Log)); !errors.Is(err, raft.ErrLogNotFound) {
					t.Errorf("entries stayed in %s: %v", stableFile, err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			remove(t, folder, stateFile) // the log alone tells everything
			s := openStore(t, config(t, folder))
			for _, team := range []string{"one", "two", "three", "four"} {
				if !hasTeam(t, s, team) {
					t.Errorf("team %s is lost", team)
				}
			}
		})
	}
}

// interrupted leaves a copy of the log that was begun.
func interrupted(t *testing.T, folder string) {
	t.Helper()
	next := filepath.Join(folder, logFolder+".new")
	if err := os.Rename(filepath.Join(folder, logFolder), next); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(next)
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %d files", err, len(names))
	}
	if err := os.Truncate(filepath.Join(next, names[0].Name()), 200); err != nil {
		t.Fatal(err)
	}
}

func TestTwoLogsInOneFolderAreRefused(t *testing.T) {
	folder, other := earlierFolder(t), earlierFolder(t)
	s := openStore(t, config(t, other))
	putTeam(t, s, "three")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	moveBack(t, other)
	if err := os.Rename(filepath.Join(other, stableFile), filepath.Join(folder, stableFile)); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), config(t, folder)); err == nil {
		s.Close()
		t.Fatal("one of two logs was taken")
	} else if !strings.Contains(err.Error(), "there are two logs") {
		t.Errorf("the error does not say what is wrong: %v", err)
	}
}
