package submission

import (
	"context"
	"errors"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// staging lays down a batch that is too large for one command, part by part, while the rest of it is still planned. While one part
// is written to the log the next is packed.
type staging struct {
	state *state.State
	batch string
	at    time.Time
	todo  chan piece
	done  chan struct{} // closed when all was laid down, or could not be

	// These are good once done is closed.
	stored  []func() (command.Result, error)
	kept    []int         // families that were laid down, by their place in the batch
	refused map[int]error // those that do not fit into a part
	err     error
}

// partsAhead is how many pieces may wait to be packed: as many as ordinary jobs make of the largest batch.
const partsAhead = 4

// piece are some families of a batch, one behind the other.
type piece struct {
	first int     // place of the first family in the batch
	ends  []place // of its families in the batch's plan; the first is where the first begins
	jobs  []farm.Job
	tasks []farm.Task
}

// part is the piece from one of its families to another.
func (p piece) part(from, to int) piece {
	begin, first, last := p.ends[0], p.ends[from], p.ends[to]
	return piece{
		first: p.first + from, ends: p.ends[from : to+1],
		jobs: p.jobs[first.jobs-begin.jobs : last.jobs-begin.jobs], tasks: p.tasks[first.tasks-begin.tasks : last.tasks-begin.tasks],
	}
}

// stage begins to lay down a batch; wait has to be called.
func (s *Submitter) stage(ctx context.Context, batch string, at time.Time) *staging {
	b := &staging{state: s.state, batch: batch, at: at, todo: make(chan piece, partsAhead), done: make(chan struct{}), refused: map[int]error{}}
	go func() {
		defer close(b.done)
		for p := range b.todo {
			if b.err == nil {
				b.err = b.store(ctx, p)
			}
		}
	}()
	return b
}

// add lays down a piece behind those before, without waiting for it unless many wait already.
func (b *staging) add(p piece) { b.todo <- p }

// wait waits until everything is laid down. Nothing may be added any more.
func (b *staging) wait() error {
	close(b.todo)
	<-b.done
	err := b.err
	for _, stored := range b.stored {
		result, failed := stored()
		if failed == nil && result.Refused != nil {
			failed = result.Refused
		}
		err = errors.Join(err, failed)
	}
	return err
}

// store lays a piece down in as few parts as it fits into. A family that does not fit alone is refused.
func (b *staging) store(ctx context.Context, p piece) error {
	families := len(p.ends) - 1
	if families == 1 || sizeOf(p.jobs) <= batchPiece {
		stored, err := b.state.Begin(ctx, command.SubmitPart{
			Batch: b.batch, Part: len(b.stored), At: b.at, SubmitJobs: command.SubmitJobs{Jobs: p.jobs, Tasks: p.tasks},
		})
		switch {
		case err == nil:
			b.stored = append(b.stored, stored)
			for i := range families {
				b.kept = append(b.kept, p.first+i)
			}
			return nil
		case farm.CodeOf(err) != farm.CodeTooLarge:
			return err
		case families == 1:
			b.refused[p.first] = err
			return nil
		}
	}
	if err := b.store(ctx, p.part(0, families/2)); err != nil {
		return err
	}
	return b.store(ctx, p.part(families/2, families))
}
