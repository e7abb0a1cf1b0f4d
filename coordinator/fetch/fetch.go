// Package fetch downloads what an address from outside names, within bounds of time and size, and without letting the
// address reach what only this machine can see.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"

	"overcrank/farm/address"
)

const (
	maxRedirects = 5
	answerWithin = 30 * time.Second // from the request to the answer's header
	stallAfter   = time.Minute      // without a byte
)

var (
	// ErrForbidden marks an address that leads where downloads must not go.
	ErrForbidden = errors.New("address is not allowed")
	// ErrScheme marks an address of a kind that is not fetched.
	ErrScheme = errors.New("only http, https and data addresses can be fetched")
)

// StatusError is an answer other than success.
type StatusError struct{ Status int }

// Error names the status.
func (e *StatusError) Error() string { return fmt.Sprintf("the server answered %d", e.Status) }

// Body is a download under way.
type Body struct {
	io.ReadCloser
	Size int64  // bytes, -1 when not known
	Name string // last part of the address, "" when it has none
	Type string // content type as announced
}

// Fetcher downloads. Its zero value is not usable; see New.
type Fetcher struct{ client *http.Client }

// New makes a Fetcher. Close it to end idle connections.
func New() *Fetcher {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: checkPeer}
	return &Fetcher{client: &http.Client{
		Transport: &http.Transport{
			DialContext:           dialer.DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: answerWithin,
			MaxIdleConnsPerHost:   2,
			IdleConnTimeout:       30 * time.Second,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			return checkScheme(req.URL)
		},
	}}
}

// Close ends idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Open starts to download src. A body that stalls for a minute ends with an error.
func (f *Fetcher) Open(ctx context.Context, src string) (*Body, error) {
	if strings.HasPrefix(src, "data:") {
		return openData(src)
	}
	u, err := url.Parse(src)
	if err != nil {
		return nil, errors.New("it is no address")
	}
	if err := checkScheme(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src, nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("asking for a download: %w", err)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		cancel(nil)
		return nil, plain(err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		cancel(nil)
		return nil, errors.Join(&StatusError{resp.StatusCode}, resp.Body.Close())
	}
	name := path.Base(resp.Request.URL.Path)
	if name == "/" || name == "." {
		name = ""
	}
	return &Body{
		ReadCloser: watch(ctx, cancel, resp.Body),
		Size:       resp.ContentLength,
		Name:       name,
		Type:       resp.Header.Get("Content-Type"),
	}, nil
}

// plain drops the address from an error: it may hold a signature that is nobody's business.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("downloading: %w", err)
}

func checkScheme(u *url.URL) error {
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ErrScheme
	}
	return nil
}

// checkPeer refuses addresses after names have been resolved, so that no name can stand for a forbidden one.
func checkPeer(_, peer string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(peer)
	if err != nil || !address.Downloadable(at.Addr()) {
		return fmt.Errorf("%w: %s", ErrForbidden, peer)
	}
	return nil
}

func openData(src string) (*Body, error) {
	data, mediaType, err := address.Data(src)
	if err != nil {
		return nil, err
	}
	return &Body{ReadCloser: io.NopCloser(bytes.NewReader(data)), Size: int64(len(data)), Type: mediaType}, nil
}

// stalling is a body that is given up when nothing comes for too long.
type stalling struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

var errStalled = fmt.Errorf("nothing came for %s", stallAfter)

func watch(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser) *stalling {
	return &stalling{
		ReadCloser: body, ctx: ctx, cancel: cancel,
		timer: time.AfterFunc(stallAfter, func() { cancel(errStalled) }),
	}
}

func (s *stalling) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	s.timer.Reset(stallAfter)
	if err != nil && !errors.Is(err, io.EOF) && context.Cause(s.ctx) != nil {
		err = context.Cause(s.ctx)
	}
	return n, err
}

func (s *stalling) Close() error {
	s.timer.Stop()
	s.cancel(nil)
	return s.ReadCloser.Close()
}
