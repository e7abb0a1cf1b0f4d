package request

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/farm"
	"overcrank/inbound"
)

const (
	// StallTimeout is how long a sender may pause within a streamed body.
	StallTimeout = 60 * time.Second
	// drainLimit is how much of an unwanted body is read. Many clients see the answer only when they have sent all, and
	// would meet a connection that is reset instead.
	drainLimit   = 256 << 20
	drainTimeout = 15 * time.Second
	// drainPause is how long its sender may pause meanwhile: one who waits for the answer is not waited for.
	drainPause = time.Second
	// wholeTimeout is how long a body that is read whole may take.
	wholeTimeout = 2 * time.Minute
	// trustedSize is how much room is made for a body on its sender's word alone.
	trustedSize = 64 << 10

	// heldEach and heldAll, of NewBodies, are how many bytes of bodies that are read whole may be in memory at once, of one caller and of all. The first
	// has room for two of the largest; smaller ones than trustedSize do not count.
	heldEach = 256 << 20
	heldAll  = 768 << 20

	localBody = "overcrank.body"
)

// requestBody reads the body of one request. Beside its limit it keeps what fasthttp's stream does not: a body that
// ends early is an error rather than a short body, and the end is asked for only once (a second time would wait for
// the next request).
type requestBody struct {
	src      io.Reader
	conn     net.Conn
	stopping context.Context // ends when the server stops
	declared int64           // bytes, -1 when chunked
	limit    int64
	read     int64
	until    time.Time     // when reading has to be over, zero for as long as it takes
	pause    time.Duration // that the sender may make
	err      error         // sticky; io.EOF at the true end
	sum      hash.Hash     // of what was read; nil when nobody needs it
	spoiled  bool          // the connection cannot serve another request
	whole    []byte        // once readBody has read it
	held     int           // bytes that count of it, until it is settled
	caller   string        // for whom they do
	memory   *inbound.Gate
	// turnedAway says that there was no room for it.
	turnedAway bool
}

// Body gives a request's body for streaming, of at most limit bytes, and its size, -1 when that is not known. A larger
// body gives an error of farm.CodeTooLarge, at once when its size is declared, else where the limit is passed.
func Body(c *fiber.Ctx, limit int64) (io.Reader, int64, error) {
	b, err := bodyOf(c.Context(), limit)
	if err != nil {
		return nil, 0, err
	}
	return b, b.declared, nil
}

func bodyOf(rc *fasthttp.RequestCtx, limit int64) (*requestBody, error) {
	b := Open(rc)
	b.limit = limit
	if b.declared > limit {
		b.err = tooLarge(limit)
		return nil, b.err
	}
	return b, nil
}

// Open is the body of a request, which is opened once.
func Open(rc *fasthttp.RequestCtx) *requestBody {
	b, opened := rc.UserValue(localBody).(*requestBody)
	if !opened {
		b = newRequestBody(rc)
		rc.SetUserValue(localBody, b)
	}
	return b
}

func newRequestBody(rc *fasthttp.RequestCtx) *requestBody {
	b := &requestBody{src: rc.RequestBodyStream(), conn: rc.Conn(), declared: int64(rc.Request.Header.ContentLength()), pause: StallTimeout}
	if b.declared < -1 {
		b.declared = 0
	}
	if b.src == nil {
		b.declared, b.err = 0, io.EOF
	}
	b.stopping = context.Background()
	b.sum, _ = rc.UserValue(LocalHash).(hash.Hash)
	if ctx, ok := rc.UserValue(LocalStopping).(context.Context); ok {
		b.stopping = ctx
	}
	return b
}

// ReadBody reads a whole body of at most limit bytes. Read again, it is the same: a submission may have to begin again.
func ReadBody(c *fiber.Ctx, limit int64) ([]byte, error) {
	if coding := c.Get(fiber.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, farm.Errorf(farm.CodeInvalid, "the body is encoded as %.40q; send it as it is, without Content-Encoding", coding).
			With(farm.Field(fiber.HeaderContentEncoding, "is not understood; leave it out"))
	}
	b, err := bodyOf(c.Context(), limit)
	if err != nil {
		return nil, err
	}
	if b.whole != nil {
		return b.whole, nil
	}
	b.until = time.Now().Add(wholeTimeout)
	// One byte more than the body shows its end.
	body := make([]byte, 0, min(max(b.declared, 0), trustedSize)+bytes.MinRead)
	for {
		n, err := b.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			b.whole = body
			return body, nil
		case err != nil:
			return body, err
		case len(body) == cap(body):
			// Who has sent so much is trusted with four times of it.
			more := 3 * len(body)
			if b.declared > 0 {
				more = min(more, int(b.declared)-len(body)+bytes.MinRead)
			}
			if err := b.hold(c, len(body)+more); err != nil {
				return body, err
			}
			body = slices.Grow(body, max(more, bytes.MinRead))
		}
	}
}

// NewGate counts the bytes of bodies that are read whole, and bounds them.
func NewGate() *inbound.Gate { return inbound.NewGate(heldEach, heldAll) }

// hold counts the body as one that takes so many bytes of memory.
func (b *requestBody) hold(c *fiber.Ctx, size int) error {
	if b.memory == nil {
		b.memory, _ = c.Context().UserValue(LocalMemory).(*inbound.Gate)
		b.caller = inbound.Caller(Origin(c))
	}
	err := b.memory.Take(b.caller, size-b.held)
	if err == nil {
		b.held = size
		return nil
	}
	b.err = farm.Errorf(farm.CodeRateLimited, "too many large requests at once from this address; send it again in a moment")
	if errors.Is(err, inbound.ErrTotalLimit) {
		b.err = farm.Errorf(farm.CodeUnavailable, "this coordinator has no memory left for large requests; send it again in a moment")
	}
	b.turnedAway = true
	return b.err
}

// letGo counts the body no longer.
func (b *requestBody) letGo() {
	b.memory.Give(b.caller, b.held)
	b.held = 0
}

var errStopping = farm.Errorf(farm.CodeUnavailable, "the farm is stopping; send it again in a moment")

func tooLarge(limit int64) error {
	return farm.Errorf(farm.CodeTooLarge, "the body is larger than the %s allowed here", ByteSize(limit))
}

func ByteSize(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%d %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// One byte more than the limit tells a body that is too large from one that just fits.
	if room := b.limit - b.read + 1; int64(len(p)) > room {
		p = p[:room]
	}
	deadline := time.Now().Add(b.pause)
	if !b.until.IsZero() && b.until.Before(deadline) {
		deadline = b.until
	}
	if err := b.conn.SetReadDeadline(deadline); err != nil {
		return 0, b.fail(fmt.Errorf("waiting for the body: %w", err))
	}
	// The server's end takes the deadline away again, and one that came before is seen here: no order of the two leaves
	// Read waiting.
	unhook := context.AfterFunc(b.stopping, func() { _ = b.conn.SetReadDeadline(time.Now()) })
	defer unhook()
	if b.stopping.Err() != nil {
		return 0, b.fail(errStopping)
	}
	n, err := b.src.Read(p)
	b.read += int64(n)
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	if b.read > b.limit {
		return n - 1, b.fail(tooLarge(b.limit))
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		b.err = b.checkEnd()
		return n, b.err
	case errors.Is(err, os.ErrDeadlineExceeded) && b.stopping.Err() != nil:
		return n, b.fail(errStopping)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, b.fail(farm.Errorf(farm.CodeInvalid, "the body stalled after %d bytes; send it again", b.read))
	default:
		return n, b.fail(farm.Errorf(farm.CodeInvalid, "the body broke off after %d bytes: %w", b.read, err))
	}
}

func (b *requestBody) fail(err error) error {
	b.err, b.spoiled = err, true
	return err
}

// checkEnd tells a true end from a connection that was cut: fasthttp reports both as io.EOF.
func (b *requestBody) checkEnd() error {
	if b.declared >= 0 {
		if b.read < b.declared {
			return b.fail(farm.Errorf(farm.CodeInvalid, "the body broke off after %d of %d bytes; send it again", b.read, b.declared))
		}
		return io.EOF
	}
	// A chunked body that was cut between two chunks looks like a whole one, save that the connection is at its end.
	if b.conn.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return b.fail(farm.Errorf(farm.CodeInvalid, "the body broke off after %d bytes; send it again", b.read))
	}
	n, err := b.conn.Read(make([]byte, 1))
	switch {
	case n > 0: // the next request has begun and has now lost a byte
		b.spoiled = true
		return io.EOF
	case errors.Is(err, os.ErrDeadlineExceeded):
		return io.EOF
	default:
		return b.fail(farm.Errorf(farm.CodeInvalid, "the body broke off after %d bytes; send it again", b.read))
	}
}

// Settle makes the connection fit for the next request, or ends it: fasthttp would read what is left of a body as
// the next request.
func Settle(rc *fasthttp.RequestCtx) {
	b, opened := rc.UserValue(localBody).(*requestBody)
	if !opened {
		if !rc.Request.IsBodyStream() {
			return
		}
		b = newRequestBody(rc)
	}
	defer b.letGo()
	if b.err == nil || b.turnedAway || farm.CodeOf(b.err) == farm.CodeTooLarge {
		b.drain()
	}
	if b.spoiled || !errors.Is(b.err, io.EOF) {
		rc.SetConnectionClose()
		inbound.Linger(rc.Conn())
	}
}

// drain reads what is left, within drainLimit, drainTimeout and drainPause.
func (b *requestBody) drain() {
	b.limit = b.read + drainLimit
	if b.declared > b.limit {
		b.err = tooLarge(b.limit)
		return
	}
	b.err = nil
	b.until, b.pause = time.Now().Add(drainTimeout), drainPause
	buf := make([]byte, 32<<10)
	for b.err == nil {
		if _, err := b.Read(buf); err != nil {
			return
		}
	}
}
