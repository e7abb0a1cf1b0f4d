// Package fetch downloads from addresses given by callers, with limits on time and size, and without letting an address reach what only
// this machine can.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"overcrank/farm/address"
	"overcrank/outbound"
)

// StatusError is an HTTP status other than 2xx.
type StatusError struct{ Status int }

// Error names the status.
func (e *StatusError) Error() string { return fmt.Sprintf("the server answered %d", e.Status) }

// Body is a download in progress.
type Body struct {
	io.ReadCloser
	Size int64  // bytes, -1 when unknown
	Name string // last part of the address's path, "" when there is none
	Type string // Content-Type of the answer
}

// Fetcher downloads files. Use New to create one.
type Fetcher struct {
	Headway outbound.Headway // of what is downloaded
	guard   outbound.Guard
	client  *http.Client
}

// New creates a Fetcher that connects only to hosts the guard allows. Close ends idle connections.
func New(guard outbound.Guard) *Fetcher {
	return &Fetcher{Headway: outbound.UsualHeadway(time.Minute), guard: guard, client: guard.Client(guard.Transport())}
}

// Close ends idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Open starts to download src. It and reading the body fail if the download makes less headway than asked for.
func (f *Fetcher) Open(ctx context.Context, src string) (*Body, error) {
	if strings.HasPrefix(src, "data:") {
		return openData(src)
	}
	if strings.HasPrefix(src, "s3:") {
		object, err := address.Bucket(src)
		if err != nil {
			return nil, err
		}
		src = object
	}
	u, err := url.Parse(src)
	if err != nil {
		return nil, errors.New("not a valid address")
	}
	if err := f.guard.Check(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src, nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("preparing a download: %w", err)
	}
	watch := f.Headway.Watch(cancel)
	resp, err := f.client.Do(req)
	if err != nil {
		watch.Stop()
		defer cancel(nil)
		return nil, fmt.Errorf("downloading: %w", cmp.Or(context.Cause(ctx), outbound.Cause(err)))
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		watch.Stop()
		cancel(nil)
		return nil, errors.Join(&StatusError{resp.StatusCode}, resp.Body.Close())
	}
	name := path.Base(resp.Request.URL.Path)
	if name == "/" || name == "." {
		name = ""
	}
	return &Body{
		ReadCloser: &watched{resp.Body, ctx, cancel, watch},
		Size:       resp.ContentLength,
		Name:       name,
		Type:       resp.Header.Get("Content-Type"),
	}, nil
}

func openData(src string) (*Body, error) {
	data, mediaType, err := address.Data(src)
	if err != nil {
		return nil, err
	}
	return &Body{ReadCloser: io.NopCloser(bytes.NewReader(data)), Size: int64(len(data)), Type: mediaType}, nil
}

// watched is a body whose download is aborted when it makes too little headway.
type watched struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	watch  *outbound.Watch
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	w.watch.Moved(n)
	if err != nil && !errors.Is(err, io.EOF) && context.Cause(w.ctx) != nil {
		err = context.Cause(w.ctx)
	}
	return n, err
}

func (w *watched) Close() error {
	w.watch.Stop()
	w.cancel(nil)
	return w.ReadCloser.Close()
}
