package raftstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/raft"
)

// Usage is what this node keeps on its disk, in bytes.
type Usage struct {
	State int64 `json:"state"` // the state file, as far as it is in use
	Log   int64 `json:"log"`
	// Snapshot is the newest one on the disk; its At is zero while there is none.
	Snapshot SnapshotMade `json:"snapshot,omitzero"`
}

// SnapshotMade is a snapshot of the state.
type SnapshotMade struct {
	At   time.Time     `json:"at,omitzero"`
	Size int64         `json:"size,omitempty"` // bytes
	Took time.Duration `json:"took,omitempty"` // how long the last one took that this process wrote; 0 before the first
}

// Usage tells what this node keeps on its disk.
func (s *Store) Usage() (Usage, error) {
	out := Usage{State: s.machine.size(), Log: s.log.Size()}
	list, err := s.snapshots.List()
	if err != nil {
		return out, fmt.Errorf("listing the snapshots of the state: %w", err)
	}
	if len(list) > 0 {
		out.Snapshot = SnapshotMade{At: madeAt(list[0]), Size: list[0].Size, Took: time.Duration(s.snapshotTook.Load())}
	}
	return out, nil
}

// madeAt is when a snapshot was begun: Raft calls it by term, index and milliseconds.
func madeAt(meta *raft.SnapshotMeta) time.Time {
	ms, err := strconv.ParseInt(meta.ID[strings.LastIndexByte(meta.ID, '-')+1:], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
