package raftstore

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"

	"go.etcd.io/bbolt"

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
func (tx *Tx) Job(id string) (farm.Job, error) { return byID[farm.Job](tx, bucketJobs, "job", id) }

// JobByOutput reads the job whose result has this name.
func (tx *Tx) JobByOutput(outputName string) (farm.Job, error) {
	job, ok := tx.t.job(tx.t.lookup(bucketJobsByOutput, outputName))
	return found(tx, job, ok, "output", outputName)
}

// CountJobs counts a team's jobs by state. The counts are kept, not made by looking at jobs.
func (tx *Tx) CountJobs(team string) (map[farm.JobStatus]int, error) {
	counts := make(map[farm.JobStatus]int)
	for _, status := range farm.JobStatuses() {
		if n := tx.t.count(countOfJobs(team, status)); n > 0 {
			counts[status] = n
		}
	}
	return counts, tx.t.err
}

// Jobs reads the team's jobs that the query selects. next is the cursor to go on with, "" after the last. The cost grows
// with what is skipped and returned, not with the number of jobs; only Tags look into jobs that are left out. A random
// order has no cursor.
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
	skip := q.Offset
	for place := walk.next(); place != nil; place = walk.next() {
		if skip > 0 && len(q.Tags) == 0 {
			skip--
			continue
		}
		job, ok := tx.t.job(walk.id(place))
		if !ok || !hasAnyTag(job, q.Tags) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(jobs) == limit {
			return jobs, next, tx.t.err
		}
		jobs = append(jobs, job)
		next = base64.RawURLEncoding.EncodeToString(append([]byte{walk.order}, place...))
	}
	return jobs, "", tx.t.err
}

// randomJobs draws from the newest jobs that fit; the same seed gives the same order while nothing changes.
func (tx *Tx) randomJobs(team string, q farm.JobQuery, limit int) ([]farm.Job, error) {
	newest := q
	newest.Sort, newest.Cursor = sortNewest, ""
	walk, err := tx.walkJobs(team, newest)
	if err != nil {
		return nil, err
	}
	var ids []string
	for place := walk.next(); place != nil && len(ids) < randomSample; place = walk.next() {
		id := walk.id(place)
		if len(q.Tags) > 0 {
			if job, ok := tx.t.job(id); !ok || !hasAnyTag(job, q.Tags) {
				continue
			}
		}
		ids = append(ids, id)
	}
	random := rand.New(rand.NewPCG(q.Seed, q.Seed))
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	var jobs []farm.Job
	for _, id := range ids[min(max(q.Offset, 0), len(ids)):] {
		if len(jobs) == limit {
			break
		}
		if job, ok := tx.t.job(id); ok {
			jobs = append(jobs, job)
		}
	}
	return jobs, tx.t.err
}

func hasAnyTag(job farm.Job, tags []string) bool {
	return len(tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(job.Tags, tag) })
}

// A jobWalk goes through one team's jobs of several states in one order, by merging the indexes of the states. A place is
// what follows the state in a key: [priority] time id.
type jobWalk struct {
	order     byte // 'o' oldest first, 'n' newest first, 'p' priority
	ahead     int  // bytes of a place before the time
	streams   []*jobStream
	low, high string // bounds on the time, as keys; "" for none
}

// jobStream is the index of one state. head is its next place, nil at its end.
type jobStream struct {
	cursor *bbolt.Cursor
	prefix []byte
	head   []byte
}

// walkJobs starts a walk at the query's cursor or bound.
func (tx *Tx) walkJobs(team string, q farm.JobQuery) (*jobWalk, error) {
	walk := &jobWalk{}
	bucket := bucketJobsByTime
	switch q.Sort {
	case "", sortOldest:
		walk.order = 'o'
	case sortNewest:
		walk.order = 'n'
	case sortPriority:
		walk.order, walk.ahead, bucket = 'p', len(priorityKey(0)), bucketJobsByPriority
	default:
		return nil, farm.Invalid("jobs cannot be listed in this order", farm.FieldError{
			Field: "sort", Message: "must be oldest_first, newest_first, priority or random"})
	}
	if !q.From.IsZero() {
		walk.low = timeKey(q.From)
	}
	if !q.To.IsZero() {
		walk.high = timeKey(q.To)
	}
	after, err := readCursor(q.Cursor, walk.order)
	if err != nil {
		return nil, err
	}
	for _, status := range statesOf(q) {
		stream := &jobStream{cursor: tx.t.tx.Bucket(bucket).Cursor(), prefix: []byte(statusPrefix(team, status))}
		walk.start(stream, after)
		walk.streams = append(walk.streams, stream)
	}
	return walk, nil
}

// readCursor gives the place after which a walk goes on, nil without a cursor.
func readCursor(cursor string, order byte) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	place, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(place) < 2 || place[0] != order {
		return nil, farm.Invalid("the list cannot be continued", farm.FieldError{
			Field: "cursor", Message: "was not given out by this farm for this order; begin again without it"})
	}
	return place[1:], nil
}

// statesOf are the states that the query leaves.
func statesOf(q farm.JobQuery) []farm.JobStatus {
	var states []farm.JobStatus
	for _, status := range farm.JobStatuses() {
		if (len(q.States) == 0 || slices.Contains(q.States, status)) && !slices.Contains(q.ExcludeStates, status) {
			states = append(states, status)
		}
	}
	return states
}

// start brings a stream to its first place: behind after, or at the bound of the walk.
func (w *jobWalk) start(s *jobStream, after []byte) {
	switch {
	case w.order == 'n' && after != nil:
		s.before(after)
	case w.order == 'n' && w.high != "":
		s.before([]byte(w.high + "\xff"))
	case w.order == 'n':
		s.before([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	case after != nil:
		s.seek(append(bytes.Clone(after), 0))
	case w.ahead == 0 && w.low != "":
		s.seek([]byte(w.low))
	default:
		s.seek(nil)
	}
}

// seek sets the head to the first place from at on.
func (s *jobStream) seek(at []byte) {
	key, _ := s.cursor.Seek(append(bytes.Clone(s.prefix), at...))
	s.take(key)
}

// before sets the head to the last place before at.
func (s *jobStream) before(at []byte) {
	if key, _ := s.cursor.Seek(append(bytes.Clone(s.prefix), at...)); key == nil {
		key, _ = s.cursor.Last()
		s.take(key)
		return
	}
	key, _ := s.cursor.Prev()
	s.take(key)
}

func (s *jobStream) take(key []byte) {
	s.head = nil
	if place, ok := bytes.CutPrefix(key, s.prefix); ok && key != nil {
		s.head = place
	}
}

// next gives the next place within the bounds, nil at the end. It is good until the transaction ends.
func (w *jobWalk) next() []byte {
	for {
		var first *jobStream
		for _, s := range w.streams {
			if s.head != nil && (first == nil || (bytes.Compare(s.head, first.head) < 0) != (w.order == 'n')) {
				first = s
			}
		}
		if first == nil {
			return nil
		}
		place := first.head
		var key []byte
		if w.order == 'n' {
			key, _ = first.cursor.Prev()
		} else {
			key, _ = first.cursor.Next()
		}
		first.take(key)
		at := string(place[w.ahead : w.ahead+8])
		tooEarly, tooLate := w.low != "" && at < w.low, w.high != "" && at > w.high
		switch {
		case !tooEarly && !tooLate:
			return place
		case w.order == 'o' && tooLate, w.order == 'n' && tooEarly:
			return nil
		}
	}
}

// id is the job that a place belongs to.
func (w *jobWalk) id(place []byte) string { return string(place[w.ahead+8:]) }
