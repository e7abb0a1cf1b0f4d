package command

import (
	"encoding/binary"
	"fmt"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/record"
)

// SubmitPart lays down a part of a batch that is too large for one command. Nothing of it can be seen until the SubmitJobs
// that names the batch, with as many Parts as there are, makes all of it appear at once.
type SubmitPart struct {
	Batch string
	Part  int // from 0
	SubmitJobs
	At time.Time

	// A part that comes from the log has its submission only as it lay there: it is read when the batch is whole.
	body  []byte
	count int // of its jobs
}

// partEnvelope is what lies, as JSON with its length before it, before the submission of a part in version 2; version 1 is
// JSON with whole jobs.
type partEnvelope struct {
	Batch string
	Part  int
	At    time.Time
	Jobs  int // how many
}

// Body is the submission of the part as it is kept until its batch is whole.
func (c SubmitPart) Body() ([]byte, error) {
	if c.body != nil {
		return c.body, nil
	}
	return c.SubmitJobs.appendTo(nil, new(record.Packers))
}

// Size is how many jobs the part has.
func (c SubmitPart) Size() int {
	if c.body != nil {
		return c.count
	}
	return len(c.Jobs)
}

// appendTo writes version 2 behind what out holds.
func (c SubmitPart) appendTo(out []byte, pack *record.Packers) ([]byte, error) {
	head, err := record.Encode(partEnvelope{Batch: c.Batch, Part: c.Part, At: c.At, Jobs: c.Size()})
	if err != nil {
		return nil, err
	}
	out = append(binary.AppendUvarint(out, uint64(len(head))), head...)
	if c.body != nil {
		return append(out, c.body...), nil
	}
	return c.SubmitJobs.appendTo(out, pack)
}

func ReadPart(data []byte) (c SubmitPart, err error) {
	head, body, err := cutPart(data)
	if err != nil {
		return c, err
	}
	var envelope partEnvelope
	if err := record.Decode(head, &envelope); err != nil {
		return c, fmt.Errorf("read command %T: %w", c, err)
	}
	return SubmitPart{Batch: envelope.Batch, Part: envelope.Part, At: envelope.At, body: body, count: envelope.Jobs}, nil
}

// CancelBatch cancels those jobs of a batch that can be, with their families: queued and pending ones, and with Force
// rendering ones too. The others stay as they are.
type CancelBatch struct {
	Team, ID string
	Force    bool
	At       time.Time
}

// LabelBatch says what a batch is called and when it is due, in place of what was said before.
type LabelBatch struct {
	Team, ID string
	Label    farm.BatchLabel
}

// ReleaseJobs lets held jobs begin, with those nested in them. All or none; one that is not held stays as it is.
type ReleaseJobs struct {
	Team string
	IDs  []string
	At   time.Time
}

// HoldJobs keeps jobs back that have not ended, with those nested in them, until they are released. All or none. Machines finish the tasks that they
// have begun, and get no other.
type HoldJobs struct {
	Team string
	IDs  []string
	At   time.Time
}

// DropParts forgets parts of batches that were laid down before a time and never became jobs.
type DropParts struct{ Before time.Time }

func (CancelBatch) Needs() int { return ClusterLevel }
func (LabelBatch) Needs() int  { return BatchLabelsLevel }
func (ReleaseJobs) Needs() int { return ClusterLevel }
func (HoldJobs) Needs() int    { return HoldRenderingLevel }
func (DropParts) Needs() int   { return ClusterLevel }
