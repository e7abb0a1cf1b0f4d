// Package client speaks the farm's public REST interface, for the commands.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Client is a caller with a token.
type Client struct {
	Server string // base address, without a trailing slash
	Token  string
	HTTP   *http.Client // nil means http.DefaultClient
}

// Error is an answer of the farm that is not a success.
type Error struct {
	Status    int
	Message   string
	Details   []Detail
	RequestID string
}

// Detail is what is wrong with one field.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for _, d := range e.Details {
		if !strings.Contains(e.Message, d.Field+" "+d.Message) {
			fmt.Fprintf(&b, "\n  %s: %s", d.Field, d.Message)
		}
	}
	if e.Status >= 500 && e.RequestID != "" {
		fmt.Fprintf(&b, "\n  (request %s; the coordinator's log says more)", e.RequestID)
	}
	return b.String()
}

// IsStatus tells whether err is an answer of that HTTP status.
func IsStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// call sends one request and decodes the JSON answer into out, unless out is nil.
func (c *Client) call(ctx context.Context, method, path string, body any, out any) error {
	var r io.Reader
	header := http.Header{}
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		r = bytes.NewReader(raw)
		header.Set("Content-Type", "application/json")
	}
	resp, err := c.send(ctx, method, path, header, r, -1)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: the answer is not what was expected: %w", method, path, err)
	}
	return nil
}

// send sends one request; an answer of 400 or more is an *Error and its body is closed. The caller closes the body of
// the response it gets.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body io.Reader, size int64) (*http.Response, error) {
	address := path
	if strings.HasPrefix(path, "/") {
		address = c.Server + path
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if size >= 0 {
		req.ContentLength = size
	}
	if strings.HasPrefix(address, c.Server+"/api/") {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	hc := c.HTTP
	if hc == nil {
		hc = http.DefaultClient
	}
	resp, err := hc.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("no answer from %s: %w (is the farm running? start one with: overcrank up)", c.Server, err)
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		return nil, decodeError(resp)
	}
	return resp, nil
}

func decodeError(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id")}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	var body struct {
		Error   string   `json:"error"`
		Details []Detail `json:"details"`
	}
	if json.Unmarshal(raw, &body) == nil && body.Error != "" {
		e.Message, e.Details = body.Error, body.Details
	} else {
		e.Message = "the farm answered " + resp.Status
	}
	return e
}

// Progress hears how many bytes of total have gone.
type Progress func(done, total int64)

type countingReader struct {
	r           io.Reader
	done, total int64
	report      Progress
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if c.report != nil {
		c.report(c.done, c.total)
	}
	return n, err
}

// putFile sends the file at path as a request's body.
func (c *Client) putFile(ctx context.Context, method, address, path string, header http.Header, report Progress) (*http.Response, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	header.Set("Content-Type", "application/octet-stream")
	body := &countingReader{r: f, total: st.Size(), report: report}
	return c.send(ctx, method, address, header, body, st.Size())
}

// PutFile hands a local file to the farm and returns the address under which jobs use it.
func (c *Client) PutFile(ctx context.Context, path string, report Progress) (src string, err error) {
	header := http.Header{}
	header.Set("X-File-Name", url.PathEscape(filepath.Base(path)))
	resp, err := c.putFile(ctx, http.MethodPost, "/api/farm/v1/files", path, header, report)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var out struct {
		Src string `json:"src"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Src == "" {
		return "", fmt.Errorf("hand over %s: the farm's answer has no src", path)
	}
	return out.Src, nil
}
