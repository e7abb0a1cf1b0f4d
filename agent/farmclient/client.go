// Package farmclient sends an agent's HTTP requests to the farm: to the coordinator that leads as far as known, over TLS, and to another one
// when it does not answer. The websocket session is package agent's (link.go).
package farmclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Client sends requests to the farm. It is safe for concurrent use.
type Client struct {
	*coordinators

	mu     sync.Mutex
	client *http.Client // shows who this machine is
	before *http.Client // as it showed itself before its certificate was renewed; requests may be under way
	tls    *tls.Config
	log    *slog.Logger
}

// New makes a client that knows the configured coordinators. It can send requests after Identify; Once needs none.
func New(configured []string, log *slog.Logger) *Client {
	return &Client{coordinators: newCoordinators(configured), log: log}
}

// ReachWithin is how long a coordinator may take to take up a connection when there are others to turn to.
const ReachWithin = 4 * time.Second

// Dial opens a connection. If the other side disappears without closing it, that is noticed within half a minute.
func (r *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 20 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}}
	if r.Several() {
		dialer.Timeout = ReachWithin
	}
	return dialer.DialContext(ctx, network, address)
}

func (r *Client) newTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: r.Dial, TLSClientConfig: config, TLSHandshakeTimeout: 20 * time.Second, ResponseHeaderTimeout: 2 * time.Minute,
		IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 4,
	}
}

// Identify makes requests from now on show the certificate of config. Requests under way go on with the one before.
func (r *Client) Identify(config *tls.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client != nil {
		r.client.CloseIdleConnections()
	}
	r.before = r.client
	r.client, r.tls = &http.Client{Transport: r.newTransport(config)}, config
}

// Close closes the connections that are idle.
func (r *Client) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, client := range []*http.Client{r.before, r.client} {
		if client != nil {
			client.CloseIdleConnections()
		}
	}
}

// TLS is the configuration with the certificate that this machine shows.
func (r *Client) TLS() *tls.Config {
	_, config := r.shown()
	return config
}

func (r *Client) shown() (*http.Client, *tls.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client, r.tls
}

// StatusError is an answer other than success.
type StatusError struct {
	Code    int
	Message string // the farm's own, "" for none
}

func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the farm answered %d %s", e.Code, http.StatusText(e.Code))
	}
	return fmt.Sprintf("the farm answered %d: %s", e.Code, e.Message)
}

// Passing tells whether the same request may succeed later.
func Passing(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests || status.Code == http.StatusRequestTimeout
	}
	return true
}

// Do sends a request that shows who this machine is, and checks the answer's status.
func (r *Client) Do(ctx context.Context, method, path, contentType string, body io.Reader, size int64) (*http.Response, error) {
	req, err := r.Request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", contentType)
	}
	return r.Send(req)
}

// Request makes a request to the coordinator that leads.
func (r *Client) Request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.Address()+path, body)
	if err != nil {
		return nil, fmt.Errorf("asking the farm: %w", err)
	}
	return req, nil
}

// ask sends a request and checks the answer's status.
func ask(client *http.Client, req *http.Request) (*http.Response, error) {
	res, err := client.Do(req)
	if errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, new(tls.RecordHeaderError)) {
		return nil, fmt.Errorf("asking the farm: the coordinator does not speak TLS; is it of an earlier release, or is there a proxy before it? %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("asking the farm: %w", err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, &StatusError{Code: res.StatusCode, Message: Message(res.Body)}
}

// Message is the farm's own message in the body of an answer other than success; "" when the body is not the farm's.
func Message(body io.Reader) string {
	var message struct {
		Error string `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, 64<<10)).Decode(&message) != nil {
		return "" // the status says enough
	}
	return message.Error
}

// Answer sends a request and reads the answer into out.
func (r *Client) Answer(req *http.Request, out any) error {
	res, err := r.Send(req)
	if err != nil {
		return err
	}
	return decode(res, out)
}

// Post sends a message and reads the answer into out.
func (r *Client) Post(ctx context.Context, path string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	res, err := r.Do(ctx, http.MethodPost, path, "application/json", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return decode(res, out)
}

// Once is Post over a connection of its own, for a machine that cannot show who it is: it may show a secret instead.
func (r *Client) Once(ctx context.Context, config *tls.Config, path, secret string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Address()+path, bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("asking the farm: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	transport := r.newTransport(config)
	transport.DisableKeepAlives = true
	// A farm that leads the request elsewhere would get the secret there.
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := ask(client, req)
	if err != nil {
		return err
	}
	return decode(res, out)
}

// decode reads an answer and closes its body.
func decode(res *http.Response, out any) error {
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(out); err != nil {
		return fmt.Errorf("reading the farm's answer: %w", err)
	}
	return nil
}

// Escape makes a path element.
func Escape(s string) string { return url.PathEscape(s) }
