package raftstore

import "time"

// The kinds of the commands about batches and held jobs.
const (
	KindSubmitPart  Kind = 26
	KindCancelBatch Kind = 27
	KindReleaseJobs Kind = 28
	KindDropParts   Kind = 29
)

// SubmitPart lays down a part of a batch that is too large for one command. Nothing of it can be seen until the SubmitJobs
// that names the batch, with as many Parts as there are, makes all of it appear at once.
type SubmitPart struct {
	Batch string
	Part  int // from 0
	SubmitJobs
	At time.Time
}

// CancelBatch cancels those jobs of a batch that can be, with their families: queued and pending ones, and with Force
// rendering ones too. The others stay as they are.
type CancelBatch struct {
	Team, ID string
	Force    bool
	At       time.Time
}

// ReleaseJobs lets held jobs begin, with those nested in them. All or none; one that is not held stays as it is.
type ReleaseJobs struct {
	Team string
	IDs  []string
	At   time.Time
}

// DropParts forgets parts of batches that were laid down before a time and never became jobs.
type DropParts struct{ Before time.Time }

func (SubmitPart) kind() Kind  { return KindSubmitPart }
func (CancelBatch) kind() Kind { return KindCancelBatch }
func (ReleaseJobs) kind() Kind { return KindReleaseJobs }
func (DropParts) kind() Kind   { return KindDropParts }
