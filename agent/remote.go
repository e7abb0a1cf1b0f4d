package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// remote is the coordinator that this agent talks to: the one it was told of, or the leader it was sent to.
type remote struct {
	client *http.Client

	mu     sync.Mutex
	secret string // the agent's own credential
	first  string // base address from the configuration
	base   string // of the leader, as far as known
}

func newRemote(base string) *remote {
	return &remote{
		first: base, base: base,
		client: &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 20 * time.Second, ResponseHeaderTimeout: 2 * time.Minute,
			IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 4,
		}},
	}
}

func (r *remote) close() { r.client.CloseIdleConnections() }

func (r *remote) address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}

func (r *remote) credential() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secret
}

func (r *remote) setCredential(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// turnTo makes base the coordinator to talk to; "" means the configured one.
func (r *remote) turnTo(base string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if base == "" {
		base = r.first
	}
	r.base = base
}

// statusError is an answer other than success.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string {
	if e.message == "" {
		return fmt.Sprintf("the farm answered %d %s", e.code, http.StatusText(e.code))
	}
	return fmt.Sprintf("the farm answered %d: %s", e.code, e.message)
}

// passing tells whether the same request may succeed later.
func passing(err error) bool {
	if errors.As(err, new(*damagedPart)) {
		return false
	}
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= http.StatusInternalServerError || status.code == http.StatusTooManyRequests || status.code == http.StatusRequestTimeout
	}
	return true
}

// do sends a request with the agent's credential and checks the answer's status.
func (r *remote) do(ctx context.Context, method, path, secret, contentType string, body io.Reader, size int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.address()+path, body)
	if err != nil {
		return nil, fmt.Errorf("asking the farm: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", contentType)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the farm: %w", err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	var said struct {
		Error string `json:"error"`
	}
	// The status says enough when the body is not ours.
	_ = json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(&said)
	return nil, &statusError{code: res.StatusCode, message: said.Error}
}

// post sends a message and reads the answer into out.
func (r *remote) post(ctx context.Context, path, secret string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	res, err := r.do(ctx, http.MethodPost, path, secret, "application/json", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return decode(res, out)
}

func decode(res *http.Response, out any) error {
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(out); err != nil {
		return fmt.Errorf("reading the farm's answer: %w", err)
	}
	return nil
}

// escape makes a path element.
func escape(s string) string { return url.PathEscape(s) }
