//go:build linux

package chaos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// requestPatience bounds one request.
const requestPatience = 5 * time.Second

// errUnsure is a request of which nobody knows whether it was carried out.
var errUnsure = errors.New("no answer")

// errNotSent is a request that never left.
var errNotSent = errors.New("not sent")

// door is one coordinator's interface, for clients with a token.
type door struct {
	name, address, token string
	client               *http.Client
}

func newDoor(name, address, token string) *door {
	transport := &http.Transport{
		DialContext:     (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		IdleConnTimeout: 20 * time.Second, MaxIdleConnsPerHost: 32,
	}
	return &door{name: name, address: address, token: token, client: &http.Client{Transport: transport}}
}

func (d *door) close() { d.client.CloseIdleConnections() }

// refusal is an answer of 400 to 499: nothing was done.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// ask sends one request and decodes its answer into out, unless that is nil. Its error is a *refusal, errNotSent or errUnsure, with words.
func (d *door) ask(ctx context.Context, method, path, key string, body, out any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%w: %w", errNotSent, err)
		}
		content = bytes.NewReader(raw)
	}
	return d.send(ctx, method, path, key, content, out)
}

// put is a POST of a file.
func (d *door) put(ctx context.Context, path string, file []byte, out any) error {
	return d.send(ctx, http.MethodPost, path, "", bytes.NewReader(file), out)
}

func (d *door) send(ctx context.Context, method, path, key string, content io.Reader, out any) error {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.address+path, content)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := d.client.Do(req)
	if err != nil {
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
			return fmt.Errorf("%w: %w", errNotSent, err)
		}
		return fmt.Errorf("%w: %w", errUnsure, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errUnsure, err)
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %d %.300s", errUnsure, res.StatusCode, text)
	case res.StatusCode >= 300:
		return &refusal{status: res.StatusCode, body: string(text)}
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = text
		return nil
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s %s was answered with what cannot be read: %w: %.300s", method, path, err, text)
	}
	return nil
}
