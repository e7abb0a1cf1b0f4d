package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"overcrank/farm"
)

// Job is a job as the interface shows it.
type Job struct {
	Raw          `json:"-"`
	ID           string         `json:"id"`
	TemplateID   string         `json:"templateId"`
	Composition  string         `json:"composition"`
	Status       farm.JobStatus `json:"status"`
	Progress     float64        `json:"progress"` // 0 to 100
	OutputURL    string         `json:"outputUrl"`
	Name         string         `json:"name"`
	Tags         []string       `json:"tags"`
	MissingFonts []string       `json:"missingFonts"`
	Warnings     []string       `json:"warnings"`
	Children     []Child        `json:"children"` // in the answer to a submission
	Hold         bool           `json:"hold"`
	BatchID      string         `json:"batchId"`
	ParentID     string         `json:"parentId"`
	ChildIDs     []string       `json:"childIds"`
	Stats        Stats          `json:"stats"`
}

// IDAndName are what people name it by on the command line.
func (j Job) IDAndName() (id, name string) { return j.ID, j.Name }

// Child is a nested job of a job that was submitted.
type Child struct {
	ID        string         `json:"id"`
	OutputURL string         `json:"outputUrl"`
	Status    farm.JobStatus `json:"status"`
}

// Stats are the times of a job, and why it failed.
type Stats struct {
	CreatedAt      string   `json:"createdAt"`
	StartedAt      string   `json:"startedAt"`
	FinishedAt     string   `json:"finishedAt"`
	RenderDuration *float64 `json:"renderDuration"` // seconds
	Error          string   `json:"error"`
}

// strict has the farm refuse fields that it does not know: whoever types a job is told of a misspelt one before it renders.
var strict = url.Values{"strict": {"true"}}

// Submit submits a job; body is the request of POST /jobs.
func (c *Client) Submit(ctx context.Context, body any) (Job, error) {
	return fetch[Job](ctx, c, http.MethodPost, "/api/v2/jobs", strict, body)
}

// Join submits a job that stitches clips; body is the request of POST /jobs/join.
func (c *Client) Join(ctx context.Context, body any) (Job, error) {
	return fetch[Job](ctx, c, http.MethodPost, "/api/v2/jobs/join", strict, body)
}

// Job gets one job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	return fetch[Job](ctx, c, http.MethodGet, at("/api/v2/jobs/%s", id), nil, nil)
}

// largestJobPage is how many jobs one answer holds at most.
const largestJobPage = 1000

// Jobs lists up to limit jobs by the query of GET /jobs, over as many pages as that takes; 0 means all there are.
func (c *Client) Jobs(ctx context.Context, query url.Values, limit int) (List[Job], error) {
	page := largestJobPage
	if limit > 0 {
		page = min(limit, page)
	}
	query.Set("limit", strconv.Itoa(page))
	return pages[Job](ctx, c, "/api/v2/jobs", query, limit)
}

// Cancel cancels jobs, with force also those that render, and returns all that were cancelled.
func (c *Client) Cancel(ctx context.Context, ids []string, force bool) (List[Job], error) {
	var query url.Values
	if force {
		query = url.Values{"force": {"true"}}
	}
	return fetch[List[Job]](ctx, c, http.MethodPost, "/api/v2/jobs/cancel", query, map[string][]string{"jobs": ids})
}

// Hold keeps waiting jobs back until they are released.
func (c *Client) Hold(ctx context.Context, ids []string) (List[Job], error) {
	return fetch[List[Job]](ctx, c, http.MethodPost, "/api/farm/v1/jobs/hold", nil, map[string][]string{"jobs": ids})
}

// Release lets held jobs go.
func (c *Client) Release(ctx context.Context, ids []string) (List[Job], error) {
	return fetch[List[Job]](ctx, c, http.MethodPost, "/api/farm/v1/jobs/release", nil, map[string][]string{"jobs": ids})
}

// Log copies a job's log from byte offset on to w and returns the offset behind it. A job without a log yet gives
// nothing.
func (c *Client) Log(ctx context.Context, id string, offset int64, w io.Writer) (int64, error) {
	header := http.Header{}
	if offset > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-")
	}
	resp, err := c.send(ctx, request{method: http.MethodGet, path: at("/api/v2/jobs/%s/logs", id), header: header})
	if IsStatus(err, http.StatusRequestedRangeNotSatisfiable) {
		return offset, nil
	}
	if err != nil {
		return offset, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent && offset > 0 {
		if _, err := io.CopyN(io.Discard, resp.Body, offset); errors.Is(err, io.EOF) {
			return offset, nil // a shorter log: what it held has been redacted
		} else if err != nil {
			return offset, err
		}
	}
	n, err := io.Copy(w, resp.Body)
	return offset + n, err
}
