package coordinator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// robot is a workstation that works by itself, and badly: on first attempts it may fail, vanish or give work back.
type robot struct {
	r      *rig
	agent  farm.Agent
	inv    farm.Inventory
	random *rand.Rand
}

// work keeps the robot connected until ctx ends.
func (b *robot) work(ctx context.Context) {
	for ctx.Err() == nil {
		l := &link{fromAgent: make(chan wire.Message), toAgent: make(chan wire.Message), gone: make(chan struct{}), served: make(chan error, 1)}
		go func() { l.served <- b.r.ServeAgent(ctx, b.agent, l) }()
		b.session(ctx, l)
		_ = l.Close("")
		<-l.served
	}
}

// tell sends a message; false when the session has ended.
func tell(l *link, m wire.Message) bool {
	select {
	case l.fromAgent <- m:
		return true
	case <-l.gone:
		return false
	}
}

func (b *robot) session(ctx context.Context, l *link) {
	if !tell(l, wire.Message{Hello: &wire.Hello{Version: wire.Version, Name: b.agent.Name, Inventory: b.inv.Hash()}}) {
		return
	}
	for {
		select {
		case <-l.gone:
			return
		case m := <-l.toAgent:
			if m.Lease != nil && !b.attempt(ctx, l, *m.Lease) {
				return
			}
		}
	}
}

// attempt deals with one lease; false when the robot hangs up over it.
func (b *robot) attempt(ctx context.Context, l *link, lease wire.Lease) bool {
	mood := 9
	if lease.Attempt.Attempt == 1 {
		mood = b.random.IntN(10)
	}
	switch mood {
	case 0:
		return false
	case 1:
		return tell(l, wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: "bad luck", Retry: true}})
	case 2:
		return tell(l, wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: "the artist is back", Cancelled: true}})
	}
	content := fmt.Sprintf("%s by %s", lease.Job, b.agent.Name)
	out, err := b.r.Results().Receive(ctx, b.agent, lease.Attempt, "x.mp4", strings.NewReader(content), int64(len(content)), "")
	if err != nil {
		return true // the attempt is over
	}
	return tell(l, wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
}

func TestUnreliableAgentsFinishEveryJobOnce(t *testing.T) {
	r := open(t, func(c *coordinator.Config) { c.Lease = 10 * time.Second })
	ctx, cancel := context.WithCancel(t.Context())
	var robots sync.WaitGroup
	defer robots.Wait()
	defer cancel()
	for i := range 6 {
		s := r.enrol(fmt.Sprintf("box %d", i), func(inv *farm.Inventory) { inv.Slots = 1 + i%3 })
		b := &robot{r: r, agent: s.agent, inv: s.inventory, random: rand.New(rand.NewPCG(7, uint64(i)))}
		robots.Go(func() { b.work(ctx) })
	}
	var jobs []farm.Job
	for range 120 {
		jobs = append(jobs, r.submit())
	}
	cancelled := map[string]bool{}
	for _, i := range []int{3, 60, 119} {
		if _, err := r.CancelJobs(t.Context(), r.admin, []string{jobs[i].ID}, true); err == nil {
			cancelled[jobs[i].ID] = true
		} else {
			wantCode(t, err, farm.CodeConflict) // it has finished already
		}
	}
	r.eventually("every job has ended", func() bool {
		counts, err := r.CountJobs(t.Context(), r.admin)
		if err != nil {
			t.Fatal(err)
		}
		return counts[farm.JobFinished]+counts[farm.JobCancelled]+counts[farm.JobFailed] == len(jobs)
	})
	for _, j := range jobs {
		got := r.job(j.ID)
		switch {
		case cancelled[j.ID]:
			if got.Status != farm.JobCancelled {
				t.Errorf("job %s was cancelled and is %s", j.ID, got.Status)
			}
		case got.Status != farm.JobFinished:
			t.Errorf("job %s ended as %s: %s", j.ID, got.Status, got.Error)
		case !strings.HasPrefix(r.output(got), j.ID+" by "):
			t.Errorf("job %s has the result %q", j.ID, r.output(got))
		}
	}
}
