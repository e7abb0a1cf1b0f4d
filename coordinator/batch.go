package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

const (
	// batchTries is how often a batch is planned: between planning and storing, a template or a file may go.
	batchTries = 3
	// batchPiece is how much of a batch is tried as one command, and as one part of a larger one, in bytes before compression:
	// ordinary jobs shrink to little more than half. What does not fit is tried in halves.
	batchPiece = 768 << 10
)

// SubmitBatch takes up to as many jobs as the caller allows. Each is accepted or refused on its own; those accepted become a
// batch, all at once: until then nothing of it can be seen, whatever happens to the farm.
func (c *Coordinator) SubmitBatch(ctx context.Context, p farm.Principal, entries []BatchEntry) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.submittedBatch(ids, entries, err)
	}
	for try := 1; ; try++ {
		result, err := c.submitBatch(ctx, p, entries)
		code := farm.CodeOf(err)
		if err == nil || try == batchTries || code != farm.CodeInvalid && code != farm.CodeNotFound {
			return result, err
		}
	}
}

func (c *Coordinator) submitBatch(ctx context.Context, p farm.Principal, entries []BatchEntry) (BatchResult, error) {
	id, err := c.state.NewID()
	if err != nil {
		return BatchResult{}, err
	}
	b := &batchPlan{submission: c.newSubmission(p), result: BatchResult{Errs: map[int]error{}}}
	b.jobs, b.tasks = make([]farm.Job, 0, len(entries)), make([]farm.Task, 0, len(entries))
	b.result.Jobs, b.ends = make([]farm.Job, 0, len(entries)), make([]place, 1, len(entries)+1)
	b.result.Batch = farm.Batch{ID: id, Team: p.Team, CreatedAt: b.now, Total: len(entries)}
	for i := 0; i < len(entries) && err == nil; i++ {
		err = b.add(ctx, i, &entries[i])
	}
	if err = b.store(ctx, err); err != nil {
		return BatchResult{}, err
	}
	if len(b.result.Jobs) == 0 {
		b.result.Batch.ID = ""
	}
	return b.result, c.tellMissingOfAll(b.result.Jobs)
}

// submittedBatch reads a batch as SubmitBatch gave it, by its id. Why jobs were refused that could be read is not known any more.
func (c *Coordinator) submittedBatch(ids []string, entries []BatchEntry, err error) (BatchResult, error) {
	result := BatchResult{Errs: map[int]error{}}
	if err != nil {
		return result, err
	}
	for i, entry := range entries {
		if result.Errs[i] = entry.Err; entry.Err == nil {
			result.Errs[i] = farm.Errorf(farm.CodeInvalid, "the job was refused; why was lost when the farm was interrupted: submit it again to learn it")
		}
	}
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		if result.Batch, err = tx.Batch(ids[0]); err != nil {
			return err
		}
		for _, entry := range result.Batch.Jobs {
			job, err := tx.Job(entry.ID)
			if err == nil {
				err = readNested(tx, &job)
			}
			if err != nil {
				return err
			}
			delete(result.Errs, entry.Index)
			result.Jobs = append(result.Jobs, job)
		}
		return nil
	})
	return result, errors.Join(err, c.tellMissingOfAll(result.Jobs))
}

func (c *Coordinator) tellMissingOfAll(jobs []farm.Job) error {
	for i := range jobs {
		if err := c.tellMissingOfFamily(&jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// batchPlan is a submission in which the families of a batch's jobs lie one behind the other.
type batchPlan struct {
	*submission
	result BatchResult
	ends   []place // of the families of the result's jobs; the first is where the first begins
	parts  *batchParts
	laid   int // how many families were handed to parts
	size   int // of those behind, in bytes before compression
}

// place is one within a submission.
type place struct{ jobs, tasks int }

// add plans one job. What is wrong with the job itself is noted; other errors end the batch.
func (b *batchPlan) add(ctx context.Context, index int, entry *BatchEntry) error {
	job, err := entry.Job, entry.Err
	if err == nil {
		job.Batch = b.result.Batch.ID
		job, err = b.plan(state.Aside(ctx), job)
	}
	switch {
	case err == nil:
	case callersFault(err):
		b.result.Errs[index] = err
		return nil
	default:
		return err
	}
	size := sizeOf(b.jobs[b.ends[len(b.ends)-1].jobs:])
	if b.size > 0 && b.size+size > batchPiece {
		if err := b.layDown(ctx); err != nil {
			return err
		}
	}
	b.size += size
	b.result.Jobs = append(b.result.Jobs, job)
	b.result.Batch.Jobs = append(b.result.Batch.Jobs, farm.BatchJob{Index: index, ID: job.ID})
	b.ends = append(b.ends, place{len(b.jobs), len(b.tasks)})
	return nil
}

// layDown has the families that were added since the last time laid down as a part.
func (b *batchPlan) layDown(ctx context.Context) error {
	added := piece{first: b.laid, ends: b.ends[b.laid:]}
	from, to := added.ends[0], added.ends[len(added.ends)-1]
	added.jobs, added.tasks = b.jobs[from.jobs:to.jobs:to.jobs], b.tasks[from.tasks:to.tasks:to.tasks]
	if err := b.setAside(ctx, added.jobs); err != nil {
		return err
	}
	if b.parts == nil {
		b.parts = b.c.beginParts(ctx, b.result.Batch.ID, b.now)
	}
	b.parts.add(added)
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
	if err == nil && b.parts == nil {
		if len(b.result.Jobs) == 0 {
			return nil
		}
		if err := b.setAside(ctx, b.jobs); err != nil {
			return err
		}
		cmd.Jobs, cmd.Tasks = b.jobs, b.tasks
		if _, err := b.c.state.Apply(ctx, cmd); farm.CodeOf(err) != farm.CodeTooLarge {
			return err
		}
		cmd.Jobs, cmd.Tasks = nil, nil
	}
	if err == nil {
		err = b.layDown(ctx)
	}
	if b.parts == nil {
		return err
	}
	if failed := b.parts.wait(); err == nil && failed != nil {
		err = fmt.Errorf("storing the parts of a batch: %w", failed)
	}
	if err != nil {
		return err
	}
	for family, refused := range b.parts.refused {
		b.result.Errs[b.result.Batch.Jobs[family].Index] = refused
	}
	cmd.Parts = len(b.parts.stored)
	b.keepOnly(b.parts.kept)
	if len(b.parts.kept) == 0 {
		return nil
	}
	_, err = b.c.state.Apply(ctx, cmd)
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

// Batch finds a batch of the caller's team with those of its jobs that the farm still knows, in their order.
func (c *Coordinator) Batch(_ context.Context, p farm.Principal, id string) (batch farm.Batch, jobs map[string]farm.Job, err error) {
	jobs = map[string]farm.Job{}
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		if batch, err = tx.Batch(id); err != nil || batch.Team != p.Team {
			return err
		}
		for _, entry := range batch.Jobs {
			job, err := tx.Job(entry.ID)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			if err == nil {
				jobs[job.ID] = job
			}
		}
		return nil
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && batch.Team != p.Team {
		return farm.Batch{}, nil, noBatch(id)
	}
	return batch, jobs, err
}

// CountedBatch is a batch with the numbers of its jobs by status.
type CountedBatch struct {
	farm.Batch
	Counts map[farm.JobStatus]int
}

// Batches lists batches of the caller's team, the newest first. next is the cursor of the page that follows, "" after the last.
func (c *Coordinator) Batches(_ context.Context, p farm.Principal, cursor string, limit int) (list []CountedBatch, next string, err error) {
	err = c.store.View(func(tx *raftstore.Tx) error {
		var batches []farm.Batch
		var err error
		if batches, next, err = tx.Batches(p.Team, cursor, limit); err != nil {
			return err
		}
		for _, batch := range batches {
			counts, err := tx.CountBatch(batch.ID)
			if err != nil {
				return err
			}
			list = append(list, CountedBatch{Batch: batch, Counts: counts})
		}
		return nil
	})
	return list, next, err
}

// CancelBatch cancels those jobs of a batch that can be cancelled, with their families. It gives the batch with its jobs as they are
// then, and what it cancelled, the batch's own jobs first.
func (c *Coordinator) CancelBatch(ctx context.Context, p farm.Principal, id string, force bool) (batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job, err error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return farm.Batch{}, nil, nil, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.cancelledBatch(ctx, p, ids, err)
	}
	if _, _, err := c.Batch(ctx, p, id); err != nil {
		return farm.Batch{}, nil, nil, err
	}
	res, err := c.state.Apply(ctx, command.CancelBatch{Team: p.Team, ID: id, Force: force, At: c.cfg.Now()})
	if err != nil {
		return farm.Batch{}, nil, nil, err
	}
	c.noteCancelled(p, res)
	batch, jobs, err = c.Batch(ctx, p, id)
	return batch, jobs, res.Jobs, err
}

// BatchPart finds a batch of the caller's team with its numbers, and those of its jobs in given states (nil for all) from a place
// on that the farm still knows, at most limit of them. The jobs come without fonts, assets, upload and webhook.
func (c *Coordinator) BatchPart(_ context.Context, p farm.Principal, id string, states []farm.JobStatus, from, limit int) (batch CountedBatch, jobs []farm.Job, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		if batch.Batch, err = tx.Batch(id); err != nil || batch.Team != p.Team {
			return err
		}
		if batch.Counts, err = tx.CountBatch(id); err != nil {
			return err
		}
		from = max(from, 0)
		for _, entry := range batch.Jobs {
			if len(jobs) == limit {
				break
			}
			if states == nil && from > 0 {
				from--
				continue
			}
			job, err := tx.JobHead(entry.ID)
			switch {
			case err != nil && farm.CodeOf(err) != farm.CodeNotFound:
				return err
			case err != nil || states != nil && !slices.Contains(states, job.Status):
			case from > 0:
				from--
			default:
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && batch.Team != p.Team {
		return CountedBatch{}, nil, noBatch(id)
	}
	for i := 0; i < len(jobs) && err == nil; i++ {
		err = c.addProgress(&jobs[i])
	}
	return batch, jobs, err
}

func noBatch(id string) error { return farm.Errorf(farm.CodeNotFound, "there is no batch %q", id) }

// cancelledBatch reads what CancelBatch came to: the first id is the batch's.
func (c *Coordinator) cancelledBatch(ctx context.Context, p farm.Principal, ids []string, err error) (farm.Batch, map[string]farm.Job, []farm.Job, error) {
	if err != nil {
		return farm.Batch{}, nil, nil, err
	}
	batch, jobs, err := c.Batch(ctx, p, ids[0])
	if err != nil {
		return batch, jobs, nil, err
	}
	cancelled, err := c.jobsByID(ids[1:], nil)
	return batch, jobs, cancelled, err
}
