package tables

import (
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore/record"
)

// Batch reads one batch.
func (tx *Tx) Batch(id string) (farm.Batch, error) {
	return byID[farm.Batch](tx, bucketBatches, "batch", id)
}

// CountBatch counts the jobs of a batch by state. The counts are kept, not made by looking at jobs.
func (tx *Tx) CountBatch(id string) (map[farm.JobStatus]int, error) {
	counts := make(map[farm.JobStatus]int)
	for _, status := range farm.JobStatuses() {
		if n := tx.t.count(tx.t.countOfBatch(id, status)); n > 0 {
			counts[status] = n
		}
	}
	return counts, tx.t.err
}

// Batches reads batches of a team, the newest first, at most limit. next is the cursor to go on with, "" after the last;
// cursor is "" for the first page.
func (tx *Tx) Batches(team, cursor string, limit int) (batches []farm.Batch, next string, err error) {
	err = tx.EachBatch(team, cursor, func(id string) (bool, error) {
		if len(batches) == limit {
			next = batches[limit-1].ID
			return false, nil
		}
		batch, err := tx.Batch(id)
		batches = append(batches, batch)
		return true, err
	})
	if err != nil {
		return nil, "", err
	}
	return batches, next, nil
}

// EachBatch names the batches of a team, the newest first, behind the one of a cursor where that is not "", until do says that it has enough. It
// reads none of them.
func (tx *Tx) EachBatch(team, cursor string, do func(id string) (more bool, err error)) error {
	c := tx.t.cursor(bucketBatchesByTeam)
	prefix := team + sep
	from := prefix + "\xff"
	if cursor != "" {
		from = prefix + cursor
	}
	key, _ := c.Seek([]byte(from))
	if key == nil {
		key, _ = c.Last()
	} else {
		key, _ = c.Prev()
	}
	for ; len(key) > len(prefix) && string(key[:len(prefix)]) == prefix; key, _ = c.Prev() {
		if more, err := do(string(key[len(prefix):])); err != nil || !more {
			return err
		}
	}
	return tx.t.err
}

// HeadOfBatch reads a batch with no jobs but the first, and of the rest only who submitted it: there may be a thousand jobs.
func (tx *Tx) HeadOfBatch(id string) (farm.Batch, error) {
	head, ok := tx.t.headOfBatch(id)
	return found(tx, head, ok, "batch", id)
}

func (t *tables) headOfBatch(id string) (head farm.Batch, ok bool) {
	value := t.value(bucketBatches, id)
	by, first, err := record.HeadOfBatch(value)
	if err != nil {
		t.fail(fmt.Errorf("state is damaged: %s %q: %w", bucketBatches, id, err))
	}
	head = farm.Batch{ID: id, By: by}
	if first != "" {
		head.Jobs = []farm.BatchJob{{ID: first}}
	}
	return head, value != nil
}
