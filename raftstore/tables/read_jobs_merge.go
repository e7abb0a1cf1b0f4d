package tables

import (
	"bytes"
	"encoding/base64"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/layered"
)

// A jobWalk goes through one team's jobs of several states, or with several tags, in one order, by merging the lists of
// each. A place is what follows the prefix in a key: [priority] time id. A job with several of the tags is met once.
type jobWalk struct {
	order     byte         // 'o' oldest first, 'n' newest first, 'p' priority
	ahead     int          // bytes of a place before the time
	streams   []*jobStream // a heap: the one with the first place is at its top
	low, high string       // bounds on the time, as keys; "" for none
	last      []byte       // the place given last
}

// jobStream is one list. head is its next place, nil at its end.
type jobStream struct {
	cursor *layered.Cursor
	prefix []byte
	head   []byte
	also   func(place []byte) bool // what is asked of a place besides; nil for nothing
}

// walkJobs starts a walk at the query's cursor or bound.
func (tx *Tx) walkJobs(team string, q farm.JobQuery) (*jobWalk, error) {
	walk := &jobWalk{}
	bucket, tagged, ofProject := bucketJobsByTime, bucketTaggedJobsByTime, bucketProjectJobsByTime
	switch q.Sort {
	case "", sortOldest:
		walk.order = 'o'
	case sortNewest:
		walk.order = 'n'
	case sortPriority:
		walk.order, walk.ahead = 'p', len(priorityKey(0))
		bucket, tagged, ofProject = bucketJobsByPriority, bucketTaggedJobsByPriority, bucketProjectJobsByPriority
	default:
		return nil, farm.Invalid("jobs cannot be listed in this order", farm.Field("sort", "must be oldest_first, newest_first, priority or random"))
	}
	if !q.From.IsZero() {
		walk.low = timeKey(q.From)
	}
	if !q.To.IsZero() {
		walk.high = timeKey(q.To)
	}
	after, err := readCursor(q.Cursor, walk.order)
	if q.Behind != "" {
		after, err = tx.placeBehind(team, q.Behind, walk.ahead > 0)
	}
	if err != nil {
		return nil, err
	}
	for _, status := range statesOf(q) {
		project := tagPrefix(team, q.Project, status)
		switch {
		case len(q.Tags) == 0 && q.Project == "":
			walk.add(&jobStream{cursor: tx.t.cursor(bucket), prefix: []byte(statusPrefix(team, status))}, after)
		case len(q.Tags) == 0:
			walk.add(&jobStream{cursor: tx.t.cursor(ofProject), prefix: []byte(project)}, after)
		}
		for _, tag := range q.Tags {
			s := &jobStream{cursor: tx.t.cursor(tagged), prefix: []byte(tagPrefix(team, tag, status))}
			if q.Project != "" {
				s.also = func(place []byte) bool { return tx.t.has(ofProject, project+string(place)) }
			}
			walk.add(s, after)
		}
	}
	for i := len(walk.streams)/2 - 1; i >= 0; i-- {
		walk.sift(i)
	}
	return walk, nil
}

// add brings a list into the walk, unless nothing of it is left.
func (w *jobWalk) add(s *jobStream, after []byte) {
	w.start(s, after)
	if s.head != nil {
		w.streams = append(w.streams, s)
	}
}

// readCursor gives the place after which a walk goes on, nil without a cursor.
func readCursor(cursor string, order byte) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	place, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(place) < 2 || place[0] != order {
		return nil, farm.Invalid("the list cannot be continued", farm.Field("cursor", "was not given out by this farm for this order; begin again without it"))
	}
	return place[1:], nil
}

// placeBehind is where a job of the team stands, with its priority ahead where the order is by that.
func (tx *Tx) placeBehind(team, id string, byPriority bool) ([]byte, error) {
	job, ok := tx.t.head(id)
	if !ok || job.Team != team {
		return nil, farm.Invalid("the list cannot be continued", farm.Field("cursor", "names no job of the team; begin again without it"))
	}
	place := timeKey(job.CreatedAt) + job.ID
	if byPriority {
		place = priorityKey(job.Priority) + place
	}
	return []byte(place), nil
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
		s.before([]byte(w.high + afterIDs))
	case w.order == 'n':
		s.before([]byte(afterTimes))
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
	for len(w.streams) > 0 {
		first := w.streams[0]
		place := first.head
		inBounds := w.pass(first)
		w.settle()
		if inBounds && !bytes.Equal(place, w.last) && (first.also == nil || first.also(place)) {
			w.last = place
			return place
		}
	}
	return nil
}

// pass moves a stream on from its head, and says whether that lay within the bounds. Beyond them it leaps: the places of a
// priority lie together, in the order of their times.
func (w *jobWalk) pass(s *jobStream) bool {
	urgency, at := s.head[:w.ahead], s.head[w.ahead:w.ahead+8]
	switch {
	case w.low != "" && string(at) < w.low:
		if w.order == 'n' {
			s.head = nil
		} else {
			s.seek(append(bytes.Clone(urgency), w.low...))
		}
		return false
	case w.high != "" && string(at) > w.high:
		switch w.order {
		case 'o':
			s.head = nil
		case 'n':
			s.before([]byte(w.high + afterIDs))
		default:
			s.seek(append(bytes.Clone(urgency), afterTimes...))
		}
		return false
	}
	var key []byte
	if w.order == 'n' {
		key, _ = s.cursor.Prev()
	} else {
		key, _ = s.cursor.Next()
	}
	s.take(key)
	return true
}

// What lies behind every id, and behind every time with its id: neither begins with such bytes.
const (
	afterIDs   = "\xff"
	afterTimes = "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
)

// settle puts the top of the heap in order after its stream has moved on.
func (w *jobWalk) settle() {
	if w.streams[0].head == nil {
		end := len(w.streams) - 1
		w.streams[0] = w.streams[end]
		w.streams = w.streams[:end]
	}
	w.sift(0)
}

// sift moves a stream down to where it belongs in the heap.
func (w *jobWalk) sift(i int) {
	for {
		child := 2*i + 1
		if child >= len(w.streams) {
			return
		}
		if right := child + 1; right < len(w.streams) && w.before(right, child) {
			child = right
		}
		if !w.before(child, i) {
			return
		}
		w.streams[i], w.streams[child] = w.streams[child], w.streams[i]
		i = child
	}
}

func (w *jobWalk) before(i, j int) bool {
	order := bytes.Compare(w.streams[i].head, w.streams[j].head)
	return order < 0 && w.order != 'n' || order > 0 && w.order == 'n'
}

// id is the job that a place belongs to.
func (w *jobWalk) id(place []byte) string { return string(place[w.ahead+8:]) }
