package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"

	"overcrank/durable"
)

// Template is a template as the interface shows it.
type Template struct {
	ID           string      `json:"id"`
	Type         string      `json:"type"`
	DisplayName  string      `json:"displayName"`
	Status       string      `json:"status"`
	Compositions []string    `json:"compositions"`
	Layers       []string    `json:"layers"`
	Error        string      `json:"error"`
	UploadInfo   *UploadInfo `json:"uploadInfo"`
}

// UploadInfo says where a template takes its file.
type UploadInfo struct {
	URL    string            `json:"url"`
	Method string            `json:"method"`
	Fields map[string]string `json:"fields"`
}

// Job is a job as the interface shows it.
type Job struct {
	ID           string   `json:"id"`
	TemplateID   *string  `json:"templateId"`
	Status       string   `json:"status"`
	Progress     float64  `json:"progress"`
	OutputURL    string   `json:"outputUrl"`
	MissingFonts []string `json:"missingFonts"`
	Stats        Stats    `json:"stats"`
}

// Stats are the times of a job, and why it failed.
type Stats struct {
	CreatedAt      string   `json:"createdAt"`
	StartedAt      *string  `json:"startedAt"`
	FinishedAt     *string  `json:"finishedAt"`
	RenderDuration *float64 `json:"renderDuration"`
	Error          *string  `json:"error"`
}

// Ended tells whether the job will not move any more.
func (j Job) Ended() bool {
	return j.Status == "finished" || j.Status == "error" || j.Status == "manually_cancelled"
}

// CreateTemplate registers a template and sends the file at path for it.
func (c *Client) CreateTemplate(ctx context.Context, typ, displayName, path string, report Progress) (Template, error) {
	var t Template
	body := map[string]string{"type": typ, "displayName": displayName}
	if err := c.call(ctx, http.MethodPost, "/api/v2/templates", body, &t); err != nil {
		return t, fmt.Errorf("register template: %w", err)
	}
	if t.UploadInfo == nil {
		return t, errors.New("register template: the farm's answer has no uploadInfo")
	}
	header := http.Header{}
	for k, v := range t.UploadInfo.Fields {
		header.Set(k, v)
	}
	resp, err := c.putFile(ctx, t.UploadInfo.Method, t.UploadInfo.URL, path, header, report)
	if err != nil {
		return t, fmt.Errorf("upload %s: %w", filepath.Base(path), err)
	}
	return t, resp.Body.Close()
}

// Template gets one template.
func (c *Client) Template(ctx context.Context, id string) (Template, error) {
	var t Template
	return t, c.call(ctx, http.MethodGet, "/api/v2/templates/"+url.PathEscape(id), nil, &t)
}

// Submit submits a job; body is the request of POST /jobs.
func (c *Client) Submit(ctx context.Context, body any) (Job, error) {
	var j Job
	return j, c.call(ctx, http.MethodPost, "/api/v2/jobs", body, &j)
}

// Job gets one job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	var j Job
	return j, c.call(ctx, http.MethodGet, "/api/v2/jobs/"+url.PathEscape(id), nil, &j)
}

// JobJSON gets one job as the farm wrote it.
func (c *Client) JobJSON(ctx context.Context, id string) (json.RawMessage, error) {
	var raw json.RawMessage
	return raw, c.call(ctx, http.MethodGet, "/api/v2/jobs/"+url.PathEscape(id), nil, &raw)
}

// Jobs lists jobs as the farm wrote them.
func (c *Client) Jobs(ctx context.Context, query url.Values) (json.RawMessage, error) {
	var raw json.RawMessage
	return raw, c.call(ctx, http.MethodGet, "/api/v2/jobs?"+query.Encode(), nil, &raw)
}

// Cancel cancels jobs, with force also those that render, and returns all that were cancelled.
func (c *Client) Cancel(ctx context.Context, ids []string, force bool) ([]Job, error) {
	path := "/api/v2/jobs/cancel"
	if force {
		path += "?force=true"
	}
	var jobs []Job
	return jobs, c.call(ctx, http.MethodPost, path, map[string][]string{"jobs": ids}, &jobs)
}

// Why says why a job that has not started waits.
func (c *Client) Why(ctx context.Context, id string) (string, error) {
	var out struct {
		Why string `json:"why"`
	}
	return out.Why, c.call(ctx, http.MethodGet, "/api/farm/v1/jobs/"+url.PathEscape(id)+"/why", nil, &out)
}

// Log copies a job's log from byte offset on to w and returns the offset behind it. A job without a log yet gives
// nothing.
func (c *Client) Log(ctx context.Context, id string, offset int64, w io.Writer) (int64, error) {
	header := http.Header{}
	if offset > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-")
	}
	resp, err := c.send(ctx, http.MethodGet, "/api/v2/jobs/"+url.PathEscape(id)+"/logs", header, nil, -1)
	if IsStatus(err, http.StatusRequestedRangeNotSatisfiable) {
		return offset, nil
	}
	if err != nil {
		return offset, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent && offset > 0 {
		if _, err := io.CopyN(io.Discard, resp.Body, offset); err != nil {
			return offset, nil
		}
	}
	n, err := io.Copy(w, resp.Body)
	return offset + n, err
}

// Download writes what is at address to the file path, which appears only when it is whole.
func (c *Client) Download(ctx context.Context, address, path string, report Progress) error {
	resp, err := c.send(ctx, http.MethodGet, address, nil, nil, -1)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := &countingReader{r: resp.Body, total: resp.ContentLength, report: report}
	err = durable.Write(path, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return fmt.Errorf("download to %s: %w", path, err)
	}
	return nil
}

// SignInLink makes an address that signs a browser in, once.
func (c *Client) SignInLink(ctx context.Context) (string, error) {
	var out struct {
		URL string `json:"url"`
	}
	return out.URL, c.call(ctx, http.MethodPost, "/api/farm/v1/sign-in-links", nil, &out)
}

// RenewUpload gets a fresh upload address for a template's file; earlier ones stop working.
func (c *Client) RenewUpload(ctx context.Context, id string) (UploadInfo, error) {
	var u UploadInfo
	return u, c.call(ctx, http.MethodPut, "/api/v2/templates/"+url.PathEscape(id)+"/upload", nil, &u)
}
