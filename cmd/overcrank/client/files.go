package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/durable"
)

// Progress hears how many bytes of total have gone.
type Progress func(done, total int64)

type countingReader struct {
	io.ReadCloser
	done, total int64
	report      Progress
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.done += int64(n)
	if c.report != nil {
		c.report(c.done, c.total)
	}
	return n, err
}

// withFile gives a request the file at path as its body, streamed.
func withFile(r request, path string, report Progress) (request, error) {
	st, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	if !st.Mode().IsRegular() {
		return r, fmt.Errorf("%s is not a file", path)
	}
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set("Content-Type", "application/octet-stream")
	r.size = st.Size()
	r.open = func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return &countingReader{ReadCloser: f, total: st.Size(), report: report}, nil
	}
	return r, nil
}

// KeptFile is a file that was handed to the farm.
type KeptFile struct {
	Raw    `json:"-"`
	Src    string `json:"src"` // under which jobs use it
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // lower-case hex
}

// KeepFile hands a local file to the farm, a large one in parts, so that a later try goes on where this one stopped.
func (c *Client) KeepFile(ctx context.Context, path string, report Progress) (KeptFile, error) {
	if isLarge(path) {
		kept, err := c.keepInParts(ctx, path, report)
		if err == nil {
			return kept, nil
		}
		if !IsStatus(err, http.StatusNotFound) {
			return kept, fmt.Errorf("hand over %s: %w", path, err)
		}
	}
	return c.keepWhole(ctx, path, report)
}

// keepWhole hands a local file to the farm in one request.
func (c *Client) keepWhole(ctx context.Context, path string, report Progress) (KeptFile, error) {
	var kept KeptFile
	r, err := withFile(request{method: http.MethodPost, path: "/api/farm/v1/files"}, path, report)
	if err != nil {
		return kept, err
	}
	r.header.Set("X-File-Name", url.PathEscape(filepath.Base(path)))
	if err := c.answer(ctx, r, &kept); err != nil {
		return kept, fmt.Errorf("hand over %s: %w", path, err)
	}
	if kept.Src == "" {
		return kept, fmt.Errorf("hand over %s: the farm's answer has no src", path)
	}
	return kept, nil
}

// PutFile hands a local file to the farm and returns the address under which jobs use it.
func (c *Client) PutFile(ctx context.Context, path string, report Progress) (src string, err error) {
	kept, err := c.KeepFile(ctx, path, report)
	return kept.Src, err
}

// Download writes what is at address to the file path, which appears only when it is whole. A connection that breaks is
// taken up again where it broke.
func (c *Client) Download(ctx context.Context, address, path string, report Progress) error {
	err := durable.Write(path, 0o644, func(w io.Writer) error { return c.DownloadTo(ctx, address, w, report) })
	if err != nil {
		return fmt.Errorf("download to %s: %w", path, err)
	}
	return nil
}

// DownloadTo writes what is at address to w.
func (c *Client) DownloadTo(ctx context.Context, address string, w io.Writer, report Progress) error {
	err := c.downloadBy(ctx, request{method: http.MethodGet, path: address, header: http.Header{}}, w, report)
	own, bad := url.Parse(address)
	if !IsStatus(err, http.StatusUnauthorized) || bad != nil || !strings.HasPrefix(own.Path, outputsRoot) {
		return err
	}
	// A farm may give results to its people alone. The token goes nowhere but where the caller said that the farm is.
	signed := http.Header{"Authorization": {"Bearer " + c.Token}}
	return c.downloadBy(ctx, request{method: http.MethodGet, path: own.RequestURI(), header: signed}, w, report)
}

// downloadBy downloads by a request, which is sent anew for the rest when the connection breaks.
func (c *Client) downloadBy(ctx context.Context, r request, w io.Writer, report Progress) error {
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	tag, done, total := resp.Header.Get("ETag"), int64(0), resp.ContentLength
	for {
		before := done
		body := &countingReader{ReadCloser: resp.Body, done: done, total: total, report: report}
		n, err := io.Copy(w, body)
		resp.Body.Close()
		done += n
		if err == nil || ctx.Err() != nil || tag == "" || done == before {
			return err
		}
		r.header.Set("Range", "bytes="+strconv.FormatInt(done, 10)+"-")
		r.header.Set("If-Range", tag)
		if resp, err = c.send(ctx, r); err != nil {
			return err
		}
		if resp.StatusCode != http.StatusPartialContent {
			resp.Body.Close()
			return errors.New("the file changed while it was downloaded; try again")
		}
	}
}
