package raftstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

func levelIn(t *testing.T, s *Store) (level int) {
	t.Helper()
	err := s.View(func(tx *tables.Tx) (err error) {
		level, _, err = tx.Level()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return level
}

func TestAFarmRisesToWhatAllItsCoordinatorsUnderstand(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	apply := func(cmd command.Command) *farm.Error {
		t.Helper()
		result, err := s.Apply(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		return result.Refused
	}
	if level := levelIn(t, s); level != command.FirstLevel {
		t.Errorf("a state without a level is at %d", level)
	}
	apply(command.PutCoordinator{Coordinator: farm.Coordinator{ID: "n1", Name: "rack1", Version: "v0.2.0", Level: command.NewestLevel}})
	apply(command.PutCoordinator{Coordinator: farm.Coordinator{ID: "n2", Name: "rack2", Version: "v0.1.9", Level: command.NewestLevel - 1}})
	refused := apply(command.SetLevel{Level: command.NewestLevel, Version: "v0.2.0"})
	if refused == nil || refused.Code != farm.CodeConflict || !strings.Contains(refused.Message, "n2 (rack2) runs overcrank v0.1.9") {
		t.Errorf("a level that one node does not understand: %v", refused)
	}
	apply(command.PutCoordinator{Coordinator: farm.Coordinator{ID: "n2", Name: "rack2", Version: "v0.2.0", Level: command.NewestLevel + 4}})
	if refused := apply(command.SetLevel{Level: command.NewestLevel, Version: "v0.2.0"}); refused != nil {
		t.Error(refused)
	}
	if refused := apply(command.SetLevel{Level: command.NewestLevel - 1, Version: "v0.1.9"}); refused == nil {
		t.Error("the farm went back")
	}
	if level := levelIn(t, s); level != command.NewestLevel {
		t.Errorf("the farm is at level %d, want %d", level, command.NewestLevel)
	}
}

// laterCommand is one of a level to come.
type laterCommand struct{ command.PutTeam }

func (laterCommand) Needs() int { return command.NewestLevel + 1 }

func TestACommandThatSomeNodeDoesNotKnowIsNotWritten(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	for id, level := range map[string]int{"n1": command.NewestLevel + 1, "n2": command.NewestLevel} {
		if _, err := s.Apply(t.Context(), command.PutCoordinator{Coordinator: farm.Coordinator{ID: id, Name: "rack", Version: "v7", Level: level}}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Apply(t.Context(), laterCommand{command.PutTeam{Team: farm.Team{ID: "team"}}})
	if farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "n2 (rack) runs overcrank v7; update it there") || strings.Contains(err.Error(), "n1 ") {
		t.Errorf("got %v", err)
	}
	if hasTeam(t, s, "team") {
		t.Error("the command was applied")
	}
}

// raiseBeyond writes into a state file that a later release has raised the farm.
func raiseBeyond(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(map[string]any{"level": command.NewestLevel + 1, "version": "v9.9.9"})
	if err == nil {
		err = db.Update(func(tx *bbolt.Tx) error {
			// They would be those of the later release.
			return errors.Join(layered.DropSums(tx), tx.Bucket([]byte("meta")).Put([]byte("level"), value))
		})
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAStateOfALaterReleaseIsLeftAsItIs(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "team")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, stateFile)
	raiseBeyond(t, path)
	for range 2 { // the second time, what the first one made of the folder
		_, err := Open(t.Context(), config(t, folder))
		if !errors.Is(err, command.ErrNewer) || !strings.Contains(err.Error(), "overcrank v9.9.9 raised it") {
			t.Errorf("got %v", err)
		}
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		if tx.Bucket([]byte("teams")).Get([]byte("team")) == nil {
			t.Error("the state was made again")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestASnapshotOfALaterReleaseIsNotTaken(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "theirs")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, stateFile)
	raiseBeyond(t, path)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var content bytes.Buffer
	if err := (&snapshot{tx: tx}).write(&content); err != nil {
		t.Fatal(err)
	}

	mine := openStore(t, config(t, t.TempDir()))
	putTeam(t, mine, "mine")
	err = mine.machine.Restore(io.NopCloser(&content))
	if !errors.Is(err, command.ErrNewer) || !strings.Contains(err.Error(), "v9.9.9") {
		t.Errorf("got %v", err)
	}
	if !hasTeam(t, mine, "mine") || hasTeam(t, mine, "theirs") {
		t.Error("the state in force is another one")
	}
}

func TestAnUnknownCommandNamesWhoMayHaveWrittenIt(t *testing.T) {
	var said error
	cfg := config(t, t.TempDir())
	cfg.OnFatal = func(err error) { said = err }
	s := openStore(t, cfg)
	if _, err := s.Apply(t.Context(), command.PutCoordinator{Coordinator: farm.Coordinator{ID: "n2", Name: "rack2", Version: "v9.9.9", Level: command.NewestLevel + 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.raft.Apply([]byte{255, 1, '{', '}'}, 0).Error(); err != nil {
		t.Fatal(err)
	}
	if said == nil || !strings.Contains(said.Error(), "coordinator n2 (rack2) runs overcrank v9.9.9") || !strings.Contains(said.Error(), "kind 255") {
		t.Errorf("the node ended with %v", said)
	}
}
