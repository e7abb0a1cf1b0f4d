package raftstore

import (
	"strings"
	"testing"

	"overcrank/raftstore/command"
)

func TestSnapshotsBecomeDueWithTheLog(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "team")
	if s.snapshotDue() {
		t.Error("a snapshot is due of next to nothing")
	}
	s.machine.grown.Add(snapshotFloor)
	if !s.snapshotDue() {
		t.Errorf("no snapshot is due %d bytes after the last, of a state of %d", s.machine.grown.Load(), s.machine.size())
	}
	if err := s.trimTrail(); err != nil {
		t.Fatal(err)
	}
	if few := s.raft.ReloadableConfig().TrailingLogs; few < 1 || few > 100 {
		t.Errorf("%d large entries stay behind a snapshot", few)
	}
	if err := s.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if s.snapshotDue() || s.machine.entries.Load() != 0 {
		t.Errorf("a snapshot is due again at once: %d bytes in %d entries", s.machine.grown.Load(), s.machine.entries.Load())
	}
	for range 3 {
		if _, err := s.Apply(t.Context(), command.PutInventory{ID: "a", Name: strings.Repeat("x", 100)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.trimTrail(); err != nil {
		t.Fatal(err)
	}
	if many := s.raft.ReloadableConfig().TrailingLogs; many != trailingLogs {
		t.Errorf("%d small entries stay behind a snapshot, want %d", many, trailingLogs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, config(t, folder))
	if got := again.machine.entries.Load(); got < 3 || got > 10 {
		t.Errorf("after a start %d entries count as added since the last snapshot", got)
	}
}
