package tables

import (
	"bytes"
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// submitPart stores a part as it came, after its time, by which parts of abandoned batches are dropped.
func (t *tables) submitPart(c command.SubmitPart) command.Result {
	if err := checkID("batch", c.Batch); err != nil {
		return refuse(err)
	}
	key := partKey(c.Batch, c.Part)
	switch {
	case c.Part < 0 || c.Size() == 0:
		return refusef(farm.CodeInvalid, "part %d of batch %s holds no job", c.Part, c.Batch)
	case t.has(bucketBatches, c.Batch):
		return refusef(farm.CodeConflict, "batch %s exists already", c.Batch)
	case t.has(bucketBatchParts, key):
		return refusef(farm.CodeConflict, "part %d of batch %s is there already", c.Part, c.Batch)
	}
	body, err := c.Body()
	if err != nil {
		return refusef(farm.CodeInvalid, "part %d of batch %s cannot be stored: %w", c.Part, c.Batch, err)
	}
	t.set(bucketBatchParts, key, append([]byte(timeKey(c.At)), body...))
	return command.Result{}
}

// partKey sorts the parts of a batch by their numbers.
func partKey(batch string, part int) string { return fmt.Sprintf("%s%s%06d", batch, sep, part) }

// gather puts the jobs of a batch's parts before those of its last command, and gives the contents of all.
func (t *tables) gather(c command.SubmitJobs) (whole command.SubmitJobs, contents []record.Content, err *farm.Error) {
	own, err := c.Contents(new(record.Packers))
	if err != nil || c.Batch == nil || c.Parts <= 0 {
		return c, own, err
	}
	if jobs := len(c.Batch.Jobs); c.Parts > jobs {
		return c, nil, farm.Errorf(farm.CodeInvalid, "batch %s of %d jobs cannot have %d parts", c.Batch.ID, jobs, c.Parts)
	}
	whole = command.SubmitJobs{Batch: c.Batch, Parts: c.Parts}
	whole.Jobs, whole.Tasks = make([]farm.Job, 0, len(c.Batch.Jobs)), make([]farm.Task, 0, len(c.Batch.Jobs))
	for n, part := range t.parts(c.Batch.ID, c.Parts) {
		if len(part.Jobs) == 0 {
			return c, nil, farm.Errorf(farm.CodeConflict, "part %d of batch %s is not there; submit the batch again", n, c.Batch.ID)
		}
		whole.Jobs, whole.Tasks = append(whole.Jobs, part.Jobs...), append(whole.Tasks, part.Tasks...)
		partContents, err := part.Contents(nil) // which it has as they lay in the log
		if err != nil {
			return c, nil, err
		}
		contents = append(contents, partContents...)
	}
	whole.Jobs, whole.Tasks = append(whole.Jobs, c.Jobs...), append(whole.Tasks, c.Tasks...)
	return whole, append(contents, own...), nil
}

// parts reads the parts of a batch. One that is not there has no jobs.
func (t *tables) parts(batch string, n int) []command.SubmitJobs {
	bodies := make([][]byte, n)
	for i := range bodies {
		if value := t.value(bucketBatchParts, partKey(batch, i)); len(value) >= 8 {
			bodies[i] = bytes.Clone(value[8:]) // the jobs' contents stay parts of it
		}
	}
	parts, failed := make([]command.SubmitJobs, n), make([]error, n)
	record.Spread(n, 1, func(i int) {
		if bodies[i] != nil {
			parts[i], failed[i] = command.ReadSubmission(bodies[i])
		}
	})
	for i, err := range failed {
		if err != nil {
			t.fail(fmt.Errorf("state is damaged: part %d of batch %s: %w", i, batch, err))
		}
	}
	return parts
}

// checkBatch refuses a batch that is there already, or whose record and jobs do not name each other.
func (t *tables) checkBatch(batch farm.Batch, jobs []farm.Job) *farm.Error {
	if err := checkID("batch", batch.ID); err != nil {
		return err
	}
	switch {
	case !t.has(bucketTeams, batch.Team):
		return farm.Errorf(farm.CodeNotFound, "team %q does not exist", batch.Team)
	case t.has(bucketBatches, batch.ID):
		return farm.Errorf(farm.CodeConflict, "batch %s exists already", batch.ID)
	}
	if err := checkBatchLabel(batch.BatchLabel); err != nil {
		return err
	}
	listed := make(map[string]bool, len(batch.Jobs))
	for _, job := range batch.Jobs {
		listed[job.ID] = true
	}
	own := 0
	for i := range jobs {
		switch job := &jobs[i]; {
		case job.Team != batch.Team || (job.Parent == "") != listed[job.ID] || (job.Batch == batch.Home()) != listed[job.ID]:
			return farm.Errorf(farm.CodeInvalid, "job %s and batch %s do not name each other", job.ID, batch.Home())
		case listed[job.ID]:
			own++
		}
	}
	if own != len(listed) || own != len(batch.Jobs) {
		return farm.Errorf(farm.CodeInvalid, "batch %s names %d jobs, of which %d were submitted with it", batch.ID, len(batch.Jobs), own)
	}
	if batch.Into != "" {
		return t.checkTakes(batch, jobs)
	}
	return nil
}

// saveBatch keeps the record of a batch, and drops its parts, which have become jobs.
func (t *tables) saveBatch(batch farm.Batch, parts int) {
	if batch.Into != "" {
		t.takePlaces(batch)
	} else {
		put(t, bucketBatches, batch.ID, batch)
		t.set(bucketBatchesByTeam, batch.Team+sep+batch.ID, nil)
		if batch.Name != "" {
			t.note(farm.EventBatch, batch.Team, batch.ID)
		}
	}
	for n := range parts {
		t.remove(bucketBatchParts, partKey(batch.ID, n))
	}
}

func (t *tables) dropParts(c command.DropParts) command.Result {
	before := timeKey(c.Before)
	var old []string
	cursor := t.cursor(bucketBatchParts)
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		if len(value) < 8 || string(value[:8]) < before {
			old = append(old, string(key))
		}
	}
	for _, key := range old {
		t.remove(bucketBatchParts, key)
	}
	return command.Result{}
}

// cancelBatch answers with the jobs that it cancelled: the batch's own first, then those that went with them.
func (t *tables) cancelBatch(c command.CancelBatch) command.Result {
	batch, ok := get[farm.Batch](t, bucketBatches, c.ID)
	if !ok || batch.Team != c.Team {
		return refusef(farm.CodeNotFound, "batch %q does not exist", c.ID)
	}
	var doomed []farm.Job
	for _, entry := range batch.Jobs {
		if job, ok := t.job(entry.ID); ok && cancellable(job.Status, c.Force) {
			doomed = append(doomed, job)
		}
	}
	return t.cancelFamilies(doomed, c.Force, c.At)
}

// batchNameLimit bounds the name of a batch, in bytes.
const batchNameLimit = 1000

func checkBatchLabel(label farm.BatchLabel) *farm.Error {
	if len(label.Name) > batchNameLimit {
		return farm.Errorf(farm.CodeInvalid, "the name of the batch has more than %d bytes", batchNameLimit)
	}
	return nil
}

func (t *tables) labelBatch(c command.LabelBatch) command.Result {
	batch, ok := get[farm.Batch](t, bucketBatches, c.ID)
	if !ok || batch.Team != c.Team {
		return refusef(farm.CodeNotFound, "batch %q does not exist", c.ID)
	}
	if err := checkBatchLabel(c.Label); err != nil {
		return refuse(err)
	}
	batch.BatchLabel = c.Label
	put(t, bucketBatches, batch.ID, batch)
	t.note(farm.EventBatch, batch.Team, batch.ID)
	return command.Result{}
}
