package delivery

import (
	"container/heap"
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"overcrank/farm"
)

const (
	deliveriesAtOnce = 128 // webhooks under way, over all receivers
	deliveriesToHost = 8   // of these to one host, so that a slow one holds nobody else up
	// clockStep bounds how long the outbox sleeps while something waits, so that a clock that is set is noticed.
	clockStep = 500 * time.Millisecond
)

// Outbox is the webhooks that are owed, in one term of leadership. What is owed stands in the state; here is only in which
// order it is delivered. Its size is that of the work in hand.
type Outbox struct {
	now  func() time.Time
	try  func(ctx context.Context, job string) (next time.Time) // zero for never
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

// NewOutbox makes an empty outbox. try delivers the webhook of a job once and says when to do so again, zero for never.
func NewOutbox(now func() time.Time, try func(ctx context.Context, job string) (next time.Time)) *Outbox {
	return &Outbox{now: now, try: try, work: make(chan struct{}, 1), known: map[string]bool{}, again: map[string]time.Time{}, hosts: map[string]*receiver{}}
}

// Add notes that the webhook of a job is owed, after so many tries. One that is known already stays as it is, and is looked at once more when
// it is through: it may have been begun anew just then.
func (o *Outbox) Add(job farm.Job, due time.Time, tries int) {
	if job.Webhook == nil {
		return
	}
	if latest := o.now().Add(longestAfter(tries)); due.After(latest) { // it was written under a clock that was set back since
		due = latest
	}
	o.Owe(job.ID, hostOf(job.Webhook.URL), due)
}

// Owe is Add for whatever has a name, for a receiver at a host.
func (o *Outbox) Owe(id, host string, due time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known[id] {
		o.again[id] = due
		return
	}
	o.known[id] = true
	heap.Push(&o.later, owed{job: id, host: host, due: due})
	o.wake()
}

// Len is how many webhooks are owed.
func (o *Outbox) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.known)
}

func (o *Outbox) wake() {
	select {
	case o.work <- struct{}{}:
	default:
	}
}

// Run delivers until ctx ends, and waits for what is under way then.
func (o *Outbox) Run(ctx context.Context) {
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
func (o *Outbox) start(ctx context.Context, hands *sync.WaitGroup) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
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
		hands.Go(func() { o.done(w, o.try(ctx, w.job)) })
	}
	if len(o.later) == 0 {
		return time.Hour
	}
	return min(max(o.later[0].due.Sub(now), time.Millisecond), clockStep)
}

// line puts a webhook that is due behind the others for its host.
func (o *Outbox) line(w owed) {
	r := o.hosts[w.host]
	if r == nil {
		r = &receiver{}
		o.hosts[w.host] = r
	}
	r.due = append(r.due, w)
	o.queue(r)
}

// queue gives a receiver its turn, if it has something due and room for it.
func (o *Outbox) queue(r *receiver) {
	if !r.queued && len(r.due) > 0 && r.inHands < deliveriesToHost {
		r.queued = true
		o.ready = append(o.ready, r)
	}
}

// done takes a webhook out of hand; next is when to try again, zero for never.
func (o *Outbox) done(w owed, next time.Time) {
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
