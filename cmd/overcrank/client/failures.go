package client

import (
	"context"
	"net/http"
	"net/url"
)

// FailureGroup is all jobs that failed for one cause and still need somebody.
type FailureGroup struct {
	Raw       `json:"-"`
	Cause     string `json:"cause"`
	Kind      string `json:"kind"`
	Subject   string `json:"subject"`
	Count     int    `json:"count"`
	LastAt    string `json:"lastAt"`
	LatestJob string `json:"latestJob"`
}

// FailedJob is one of them.
type FailedJob struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	By       string `json:"by"`
	Error    string `json:"error"`
	FailedAt string `json:"failedAt"`
}

// Retried is what came of submitting jobs again.
type Retried struct {
	Raw     `json:"-"`
	BatchID string `json:"batchId"`
	Jobs    int    `json:"jobs"`
	Refused int    `json:"refused"`
}

const pathFailures = "/api/farm/v1/failures"

// Failures lists why jobs failed that still need somebody, the latest first.
func (c *Client) Failures(ctx context.Context) (List[FailureGroup], error) {
	return list[FailureGroup](ctx, c, pathFailures, nil)
}

// FailedJobs lists the latest jobs of one cause.
func (c *Client) FailedJobs(ctx context.Context, cause string) (List[FailedJob], error) {
	return list[FailedJob](ctx, c, pathFailures+"/jobs", url.Values{"cause": {cause}, "limit": {"500"}})
}

// RetryFailures submits all jobs of a cause again. src is the address of a kept file in the place of missing footage, "" for none.
func (c *Client) RetryFailures(ctx context.Context, cause, src string) (Retried, error) {
	body := map[string]string{"cause": cause}
	if src != "" {
		body["file"] = src
	}
	return fetchOnce[Retried](ctx, c, pathFailures+"/retry", body)
}

// DismissFailures takes jobs off the list of those that need somebody.
func (c *Client) DismissFailures(ctx context.Context, jobs []string) error {
	r, err := withJSON(request{method: http.MethodPost, path: pathFailures + "/dismiss"}, map[string][]string{"jobs": jobs})
	if err != nil {
		return err
	}
	return c.answer(ctx, r, nil)
}
