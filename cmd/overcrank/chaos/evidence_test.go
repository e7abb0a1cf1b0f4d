//go:build linux

package chaos_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
)

// How long is waited for what should happen: many times what it takes, since the machine may be busy with other tests.
const (
	healPatience = 5 * time.Minute
	endPatience  = 10 * time.Minute
)

// finish lets what is held go or cancels it, and waits until every job has ended.
func (w *work) finish(ctx context.Context) error {
	c := &caller{work: w, number: 99, chance: rand.New(rand.NewPCG(w.seed, 99))}
	for i, job := range w.promises() {
		if job.ended() || job.Parent != "" {
			continue
		}
		in := asked{Kind: opCancel, Force: true}
		if i%2 == 0 && !strings.Contains(job.Key, "pulse") {
			in = asked{Kind: opRelease}
		}
		err := w.farm.await(ctx, healPatience, "job "+job.ID+" to be changed", func() error {
			if got := c.change(ctx, job, in); got == unsure || got == "" {
				return errors.New(string(got))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, job := range w.promises() {
		err := w.farm.await(ctx, endPatience, "job "+job.ID+" to end", func() error {
			if job.ended() || c.read(ctx, job, w.farm.some(c.chance)) && job.ended() {
				return nil
			}
			job.mu.Lock()
			defer job.mu.Unlock()
			return errors.New("it is " + job.status)
		})
		if err != nil {
			return err
		}
	}
	for _, job := range w.promises() {
		for _, door := range w.farm.doors {
			err := w.farm.await(ctx, healPatience, "job "+job.ID+" to be read at "+door.name+" of a farm that is well", func() error {
				if !c.read(ctx, job, door) {
					return errors.New("it cannot be read")
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// gather looks at everything that the farm has in the end. Jobs whose submission was never answered may be there too, and have to end.
func (f *farm) gather(ctx context.Context, w *work, r *receiver) (*evidence, error) {
	e := &evidence{
		promises: w.promises(), listed: map[string][]seenJob{}, attempts: map[string][]seenAttempt{}, results: map[string]map[string]string{},
		stored: map[string]int{}, deliveries: map[string]seenDelivery{}, split: map[string]bool{},
	}
	for _, door := range f.doors {
		e.nodes = append(e.nodes, door.name)
	}
	if err := f.await(ctx, endPatience, "everything to end", func() error { return f.list(ctx, e) }); err != nil {
		e.listed = map[string][]seenJob{}
		return e, errors.Join(err, f.list(ctx, e))
	}
	for id, job := range e.final() {
		var attempts []struct {
			Task     string
			Attempt  int
			LeasedAt time.Time
			EndedAt  time.Time
			Outcome  string
		}
		if err := f.read(ctx, f.doors[0], "/api/farm/v1/jobs/"+id+"/attempts?limit=1000", &attempts); err != nil {
			return e, fmt.Errorf("read the attempts of job %s: %w", id, err)
		}
		for _, a := range attempts {
			e.attempts[id] = append(e.attempts[id], seenAttempt{Task: a.Task, Outcome: a.Outcome, Number: a.Attempt, LeasedAt: a.LeasedAt, Ended: a.EndedAt})
		}
		var tasks []json.RawMessage
		if err := f.read(ctx, f.doors[0], "/api/farm/v1/jobs/"+id+"/tasks", &tasks); err != nil {
			return e, fmt.Errorf("read the tasks of job %s: %w", id, err)
		}
		e.split[id] = len(tasks) > 1
		if job.Status == finished {
			e.results[id] = f.results(ctx, id)
		}
	}
	err := errors.Join(f.count(ctx, e), f.awaitDeliveries(ctx, e), f.takePrints(ctx, e))
	e.calls = r.all()
	return e, err
}

// read asks a coordinator until there is an answer, if only a refusal: one that is busy may take longer than requests are waited for.
func (f *farm) read(ctx context.Context, from *door, path string, out any) error {
	var no *refusal
	err := f.await(ctx, endPatience, from.name+" to answer "+path, func() error {
		err := from.ask(ctx, http.MethodGet, path, "", nil, out)
		if errors.As(err, &no) {
			return nil
		}
		return err
	})
	if no != nil {
		return no
	}
	return err
}

// list reads all jobs from each coordinator; an error says that some have not ended.
func (f *farm) list(ctx context.Context, e *evidence) error {
	var unended error
	for _, door := range f.doors {
		whole := &client.Client{Server: door.address, Token: door.token, HTTP: door.client}
		jobs, err := whole.Jobs(ctx, url.Values{}, 0)
		if err != nil {
			return fmt.Errorf("list the jobs of %s: %w", door.name, err)
		}
		e.listed[door.name] = nil
		for _, job := range jobs.Items {
			if !job.Status.Ended() {
				unended = fmt.Errorf("job %s (%s) is %s", job.ID, job.Name, job.Status)
			}
			e.listed[door.name] = append(e.listed[door.name], seenJob{ID: job.ID, Name: job.Name, Status: string(job.Status), Parent: job.ParentID, Why: job.Stats.Error})
		}
	}
	return unended
}

// results is what each coordinator gives as a job's result.
func (f *farm) results(ctx context.Context, id string) map[string]string {
	sums := map[string]string{}
	for _, door := range f.doors {
		var job struct{ OutputURL string }
		var content []byte
		err := f.read(ctx, door, "/api/v2/jobs/"+id, &job)
		if err == nil {
			var at *url.URL
			if at, err = url.Parse(job.OutputURL); err == nil {
				err = f.read(ctx, door, at.RequestURI(), &content)
			}
		}
		sum := sha256.Sum256(content)
		if sums[door.name] = hex.EncodeToString(sum[:]); err != nil {
			sums[door.name] = "not there: " + err.Error()
		}
	}
	return sums
}

// count counts the results in the storage.
func (f *farm) count(ctx context.Context, e *evidence) (err error) {
	if f.store != nil {
		e.stored, err = f.store.results(ctx)
		return err
	}
	folder := filepath.Join(f.folder, "storage", "outputs")
	if len(f.members) == 1 {
		folder = filepath.Join(f.members[0].dir, "files", "outputs")
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		id, _, _ := strings.Cut(entry.Name(), "-")
		e.stored[id]++
	}
	return nil
}

// awaitDeliveries waits until all webhooks have been delivered or given up.
func (f *farm) awaitDeliveries(ctx context.Context, e *evidence) error {
	for _, p := range e.promises {
		if !p.Hook || e.final()[p.ID].Status == cancelled {
			continue
		}
		err := f.await(ctx, endPatience, "the webhook of job "+p.ID, func() error {
			var d seenDelivery
			err := f.doors[0].ask(ctx, http.MethodGet, "/api/farm/v1/jobs/"+p.ID+"/delivery", "", nil, &d)
			if err != nil {
				return err
			}
			if e.deliveries[p.ID] = d; d.Status == "pending" {
				return errors.New("it is pending")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
