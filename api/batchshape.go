package api

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

func (s *server) batchCreatedShape(r submission.BatchResult) batchCreated {
	answer := batchCreated{
		BatchID: r.Batch.ID, Status: batchAllAccepted, TotalJobs: r.Batch.Total, SuccessCount: len(r.Jobs), Jobs: make([]batchCreatedJob, len(r.Jobs)),
	}
	for i, job := range r.Jobs {
		answer.Jobs[i] = batchCreatedJob{Index: r.Batch.Jobs[i].Index, jobCreated: s.createdShape(job)}
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
		answer.Errors = append(answer.Errors, refused)
	}
	switch {
	case len(r.Jobs) == 0:
		answer.Status = batchAllRefused
	case len(answer.Errors) > 0:
		answer.Status = batchSomeAccepted
	}
	return answer
}

// refusedBatchID is the id of a batch of which nothing was accepted: readers of answers expect one of the usual form. No batch has it.
func refusedBatchID() string { return ulid.Make().String() }

// batchStats counts the jobs of a batch. Pending ones are all that have not ended; cancelled ones count as errors.
type batchStats struct {
	Total    int `json:"total"`
	Finished int `json:"finished"`
	Error    int `json:"error"`
	Pending  int `json:"pending"`
}

func (b *batchStats) add(status farm.JobStatus, n int) {
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

func countedStats(counts map[farm.JobStatus]int) batchStats {
	var stats batchStats
	for status, n := range counts {
		stats.add(status, n)
	}
	return stats
}

// batchStatus is processing while any job has not ended, error when none finished, else finished.
func batchStatus(stats batchStats) string {
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
	Stats   batchStats `json:"stats"`
	Jobs    []batchJob `json:"jobs"`
}

type batchJob struct {
	Index     int      `json:"index"`
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	OutputURL string   `json:"outputUrl"`
	Stats     jobStats `json:"stats"`
}

func (s *server) batchShape(batch farm.Batch, jobs map[string]farm.Job) batchBody {
	body := batchBody{BatchID: batch.ID, Jobs: make([]batchJob, 0, len(batch.Jobs))}
	for _, entry := range batch.Jobs {
		job, known := jobs[entry.ID]
		if !known {
			continue
		}
		body.Stats.add(job.Status, 1)
		body.Jobs = append(body.Jobs, batchJob{
			Index: entry.Index, ID: job.ID, Status: string(job.Status), OutputURL: s.farm.OutputAddress(job), Stats: *statsShape(job),
		})
	}
	body.Status = batchStatus(body.Stats)
	return body
}

// batchListed is a batch in a list.
type batchListed struct {
	BatchID   string     `json:"batchId"`
	Status    string     `json:"status"`
	CreatedAt stamp      `json:"createdAt"`
	Stats     batchStats `json:"stats"`
}

// batchCancelled answers the cancellation of a batch.
type batchCancelled struct {
	BatchID        string              `json:"batchId"`
	Status         string              `json:"status"` // cancelled when all jobs were, unchanged when none was, else partial
	TotalJobs      int                 `json:"totalJobs"`
	CancelledCount int                 `json:"cancelledCount"`
	SkippedCount   int                 `json:"skippedCount"`
	Jobs           []batchCancelledJob `json:"jobs"`
	CancelledJobs  []jobBody           `json:"cancelledJobs"` // with those that went along with the batch's own
}

type batchCancelledJob struct {
	Index  int    `json:"index"`
	ID     string `json:"id"`
	Result string `json:"result"` // cancelled or skipped
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it was skipped
}

func (s *server) batchCancelledShape(batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job) batchCancelled {
	answer := batchCancelled{BatchID: batch.ID, Jobs: []batchCancelledJob{}, CancelledJobs: s.jobShapes(cancelled, false)}
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
			answer.CancelledCount++
		} else {
			answer.SkippedCount++
			line.Result, line.Reason = "skipped", whySkipped(job.Status)
		}
		answer.Jobs = append(answer.Jobs, line)
	}
	answer.TotalJobs = len(answer.Jobs)
	switch {
	case answer.CancelledCount == 0:
		answer.Status = "unchanged"
	case answer.SkippedCount == 0:
		answer.Status = "cancelled"
	default:
		answer.Status = "partial"
	}
	return answer
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
