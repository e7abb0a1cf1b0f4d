package tables

import "overcrank/farm"

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
		if len(batches) == limit {
			return batches, batches[limit-1].ID, tx.t.err
		}
		batch, err := tx.Batch(string(key[len(prefix):]))
		if err != nil {
			return nil, "", err
		}
		batches = append(batches, batch)
	}
	return batches, "", tx.t.err
}
