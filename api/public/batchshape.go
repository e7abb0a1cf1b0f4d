package public

import (
	"errors"

	"github.com/oklog/ulid/v2"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// What the submission of a batch came to.
const (
	batchAllAccepted  = "created"
	batchSomeAccepted = "partial"
	batchAllRefused   = "error"
)

// batchCreated answers the submission of a batch. Error and Details stand only where no job was accepted.
type batchCreated struct {
	BatchID      string            `json:"batchId"`
	Status       string            `json:"status"`
	TotalJobs    int               `json:"totalJobs"`
	SuccessCount int               `json:"successCount"`
	Jobs         []batchCreatedJob `json:"jobs"`
	Errors       []batchJobError   `json:"errors,omitempty"`
	Error        string            `json:"error,omitempty"`
	Details      []farm.FieldError `json:"details,omitempty"`
}

// batchCreatedJob is a job of a batch as it was accepted; Index is its place in what was sent.
type batchCreatedJob struct {
	Index int `json:"index"`
	jobCreated
}

// batchJobError is a job of a batch that was refused. The fields in Details are named from the job on.
type batchJobError struct {
	Index     int               `json:"index"`
	Error     string            `json:"error"`
	ErrorCode string            `json:"errorCode"`
	Details   []farm.FieldError `json:"details,omitempty"`
}

func batchCreatedShape(at Addresses, r submission.BatchResult) batchCreated {
	body := batchCreated{
		BatchID: r.Batch.ID, Status: batchAllAccepted, TotalJobs: r.Batch.Total, SuccessCount: len(r.Jobs), Jobs: make([]batchCreatedJob, len(r.Jobs)),
	}
	for i, job := range r.Jobs {
		body.Jobs[i] = batchCreatedJob{Index: r.Batch.Jobs[i].Index, jobCreated: createdShape(at, job)}
	}
	for index := range r.Batch.Total {
		err := r.Errs[index]
		if err == nil {
			continue
		}
		refused := batchJobError{Index: index, Error: err.Error(), ErrorCode: errorCode(err)}
		var e *farm.Error
		if errors.As(err, &e) {
			refused.Error, refused.Details = e.Message, e.Fields
		}
		body.Errors = append(body.Errors, refused)
	}
	switch {
	case len(r.Jobs) == 0:
		body.Status = batchAllRefused
	case len(body.Errors) > 0:
		body.Status = batchSomeAccepted
	}
	return body
}

// refusedBatchID is the id of a batch of which nothing was accepted: readers of answers expect one of the usual form. No batch has it.
func refusedBatchID() string { return ulid.Make().String() }

// BatchStats counts the jobs of a batch. Pending ones are all that have not ended; cancelled ones count as errors.
type BatchStats struct {
	Total    int `json:"total"`
	Finished int `json:"finished"`
	Error    int `json:"error"`
	Pending  int `json:"pending"`
}

func (b *BatchStats) add(status farm.JobStatus, n int) {
	b.Total += n
	switch {
	case status == farm.JobFinished:
		b.Finished += n
	case status.Ended():
		b.Error += n
	default:
		b.Pending += n
	}
}

// CountedStats are the stats of a batch whose jobs were counted by their states.
func CountedStats(counts map[farm.JobStatus]int) BatchStats {
	var stats BatchStats
	for status, n := range counts {
		stats.add(status, n)
	}
	return stats
}

// BatchStatus is processing while any job has not ended, error when none finished, else finished.
func BatchStatus(stats BatchStats) string {
	switch {
	case stats.Pending > 0:
		return "processing"
	case stats.Finished == 0:
		return "error"
	default:
		return "finished"
	}
}

// batchBody is a batch as the interface shows it.
type batchBody struct {
	BatchID string     `json:"batchId"`
	Status  string     `json:"status"`
	Stats   BatchStats `json:"stats"`
	Jobs    []batchJob `json:"jobs"`
}

type batchJob struct {
	Index     int      `json:"index"`
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	OutputURL string   `json:"outputUrl"`
	Stats     JobStats `json:"stats"`
}

func batchShape(at Addresses, batch farm.Batch, jobs map[string]farm.Job) batchBody {
	body := batchBody{BatchID: batch.ID, Jobs: make([]batchJob, 0, len(batch.Jobs))}
	for _, entry := range batch.Jobs {
		job, known := jobs[entry.ID]
		if !known {
			continue
		}
		body.Stats.add(job.Status, 1)
		body.Jobs = append(body.Jobs, batchJob{
			Index: entry.Index, ID: job.ID, Status: string(job.Status), OutputURL: at.OutputAddress(job), Stats: *StatsShape(job),
		})
	}
	body.Status = BatchStatus(body.Stats)
	return body
}

// batchCancelled answers the cancellation of a batch.
type batchCancelled struct {
	BatchID        string              `json:"batchId"`
	Status         string              `json:"status"` // cancelled when all jobs were, unchanged when none was, else partial
	TotalJobs      int                 `json:"totalJobs"`
	CancelledCount int                 `json:"cancelledCount"`
	SkippedCount   int                 `json:"skippedCount"`
	Jobs           []batchCancelledJob `json:"jobs"`
	CancelledJobs  []JobBody           `json:"cancelledJobs"` // with those that went along with the batch's own
}

type batchCancelledJob struct {
	Index  int    `json:"index"`
	ID     string `json:"id"`
	Result string `json:"result"` // cancelled or skipped
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it was skipped
}

func batchCancelledShape(at Addresses, batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job) batchCancelled {
	body := batchCancelled{BatchID: batch.ID, Jobs: []batchCancelledJob{}, CancelledJobs: JobShapes(at, cancelled, false)}
	gone := make(map[string]bool, len(cancelled))
	for _, job := range cancelled {
		gone[job.ID] = true
	}
	for _, entry := range batch.Jobs {
		job, known := jobs[entry.ID]
		if !known {
			continue
		}
		line := batchCancelledJob{Index: entry.Index, ID: job.ID, Result: "cancelled", Status: string(job.Status)}
		if gone[job.ID] {
			body.CancelledCount++
		} else {
			body.SkippedCount++
			line.Result, line.Reason = "skipped", whySkipped(job.Status)
		}
		body.Jobs = append(body.Jobs, line)
	}
	body.TotalJobs = len(body.Jobs)
	switch {
	case body.CancelledCount == 0:
		body.Status = "unchanged"
	case body.SkippedCount == 0:
		body.Status = "cancelled"
	default:
		body.Status = "partial"
	}
	return body
}

// whySkipped words why the cancellation of a batch left a job as it is.
func whySkipped(status farm.JobStatus) string {
	switch status {
	case farm.JobRendering:
		return "the job is rendering; cancel with force=true to stop it"
	case farm.JobFinished:
		return "the job has finished"
	case farm.JobFailed:
		return "the job has failed"
	case farm.JobCancelled:
		return "the job was cancelled before"
	default:
		return "the job came back into the queue while the batch was cancelled; cancel again"
	}
}
