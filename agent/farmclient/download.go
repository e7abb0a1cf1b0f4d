package farmclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"overcrank/agent/cache"
	"overcrank/farm/wire"
	"overcrank/interval"
)

const (
	// farPatience is how long a download waits for a farm that cannot be reached: longer than coordinators take to agree on a leader, or
	// to start anew.
	farPatience = 5 * time.Minute
	// downloadTries is how often a file of the farm's store is asked for that comes damaged, or that the farm fails to read.
	downloadTries = 6
)

// UntilRight asks again for a file of the farm's store that was not what it should be.
func UntilRight(ctx context.Context, get func() error) error {
	pause := NewBackoff()
	for try := 1; ; try++ {
		err := get()
		if !errors.Is(err, cache.ErrContent) || ctx.Err() != nil || try >= downloadTries {
			return err
		}
		if err := interval.Wait(ctx, pause.Next()); err != nil {
			return err
		}
	}
}

// Download writes a file of the farm's store to w. A transfer that is cut off is resumed, from whichever coordinator leads by then. Whoever
// calls compares the hash.
func (r *Client) Download(ctx context.Context, sha string, w io.Writer) error {
	out := &counting{w: w}
	pause, moved, failures := NewBackoff(), time.Now(), 0
	for {
		had := out.n
		err := r.downloadRest(ctx, sha, out)
		if err == nil || out.err != nil || !Passing(err) || ctx.Err() != nil {
			return err
		}
		if out.n > had {
			pause, moved, failures = NewBackoff(), time.Now(), 0
		}
		if failures++; time.Since(moved) > farPatience || failures >= downloadTries && !away(err) {
			return err
		}
		wait := pause.Next()
		r.log.Info("the download of a file of the farm was interrupted and will be resumed", "file", sha, "bytes", out.n, "again", wait.Round(time.Millisecond), "error", err)
		if err := interval.Wait(ctx, wait); err != nil {
			return err
		}
	}
}

// away tells whether an error means that there is nobody who could have answered, as while coordinators agree on a leader.
func away(err error) bool {
	var status *StatusError
	return !errors.As(err, &status) || status.Code == http.StatusServiceUnavailable || status.Code == http.StatusBadGateway || status.Code == http.StatusGatewayTimeout
}

// DownloadOnce is Download without another try.
func (r *Client) DownloadOnce(ctx context.Context, sha string, w io.Writer) error {
	return r.downloadRest(ctx, sha, &counting{w: w})
}

// downloadRest reads what is missing of a file.
func (r *Client) downloadRest(ctx context.Context, sha string, out *counting) error {
	req, err := r.Request(ctx, http.MethodGet, wire.PathFiles+sha, nil)
	if err != nil {
		return err
	}
	if out.n > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", out.n))
	}
	res, err := r.Send(req)
	var status *StatusError
	if errors.As(err, &status) && status.Code == http.StatusRequestedRangeNotSatisfiable {
		return nil // it was whole; whoever asked compares its hash
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case out.n == 0:
	case res.StatusCode == http.StatusPartialContent && strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", out.n)):
	case res.StatusCode == http.StatusOK: // from its beginning
		if _, err := io.CopyN(io.Discard, res.Body, out.n); err != nil {
			return fmt.Errorf("reading a file of the farm: %w", err)
		}
	default:
		return fmt.Errorf("reading a file of the farm: it was asked for from byte %d on, and %q came", out.n, res.Header.Get("Content-Range"))
	}
	if _, err := io.Copy(out, res.Body); err != nil {
		return fmt.Errorf("reading a file of the farm: %w", err)
	}
	return nil
}

// counting counts what was written, and keeps the error that ended it.
type counting struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counting) Write(p []byte) (n int, err error) {
	n, err = c.w.Write(p)
	c.n += int64(n)
	c.err = err
	return n, err
}
