package coordinator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

const (
	pathStream = "/stream"
	// newsEvery is between two looks of the leader at what has changed. Events go out at once.
	newsEvery = 100 * time.Millisecond
	// beatEvery is how soon a leader with nothing to tell gives a sign of life, and newsSilence how long its followers wait
	// for one.
	beatEvery   = time.Second
	newsSilence = 3 * time.Second
	// lookForLeader is how soon a follower notices that another node leads, and how long it waits before it asks again.
	lookForLeader = 100 * time.Millisecond
	tapRoom       = 4096     // events that a follower may lag behind
	maxNews       = 64 << 20 // bytes of one line
)

// streamNews lets another node follow what happens here, as lines of JSON, as long as this node leads.
func (c *Coordinator) streamNews(w http.ResponseWriter, r *http.Request) {
	l := c.leading()
	if l == nil {
		internode.Refuse(w, statusNotTaken, errLeaderless)
		return
	}
	tap := c.hub.tap()
	defer c.hub.untap(tap)
	told, out, flush := newTold(), json.NewEncoder(w), http.NewResponseController(w)
	look := time.NewTicker(newsEvery)
	defer look.Stop()
	var spoke time.Time
	for {
		n := told.next(l)
		if n.Events = tap.take(); !n.empty() || time.Since(spoke) >= beatEvery {
			spoke = time.Now()
			err := errors.Join(flush.SetWriteDeadline(spoke.Add(newsSilence)), out.Encode(n), flush.Flush())
			if err != nil {
				return // the follower comes back and is told the whole
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-l.over:
			return
		case <-look.C:
		case <-tap.some:
			if tap.overran() {
				return
			}
		}
	}
}

// followLeader keeps the mirror, and passes the leader's events on to those who watch here.
func (c *Coordinator) followLeader(ctx context.Context) {
	for missed := false; ; {
		if address := c.leaderAddress(); address != "" {
			heard, err := c.hear(ctx, address, missed)
			missed = missed || heard
			if err != nil && ctx.Err() == nil {
				c.log.Debug("following the farm's leader", "address", address, "error", err)
			}
		}
		if interval.Wait(ctx, lookForLeader) != nil {
			return
		}
	}
}

var errLeaderMoved = errors.New("another node leads, or none")

// hear follows the node at an address until it leads no more. heard tells whether it has said anything.
func (c *Coordinator) hear(ctx context.Context, address string, missed bool) (heard bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(newsSilence, func() { cancel(fmt.Errorf("nothing came for %s", newsSilence)) })
	defer silence.Stop()
	stopped := make(chan struct{})
	defer func() { <-stopped }()
	go func() {
		defer close(stopped)
		for c.leaderAddress() == address && interval.Wait(ctx, lookForLeader) == nil { //nolint:revive // it only waits
		}
		cancel(errLeaderMoved)
	}()
	defer cancel(nil)

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+pathStream, nil)
	if err != nil {
		return false, err
	}
	resp, err := c.port.Client().Do(req)
	if err != nil {
		return false, errors.Join(err, context.Cause(ctx))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, internode.ErrorOf(resp)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxNews)
	for lines.Scan() {
		silence.Reset(newsSilence)
		var n news
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			return heard, fmt.Errorf("reading the leader's news: %w", err)
		}
		c.mirror.take(n, !heard)
		if !heard && missed {
			c.hub.lose()
		}
		heard = true
		for _, e := range n.Events {
			c.passOn(e.event())
		}
	}
	return heard, errors.Join(lines.Err(), context.Cause(ctx))
}

// passOn tells those who watch here of an event of the leader's. The state may be ahead of it: progress of a job that has ended
// meanwhile is none any more.
func (c *Coordinator) passOn(e farm.Event) {
	if e.Kind == farm.EventProgress {
		var job farm.Job
		err := c.store.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.JobHead(e.ID)
			return err
		})
		if err != nil || job.Status.Ended() {
			return
		}
	}
	c.hub.publish(e)
}

const askSpread question[toldEvent, struct{}] = "spread"

// spread tells everybody who watches, at any node, of something that only this node knows. It is for hints: when no leader is
// there to pass it on, those at other nodes look again by themselves.
func (c *Coordinator) spread(ctx context.Context, e farm.Event) {
	if _, err := ask(ctx, c, askSpread, toldEvent{Event: e, Team: e.Team}); err != nil {
		c.hub.publish(e)
	}
}

func (l *leader) spread(_ context.Context, e toldEvent) (struct{}, error) {
	l.c.hub.spread(e.event())
	return struct{}{}, nil
}
