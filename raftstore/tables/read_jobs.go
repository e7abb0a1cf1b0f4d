package tables

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"

	"overcrank/farm"
)

const (
	defaultLimit = 100
	randomSample = 10_000 // how many of the newest jobs a random order is drawn from
)

// The orders of farm.JobQuery.Sort.
const (
	sortOldest   = "oldest_first"
	sortNewest   = "newest_first"
	sortPriority = "priority"
	sortRandom   = "random"
)

// Job reads one job.
func (tx *Tx) Job(id string) (farm.Job, error) {
	job, ok := tx.t.job(id)
	return found(tx, job, ok, "job", id)
}

// JobHead reads one job without its fonts, assets, upload and webhook, for less than a whole job costs.
func (tx *Tx) JobHead(id string) (farm.Job, error) {
	job, ok := tx.t.head(id)
	return found(tx, job, ok, "job", id)
}

// JobByOutput reads the job whose result has this name.
func (tx *Tx) JobByOutput(outputName string) (farm.Job, error) {
	job, ok := tx.t.job(jobOfOutput(outputName))
	return found(tx, job, ok && job.OutputName == outputName, "output", outputName)
}

// jobOfOutput is the id of the job whose result has this name: what stands before the last hyphen.
func jobOfOutput(outputName string) string {
	return outputName[:max(strings.LastIndexByte(outputName, '-'), 0)]
}

// CountJobs counts a team's jobs by state. The counts are kept, not made by looking at jobs.
func (tx *Tx) CountJobs(team string) (map[farm.JobStatus]int, error) {
	counts := make(map[farm.JobStatus]int)
	for _, status := range farm.JobStatuses() {
		if n := tx.t.count(tx.t.countOfJobs(team, status)); n > 0 {
			counts[status] = n
		}
	}
	return counts, tx.t.err
}

// Jobs reads the team's jobs that the query selects. next is the cursor to go on with, "" after the last. The cost grows
// with what is skipped and returned, not with the number of jobs. A random order has no cursor.
func (tx *Tx) Jobs(team string, q farm.JobQuery) (jobs []farm.Job, next string, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	if q.Sort == sortRandom {
		jobs, err = tx.randomJobs(team, q, limit)
		return jobs, "", err
	}
	walk, err := tx.walkJobs(team, q)
	if err != nil {
		return nil, "", err
	}
	for range q.Offset {
		if walk.next() == nil {
			return nil, "", tx.t.err
		}
	}
	jobs = make([]farm.Job, 0, min(limit, defaultLimit))
	for place := walk.next(); place != nil; place = walk.next() {
		if len(jobs) == limit {
			return jobs, next, tx.t.err
		}
		if job, ok := tx.listed(walk.id(place), q); ok {
			jobs = append(jobs, job)
			next = base64.RawURLEncoding.EncodeToString(append([]byte{walk.order}, place...))
		}
	}
	return jobs, "", tx.t.err
}

// listed reads a job as far as the query asks for it.
func (tx *Tx) listed(id string, q farm.JobQuery) (farm.Job, bool) {
	if q.Minimal {
		return tx.t.head(id)
	}
	return tx.t.job(id)
}

// randomJobs draws from the newest jobs that fit; the same seed gives the same order while nothing changes.
func (tx *Tx) randomJobs(team string, q farm.JobQuery, limit int) ([]farm.Job, error) {
	newest := q
	newest.Sort, newest.Cursor = sortNewest, ""
	walk, err := tx.walkJobs(team, newest)
	if err != nil {
		return nil, err
	}
	var places [][]byte // they stay where they are until the transaction ends
	for place := walk.next(); place != nil && len(places) < randomSample; place = walk.next() {
		places = append(places, place)
	}
	random := rand.New(rand.NewPCG(q.Seed, q.Seed))
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var jobs []farm.Job
	for _, place := range places[min(max(q.Offset, 0), len(places)):] {
		if len(jobs) == limit {
			break
		}
		if job, ok := tx.listed(walk.id(place), q); ok {
			jobs = append(jobs, job)
		}
	}
	return jobs, tx.t.err
}
