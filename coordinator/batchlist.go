package coordinator

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
)

// MostBatchesLooked is how many batches are looked at for one page of those that a filter selects; more only when the page itself may be longer.
const MostBatchesLooked = 500

// ListedBatch is a batch as a list shows it.
type ListedBatch struct {
	CountedBatch
	First farm.Job // without fonts, assets, upload and webhook; empty when the farm knows it no more
}

// FoundBatches are some of the batches that a filter selects, the newest first.
type FoundBatches struct {
	Batches []ListedBatch
	Next    string // cursor of what follows, "" at the end
	Looked  int    // how many were looked at
	Short   bool   // these were so many that the answer was given before it was full
}

// SelectBatches lists those of the caller's team's batches that a filter selects. What a batch says of all of its jobs is read only of those that it lists.
func (c *Coordinator) SelectBatches(_ context.Context, p farm.Principal, f farm.BatchFilter, cursor string, limit int) (found FoundBatches, err error) {
	most := max(MostBatchesLooked, limit)
	err = c.state.View(func(tx *raftstore.Tx) error {
		last := ""
		return tx.EachBatch(p.Team, cursor, func(id string) (bool, error) {
			if len(found.Batches) == limit || found.Looked == most {
				found.Next, found.Short = last, len(found.Batches) < limit
				return false, nil
			}
			found.Looked++
			last = id
			b, fits, err := lookAtBatch(tx, f, id)
			if err != nil || !fits {
				return true, err
			}
			b.Batch, err = tx.Batch(id)
			found.Batches = append(found.Batches, b)
			return true, err
		})
	})
	for i := 0; i < len(found.Batches) && err == nil; i++ {
		err = c.AddProgress(&found.Batches[i].First)
	}
	return found, err
}

// lookAtBatch reads of a batch what a filter asks for, and says whether it fits.
func lookAtBatch(tx *raftstore.Tx, f farm.BatchFilter, id string) (b ListedBatch, fits bool, err error) {
	if b.Counts, err = tx.CountBatch(id); err != nil || !f.State.Holds(b.Counts) {
		return b, false, err
	}
	if b.Batch, err = tx.HeadOfBatch(id); err != nil {
		return b, false, err
	}
	if len(b.Jobs) > 0 {
		b.First, err = tx.JobHead(b.Jobs[0].ID)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return b, false, err
		}
	}
	return b, f.By == "" || b.Owner(b.First) == f.By, nil
}
