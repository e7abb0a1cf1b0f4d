package submission

import (
	"context"
	"errors"
	"fmt"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// BatchEntry is one job of a batch as a caller sent it. Err is what was wrong with it already.
type BatchEntry struct {
	Job farm.Job
	Err error
}

// BatchResult is what the submission of a batch came to.
type BatchResult struct {
	Batch farm.Batch    // without an id when no job was accepted: there is no batch then
	Jobs  []farm.Job    // those of Batch.Jobs, as Submit gives them
	Errs  map[int]error // why the others were refused, by their place in what was sent
}

// errLost stands for why a job was refused when nobody knows it any more.
var errLost = farm.Errorf(farm.CodeInvalid, "the job was refused; why was lost when the farm was interrupted: submit it again to learn it")

const (
	// batchTries is how often a batch is planned: between planning and storing, a template or a file may go.
	batchTries = 3
	// batchPiece is how much of a batch is tried as one command, and as one part of a larger one, in bytes before compression:
	// ordinary jobs shrink to little more than half. What does not fit is tried in halves.
	batchPiece = 768 << 10
)

// SubmitBatch takes up to as many jobs as the caller allows. Each is accepted or refused on its own; those accepted become a
// batch, all at once: until then nothing of it can be seen, whatever happens to the farm.
func (s *Submitter) SubmitBatch(ctx context.Context, p farm.Principal, entries []BatchEntry) (BatchResult, error) {
	return s.SubmitBatchAs(ctx, p, farm.BatchLabel{}, entries)
}

// SubmitBatchAs is SubmitBatch of a batch with a label.
func (s *Submitter) SubmitBatchAs(ctx context.Context, p farm.Principal, label farm.BatchLabel, entries []BatchEntry) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return s.submittedBatch(ids, entries, err)
	}
	places := make([]int, len(entries))
	for i := range places {
		places[i] = i
	}
	return s.submitEntries(ctx, p, farm.Batch{Total: len(entries), BatchLabel: label}, entries, places)
}

// submitEntries plans and stores entries, each in its place, until nothing that they need goes between the two.
func (s *Submitter) submitEntries(ctx context.Context, p farm.Principal, batch farm.Batch, entries []BatchEntry, places []int) (BatchResult, error) {
	for try := 1; ; try++ {
		result, err := s.submitBatch(ctx, p, batch, entries, places)
		code := farm.CodeOf(err)
		if err == nil || try == batchTries || code != farm.CodeInvalid && code != farm.CodeNotFound {
			return result, err
		}
	}
}

func (s *Submitter) submitBatch(ctx context.Context, p farm.Principal, batch farm.Batch, entries []BatchEntry, places []int) (BatchResult, error) {
	id, err := s.state.NewID()
	if err != nil {
		return BatchResult{}, err
	}
	b := &batchPlan{plan: s.newPlan(p), result: BatchResult{Errs: map[int]error{}}}
	b.jobs, b.tasks = make([]farm.Job, 0, len(entries)), make([]farm.Task, 0, len(entries))
	b.result.Jobs, b.ends = make([]farm.Job, 0, len(entries)), make([]place, 1, len(entries)+1)
	b.result.Batch = batch
	b.result.Batch.ID, b.result.Batch.Team, b.result.Batch.CreatedAt = id, p.Team, b.now
	for i := 0; i < len(entries) && err == nil; i++ {
		err = b.add(ctx, places[i], &entries[i])
	}
	if err = b.store(ctx, err); err != nil {
		return BatchResult{}, err
	}
	b.result.Batch.ID = b.result.Batch.Home()
	if len(b.result.Jobs) == 0 {
		b.result.Batch.ID = ""
	}
	return b.result, s.tellMissingOfAll(b.result.Jobs)
}

// submittedBatch reads a batch as SubmitBatch gave it, by its id. Why jobs were refused that could be read is not known any more.
func (s *Submitter) submittedBatch(ids []string, entries []BatchEntry, err error) (BatchResult, error) {
	result := BatchResult{Errs: map[int]error{}}
	if err != nil {
		return result, err
	}
	for i, entry := range entries {
		if result.Errs[i] = entry.Err; entry.Err == nil {
			result.Errs[i] = errLost
		}
	}
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		if result.Batch, err = tx.Batch(ids[0]); err != nil {
			return err
		}
		for _, entry := range result.Batch.Jobs {
			job, err := tx.Job(entry.ID)
			if err == nil {
				err = ReadNested(tx, &job)
			}
			if err != nil {
				return err
			}
			delete(result.Errs, entry.Index)
			result.Jobs = append(result.Jobs, job)
		}
		return nil
	})
	return result, errors.Join(err, s.tellMissingOfAll(result.Jobs))
}

func (s *Submitter) tellMissingOfAll(jobs []farm.Job) error {
	for i := range jobs {
		if err := s.farm.TellMissing(&jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// batchPlan is a plan in which the families of a batch's jobs lie one behind the other.
type batchPlan struct {
	*plan
	result  BatchResult
	ends    []place // of the families of the result's jobs; the first is where the first begins
	staging *staging
	laid    int // how many families were handed to staging
	size    int // of those behind, in bytes before compression
}

// place is one within a plan.
type place struct{ jobs, tasks int }

// add plans one job. What is wrong with the job itself is noted; other errors end the batch.
func (b *batchPlan) add(ctx context.Context, index int, entry *BatchEntry) error {
	planned := len(b.result.Jobs)
	b.result.Jobs = append(b.result.Jobs, entry.Job)
	job, err := &b.result.Jobs[planned], entry.Err
	if err == nil {
		job.Batch = b.result.Batch.Home()
		err = b.plan.add(state.Aside(ctx), job)
	}
	if err != nil {
		b.result.Jobs = b.result.Jobs[:planned]
		if callersFault(err) {
			b.result.Errs[index] = err
			return nil
		}
		return err
	}
	size := sizeOf(b.jobs[b.ends[len(b.ends)-1].jobs:])
	if b.size > 0 && b.size+size > batchPiece {
		if err := b.layDown(ctx); err != nil {
			return err
		}
	}
	b.size += size
	b.result.Batch.Jobs = append(b.result.Batch.Jobs, farm.BatchJob{Index: index, ID: job.ID})
	b.ends = append(b.ends, place{len(b.jobs), len(b.tasks)})
	return nil
}

// layDown has the families that were added since the last time laid down as a part.
func (b *batchPlan) layDown(ctx context.Context) error {
	added := piece{first: b.laid, ends: b.ends[b.laid:]}
	from, to := added.ends[0], added.ends[len(added.ends)-1]
	added.jobs, added.tasks = b.jobs[from.jobs:to.jobs:to.jobs], b.tasks[from.tasks:to.tasks:to.tasks]
	if err := b.s.setAside(ctx, added.jobs); err != nil {
		return err
	}
	if b.staging == nil {
		b.staging = b.s.stage(ctx, b.result.Batch.ID, b.now)
	}
	b.staging.add(added)
	b.laid, b.size = len(b.ends)-1, 0
	return nil
}

// callersFault tells an error that is about one job from one that is about the farm.
func callersFault(err error) bool {
	var e *farm.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code != farm.CodeInternal && e.Code != farm.CodeUnavailable
}

// store commits the batch: as one command if it is small enough, else in parts that appear with the last command. After an error of
// what was planned it only waits for those.
func (b *batchPlan) store(ctx context.Context, err error) error {
	cmd := command.SubmitJobs{Batch: &b.result.Batch}
	if err == nil && b.staging == nil {
		if len(b.result.Jobs) == 0 {
			return nil
		}
		if err := b.s.setAside(ctx, b.jobs); err != nil {
			return err
		}
		cmd.Jobs, cmd.Tasks = b.jobs, b.tasks
		if _, err := b.s.state.Apply(ctx, cmd); farm.CodeOf(err) != farm.CodeTooLarge {
			return err
		}
		cmd.Jobs, cmd.Tasks = nil, nil
	}
	if err == nil {
		err = b.layDown(ctx)
	}
	if b.staging == nil {
		return err
	}
	if failed := b.staging.wait(); err == nil && failed != nil {
		err = fmt.Errorf("storing the parts of a batch: %w", failed)
	}
	if err != nil {
		return err
	}
	for family, refused := range b.staging.refused {
		b.result.Errs[b.result.Batch.Jobs[family].Index] = refused
	}
	cmd.Parts = len(b.staging.stored)
	b.keepOnly(b.staging.kept)
	if len(b.staging.kept) == 0 {
		return nil
	}
	_, err = b.s.state.Apply(ctx, cmd)
	return err
}

// sizeOf estimates the bytes of jobs.
func sizeOf(jobs []farm.Job) int {
	size := 0
	for i := range jobs {
		size += 800
		for j := range jobs[i].Assets {
			a := &jobs[i].Assets[j]
			size += 120 + len(a.Value) + len(a.Src) + len(a.Params) + len(a.Expression)
		}
		if hook := jobs[i].Webhook; hook != nil {
			size += len(hook.Data)
		}
	}
	return size
}

// keepOnly leaves those jobs in the result whose families were stored.
func (b *batchPlan) keepOnly(families []int) {
	if len(families) == len(b.result.Jobs) {
		return
	}
	jobs, listed := b.result.Jobs, b.result.Batch.Jobs
	b.result.Jobs, b.result.Batch.Jobs = nil, nil
	for _, family := range families {
		b.result.Jobs = append(b.result.Jobs, jobs[family])
		b.result.Batch.Jobs = append(b.result.Batch.Jobs, listed[family])
	}
}
