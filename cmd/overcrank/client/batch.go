package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"overcrank/farm"
)

// BatchLimit is how many jobs one batch takes.
const BatchLimit = 1000

// BatchCreated is the farm's answer to a batch.
type BatchCreated struct {
	Raw          `json:"-"`
	BatchID      string       `json:"batchId"`
	Status       string       `json:"status"` // created, partial or error
	TotalJobs    int          `json:"totalJobs"`
	SuccessCount int          `json:"successCount"`
	Jobs         []BatchJob   `json:"jobs"`
	Errors       []BatchError `json:"errors"`
}

// BatchJob is a job of a batch; Index is its place, from 0, among those that were sent.
type BatchJob struct {
	Index        int            `json:"index"`
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Status       farm.JobStatus `json:"status"`
	OutputURL    string         `json:"outputUrl"`
	MissingFonts []string       `json:"missingFonts"`
	Stats        Stats          `json:"stats"`
}

// BatchError says why a job of a batch was not taken.
type BatchError struct {
	Index     int    `json:"index"`
	Error     string `json:"error"`
	ErrorCode string `json:"errorCode"`
}

// Batch is where a batch stands.
type Batch struct {
	Raw       `json:"-"`
	BatchID   string     `json:"batchId"`
	Name      string     `json:"name"`
	DueAt     string     `json:"dueAt"`
	By        string     `json:"submittedBy"` // of those that are listed
	Status    string     `json:"status"`      // processing, finished or error
	CreatedAt string     `json:"createdAt"`
	Stats     BatchStats `json:"stats"`
	Jobs      []BatchJob `json:"jobs"`
}

// BatchStats count the jobs of a batch; Error counts the cancelled ones too, Pending all that have not ended.
type BatchStats struct {
	Total    int `json:"total"`
	Finished int `json:"finished"`
	Error    int `json:"error"`
	Pending  int `json:"pending"`
}

// BatchCancelled says what became of cancelling a batch.
type BatchCancelled struct {
	Raw            `json:"-"`
	BatchID        string `json:"batchId"`
	Status         string `json:"status"` // cancelled, partial or unchanged
	TotalJobs      int    `json:"totalJobs"`
	CancelledCount int    `json:"cancelledCount"`
	SkippedCount   int    `json:"skippedCount"`
}

// CreateBatch submits up to BatchLimit jobs, each the request of POST /jobs. Jobs that were refused stand in Errors of the
// answer, also when that is all of them; err is for a batch that was refused as a whole.
func (c *Client) CreateBatch(ctx context.Context, jobs []map[string]any) (BatchCreated, error) {
	b, err := fetch[BatchCreated](ctx, c, http.MethodPost, "/api/v2/batches", strict, map[string]any{"jobs": jobs})
	var refused *Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		json.Unmarshal(refused.Body, &b) == nil && len(b.Errors) > 0 {
		b.keepRaw(refused.Body)
		return b, nil
	}
	return b, err
}

// Batch gets one batch with its jobs.
func (c *Client) Batch(ctx context.Context, id string) (Batch, error) {
	return fetch[Batch](ctx, c, http.MethodGet, at("/api/v2/batches/%s", id), nil, nil)
}

// NamedBatch gets one batch with its jobs, and how they are called.
func (c *Client) NamedBatch(ctx context.Context, id string) (Batch, error) {
	return fetch[Batch](ctx, c, http.MethodGet, at("/api/farm/v1/batches/%s", id), nil, nil)
}

// Batches lists up to limit batches that have all that a filter names, newest first; 0 means all.
func (c *Client) Batches(ctx context.Context, f farm.BatchFilter, limit int) (List[Batch], error) {
	query := url.Values{}
	if f.By != "" {
		query.Set("by", f.By)
	}
	if f.State != "" {
		query.Set("state", string(f.State))
	}
	return pages[Batch](ctx, c, "/api/farm/v1/batches", query, limit)
}

// CancelBatch cancels the jobs of a batch that have not started.
func (c *Client) CancelBatch(ctx context.Context, id string) (BatchCancelled, error) {
	return fetch[BatchCancelled](ctx, c, http.MethodPost, at("/api/v2/batches/%s/cancel", id), nil, nil)
}

// BatchLabel is what a batch is called and when it is due.
type BatchLabel struct {
	Raw     `json:"-"`
	BatchID string `json:"batchId"`
	Name    string `json:"name"`
	DueAt   string `json:"dueAt"`
}

// NewBatchLabel is what a batch is to be called and when it is due; nil stays as it is, and "" takes it away.
type NewBatchLabel struct {
	Name  *string `json:"name,omitempty"`
	DueAt *string `json:"dueAt,omitempty"`
}

// LabelBatch names a batch and says when it is due.
func (c *Client) LabelBatch(ctx context.Context, id string, label NewBatchLabel) (BatchLabel, error) {
	return fetch[BatchLabel](ctx, c, http.MethodPatch, at("/api/farm/v1/batches/%s", id), nil, label)
}

// Retaken is what came of submitting rows of a batch again.
type Retaken struct {
	Raw     `json:"-"`
	BatchID string       `json:"batchId"`
	Jobs    []RetakenRow `json:"jobs"`
	Refused []RefusedRow `json:"refused"`
}

// RetakenRow is the new job of a row, by the row's index from 0.
type RetakenRow struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
}

// RefusedRow says why a row was not submitted again.
type RefusedRow struct {
	Index int    `json:"index"`
	Error string `json:"error"`
}

// RetakeBatch submits rows of a batch again in their places: each has an index, and a job when another request of POST /jobs is sent for it. No rows
// are all that failed.
func (c *Client) RetakeBatch(ctx context.Context, id string, rows []map[string]any) (Retaken, error) {
	body := map[string]any{}
	if len(rows) > 0 {
		body["rows"] = rows
	}
	return fetchOnce[Retaken](ctx, c, at("/api/farm/v1/batches/%s/retake", id), body)
}
