// Package delivery calls webhooks. What is owed stands in the farm's state; the leader delivers it, a few at once to each receiver, and
// tries again after pauses that grow.
package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/outbound"
)

const (
	callWithin = 10 * time.Second // from the first byte sent to the answer's header
	// answerRest bounds what of an answer's body is read, in bytes and time: only so much that its connection can serve again.
	answerRest       = 4 << 10
	answerRestWithin = time.Second

	headerSignature = "X-Signature"
	headerDelivery  = "X-Delivery-Id"
)

// errMoved is a redirect that would not carry the body along, or would carry it where it is not safe.
type errMoved struct{ why string }

func (e *errMoved) Error() string { return e.why }

// failure is a delivery that did not go well. A final one cannot go better.
type failure struct {
	reason string
	final  bool
}

// Caller calls receivers, those that the farm's policy allows.
type Caller struct {
	guard  outbound.Guard
	client *http.Client
}

// NewCaller makes a caller that asks only what guard lets be asked.
func NewCaller(guard outbound.Guard) *Caller {
	w := &Caller{guard: guard, client: guard.Client(guard.Transport())}
	w.client.CheckRedirect = w.follow
	return w
}

// follow goes along with redirects that keep method and body, 307 and 308. The caller's headers, which may be passwords,
// stay with the host that the caller named.
func (w *Caller) follow(req *http.Request, via []*http.Request) error {
	if err := w.guard.CheckRedirect(req, via); err != nil {
		return err
	}
	first := via[0]
	if code := req.Response.StatusCode; code != http.StatusTemporaryRedirect && code != http.StatusPermanentRedirect {
		return &errMoved{fmt.Sprintf("the receiver redirects with %d, which would lose the body; give its final address, or let it redirect with 307 or 308", code)}
	}
	if first.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return &errMoved{"the receiver redirects from https to http"}
	}
	if req.URL.Host != first.URL.Host {
		own := http.Header{}
		for _, name := range []string{"Content-Type", "User-Agent", headerSignature, headerDelivery} {
			if value := req.Header.Get(name); value != "" {
				own.Set(name, value)
			}
		}
		req.Header = own
	}
	return nil
}

// call sends a request once, and tells the receiver's status when that has taken it. What secrets conceals is in no reason.
func (w *Caller) call(req *http.Request, secrets *redact.Redactor) (status int, failed *failure) {
	ctx, cancel := context.WithTimeout(req.Context(), callWithin)
	defer cancel()
	resp, err := w.client.Do(req.WithContext(ctx))
	if err != nil {
		return 0, &failure{reason: secrets.String(callReason(outbound.Cause(err)))}
	}
	hurry := time.AfterFunc(answerRestWithin, cancel)
	defer hurry.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, answerRest)
	_ = resp.Body.Close() // what is in it, and how it ends, is of no account
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return 0, &failure{reason: fmt.Sprintf("the receiver answered %d", resp.StatusCode)}
	}
	return resp.StatusCode, nil
}

// Post sends JSON to an address once. The error says, without the address, why the receiver has not taken it.
func (w *Caller) Post(ctx context.Context, address string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address cannot be read")
	}
	if err := w.guard.Check(req.URL); err != nil {
		return errors.New(callReason(err))
	}
	req.Header.Set("Content-Type", "application/json")
	if _, failed := w.call(req, nil); failed != nil {
		return errors.New(failed.reason)
	}
	return nil
}

// Transport sends requests that the farm's policy allows.
func (w *Caller) Transport() http.RoundTripper { return w.client.Transport }

// Close drops connections that wait for another call.
func (w *Caller) Close() { w.client.CloseIdleConnections() }

// hopeless tells errors about what the job says of its webhook from those of the farm's own moment.
func hopeless(err error) bool {
	code := farm.CodeOf(err)
	return code == farm.CodeInvalid || code == farm.CodeGone || errors.Is(err, outbound.ErrForbidden) || errors.Is(err, outbound.ErrScheme)
}

// callReason words why a call failed, without any address: that may hold a password.
func callReason(err error) string {
	var moved *errMoved
	var own *farm.Error
	switch {
	case errors.As(err, &moved):
		return moved.why
	case errors.As(err, &own):
		return own.Message
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the receiver did not answer within %s", callWithin)
	default:
		reason, _ := outbound.Reason(err)
		return "the receiver cannot be asked: " + reason
	}
}
