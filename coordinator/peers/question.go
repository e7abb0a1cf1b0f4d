package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/interval"
)

const (
	// leaderWithin bounds a question to the leader with all tries, and tryWithin each of them: a leader that does not answer in that
	// time may have been replaced.
	leaderWithin = 4 * time.Second
	tryWithin    = 2 * time.Second
	tryPause     = 25 * time.Millisecond
	// changeWithin and changePause are the same for questions that change the farm.
	changeWithin = 15 * time.Second
	changePause  = 250 * time.Millisecond
	// leaderlessFor is how long there may be no leader before questions do not wait for one any more.
	leaderlessFor = 3 * time.Second
)

// Question is something that one coordinator asks another. What is given and what is answered travel as JSON. A question may reach a
// coordinator twice, so answering it again must do no harm.
type Question[In, Out any] struct {
	// Path is where it is asked on the coordinators' port. It never changes: coordinators of two releases speak with each other.
	Path string
	// Changes says that the answer changes the farm: AskLeader then has more time, and tries again also while the leader is not available.
	Changes bool
	// Query and FromQuery are set for a question that is asked with GET: its In stands in the query.
	Query     func(In) url.Values
	FromQuery func(url.Values) (In, error)
}

// Answer registers how this coordinator answers a question, for others and for itself. from is the id of the coordinator that asks.
// ErrNotLeading means that the leader has to be asked. It is called before Serve.
func Answer[In, Out any](p *Peers, q Question[In, Out], how func(ctx context.Context, from string, in In) (Out, error)) {
	p.answer[q.Path] = how
	if p.port == nil {
		return
	}
	method := http.MethodPost
	if q.FromQuery != nil {
		method = http.MethodGet
	}
	p.port.Handle(method+" "+q.Path, func(w http.ResponseWriter, r *http.Request) {
		if address := r.Header.Get(addressHeader); address != "" {
			p.found(address)
		}
		in, err := q.read(w, r)
		if err != nil {
			refuse(w, http.StatusBadRequest, farm.Errorf(farm.CodeInvalid, "a question that cannot be read: %w", err))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
		defer cancel()
		out, err := how(ctx, internode.PeerOf(r), in)
		give(w, out, err)
	})
}

func (q Question[In, Out]) read(w http.ResponseWriter, r *http.Request) (in In, err error) {
	if q.FromQuery != nil {
		return q.FromQuery(r.URL.Query())
	}
	return in, json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestion)).Decode(&in)
}

// Ask asks the coordinator at an address, once.
func Ask[In, Out any](ctx context.Context, p *Peers, address string, q Question[In, Out], in In) (out Out, err error) {
	send := request{method: http.MethodPost, path: q.Path, header: http.Header{addressHeader: {p.port.Address()}}}
	if q.Query != nil {
		send.method = http.MethodGet
		if query := q.Query(in).Encode(); query != "" {
			send.path += "?" + query
		}
	} else if send.body, err = json.Marshal(in); err != nil {
		return out, fmt.Errorf("asking the coordinator at %s: %w", address, err)
	}
	body, err := p.call(ctx, address, send)
	if err != nil {
		return out, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return out, fmt.Errorf("reading the answer of the coordinator at %s: %w", address, &unanswered{err})
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return out, fmt.Errorf("reading the answer of the coordinator at %s to %s: %w", address, q.Path, err)
	}
	return out, nil
}

// AskLeader asks the coordinator that leads, which may be this one, and waits while leaders change. ErrNotLeading means that no leader
// was found in time.
func AskLeader[In, Out any](ctx context.Context, p *Peers, q Question[In, Out], in In) (out Out, err error) {
	within, pause := leaderWithin, tryPause
	if q.Changes {
		within, pause = changeWithin, changePause
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		out, err = askLeaderOnce(ctx, p, q, in)
		again := q.again(err)
		leaderless := p.noteLeader(again, time.Now())
		switch {
		case !again:
			return out, err
		case p.ctx.Err() != nil, leaderless > leaderlessFor && !q.Changes, interval.Wait(ctx, pause) != nil:
			if silent := (*unanswered)(nil); errors.As(err, &silent) || notLeading(err) {
				err = ErrNotLeading
			}
			return out, err
		}
	}
}

func askLeaderOnce[In, Out any](ctx context.Context, p *Peers, q Question[In, Out], in In) (out Out, err error) {
	here := p.answer[q.Path].(func(context.Context, string, In) (Out, error))
	if out, err = here(ctx, p.raft.ID(), in); !notLeading(err) {
		return out, err
	}
	id, address := p.raft.Leader()
	if p.port == nil || address == "" || id == p.raft.ID() {
		return out, err
	}
	if !q.Changes {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, tryWithin)
		defer cancel()
	}
	return Ask(ctx, p, address, q, in)
}

// again says whether a question that failed is asked again: the leader has changed or cannot be reached, and another one, or the same
// in a moment, will answer.
func (q Question[In, Out]) again(err error) bool {
	var refused *farm.Error
	var silent *unanswered
	switch {
	case err == nil:
		return false
	case errors.As(err, &silent), notLeading(err):
		return true
	}
	return q.Changes && (!errors.As(err, &refused) || refused.Code == farm.CodeUnavailable)
}

func notLeading(err error) bool { return errors.Is(err, ErrNotLeading) }

// noteLeader notes whether a leader could be asked, and gives since when none could, so that not every caller has to find out by waiting.
func (p *Peers) noteLeader(missing bool, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !missing:
		p.leaderless = time.Time{}
		return 0
	case p.leaderless.IsZero():
		p.leaderless = now
	}
	return now.Sub(p.leaderless)
}
