package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/interval"
)

const (
	pathAsk = "/ask/"
	// askWithin bounds a question with all that it is asked again while leaders change; askOnceWithin is one try, after which
	// a leader that does not answer may have been replaced.
	askWithin     = 4 * time.Second
	askOnceWithin = 2 * time.Second
	askPause      = 25 * time.Millisecond
	// leaderlessFor is how long there may be no leader before questions are not held up by that any more.
	leaderlessFor = 3 * time.Second
	maxQuestion   = 8 << 20
)

var (
	errLeaderless = farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment; try again in a moment")
	// errMisdirected says that the asked node does not lead, or cannot be reached: another one will, or this one in a moment.
	errMisdirected = errors.New("the farm's leader is elsewhere")
)

// question names something that only the leader can answer, since it stands in its memory alone, with what is given and what
// comes back. Both travel as JSON. A question may be asked twice without harm.
type question[In, Out any] string

// answer is how the leader answers a question.
type answer struct {
	here any // func(*leader, context.Context, In) (Out, error)
	wire func(*leader, context.Context, []byte) (any, error)
}

// answers are the questions that a leader can be asked, by name.
type answers map[string]answer

// answering adds how a question is answered.
func answering[In, Out any](a answers, q question[In, Out], here func(*leader, context.Context, In) (Out, error)) {
	a[string(q)] = answer{here: here, wire: func(l *leader, ctx context.Context, text []byte) (any, error) {
		var in In
		if err := json.Unmarshal(text, &in); err != nil {
			return nil, fmt.Errorf("reading the question %q: %w", q, err)
		}
		return here(l, ctx, in)
	}}
}

// ask asks the leader, which may be this node. Refusals come back as the errors that they are; CodeUnavailable means that no
// leader was found in time.
func ask[In, Out any](ctx context.Context, c *Coordinator, q question[In, Out], in In) (out Out, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	here := c.answers[string(q)].here.(func(*leader, context.Context, In) (Out, error))
	for {
		if l := c.leading(); l != nil {
			return here(l, ctx, in)
		}
		err = c.askElsewhere(ctx, string(q), in, &out)
		if !errors.Is(err, errMisdirected) {
			c.leaderless.ended()
			return out, err
		}
		if c.ctx.Err() != nil || c.leaderless.lasts(time.Now()) || interval.Wait(ctx, askPause) != nil {
			return out, fmt.Errorf("%w", errLeaderless)
		}
	}
}

// leaderless remembers since when nobody could be asked, so that not every caller has to find out anew.
type leaderless struct {
	mu    sync.Mutex
	since time.Time
}

// lasts notes that nobody could be asked, and tells whether that has been so for long.
func (l *leaderless) lasts(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		l.since = now
	}
	return now.Sub(l.since) > leaderlessFor
}

func (l *leaderless) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = time.Time{}
}

// askElsewhere puts a question once to the node that leads.
func (c *Coordinator) askElsewhere(ctx context.Context, name string, in, out any) error {
	address := c.leaderAddress()
	if address == "" {
		return errMisdirected
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("writing the question %q: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, askOnceWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+address+pathAsk+name, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("asking the farm's leader: %w", err)
	}
	resp, err := c.port.Client().Do(req)
	if err != nil {
		c.log.Debug("the farm's leader does not answer", "question", name, "address", address, "error", err)
		return errMisdirected
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case statusNotTaken:
		return errMisdirected
	default:
		return internode.ErrorOf(resp)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return errMisdirected
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("reading the leader's answer to %q: %w", name, err)
	}
	return nil
}

// leaderAddress is where the leader's port for other nodes is; "" while nobody leads, or this node does.
func (c *Coordinator) leaderAddress() string {
	id, address := c.store.Leader()
	if c.port == nil || id == c.store.ID() {
		return ""
	}
	return address
}

// answerNodes takes the other nodes' questions, and lets them follow what happens here while this node leads. It is called before
// the port serves.
func (c *Coordinator) answerNodes(port *internode.Port) {
	port.Handle("POST "+pathAsk+"{name}", c.answerQuestion)
	port.Handle("GET "+pathStream, c.streamNews)
}

func (c *Coordinator) answerQuestion(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	l, known := c.leading(), c.answers[name]
	switch {
	case l == nil:
		internode.Refuse(w, statusNotTaken, errLeaderless)
		return
	case known.wire == nil:
		internode.Refuse(w, http.StatusNotFound, farm.Errorf(farm.CodeUnavailable,
			"the farm's leader runs another version of overcrank and knows no question %q; update all coordinators", name))
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQuestion))
	if err != nil {
		return // whoever asked has gone
	}
	out, err := known.wire(l, r.Context(), text)
	if err == nil {
		text, err = json.Marshal(out)
	}
	if err != nil {
		internode.Refuse(w, http.StatusConflict, err)
		return
	}
	_, _ = w.Write(text) // whoever asked may have gone
}
