package submission

import (
	"context"
	"fmt"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Row is a row of a batch with the latest job that was made of it.
type Row struct {
	Number int      // from 0, in what was submitted
	Was    farm.Job // the latest take, without fonts, assets, upload and webhook
	// Again is what was sent for it, with those nested in it. Err is why it cannot be submitted again, nil when it can.
	Again farm.Job
	Err   error
	Cause farm.Cause // why it failed; the zero Cause when that is not known, or somebody has dealt with it
}

// Take is a row of a batch that is to be submitted again, in its place. Job is what is sent for it now; nil sends what was sent before.
type Take struct {
	Row int // from 0
	Job *farm.Job
	Err error // what was wrong with Job already
}

// BatchRows reads those rows of a batch of the caller's team whose latest takes pick chooses, in their order. Rows of which the farm has forgotten the
// job are left out.
func (s *Submitter) BatchRows(_ context.Context, p farm.Principal, batch string, pick func(farm.Job) bool) (rows []Row, of farm.Batch, err error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return nil, of, err
	}
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		if of, err = batchOf(tx, p, batch); err != nil {
			return err
		}
		for _, entry := range of.Jobs {
			row, there, err := readRow(tx, entry, pick)
			if err != nil {
				return err
			}
			if there {
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, of, err
}

// batchOf reads a batch of the caller's team.
func batchOf(tx *raftstore.Tx, p farm.Principal, id string) (farm.Batch, error) {
	batch, err := tx.Batch(id)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && batch.Team != p.Team {
		return farm.Batch{}, farm.Errorf(farm.CodeNotFound, "there is no batch %q", id)
	}
	return batch, err
}

// readRow reads one row; there is false for one that is not chosen or not known any more.
func readRow(tx *raftstore.Tx, entry farm.BatchJob, pick func(farm.Job) bool) (row Row, there bool, err error) {
	head, err := tx.JobHead(entry.ID)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && !pick(head) {
		return row, false, nil
	}
	if err != nil {
		return row, false, err
	}
	job, err := tx.Job(entry.ID)
	if err != nil {
		return row, false, err
	}
	again, err := resubmission(tx, job)
	if err != nil {
		return row, false, err
	}
	row = Row{Number: entry.Index, Was: head, Again: again.Job, Err: again.Err}
	failure, err := tx.Failure(head.Team, head.ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return row, true, nil
	}
	row.Cause = failure.Cause
	return row, true, err
}

// RetakeRows submits rows of a batch again as new takes in their places: the batch counts, cancels and packs the latest take of each row, and the jobs
// before stay as they ended. Each row is accepted or refused on its own; Errs of the result, and the places of its batch's jobs, are by row. Rows
// whose latest take has not ended are refused.
func (s *Submitter) RetakeRows(ctx context.Context, p farm.Principal, batch string, takes []Take) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return s.retaken(ids, takes, err)
	}
	if len(takes) == 0 {
		return BatchResult{}, farm.Errorf(farm.CodeInvalid, "no row was named")
	}
	rows, of, err := s.BatchRows(ctx, p, batch, func(farm.Job) bool { return true })
	if err != nil {
		return BatchResult{}, err
	}
	entries, places, err := entriesOf(of, rows, takes)
	if err != nil {
		return BatchResult{}, err
	}
	return s.submitEntries(ctx, p, farm.Batch{Total: len(entries), Into: batch}, entries, places)
}

// RetakeFailed submits all failed rows of a batch again as they were. CodeNotFound when there are none, CodeConflict when none could be submitted.
func (s *Submitter) RetakeFailed(ctx context.Context, p farm.Principal, batch string) (BatchResult, error) {
	rows, _, err := s.BatchRows(ctx, p, batch, func(j farm.Job) bool { return j.Status == farm.JobFailed })
	if err != nil {
		return BatchResult{}, err
	}
	if _, before, _ := state.Made(ctx); len(rows) == 0 && !before {
		return BatchResult{}, farm.Errorf(farm.CodeNotFound, "batch %q has no such jobs", batch)
	}
	takes := make([]Take, len(rows))
	for i, row := range rows {
		takes[i].Row = row.Number
	}
	result, err := s.RetakeRows(ctx, p, batch, takes)
	if err == nil && len(result.Jobs) == 0 && len(takes) > 0 {
		err = farm.Errorf(farm.CodeConflict, "none of the rows could be resubmitted: %w", result.Errs[takes[0].Row])
	}
	return result, err
}

// entriesOf makes what is submitted of rows that are to be submitted again.
func entriesOf(of farm.Batch, rows []Row, takes []Take) (entries []BatchEntry, places []int, err error) {
	known := make(map[int]Row, len(rows))
	for _, row := range rows {
		known[row.Number] = row
	}
	seen := make(map[int]bool, len(takes))
	for _, take := range takes {
		row, there := known[take.Row]
		if !there {
			return nil, nil, farm.Errorf(farm.CodeNotFound, "batch %s has no row %d of which the farm still knows the job", of.ID, take.Row+1)
		}
		if seen[take.Row] {
			return nil, nil, farm.Errorf(farm.CodeInvalid, "row %d of batch %s is named twice", take.Row+1, of.ID)
		}
		seen[take.Row] = true
		entries, places = append(entries, entryOf(row, take)), append(places, take.Row)
	}
	return entries, places, nil
}

func entryOf(row Row, take Take) BatchEntry {
	entry := BatchEntry{Job: row.Again, Err: row.Err}
	if take.Job != nil {
		entry.Job, entry.Err = *take.Job, take.Err
	}
	entry.Job.TakeOf = row.Was.ID
	if row.Was.TakeOf != "" {
		entry.Job.TakeOf = row.Was.TakeOf
	}
	if entry.Err == nil && !row.Was.Status.Ended() {
		entry.Err = farm.Errorf(farm.CodeConflict, "row %d has been resubmitted already, or has not ended: job %s is %s", row.Number+1, row.Was.ID, row.Was.Status)
	}
	return entry
}

// retaken reads what RetakeRows came to: the first id is the batch's, the others are those of the jobs.
func (s *Submitter) retaken(ids []string, takes []Take, err error) (BatchResult, error) {
	result := BatchResult{Errs: map[int]error{}}
	if err != nil {
		return result, err
	}
	for _, take := range takes {
		if result.Errs[take.Row] = take.Err; take.Err == nil {
			result.Errs[take.Row] = errLost
		}
	}
	made := make(map[string]bool, len(ids))
	for _, id := range ids[1:] {
		made[id] = true
	}
	err = s.state.View(func(tx *raftstore.Tx) error {
		batch, err := tx.Batch(ids[0])
		if err != nil {
			return err
		}
		result.Batch = batch
		result.Batch.Jobs, result.Batch.Total = nil, len(takes)
		for _, entry := range batch.Jobs {
			if !made[entry.ID] {
				continue
			}
			job, err := tx.Job(entry.ID)
			if err == nil {
				err = ReadNested(tx, &job)
			}
			if err != nil {
				return fmt.Errorf("reading row %d of batch %s: %w", entry.Index+1, batch.ID, err)
			}
			delete(result.Errs, entry.Index)
			result.Jobs, result.Batch.Jobs = append(result.Jobs, job), append(result.Batch.Jobs, entry)
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	return result, s.tellMissingOfAll(result.Jobs)
}
