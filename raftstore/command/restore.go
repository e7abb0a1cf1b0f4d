package command

import "time"

// StageState lays down a part of the state that is to take the place of the present one, out of sight until ReplaceState. Parts
// come in the order of their numbers, from 0 on; the first begins a restoration, and ends one that has stood still.
type StageState struct {
	Restoration string // its id
	Number      int
	Rows        []byte // see putback_file.go, packed with zstd
	At          time.Time
}

// ReplaceState puts what was brought in the place of the state, all at once, for the commands behind it. What belongs to the living
// farm rather than to its history is kept, see keptBuckets.
type ReplaceState struct {
	Restoration string
	Parts       int // that were brought; refused when there are others
	At          time.Time
}

// DropStagedState gives up what a restoration has brought so far.
type DropStagedState struct{ Restoration string }

func (StageState) Needs() int      { return ClusterLevel }
func (ReplaceState) Needs() int    { return ClusterLevel }
func (DropStagedState) Needs() int { return ClusterLevel }
