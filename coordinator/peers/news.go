package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"overcrank/interval"
)

const (
	pathNews = "/stream"
	// Silence is how long a follower waits for news. A leader with nothing to tell sends empty ones well within that time.
	Silence = 3 * time.Second
	// lookForLeader is how soon a follower notices that another coordinator leads, and how long it waits before it asks again.
	lookForLeader = 100 * time.Millisecond
	maxNews       = 64 << 20 // bytes of one line
)

// Tell registers what this coordinator tells its followers while it leads: tell sends news, as JSON, until send fails, ctx ends or
// this coordinator leads no more. It returns ErrNotLeading, and sends nothing, where it does not lead. It is called before Serve.
func Tell[News any](p *Peers, tell func(ctx context.Context, send func(News) error) error) {
	if p.port == nil {
		return
	}
	p.port.Handle("GET "+pathNews, func(w http.ResponseWriter, r *http.Request) {
		out, flush := json.NewEncoder(w), http.NewResponseController(w)
		err := tell(r.Context(), func(n News) error {
			return errors.Join(flush.SetWriteDeadline(time.Now().Add(Silence)), out.Encode(n), flush.Flush())
		})
		if notLeading(err) {
			refuse(w, statusNotLeading, err)
		}
	})
}

// Follow hears what the leader tells, until ctx ends. first marks the first news of a stream, which tell the whole.
func Follow[News any](ctx context.Context, p *Peers, take func(n News, first bool)) {
	for p.port != nil {
		if address := p.leaderElsewhere(); address != "" {
			if err := followAt(ctx, p, address, take); err != nil && ctx.Err() == nil {
				p.log.Debug("following the farm's leader", "address", address, "error", err)
			}
		}
		if interval.Wait(ctx, lookForLeader) != nil {
			return
		}
	}
}

// leaderElsewhere is where the leader can be asked; "" while none leads, or this coordinator does.
func (p *Peers) leaderElsewhere() string {
	id, address := p.raft.Leader()
	if id == p.raft.ID() {
		return ""
	}
	return address
}

var errLeaderMoved = errors.New("another coordinator leads, or none")

// followAt follows the coordinator at an address until it leads no more.
func followAt[News any](ctx context.Context, p *Peers, address string, take func(n News, first bool)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(Silence, func() { cancel(fmt.Errorf("nothing came for %s", Silence)) })
	defer silence.Stop()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for p.leaderElsewhere() == address {
			if interval.Wait(ctx, lookForLeader) != nil {
				return
			}
		}
		cancel(errLeaderMoved)
	}()
	defer func() { cancel(nil); <-watched }()

	body, err := p.call(ctx, address, request{method: http.MethodGet, path: pathNews})
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxNews)
	for first := true; lines.Scan(); first = false {
		silence.Reset(Silence)
		var n News
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			return fmt.Errorf("reading the leader's news: %w", err)
		}
		take(n, first)
	}
	return errors.Join(lines.Err(), context.Cause(ctx))
}
