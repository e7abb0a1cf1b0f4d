package farmclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	lookAtCall   = time.Second
	standsStill  = 30 * time.Second // without a byte of a body, a call is given up
	answerWithin = 2 * time.Minute  // for a request that was sent whole
	// How long a call may stand still with a coordinator from which this machine has turned away. A download goes on elsewhere where it
	// ended, an upload begins anew.
	leftReading = 3 * time.Second
	leftWriting = 10 * time.Second
)

// errStandsStill means that nothing moved for too long.
var errStandsStill = errors.New("the coordinator does not answer any more")

// call is a request on its way. One whose coordinator has fallen silent, or whose network was cut, would else be waited for as long as
// the system believes in the connection.
type call struct {
	r      *Client
	base   string
	left   time.Duration // leftReading or leftWriting
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	moved time.Time
	sent  bool // all of it: the coordinator has to answer now
	timer *time.Timer
}

// Send sends a request with this machine's certificate and checks the answer's status. It fails when no byte moves for too long, also while
// the answer's body is read.
func (r *Client) Send(req *http.Request) (*http.Response, error) {
	client, _ := r.shown()
	ctx, cancel := context.WithCancelCause(req.Context())
	c := &call{r: r, base: req.URL.Scheme + "://" + req.URL.Host, cancel: cancel, moved: time.Now(), left: leftReading, sent: req.Body == nil}
	if req.Body != nil {
		c.left = leftWriting
		req.Body = &movingBody{ReadCloser: req.Body, c: c, whole: true}
	}
	c.watch(lookAtCall, c.look)
	res, err := ask(client, req.WithContext(ctx))
	if err != nil {
		c.end()
		return nil, c.why(ctx, err)
	}
	c.move(false)
	res.Body = &movingBody{ReadCloser: res.Body, c: c, ctx: ctx}
	return res, nil
}

// watch has the call looked at. The first look may come before there is a timer to set again, where this machine stands still.
func (c *call) watch(first time.Duration, look func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(first, look)
}

// look ends the call when it has stood still for too long.
func (c *call) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := standsStill
	if c.sent {
		limit = answerWithin
	}
	if c.r.Address() != c.base {
		limit = c.left
	}
	if time.Since(c.moved) > limit {
		c.cancel(errStandsStill)
		return
	}
	c.timer.Reset(lookAtCall)
}

func (c *call) move(sent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved, c.sent = time.Now(), sent
}

func (c *call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.cancel(nil)
}

// why names the call's own reason to end in the place of what came of it.
func (c *call) why(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStandsStill) {
		return errStandsStill
	}
	return err
}

// movingBody notes that a call moves: the body of a request when whole is set, which is sent when it has ended, else that of an answer.
type movingBody struct {
	io.ReadCloser
	c     *call
	ctx   context.Context
	whole bool
}

func (b *movingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.move(b.whole && err != nil)
	if err != nil && !errors.Is(err, io.EOF) && !b.whole {
		err = b.c.why(b.ctx, err)
	}
	return n, err
}

func (b *movingBody) Close() error {
	err := b.ReadCloser.Close()
	if !b.whole {
		b.c.end()
	}
	return err
}
