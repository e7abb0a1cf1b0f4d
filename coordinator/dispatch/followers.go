package dispatch

import (
	"context"
	"time"

	"overcrank/coordinator/events"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	// newsEvery is between two looks of the leader at what has changed. Events go out at once.
	newsEvery = 100 * time.Millisecond
	// beatEvery is how soon a leader with nothing to tell sends empty news, well within peers.Silence.
	beatEvery = time.Second
)

// tellFollowers tells another node what happens here, as long as this node leads.
func (d *Dispatcher) tellFollowers(ctx context.Context, send func(news) error) error {
	l := d.leading()
	if l == nil {
		return peers.ErrNotLeading
	}
	tap := d.events.Tap()
	defer d.events.Untap(tap)
	to := newFollower()
	look := time.NewTicker(newsEvery)
	defer look.Stop()
	var spoke time.Time
	for {
		n := to.next(l)
		if n.Events = tap.Take(); !n.empty() || time.Since(spoke) >= beatEvery {
			spoke = time.Now()
			if err := send(n); err != nil {
				return err // the follower comes back and is told the whole
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.over:
			return nil
		case <-look.C:
		case <-tap.Some():
			if tap.Overran() {
				return nil
			}
		}
	}
}

// FollowLeader keeps the mirror, and passes the leader's events on to those who watch here.
func (d *Dispatcher) FollowLeader(ctx context.Context) {
	followed := false
	peers.Follow(ctx, d.peers, func(n news, first bool) {
		d.mirror.take(n, first)
		if first && followed { // what happened between the two leaders is lost
			d.events.Lose()
		}
		followed = true
		for _, e := range n.Events {
			d.passOn(e.Heard())
		}
	})
}

// passOn tells those who watch here of an event of the leader's. The state may be ahead of it: progress of a job that has ended
// meanwhile is none any more.
func (d *Dispatcher) passOn(e farm.Event) {
	if e.Kind == farm.EventProgress {
		var job farm.Job
		err := d.state.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.JobHead(e.ID)
			return err
		})
		if err != nil || job.Status.Ended() {
			return
		}
	}
	d.events.Publish(e)
}

// Spread tells everybody who watches, at any node, of something that only this node knows. It is for hints: when no leader is
// there to pass it on, those at other nodes look again by themselves.
func (d *Dispatcher) Spread(ctx context.Context, e farm.Event) {
	if _, err := peers.AskLeader(ctx, d.peers, askSpread, events.NewTold(e)); err != nil {
		d.events.Publish(e)
	}
}

func (l *leader) spread(_ context.Context, e events.Told) (struct{}, error) {
	l.d.events.Spread(e.Heard())
	return struct{}{}, nil
}
