package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api"
	"overcrank/farm"
)

const pathEvents = "/api/farm/v1/events"

// event is what readers are told.
type event struct {
	Kind, ID, Job string
	Progress      *float64
}

// listener hears events, however they come.
type listener struct {
	t     testing.TB
	heard func() (event, error)
}

// next is the next event; io.EOF when there is none any more.
func (r listener) next() (event, error) { return r.heard() }

// hears waits for an event that is right.
func (r listener) hears(what string, right func(event) bool) event {
	r.t.Helper()
	for {
		e, err := r.next()
		if err != nil {
			r.t.Fatalf("the events end before %s: %v", what, err)
		}
		if right(e) {
			return e
		}
	}
}

func (r listener) opens() {
	r.t.Helper()
	if e, err := r.next(); err != nil || e.Kind != "open" {
		r.t.Fatalf("the first event is %+v, %v", e, err)
	}
}

// stream reads server-sent events.
func (r *rig) stream(query string, header ...string) listener {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+pathEvents+query, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Del(name)
		if value = strings.TrimSpace(value); value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("the events answer %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	lines := bufio.NewReader(res.Body)
	return listener{r.t, func() (event, error) {
		kind := ""
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return event{}, err
			}
			line = strings.TrimSuffix(line, "\n")
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				kind = name
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var e event
				if err := json.Unmarshal([]byte(data), &e); err != nil || e.Kind != kind {
					r.t.Errorf("the event %q holds %s: %v", kind, data, err)
				}
				return e, nil
			}
		}
	}}
}

// socket reads events over a websocket.
func (r *rig) socket(query string, header ...string) listener {
	r.t.Helper()
	h := http.Header{"Authorization": {"Bearer " + r.token}}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		h.Set(name, strings.TrimSpace(value))
	}
	conn, _, err := websocket.DefaultDialer.DialContext(r.t.Context(), "ws"+strings.TrimPrefix(r.base, "http")+pathEvents+query, h)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return listener{r.t, func() (e event, err error) { return e, conn.ReadJSON(&e) }}
}

// ways are the two ways to hear events.
func (r *rig) ways() map[string]func(query string, header ...string) listener {
	return map[string]func(string, ...string) listener{"server-sent": r.stream, "websocket": r.socket}
}

func TestEventsAreToldAsTheyHappen(t *testing.T) {
	r := start(t)
	team := r.makeTeam("Trailers")
	theirs := bearer(r.makeToken("artist", `, "team": "`+team.ID+`"`).Secret)
	for name, watch := range r.ways() {
		t.Run(name, func(t *testing.T) {
			all, jobs, others := watch(""), watch("?kinds=job,farm"), watch("", theirs)
			for _, w := range []listener{all, jobs, others} {
				w.opens()
			}
			job := r.submit(srcJob)
			all.hears("the task is there", func(e event) bool { return e.Kind == "task" && e.Job == job.ID && e.ID == job.ID+".1" })
			if e := jobs.hears("the job is there", func(event) bool { return true }); e.Kind != "job" || e.ID != job.ID {
				t.Errorf("who asks for jobs hears %+v", e)
			}
			one := watch("?job=" + job.ID)
			one.opens()
			r.submit(srcJob)
			r.send(http.MethodPatch, "/api/farm/v1/jobs/"+job.ID, `{"priority": 3}`).into(http.StatusOK, nil)
			if e := one.hears("the job was changed", func(event) bool { return true }); e.ID != job.ID && e.Job != job.ID {
				t.Errorf("who asks for one job hears %+v", e)
			}
			r.send(http.MethodPost, "/api/farm/v1/farm/pause", nil).into(http.StatusOK, nil)
			if e := others.hears("the farm was paused", func(event) bool { return true }); e.Kind != "farm" {
				t.Errorf("another team hears %+v", e)
			}
		})
	}
}

func TestAReaderWhoComesBackIsToldThatEventsWereMissed(t *testing.T) {
	r := start(t)
	again := r.stream("", "Last-Event-ID: 7")
	again.opens()
	if e, err := again.next(); err != nil || e.Kind != "lost" {
		t.Errorf("who comes back hears %+v, %v", e, err)
	}
}

func TestTheEndOfATokenEndsItsEvents(t *testing.T) {
	r := start(t)
	for name, watch := range r.ways() {
		t.Run(name, func(t *testing.T) {
			token := r.makeToken("viewer", "")
			w := watch("", bearer(token.Secret))
			w.opens()
			r.send(http.MethodDelete, pathTokens+"/"+token.ID, nil).into(http.StatusNoContent, nil)
			w.hears("the token is no longer valid", func(e event) bool { return e.Kind == "ended" })
			if e, err := w.next(); err == nil {
				t.Errorf("after its end a token hears %+v", e)
			}
		})
	}
}

func TestWhoIsSignedInHearsEventsWithoutAToken(t *testing.T) {
	var reads farm.Principal
	r := start(t, func(cfg *api.Config) {
		cfg.Browser = func(c *fiber.Ctx) (farm.Principal, error) {
			if c.Cookies("in") == "" {
				return farm.Principal{}, farm.Errorf(farm.CodeUnauthorized, "not signed in")
			}
			return reads, nil
		}
	})
	var err error
	if reads, err = r.farm.Authenticate(t.Context(), r.token); err != nil {
		t.Fatal(err)
	}
	r.stream("", "Authorization:", "Cookie: in=1").opens()
	r.get(pathEvents, "Authorization:").refused(http.StatusUnauthorized)
}

func TestAThousandReadersHearOfAJob(t *testing.T) {
	const readers = 1000
	r := start(t)
	transport := &http.Transport{DisableKeepAlives: true}
	r.http = &http.Client{Transport: transport}
	watching := make([]listener, readers)
	for i := range watching {
		watching[i] = r.stream("?kinds=job")
		watching[i].opens()
	}
	job := r.submit(srcJob)
	var all sync.WaitGroup
	for _, w := range watching {
		all.Go(func() {
			if e, err := w.next(); err != nil || e.ID != job.ID {
				t.Errorf("a listener heard %+v, %v", e, err)
			}
		})
	}
	all.Wait()
}

func TestEventsEndWithTheFarm(t *testing.T) {
	var heard []listener
	t.Run("while it is there", func(inner *testing.T) {
		r := start(inner)
		outliving := *r
		outliving.t = t
		for _, watch := range outliving.ways() {
			w := watch("")
			w.opens()
			heard = append(heard, w)
		}
	})
	for _, w := range heard {
		e, err := w.next()
		if !errors.Is(err, io.EOF) && !websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
			t.Errorf("after the farm's end a listener hears %+v, %v", e, err)
		}
	}
}

func TestAReaderOfEventsMaySpeak(t *testing.T) {
	r := start(t)
	h := http.Header{"Authorization": {"Bearer " + r.token}}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(r.base, "http")+pathEvents, h)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answered := false
	conn.SetPongHandler(func(data string) error { answered = data == "still?"; return nil })
	for range 3 {
		if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.WriteControl(websocket.PingMessage, []byte("still?"), time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if err := conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	for err = nil; err == nil; {
		_, _, err = conn.ReadMessage()
	}
	if !answered || !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the ping was answered: %v; the socket ended with %v", answered, err)
	}
}
