package dispatch

import (
	"context"

	"overcrank/coordinator/forecast"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// batchSamples is of how many waiting jobs of a batch it is asked what they take: they are mostly alike, and a batch may have a thousand.
const batchSamples = 8

// BatchForecast says when all jobs of a batch of the caller's team are likely to be done.
func (d *Dispatcher) BatchForecast(ctx context.Context, p farm.Principal, id string) (farm.BatchForecast, error) {
	unknown := farm.BatchForecast{At: d.state.Now()}
	told, err := peers.AskLeader(ctx, d.peers, askBatch, jobAsked{Team: p.Team, ID: id})
	if farm.CodeOf(err) == farm.CodeUnavailable {
		return unknown, nil
	}
	return told, err
}

func (l *leader) batchForecast(ctx context.Context, asked jobAsked) (farm.BatchForecast, error) {
	out := farm.BatchForecast{At: l.d.state.Now()}
	if err := l.queueRead(ctx); err != nil {
		return out, err
	}
	open, err := l.openOf(asked)
	if err != nil {
		return out, err
	}
	known, in := batchCosts{held: open.held}, newCommon()
	for _, job := range open.rendering {
		known.runs(l.estimate(ctx, job, in))
	}
	for _, job := range open.samples {
		place, err := l.place(job, in)
		if err != nil {
			return out, err
		}
		known.waits(place, l.estimate(ctx, job, in))
	}
	out.Finish, out.Held = known.finish(open.waiting), known.held
	return out, nil
}

// openJobs are the jobs of a batch that have not ended: those that machines work on, and some of those that wait.
type openJobs struct {
	rendering, samples []farm.Job
	waiting            int
	held               bool // some wait for jobs nested in them
}

// openOf reads the open jobs of a batch. Waiting ones are taken from all over it, its last one included.
func (l *leader) openOf(asked jobAsked) (open openJobs, err error) {
	err = l.d.state.View(func(tx *raftstore.Tx) error {
		batch, err := tx.Batch(asked.ID)
		if err != nil || batch.Team != asked.Team {
			return err
		}
		counts, err := tx.CountBatch(asked.ID)
		if err != nil {
			return err
		}
		open.waiting, open.held = counts[farm.JobQueued], counts[farm.JobPending] > 0
		for _, id := range l.underWay(batch) {
			job, err := tx.JobHead(id)
			if err != nil {
				return err
			}
			if job.Status == farm.JobRendering {
				open.rendering = append(open.rendering, job)
			}
		}
		n, wanted := len(batch.Jobs), min(batchSamples, open.waiting)
		for step, i := 0, n-1; step < n && len(open.samples) < wanted; step++ {
			job, err := tx.JobHead(batch.Jobs[i].ID)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			if err == nil && job.Status == farm.JobQueued {
				open.samples = append(open.samples, job)
			}
			i = (i + strideOf(n)) % n
		}
		return nil
	})
	return open, err
}

// strideOf is a step by which all of n places are reached, each once, and the first ones lie far apart.
func strideOf(n int) int {
	for s := n/batchSamples + 1; ; s++ {
		if gcd(s, n) == 1 {
			return s
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// underWay are the jobs of a batch that machines work on.
func (l *leader) underWay(batch farm.Batch) (ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range batch.Jobs {
		if len(l.byJob[entry.ID]) > 0 {
			ids = append(ids, entry.ID)
		}
	}
	return ids
}

// batchCosts is what is known of how long the open jobs of a batch take, in seconds.
type batchCosts struct {
	running, samples []forecast.Cost
	first, last      *forecast.Cost // when the first sample begins, and when the last one is done
	machines         int            // that could render them
	learning, held   bool
}

// runs notes a job that machines work on.
func (b *batchCosts) runs(left *farm.Span) {
	if left == nil {
		b.held = true
		return
	}
	b.running = append(b.running, forecast.Cost{Low: left.Low, High: left.High})
	b.learning = b.learning || left.Learning
}

// waits notes a job that waits, and what it takes once it has begun.
func (b *batchCosts) waits(place farm.Placement, takes *farm.Span) {
	if takes == nil || place.Start == nil {
		b.held = true
		return
	}
	b.learning = b.learning || takes.Learning || place.Start.Learning
	b.machines = max(b.machines, place.Fitting)
	own := forecast.Cost{Low: takes.Low, High: takes.High}
	begins := forecast.Cost{Low: place.Start.Low, High: place.Start.High}
	b.samples = append(b.samples, own)
	if b.first == nil || begins.Low < b.first.Low {
		b.first = &begins
	}
	if done := begins.Add(own); b.last == nil || done.High > b.last.High {
		b.last = &done
	}
}

// finish is when all are likely to be done, of which so many wait; nil when nothing is known of them. It is the later of two forecasts: by
// where the samples stand in line, and by the work that there is for the machines that could do it.
func (b *batchCosts) finish(waiting int) *farm.Span {
	if len(b.running) == 0 && len(b.samples) == 0 {
		return nil
	}
	var mean forecast.Cost
	for _, c := range b.samples {
		mean = mean.Add(c.Times(1 / float64(len(b.samples))))
	}
	all := make([]forecast.Cost, 0, waiting)
	if len(b.samples) > 0 {
		for range waiting {
			all = append(all, mean)
		}
	}
	done := forecast.Done(b.running, all, max(b.machines, len(b.running)))
	if b.first != nil && len(b.running) == 0 {
		done = done.Add(*b.first)
	}
	if b.last != nil {
		done = forecast.Cost{Low: max(done.Low, b.last.Low), High: max(done.High, b.last.High)}
	}
	span := forecast.Span(done, b.learning)
	return &span
}
