package agent

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// remote is the farm as this agent reaches it, over TLS alone: requests go to the coordinator that leads, as far as known.
type remote struct {
	*coordinators

	mu     sync.Mutex
	client *http.Client // shows who this machine is
	before *http.Client // as it showed itself before its certificate was renewed; requests may be under way
	tls    *tls.Config
}

func newRemote(configured []string) *remote {
	return &remote{coordinators: newCoordinators(configured)}
}

// reachWithin is how long a coordinator may take to take up a connection when there are others to turn to.
const reachWithin = 4 * time.Second

// dial opens a connection. One that a machine has left without a word is found out within half a minute.
func (r *remote) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 20 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}}
	if r.several() {
		dialer.Timeout = reachWithin
	}
	return dialer.DialContext(ctx, network, address)
}

func (r *remote) newTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: r.dial, TLSClientConfig: config, TLSHandshakeTimeout: 20 * time.Second, ResponseHeaderTimeout: 2 * time.Minute,
		IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 4,
	}
}

// show makes config the way in which this machine shows itself from now on. What is under way goes on as it began.
func (r *remote) show(config *tls.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client != nil {
		r.client.CloseIdleConnections()
	}
	r.before = r.client
	r.client, r.tls = &http.Client{Transport: r.newTransport(config)}, config
}

func (r *remote) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, client := range []*http.Client{r.before, r.client} {
		if client != nil {
			client.CloseIdleConnections()
		}
	}
}

// shown is how this machine shows itself.
func (r *remote) shown() (*http.Client, *tls.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client, r.tls
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
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= http.StatusInternalServerError || status.code == http.StatusTooManyRequests || status.code == http.StatusRequestTimeout
	}
	return true
}

// do sends a request that shows who this machine is, and checks the answer's status.
func (r *remote) do(ctx context.Context, method, path, contentType string, body io.Reader, size int64) (*http.Response, error) {
	req, err := r.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", contentType)
	}
	return r.send(req)
}

// request makes a request to the coordinator that leads.
func (r *remote) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.address()+path, body)
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
	return nil, &statusError{code: res.StatusCode, message: said(res.Body)}
}

// said is the farm's own message in an answer other than success, "" when the body is not the farm's.
func said(body io.Reader) string {
	var message struct {
		Error string `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, 64<<10)).Decode(&message) != nil {
		return "" // the status says enough
	}
	return message.Error
}

// post sends a message and reads the answer into out.
func (r *remote) post(ctx context.Context, path string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	res, err := r.do(ctx, http.MethodPost, path, "application/json", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return decode(res, out)
}

// once is post over a connection of its own, for a machine that cannot show who it is: it may show a secret instead.
func (r *remote) once(ctx context.Context, config *tls.Config, path, secret string, in, out any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address()+path, bytes.NewReader(b))
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

func decode(res *http.Response, out any) error {
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(out); err != nil {
		return fmt.Errorf("reading the farm's answer: %w", err)
	}
	return nil
}

// escape makes a path element.
func escape(s string) string { return url.PathEscape(s) }
