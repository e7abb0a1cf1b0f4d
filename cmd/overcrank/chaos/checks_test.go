//go:build linux

package chaos_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// seenJob is a job as one coordinator lists it in the end.
type seenJob struct {
	ID, Name, Status, Parent, Why string
}

// seenAttempt is one lease of a task.
type seenAttempt struct {
	Task, Outcome   string
	Number          int
	LeasedAt, Ended time.Time
}

// seenDelivery is what the farm says of a webhook.
type seenDelivery struct{ ID, Status string }

// print is the hash of a coordinator's state behind the command with an index.
type print struct {
	Node  string
	Index uint64
	Sum   string
}

// evidence is what is found when the farm is well again and has nothing left to do.
type evidence struct {
	promises   []*promised
	listed     map[string][]seenJob         // by coordinator
	attempts   map[string][]seenAttempt     // by job
	results    map[string]map[string]string // by job and coordinator: the hash of the result, or why there is none
	stored     map[string]int               // results in the storage, by job
	split      map[string]bool              // films with several tasks, by job
	calls      []call
	deliveries map[string]seenDelivery // by job
	prints     []print
	nodes      []string
	jumped     bool // clocks did: what was before what cannot be told from times
	// shaken are jobs that had not ended when the farm was put back to a backup. What they came to since then was undone, and what had
	// left the farm by then stays: a result in the storage, a webhook.
	shaken map[string]bool
}

// undone tells whether a job may have ended twice, once before the farm was put back. One whose submission was never answered may have too.
func (e *evidence) undone(job string) bool {
	known := slices.ContainsFunc(e.promises, func(p *promised) bool { return p.ID == job })
	return e.shaken[job] || len(e.shaken) > 0 && !known
}

// check gives everything that is not as it was promised.
func (e *evidence) check() []string {
	return slices.Concat(e.checkKept(), e.checkOnce(), e.checkResults(), e.checkWebhooks(), e.checkPrints())
}

// final is how the first coordinator sees the jobs.
func (e *evidence) final() map[string]seenJob {
	jobs := map[string]seenJob{}
	if len(e.nodes) > 0 {
		for _, job := range e.listed[e.nodes[0]] {
			jobs[job.ID] = job
		}
	}
	return jobs
}

// checkKept: what was acknowledged is there at every coordinator, alike, has ended, and is there once.
func (e *evidence) checkKept() (wrong []string) {
	for _, node := range e.nodes {
		there, named := map[string]seenJob{}, map[string]int{}
		for _, job := range e.listed[node] {
			there[job.ID] = job
			if job.Name != "" {
				named[job.Name]++
			}
		}
		for _, p := range e.promises {
			if _, ok := there[p.ID]; !ok {
				wrong = append(wrong, fmt.Sprintf("job %s (%s) was acknowledged, and %s does not have it", p.ID, p.Key, node))
			}
		}
		for name, n := range named {
			if n > 1 {
				wrong = append(wrong, fmt.Sprintf("the submission %s was carried out %d times, says %s", name, n, node))
			}
		}
		first := e.final()
		for id, job := range there {
			switch other, ok := first[id]; {
			case !hasEnded(job.Status):
				wrong = append(wrong, fmt.Sprintf("job %s has not ended: it is %s, says %s", id, job.Status, node))
			case !ok || other != job:
				wrong = append(wrong, fmt.Sprintf("job %s is %+v at %s and %+v at %s", id, job, node, other, e.nodes[0]))
			}
		}
		if len(there) != len(first) {
			wrong = append(wrong, fmt.Sprintf("%s lists %d jobs and %s %d", node, len(there), e.nodes[0], len(first)))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// checkOnce: each task of a finished job was done by one attempt, and never had two at the same time.
func (e *evidence) checkOnce() (wrong []string) {
	for id, job := range e.final() {
		if job.Status == failed {
			wrong = append(wrong, fmt.Sprintf("job %s failed: %s", id, job.Why))
		}
		tasks := map[string][]seenAttempt{}
		for _, a := range e.attempts[id] {
			tasks[a.Task] = append(tasks[a.Task], a)
		}
		if job.Status == finished && len(tasks) == 0 {
			wrong = append(wrong, fmt.Sprintf("job %s is finished, and nobody tried it", id))
		}
		for task, attempts := range tasks {
			wrong = append(wrong, checkAttempts(task, job, attempts, e.split[id], e.jumped)...)
		}
	}
	slices.Sort(wrong)
	return wrong
}

func checkAttempts(task string, job seenJob, attempts []seenAttempt, split, jumped bool) (wrong []string) {
	slices.SortFunc(attempts, func(a, b seenAttempt) int { return a.Number - b.Number })
	done := 0
	for i, a := range attempts {
		if a.Outcome == "done" {
			done++
		}
		switch {
		case a.Ended.IsZero():
			wrong = append(wrong, fmt.Sprintf("attempt %d of task %s has not ended, and its job is %s", a.Number, task, job.Status))
		case i > 0 && a.Number == attempts[i-1].Number:
			wrong = append(wrong, fmt.Sprintf("task %s has two attempts %d", task, a.Number))
		case i > 0 && !jumped && a.LeasedAt.Before(attempts[i-1].Ended):
			wrong = append(wrong, fmt.Sprintf("attempt %d of task %s began at %v, and the one before ended at %v", a.Number, task, a.LeasedAt, attempts[i-1].Ended))
		}
	}
	if job.Status == finished && done != 1 {
		wrong = append(wrong, fmt.Sprintf("task %s of a finished job was done %d times", task, done))
	}
	if job.Status != finished && done > 0 && !split { // parts are done before their job is
		wrong = append(wrong, fmt.Sprintf("task %s was done, and its job is %s", task, job.Status))
	}
	return wrong
}

// checkResults: a finished job has one result, which is the same at every coordinator; another one has none.
func (e *evidence) checkResults() (wrong []string) {
	for id, job := range e.final() {
		want := 0
		if job.Status == finished {
			want = 1
			sums := map[string]bool{}
			for _, sum := range e.results[id] {
				sums[sum] = true
			}
			if len(sums) != 1 || len(e.results[id]) != len(e.nodes) || strings.Contains(fmt.Sprint(slices.Collect(maps.Keys(sums))), " ") {
				wrong = append(wrong, fmt.Sprintf("job %s is finished, and its result is %v", id, e.results[id]))
			}
		}
		if e.stored[id] < want || e.stored[id] > want && !e.undone(id) {
			wrong = append(wrong, fmt.Sprintf("job %s is %s, and the storage holds %d results of it", id, job.Status, e.stored[id]))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// checkWebhooks: each owed webhook came at least once, all that came was the farm's, and what came under one delivery's id was the same.
func (e *evidence) checkWebhooks() (wrong []string) {
	byDelivery, byJob := map[string]call{}, map[string]map[string]bool{}
	taken := map[string]bool{}
	final := e.final()
	for _, c := range e.calls {
		if !c.Genuine {
			wrong = append(wrong, fmt.Sprintf("delivery %s of job %s is not signed by the farm", c.Delivery, c.Job))
		}
		if first, known := byDelivery[c.Delivery]; known && !e.undone(c.Job) && (first.Sum != c.Sum || first.Signature != c.Signature) {
			wrong = append(wrong, fmt.Sprintf("delivery %s of job %s came with two bodies", c.Delivery, c.Job))
		}
		byDelivery[c.Delivery] = c
		if byJob[c.Job] == nil {
			byJob[c.Job] = map[string]bool{}
		}
		byJob[c.Job][c.Delivery] = true
		taken[c.Job] = taken[c.Job] || c.Answered/100 == 2
		if job, ok := final[c.Job]; (!ok || job.Status != c.Status) && !e.undone(c.Job) {
			wrong = append(wrong, fmt.Sprintf("delivery %s says that job %s is %s, and it is %q", c.Delivery, c.Job, c.Status, job.Status))
		}
	}
	for _, p := range e.promises {
		job := final[p.ID]
		if !p.Hook || job.Status == cancelled {
			continue // those that are cancelled owe none
		}
		delivery := e.deliveries[p.ID]
		switch {
		case len(byJob[p.ID]) == 0:
			wrong = append(wrong, fmt.Sprintf("the webhook of job %s never came; the farm says that it is %q", p.ID, delivery.Status))
		case len(byJob[p.ID]) > 1 && !e.undone(p.ID):
			wrong = append(wrong, fmt.Sprintf("the webhook of job %s came under several ids: %v", p.ID, slices.Collect(maps.Keys(byJob[p.ID]))))
		case delivery.Status == "delivered" && !taken[p.ID]:
			wrong = append(wrong, fmt.Sprintf("the farm says that the webhook of job %s was delivered, and its receiver never took it", p.ID))
		case delivery.Status == "pending" || delivery.Status == "":
			wrong = append(wrong, fmt.Sprintf("the webhook of job %s is still %q", p.ID, delivery.Status))
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

// checkPrints: coordinators that have applied the same commands have the same state, and all were seen at one index.
func (e *evidence) checkPrints() (wrong []string) {
	if len(e.nodes) < 2 {
		return nil
	}
	at := map[uint64]map[string]string{}
	for _, p := range e.prints {
		if at[p.Index] == nil {
			at[p.Index] = map[string]string{}
		}
		if before, ok := at[p.Index][p.Node]; ok && before != p.Sum {
			wrong = append(wrong, fmt.Sprintf("the state of %s behind command %d changed without one", p.Node, p.Index))
		}
		at[p.Index][p.Node] = p.Sum
	}
	together := false
	for index, sums := range at {
		together = together || len(sums) == len(e.nodes)
		if values := slices.Compact(slices.Sorted(maps.Values(sums))); len(values) > 1 {
			wrong = append(wrong, fmt.Sprintf("behind command %d the states differ: %v", index, sums))
		}
	}
	if !together {
		wrong = append(wrong, "the coordinators were never seen with the same commands applied")
	}
	slices.Sort(wrong)
	return wrong
}
