package raftstore

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestPausesChangeNothingOfWhatIsWritten(t *testing.T) {
	content := make([]byte, gentleFrom+5*gentlePiece)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	var out bytes.Buffer
	synced := 0
	g := &gentle{w: &out, sync: func() error { synced++; return nil }, ctx: t.Context()}
	for rest := content; len(rest) > 0; {
		n := min(len(rest), 32<<10)
		if wrote, err := g.Write(rest[:n]); wrote != n || err != nil {
			t.Fatalf("%d bytes of %d were written: %v", wrote, n, err)
		}
		rest = rest[n:]
	}
	if !bytes.Equal(out.Bytes(), content) {
		t.Error("something else was written")
	}
	if synced < 4 {
		t.Errorf("it was brought to the disk %d times", synced)
	}
}

func TestAStoppingNodeAbandonsASnapshot(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	g := &gentle{w: &bytes.Buffer{}, sync: func() error { return nil }, ctx: ctx}
	piece := make([]byte, gentleFrom)
	if _, err := g.Write(piece[:gentleFrom-1]); err != nil {
		t.Errorf("the beginning: %v", err)
	}
	if _, err := g.Write(piece); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSnapshotsLieWhereTheyAreSynced(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "one")
	if err := s.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(folder, "snapshots", "*", "state.bin")); len(found) != 1 {
		t.Errorf("snapshots lie in %q", found)
	}
	missing, done := syncing(filepath.Join(folder, "missing"))
	defer done()
	if err := missing(); err != nil {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "missing")); err == nil {
		t.Error("it was made")
	}
}
