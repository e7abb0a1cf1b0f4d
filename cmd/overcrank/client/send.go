package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	defaultPatience = 30 * time.Second
	firstPause      = 200 * time.Millisecond
	longestPause    = 5 * time.Second
	// tellAfter is how long a request is repeated without a word: an election is over by then.
	tellAfter = 2 * time.Second
)

// waitsKey is the key of what WithWaits puts into a context.
type waitsKey struct{}

// WithWaits has fn told of each request under ctx that is repeated for more than two seconds: why, and for how long it still will be.
func WithWaits(ctx context.Context, fn func(reason error, rest time.Duration)) context.Context {
	return context.WithValue(ctx, waitsKey{}, fn)
}

func tell(ctx context.Context, reason error, rest time.Duration) {
	if fn, ok := ctx.Value(waitsKey{}).(func(error, time.Duration)); ok {
		fn(reason, rest)
	}
}

// keyHeader marks a POST, so that the farm answers a repetition as it answered the first.
const keyHeader = "Idempotency-Key"

// send sends a request, again where that is safe and promising. An answer of 400 or more is an *Error; the caller closes the
// body of the response it gets.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	r = keyed(r)
	patience := c.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	begun, pause := time.Now(), firstPause
	giveUp, told := begun.Add(patience), false
	servers := len(c.servers())
	var leaderless error // what a coordinator said that answered and cannot serve: it tells more than that others are away
	for tries := 1; ; tries++ {
		turn := c.turn.Load()
		resp, err := c.once(ctx, r, c.serverAt(turn))
		if err == nil {
			return resp, nil
		}
		if IsStatus(err, http.StatusServiceUnavailable) {
			leaderless = err
		} else if leaderless != nil && errors.As(err, new(*UnreachableError)) {
			err = fmt.Errorf("%w (and %w)", leaderless, err)
		}
		wait, again := c.again(r, err, c.answered.Load() || tries < servers)
		if !again || ctx.Err() != nil {
			return nil, err
		}
		c.moveOn(turn)
		r.path = c.elsewhere(r.path, err)
		if tries%servers != 0 {
			continue // another coordinator was not asked yet
		}
		if wait = max(wait, pause); time.Now().Add(wait).After(giveUp) {
			return nil, err
		}
		if !told && time.Since(begun) >= tellAfter {
			told = true
			tell(ctx, err, time.Until(giveUp))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		pause = min(2*pause, longestPause)
	}
}

// keyed gives a POST the key by which the farm knows its repetition.
func keyed(r request) request {
	r.header = r.header.Clone()
	if r.header == nil {
		r.header = http.Header{}
	}
	if r.method == http.MethodPost && !r.once && r.header.Get(keyHeader) == "" {
		r.header.Set(keyHeader, rand.Text())
	}
	return r
}

// outputsRoot begins the paths of results on a farm.
const outputsRoot = "/outputs/"

// elsewhere is where a request goes next: to another coordinator when the one that an address of the farm's names has gone.
func (c *Client) elsewhere(path string, err error) string {
	address, bad := url.Parse(path)
	if bad != nil || address.Host == "" || !errors.As(err, new(*UnreachableError)) || !c.answered.Load() {
		return path
	}
	if !strings.HasPrefix(address.Path, outputsRoot) && !strings.HasPrefix(address.Path, "/api/") {
		return path // no address of a farm
	}
	return address.RequestURI()
}

// repeatable says whether a request may be sent once more whose answer broke off.
func (r request) repeatable() bool {
	return r.method == http.MethodGet || r.method == http.MethodPost && !r.once
}

// servers are the addresses of the farm's coordinators.
func (c *Client) servers() []string { return strings.Split(c.Server, ",") }

// serverAt is the address that is asked at a turn, without a trailing slash. Other clients of the interface want its version's root,
// and one address is often set for all.
func (c *Client) serverAt(turn int64) string {
	servers := c.servers()
	given := strings.TrimSuffix(strings.TrimSpace(servers[turn%int64(len(servers))]), "/")
	return strings.TrimSuffix(given, "/api/v2")
}

// moveOn turns to the next coordinator, unless somebody else did that since a turn.
func (c *Client) moveOn(turn int64) { c.turn.CompareAndSwap(turn, turn+1) }

// again says whether a request that failed with err may be sent once more, and how long to wait before that at least. known says
// that the farm is there: one that never answered is more likely at another address than away for a moment.
func (c *Client) again(r request, err error, known bool) (wait time.Duration, again bool) {
	var refused *Error
	if errors.As(err, &refused) {
		if refused.Status != http.StatusServiceUnavailable && refused.Status != http.StatusTooManyRequests {
			return 0, false
		}
		return retryAfter(refused.retryAfter), true // refused before anything was done
	}
	var lost *UnreachableError
	if !errors.As(err, &lost) || !known {
		return 0, false
	}
	var op *net.OpError
	if errors.As(lost.Err, &op) && op.Op == "dial" {
		return 0, true // nothing was sent
	}
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodPatch:
		return 0, true
	case http.MethodPost:
		return 0, !r.once
	case http.MethodPut:
		return 0, r.repeats
	}
	// Any other PUT or DELETE that did its work before the connection broke would be answered as a conflict or as not found.
	return 0, false
}

// retryAfter reads the header of that name (RFC 9110, 10.2.3), in seconds or as a date.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if when, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(when))
	}
	return 0
}

// once sends a request one time, to one of the farm's coordinators.
func (c *Client) once(ctx context.Context, r request, server string) (*http.Response, error) {
	address := r.path
	if strings.HasPrefix(address, "/") {
		address = server + address
	}
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	var body *bodyReader
	if r.open != nil {
		opened, err := r.open()
		if err != nil {
			return nil, err
		}
		body = &bodyReader{ReadCloser: opened}
		req.Body, req.ContentLength = body, r.size
		if r.size == 0 {
			body.Close()
			req.Body = http.NoBody
		}
	}
	if strings.HasPrefix(address, server+"/api/") {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	} else {
		req.Header.Del(keyHeader)
	}
	hc := c.HTTP
	if hc == nil {
		hc = http.DefaultClient
	}
	spoke := func() {}
	if r.method == http.MethodGet && strings.HasPrefix(r.path, "/api/") && !strings.HasSuffix(r.path, "/events") && len(c.servers()) > 1 {
		req, spoke = impatient(req)
	}
	resp, err := hc.Do(req)
	spoke()
	if err != nil {
		return nil, lost(ctx, server, err, body)
	}
	c.answered.Store(true)
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		return nil, decodeError(resp)
	}
	return resp, nil
}

// silentAfter is how long one of several coordinators may take to begin an answer: longer than it waits itself for a leader.
const silentAfter = 15 * time.Second

var errSilent = errors.New("it does not answer")

// impatient gives a request up that a coordinator does not begin to answer, as one that is frozen: another will. spoke says that it did.
func impatient(req *http.Request) (_ *http.Request, spoke func()) {
	ctx, giveUp := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(silentAfter, func() { giveUp(errSilent) })
	// What has begun to answer may take its time: the request goes on under its caller's context, which ends this one too.
	return req.WithContext(ctx), func() { timer.Stop() }
}

// lost words what kept a request from being answered: the caller's context, the caller's own file, or the farm.
func lost(ctx context.Context, server string, err error, body *bodyReader) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if body != nil {
		if failed := body.failed(); failed != nil {
			return fmt.Errorf("read what is to be sent: %w", failed)
		}
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return &UnreachableError{Server: server, Err: err}
}

// bodyReader remembers that a body could not be read, to tell that from a lost connection.
type bodyReader struct {
	io.ReadCloser
	failure atomic.Pointer[error]
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failure.Store(&err)
	}
	return n, err
}

// failed is why the body could not be read, nil when it could.
func (b *bodyReader) failed() error {
	if err := b.failure.Load(); err != nil {
		return *err
	}
	return nil
}
