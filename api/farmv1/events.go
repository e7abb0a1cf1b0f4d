package farmv1

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/farm"
)

const (
	// beatEvery is how soon a stream notices that its reader has gone, or may read on no more, while nothing happens.
	beatEvery = 15 * time.Second
	// streamType is the media type of server-sent events (HTML, 9.2).
	streamType = "text/event-stream"

	headerLastEventID = "Last-Event-ID"
	// violated closes the socket of a reader who may not read on (RFC 6455, 7.4.1).
	violated = websocket.ClosePolicyViolation
)

// The kinds of events that only the interface has.
const (
	kindOpen  = "open"  // the first one: from here on nothing is missed without a word
	kindLost  = "lost"  // events before this one were missed: read everything again
	kindEnded = "ended" // the last one: the reader's access has ended
)

// eventKinds are the events that are told, with what the interface calls them.
var eventKinds = map[farm.EventKind]string{
	farm.EventJob: "job", farm.EventTask: "task", farm.EventProgress: "progress", farm.EventLog: "log", farm.EventThumbnail: "thumbnail",
	farm.EventTemplate: "template", farm.EventMachine: "agent", farm.EventFarm: "farm",
}

// eventBody is something that happened. It is a hint to read again, except for progress, lines and thumbnails.
type eventBody struct {
	Kind     string   `json:"kind"`
	ID       string   `json:"id,omitempty"`  // of the job, task, template or agent
	Job      string   `json:"job,omitempty"` // of a task
	Progress *float64 `json:"progress,omitempty"`
	Frame    *int     `json:"frame,omitempty"`
	Phase    string   `json:"phase,omitempty"`
	Lines    []string `json:"lines,omitempty"`
}

func eventShape(e farm.Event) eventBody {
	body := eventBody{Kind: eventKinds[e.Kind], ID: e.ID, Job: e.Job, Phase: e.Phase, Lines: e.Lines}
	switch e.Kind {
	case farm.EventProgress:
		if e.Phase != "" || e.Progress > 0 { // otherwise a job nested in it has moved on
			progress := answer.Percent(e.Progress)
			body.Progress, body.Frame = &progress, &e.Frame
		}
	case farm.EventThumbnail:
		body.Frame = &e.Frame
	}
	return body
}

// eventQuery is what a reader wants to hear of.
type eventQuery struct {
	kinds []string // none means all
	job   string   // "" means all
}

func decodeEventQuery(c *fiber.Ctx) (q eventQuery, err error) {
	wrong := &input.Problems{}
	known := []string{}
	for _, name := range eventKinds {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, name := range input.SplitList(c.Query("kinds")) {
		if !slices.Contains(known, name) {
			wrong.Add("kinds", "knows no kind %q; there are %s", name, strings.Join(known, ", "))
		}
		q.kinds = append(q.kinds, name)
	}
	if q.job = c.Query("job"); q.job != "" && !input.ID.MatchString(q.job) {
		wrong.Add("job", "is not a job id")
	}
	return q, wrong.Err()
}

// wants says whether an event is one to tell of. The end of somebody's access is looked at, and not told.
func (q eventQuery) wants(e farm.Event) bool {
	name, told := eventKinds[e.Kind]
	switch {
	case e.Kind == farm.EventAccess:
		return true
	case !told, len(q.kinds) > 0 && !slices.Contains(q.kinds, name):
		return false
	}
	return q.job == "" || e.ID == q.job || e.Job == q.job
}

// Events are what happens at the farm, and whether somebody may still hear of it.
type Events interface {
	WatchSome(ctx context.Context, p farm.Principal, wants func(farm.Event) bool) <-chan farm.Event
	Current(ctx context.Context, p farm.Principal) (farm.Principal, error)
}

// eventHandlers tells of what happens.
type eventHandlers struct {
	events  Events
	sockets *socket.Hub
	follow  throttle.Followers
}

func (h eventHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/events", farm.ActView, h.watchEvents).ForBrowsers(), // a browser's EventSource sends no token
	}
}

// watchEvents tells of what happens, as it happens: over a websocket, or as server-sent events to whoever asks for no socket.
func (h eventHandlers) watchEvents(c *fiber.Ctx, p farm.Principal) error {
	query, err := decodeEventQuery(c)
	if err != nil {
		return err
	}
	leave, err := h.follow.Enter(c, p)
	if err != nil {
		return err
	}
	if strings.EqualFold(c.Get(fiber.HeaderUpgrade), "websocket") {
		return h.sockets.Serve(c, socket.Options{Ended: leave}, func(ctx context.Context, conn *socket.Conn) error {
			return h.tellSocket(ctx, conn, p, query)
		})
	}
	ctx, cancel := context.WithCancel(request.Stopping(c))
	w := &eventStream{
		watch: newWatch(ctx, h.events, p, query), cancel: cancel, leave: leave, conn: c.Context().Conn(), missed: c.Get(headerLastEventID) != "",
	}
	c.Set(fiber.HeaderContentType, streamType)
	c.Set("X-Accel-Buffering", "no") // a proxy in between must not wait for more
	c.Response().SetBodyStream(w, -1)
	return nil
}

// watch is one reader's view of what happens.
type watch struct {
	ctx    context.Context
	farm   Events
	reader farm.Principal
	events <-chan farm.Event
	beat   *time.Ticker
}

func newWatch(ctx context.Context, f Events, p farm.Principal, q eventQuery) *watch {
	return &watch{ctx: ctx, farm: f, reader: p, events: f.WatchSome(ctx, p, q.wants), beat: time.NewTicker(beatEvery)}
}

// next waits for what comes next: events, nothing for a sign of life, or io.EOF when no more will come. The last event of a reader
// whose access has ended says so.
func (w *watch) next() ([]eventBody, error) {
	select {
	case <-w.ctx.Done():
		return nil, io.EOF
	case <-w.beat.C:
		if w.mayRead() {
			return nil, nil
		}
		return []eventBody{{Kind: kindEnded}}, io.EOF
	case e, open := <-w.events:
		var told []eventBody
		switch {
		case !open:
			return nil, io.EOF
		case e.Kind == farm.EventAccess && !w.mayRead():
			return []eventBody{{Kind: kindEnded}}, io.EOF
		}
		if e.Lost {
			told = append(told, eventBody{Kind: kindLost})
		}
		if e.Kind != farm.EventAccess && e.Kind != "" {
			told = append(told, eventShape(e))
		}
		return told, nil
	}
}

// mayRead says whether the reader's token, and the browser's session, is still good. A farm that cannot tell at the moment does not send anybody away.
func (w *watch) mayRead() bool {
	ctx, done := context.WithTimeout(w.ctx, request.CallTimeout)
	defer done()
	_, err := w.farm.Current(ctx, w.reader)
	return farm.CodeOf(err) != farm.CodeUnauthorized
}

func (h eventHandlers) tellSocket(ctx context.Context, conn *socket.Conn, p farm.Principal, q eventQuery) error {
	w := newWatch(ctx, h.events, p, q)
	defer w.beat.Stop()
	over := make(chan struct{})
	var hearing sync.WaitGroup
	defer hearing.Wait()
	defer close(over)
	hearing.Go(func() { passOverMessages(conn, over) })
	told, err := []eventBody{{Kind: kindOpen}}, error(nil)
	for {
		for _, body := range told {
			text, err := answer.Encode(body)
			if err != nil {
				return err
			}
			if err := conn.Write(bytes.TrimSpace(text)); err != nil {
				return err
			}
			if body.Kind == kindEnded {
				conn.Close(violated, "the token or the session has ended")
			}
		}
		if err != nil {
			return nil
		}
		told, err = w.next()
	}
}

// passOverMessages reads what a reader of events says, which counts for nothing: what is not taken would keep the pings, pongs and close
// frames behind it from being seen.
func passOverMessages(conn *socket.Conn, over <-chan struct{}) {
	for {
		select {
		case _, open := <-conn.Messages():
			if !open {
				return
			}
		case <-over:
			return
		}
	}
}

// eventStream is the body of an answer that goes on while things happen. The server reads from it, and closes it when its reader
// has gone, which shows when something is sent.
type eventStream struct {
	watch  *watch
	cancel context.CancelFunc
	leave  func() // of Followers
	conn   net.Conn
	missed bool // the reader was here before
	begun  bool
	count  uint64
	ready  bytes.Buffer // not sent yet
	ended  error
}

// Read implements io.Reader.
func (s *eventStream) Read(b []byte) (int, error) {
	for s.ready.Len() == 0 {
		if s.ended != nil {
			return 0, s.ended
		}
		s.fill()
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(request.StallTimeout)); err != nil {
		return 0, fmt.Errorf("sending events: %w", err)
	}
	return s.ready.Read(b)
}

// fill waits for what comes next, and writes it down.
func (s *eventStream) fill() {
	if !s.begun {
		s.begun = true
		s.ready.WriteString("retry: 2000\n")
		s.write(eventBody{Kind: kindOpen})
		if s.missed {
			s.write(eventBody{Kind: kindLost})
		}
		return
	}
	told, err := s.watch.next()
	s.ended = err
	if told == nil && err == nil {
		s.ready.WriteString(": still here\n\n")
	}
	for _, body := range told {
		s.write(body)
	}
}

// write writes one event down. Its number only tells a reader who comes back from one who is new: nothing is kept for him.
func (s *eventStream) write(body eventBody) {
	text, err := answer.Encode(body)
	if err != nil {
		s.ended = err
		return
	}
	s.count++
	s.ready.WriteString("event: " + body.Kind + "\nid: " + strconv.FormatUint(s.count, 10) + "\ndata: ")
	s.ready.Write(bytes.TrimSpace(text))
	s.ready.WriteString("\n\n")
}

// Close implements io.Closer.
func (s *eventStream) Close() error {
	s.cancel()
	s.watch.beat.Stop()
	s.leave()
	return nil
}
