package raftstore

import (
	"testing"
	"time"
)

func TestANodeTellsWhatItKeeps(t *testing.T) {
	n := openStore(t, Config{Dir: t.TempDir()})
	before, err := n.Usage()
	if err != nil || before.State <= 0 || before.Log <= 0 || !before.Snapshot.At.IsZero() {
		t.Fatalf("a new node keeps %+v, %v", before, err)
	}
	began := time.Now()
	if err := n.Snapshot(); err != nil {
		t.Fatal(err)
	}
	after, err := n.Usage()
	if err != nil || after.Snapshot.Size <= 0 || after.Snapshot.Took <= 0 || after.Snapshot.At.Before(began.Add(-time.Second)) || after.Snapshot.At.After(time.Now().Add(time.Second)) {
		t.Errorf("after a snapshot it keeps %+v, %v", after, err)
	}
}
