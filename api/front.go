package api

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

const (
	// patience is how long a request waits for the farm to be there before its caller is told to come again.
	patience = 8 * time.Second
	// patienceOfProbes is the same for those who ask whether the node takes work, and seldom wait for an answer themselves.
	patienceOfProbes = time.Second
	// smallBody is how long, in bytes, a body may be that is sent in a moment.
	smallBody = 1 << 20
	// lookForUploads is the pause between two looks whether uploads are under way.
	lookForUploads = 50 * time.Millisecond
)

// Front answers at a coordinator's address as long as the process lives, while the applications behind it come and go. When there is
// none, requests wait a moment; then their callers are told what is waited for.
type Front struct {
	app *fiber.App // lends its server; none of its routes is asked

	mu     sync.RWMutex
	behind *application  // nil while there is none
	turned chan struct{} // closed when behind, checks or hopeless change
	checks func() []farm.Check
	// hopeless says that waiting will not do: callers are told at once.
	hopeless bool
}

// application is what answers for a while.
type application struct {
	handle  fasthttp.RequestHandler
	inside  atomic.Int64  // requests that are being answered, and one as long as more may come
	left    chan struct{} // closed when there are none of them
	uploads atomic.Int64  // requests that are being answered whose bodies may take long to come
}

// leave takes one off what is inside.
func (a *application) leave() {
	if a.inside.Add(-1) == 0 {
		close(a.left)
	}
}

// NewFront makes a front with nothing behind it. checks say what is waited for.
func NewFront(logger *slog.Logger, checks func() []farm.Check) *Front {
	f := &Front{app: NewApp(logger), turned: make(chan struct{}), checks: checks}
	f.app.Server().Handler = f.serve
	return f
}

// Serve answers on a listener until Shutdown.
func (f *Front) Serve(ln net.Listener) error { return f.app.Listener(ln) }

// Shutdown ends answering. Requests that are being answered may take as long as within; beyond it is context.DeadlineExceeded.
func (f *Front) Shutdown(within time.Duration) error { return f.app.ShutdownWithTimeout(within) }

// Open has an application answer, those who wait first.
func (f *Front) Open(app *fiber.App) {
	app.Handler() // prepares it as serving from it would
	next := &application{handle: app.Server().Handler, left: make(chan struct{})}
	next.inside.Store(1)
	f.turn(func() { f.behind, f.hopeless = next, false })
}

// Hold has new requests wait. drained waits until those that are being answered have been, or its context ends.
func (f *Front) Hold(checks func() []farm.Check) (drained func(context.Context)) {
	var held *application
	f.turn(func() { held, f.behind, f.checks, f.hopeless = f.behind, nil, checks, false })
	if held == nil {
		return func(context.Context) {}
	}
	held.leave()
	return func(ctx context.Context) {
		select {
		case <-held.left:
		case <-ctx.Done():
		}
	}
}

// Despair has callers told at once what is waited for, until an application is there.
func (f *Front) Despair(checks func() []farm.Check) {
	f.turn(func() { f.checks, f.hopeless = checks, true })
}

// AwaitUploads waits until no long body is on its way, or ctx ends.
func (f *Front) AwaitUploads(ctx context.Context) {
	for f.uploads() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookForUploads):
		}
	}
}

func (f *Front) uploads() int64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.behind == nil {
		return 0
	}
	return f.behind.uploads.Load()
}

func (f *Front) turn(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.turned)
	f.turned = make(chan struct{})
}

func (f *Front) serve(rc *fasthttp.RequestCtx) {
	app := f.enter(rc)
	if app == nil {
		f.sayWaiting(rc)
		return
	}
	defer app.leave()
	if long(rc) {
		app.uploads.Add(1)
		defer app.uploads.Add(-1)
	}
	app.handle(rc)
}

// long tells whether a body may take long to come.
func long(rc *fasthttp.RequestCtx) bool {
	size := rc.Request.Header.ContentLength()
	return rc.Request.IsBodyStream() && (size < 0 || size > smallBody)
}

// enter waits for an application to answer a request; nil when there is none. The caller tells it when it has.
func (f *Front) enter(rc *fasthttp.RequestCtx) *application {
	app, turned, hopeless := f.look()
	if app != nil {
		return app
	}
	wait := patience
	switch string(rc.Path()) {
	case pathAlive:
		return nil
	case pathReady:
		wait = patienceOfProbes
	}
	enough := time.NewTimer(wait)
	defer enough.Stop()
	for app == nil && !hopeless {
		select {
		case <-turned:
			app, turned, hopeless = f.look()
		case <-enough.C:
			return nil
		case <-rc.Done():
			return nil
		}
	}
	return app
}

// look counts a request in when there is an application to answer it.
func (f *Front) look() (app *application, turned <-chan struct{}, hopeless bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.behind != nil {
		f.behind.inside.Add(1)
	}
	return f.behind, f.turned, f.hopeless
}

// sayWaiting answers for a node that serves nothing: 503 with the reason and when to come again, except that it is alive.
func (f *Front) sayWaiting(rc *fasthttp.RequestCtx) {
	request.AssignID(rc)
	defer request.Settle(rc)
	rc.SetConnectionClose() // nobody has looked at how the request is framed
	f.mu.RLock()
	checks := f.checks
	f.mu.RUnlock()
	status, found := readiness(checks())
	switch string(rc.Path()) {
	case pathAlive:
		say(rc, fiber.StatusOK, aliveBody())
	case pathReady:
		say(rc, status, found)
	default:
		refuse(rc, fiber.StatusServiceUnavailable, found.Error)
	}
	rc.Response.Header.Set(fiber.HeaderCacheControl, "no-store")
	if wait, later := answer.RetryAfter[rc.Response.StatusCode()]; later {
		rc.Response.Header.Set(fiber.HeaderRetryAfter, wait)
	}
}
