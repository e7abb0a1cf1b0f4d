package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// checkTakes refuses jobs that cannot become new takes of rows of a batch. batch is what the submission says: Into names the batch with the rows.
// The take that a row has must have ended, so that of two people who submit a row again at once only the first does.
func (t *tables) checkTakes(batch farm.Batch, jobs []farm.Job) *farm.Error {
	into, ok := get[farm.Batch](t, bucketBatches, batch.Into)
	if !ok || into.Team != batch.Team {
		return farm.Errorf(farm.CodeNotFound, "batch %q does not exist", batch.Into)
	}
	rows, takes := map[int]string{}, make(map[string]*farm.Job, len(jobs))
	for _, entry := range into.Jobs {
		rows[entry.Index] = entry.ID
	}
	for i := range jobs {
		takes[jobs[i].ID] = &jobs[i]
	}
	for _, entry := range batch.Jobs {
		was, there := t.head(rows[entry.Index])
		switch {
		case !there:
			return farm.Errorf(farm.CodeNotFound, "batch %s has no row %d of which the farm still knows the job", batch.Into, entry.Index+1)
		case !was.Status.Ended():
			return farm.Errorf(farm.CodeConflict, "row %d of batch %s has been resubmitted already: job %s has not ended", entry.Index+1, batch.Into, was.ID)
		case takes[entry.ID].TakeOf != firstTake(was):
			return farm.Errorf(farm.CodeInvalid, "job %s is not a take of row %d of batch %s", entry.ID, entry.Index+1, batch.Into)
		}
		delete(rows, entry.Index)
	}
	return nil
}

// takePlaces puts new jobs in the places of those that rows of a batch have had. Those stay as they are, and need nobody any more.
func (t *tables) takePlaces(batch farm.Batch) {
	into, _ := get[farm.Batch](t, bucketBatches, batch.Into)
	next := make(map[int]string, len(batch.Jobs))
	for _, entry := range batch.Jobs {
		next[entry.Index] = entry.ID
	}
	for i := range into.Jobs {
		entry := &into.Jobs[i]
		id, replaced := next[entry.Index]
		if !replaced {
			continue
		}
		was, _ := t.head(entry.ID)
		if i == 0 && t.since(command.BatchOwnersLevel) {
			into.By = into.Owner(was)
		}
		t.countInBatch(&was, was.Status, -1)
		was.NextTake = id
		t.saveJob(was, was.Status)
		if t.closeFailure(was.Team, was.ID) {
			t.note(farm.EventJob, was.Team, was.ID)
		}
		entry.ID = id
	}
	put(t, bucketBatches, into.ID, into)
}
