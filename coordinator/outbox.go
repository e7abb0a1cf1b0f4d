package coordinator

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	deliveriesAtOnce = 128 // webhooks under way, over all receivers
	deliveriesToHost = 8   // of these to one host, so that a slow one holds nobody else up
	keepAgainAfter   = 30 * time.Second
	// clockStep bounds how long the outbox sleeps while something waits, so that a clock that is set is noticed.
	clockStep = 500 * time.Millisecond
)

// outbox is the webhooks that are owed, in one term of leadership. What is owed stands in the state; here is only in which
// order it is delivered. Its size is that of the work in hand.
type outbox struct {
	c    *Coordinator
	work chan struct{}

	mu      sync.Mutex
	known   map[string]bool      // jobs that are in later, in a host's queue or in hand
	again   map[string]time.Time // when to look at a job once more that was known when it was added
	later   dueHeap
	hosts   map[string]*receiver
	ready   []*receiver // with something due and room for it, in turn
	inHands int
}

// owed is one webhook that waits. Receivers are told apart by what the job's address names as host, as it is written there.
type owed struct {
	job, host string
	due       time.Time
}

// receiver is one host with webhooks that are due.
type receiver struct {
	due     []owed
	inHands int
	queued  bool // stands in outbox.ready
}

func newOutbox(c *Coordinator) *outbox {
	return &outbox{c: c, work: make(chan struct{}, 1), known: map[string]bool{}, again: map[string]time.Time{}, hosts: map[string]*receiver{}}
}

// load takes up everything that the state owes and that is not known yet.
func (o *outbox) load() error {
	var list []farm.Delivery
	err := o.c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.DeliveriesOwed()
		return err
	})
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(list, 500) {
		err := o.c.store.View(func(tx *raftstore.Tx) error {
			for _, d := range chunk {
				job, err := tx.Job(d.ID)
				if err != nil {
					return err
				}
				o.add(job, d.Next, d.Tries)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// add notes that the webhook of a job is owed, after so many tries. One that is known already stays as it is, and is looked at once more when
// it is through: it may have been begun anew just then.
func (o *outbox) add(job farm.Job, due time.Time, tries int) {
	if job.Webhook == nil {
		return
	}
	due = noLater(due, o.c.cfg.Now().Add(longestAfter(tries)))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known[job.ID] {
		o.again[job.ID] = due
		return
	}
	o.known[job.ID] = true
	heap.Push(&o.later, owed{job: job.ID, host: hostOf(job.Webhook.URL), due: due})
	o.wake()
}

// renew takes up deliveries that were begun anew.
func (o *outbox) renew(ids []string) {
	for _, id := range ids {
		var job farm.Job
		err := o.c.store.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.Job(id)
			return err
		})
		if err != nil {
			o.c.log.Error("reading a job whose webhook is to be called again", "job", id, "error", err)
			continue
		}
		o.add(job, o.c.cfg.Now(), 0)
	}
}

// count is how many webhooks are owed.
func (o *outbox) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.known)
}

func (o *outbox) wake() {
	select {
	case o.work <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends, and waits for what is under way then.
func (o *outbox) run(ctx context.Context) {
	var hands sync.WaitGroup
	defer hands.Wait()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(o.start(ctx, &hands))
		select {
		case <-ctx.Done():
			return
		case <-o.work:
		case <-timer.C:
		}
	}
}

// start begins all deliveries that are due and have room, and tells how long to sleep.
func (o *outbox) start(ctx context.Context, hands *sync.WaitGroup) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.c.cfg.Now()
	for len(o.later) > 0 && !o.later[0].due.After(now) {
		o.line(heap.Pop(&o.later).(owed))
	}
	for len(o.ready) > 0 && o.inHands < deliveriesAtOnce {
		r := o.ready[0]
		o.ready, r.queued = o.ready[1:], false
		w := r.due[0]
		r.due = r.due[1:]
		r.inHands++
		o.inHands++
		o.queue(r)
		hands.Go(func() { o.done(w, o.c.deliver(ctx, w.job)) })
	}
	if len(o.later) == 0 {
		return time.Hour
	}
	return min(max(o.later[0].due.Sub(now), time.Millisecond), clockStep)
}

// line puts a webhook that is due behind the others for its host.
func (o *outbox) line(w owed) {
	r := o.hosts[w.host]
	if r == nil {
		r = &receiver{}
		o.hosts[w.host] = r
	}
	r.due = append(r.due, w)
	o.queue(r)
}

// queue gives a receiver its turn, if it has something due and room for it.
func (o *outbox) queue(r *receiver) {
	if !r.queued && len(r.due) > 0 && r.inHands < deliveriesToHost {
		r.queued = true
		o.ready = append(o.ready, r)
	}
}

// done takes a webhook out of hand; next is when to try again, zero for never.
func (o *outbox) done(w owed, next time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.hosts[w.host]
	r.inHands--
	o.inHands--
	o.queue(r)
	if r.inHands == 0 && len(r.due) == 0 {
		delete(o.hosts, w.host)
	}
	if next.IsZero() {
		next = o.again[w.job]
	}
	delete(o.again, w.job)
	if next.IsZero() {
		delete(o.known, w.job)
	} else {
		w.due = next
		heap.Push(&o.later, w)
	}
	o.wake()
}

// deliver makes one try of a job's webhook and keeps what came of it. next is when to try again, zero for never. A try
// that ends because this node stops counts for nothing: whoever leads next makes it again.
func (c *Coordinator) deliver(ctx context.Context, id string) (next time.Time) {
	var d farm.Delivery
	var job farm.Job
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		if d, err = tx.Delivery(id); err != nil {
			return err
		}
		job, err = tx.Job(id)
		return err
	})
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return time.Time{}
	case err != nil:
		c.log.Error("reading a webhook that is owed", "job", id, "error", err)
		return c.cfg.Now().Add(keepAgainAfter)
	case !d.EndedAt.IsZero():
		return time.Time{}
	case d.Next.After(c.cfg.Now()) && !d.Next.After(c.cfg.Now().Add(longestAfter(d.Tries))):
		return d.Next
	}
	status, failed := c.call(ctx, job)
	if ctx.Err() != nil {
		return time.Time{}
	}
	now := c.cfg.Now()
	cmd := raftstore.RecordTry{ID: id, Round: d.Round, Try: d.Tries + 1, At: now}
	if failed != nil {
		cmd.Error, cmd.GiveUp, cmd.Next = failed.reason, failed.final, now.Add(retryAfter(d.Tries))
	}
	last := cmd.Error == "" || cmd.GiveUp || cmd.Try > farm.DeliveryRetries
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		c.log.Warn("the outcome of a webhook could not be kept; it is delivered again", "job", id, "error", err)
		return c.cfg.Now().Add(keepAgainAfter)
	}
	c.metrics.webhooks.WithLabelValues(resultOf(failed == nil)).Inc()
	switch {
	case failed == nil:
		c.note(id, fmt.Sprintf("webhook: delivered, the receiver answered %d", status))
	case last:
		c.note(id, fmt.Sprintf("webhook: given up after try %d: %s", cmd.Try, failed.reason))
	default:
		c.note(id, fmt.Sprintf("webhook: try %d failed: %s; the next one is at %s", cmd.Try, failed.reason, waitTime(cmd.Next)))
	}
	c.hub.spread(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: id})
	if last {
		return time.Time{}
	}
	return cmd.Next
}

// longestAfter is the longest pause behind so many tries, 0 before the first.
func longestAfter(tries int) time.Duration {
	if tries == 0 {
		return 0
	}
	return pauseAfter(tries-1) * 5 / 4
}

// pauseAfter is about how long is waited behind a failed try, when tries were made before it.
func pauseAfter(tries int) time.Duration {
	return time.Second << (2 * min(tries, farm.DeliveryRetries))
}

// retryAfter is the pause behind a failed try, when tries were made before it: about 1, 4 and 16 seconds. It varies by a
// quarter, so that receivers that failed together are not asked together again.
func retryAfter(tries int) time.Duration {
	pause := pauseAfter(tries)
	return pause*3/4 + rand.N(pause/2)
}

// hostOf is the host that an address names, as it is written, so also while it holds references to secrets.
func hostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if u, err := url.Parse("//" + address); err == nil {
		address = u.Host
	} else if end := strings.IndexAny(address, "/?#"); end >= 0 {
		address = address[:end]
	}
	return strings.ToLower(address)
}

// dueHeap has the webhook that is due first on top.
type dueHeap []owed

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(owed)) }
func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
