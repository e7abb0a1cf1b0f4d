package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Order is how a list of jobs is sorted. Jobs that come to the same are sorted by when they were submitted, the newest first.
type Order string

// The orders.
const (
	Newest   Order = "" // submitted last
	Oldest   Order = "oldest"
	ByName   Order = "name" // as people sort: without regard to case, and with numbers as numbers
	NameDown Order = "name-down"
	ByState  Order = "state"    // what renders, waits, failed, was cancelled, is finished
	Priority Order = "priority" // the highest
	Longest  Order = "longest"  // rendered for the longest time
	Furthest Order = "progress" // of those that have not ended the furthest along; the others behind them
	Soonest  Order = "eta"      // of those that have not ended the one that is likely to be done first; the others behind them
)

// Orders are all orders, as they are offered.
func Orders() []Order {
	return []Order{Newest, Oldest, ByName, NameDown, ByState, Furthest, Soonest, Priority, Longest}
}

// Select lists what a filter selects of the caller's jobs, at most limit, in the filter's order; cursor is the Next of the page before. Where more
// fit than are sorted at once, the newest of them are, and the answer says Partly.
func (s *Search) Select(ctx context.Context, p farm.Principal, f Filter, cursor string, limit int) (Jobs, error) {
	if err := p.May(farm.ActView); err != nil {
		return Jobs{}, err
	}
	switch {
	case f.Order == Newest:
		return s.newest(p.Team, f, cursor, limit)
	case f.Order == ByState:
		return s.byState(p.Team, f, cursor, limit)
	case f.Order == Furthest, f.Order == Soonest:
		return s.openFirst(ctx, p, f, cursor, limit)
	case f.walked() && f.Order == Oldest:
		return s.walk(p.Team, f, "oldest_first", cursor, limit)
	case f.walked() && f.Order == Priority:
		return s.walk(p.Team, f, "priority", cursor, limit)
	case slices.Contains(Orders(), f.Order):
		return s.sorted(ctx, p, f, cursor, limit)
	}
	return Jobs{}, farm.Invalid("jobs cannot be listed", farm.Field("sort", "%.40q is not a sort order; use oldest, name, name-down, state, progress, eta, priority or longest", string(f.Order)))
}

// walked says whether the lists of the state have all that a filter names.
func (f Filter) walked() bool {
	return f.Text == "" && f.By == "" && f.Template == "" && f.Batch == "" && f.Machine == ""
}

// walk reads a page in an order that the state keeps.
func (s *Search) walk(team string, f Filter, sort, cursor string, limit int) (found Jobs, err error) {
	q := f.listed(sort, limit)
	q.Cursor = cursor
	err = s.state.View(func(tx *raftstore.Tx) error {
		found.Jobs, found.Next, err = tx.Jobs(team, q)
		return err
	})
	return found, err
}

// listed is what the lists of the state are asked for.
func (f Filter) listed(sort string, limit int) farm.JobQuery {
	q := farm.JobQuery{States: f.States, Project: f.Project, From: f.From, To: f.To, Sort: sort, Limit: limit}
	if !f.To.IsZero() {
		q.To = f.To.Add(-1) // which a query counts in
	}
	if f.Tag != "" {
		q.Tags = []string{f.Tag}
	}
	return q
}

// statesInOrder are the states that ByState lists one after the other.
func statesInOrder() [][]farm.JobStatus {
	return [][]farm.JobStatus{{farm.JobRendering}, {farm.JobQueued, farm.JobPending}, {farm.JobFailed}, {farm.JobCancelled}, {farm.JobFinished}}
}

// byState lists the jobs of one state after those of another.
func (s *Search) byState(team string, f Filter, cursor string, limit int) (Jobs, error) {
	return inGroups(f, statesInOrder(), cursor, limit, func(of Filter, _ int, cursor string, limit int) (Jobs, error) {
		return s.newest(team, of, cursor, limit)
	})
}

// inGroups lists jobs of some states after those of others; list reads those of a group, by its place. The cursor is that place and the cursor
// within the group.
func inGroups(f Filter, groups [][]farm.JobStatus, cursor string, limit int, list func(of Filter, n int, cursor string, limit int) (Jobs, error)) (Jobs, error) {
	number, within, _ := strings.Cut(cursor, ".")
	first, err := strconv.Atoi(cmp.Or(number, "0"))
	if err != nil || first < 0 || first >= len(groups) {
		return Jobs{}, notContinued()
	}
	var answer Jobs
	for n := first; n < len(groups); n++ {
		of := f
		of.States = slices.DeleteFunc(groups[n], func(status farm.JobStatus) bool { return len(f.States) > 0 && !slices.Contains(f.States, status) })
		if len(of.States) == 0 {
			continue
		}
		full := len(answer.Jobs) == limit
		found, err := list(of, n, within, max(1, limit-len(answer.Jobs))) // one, to see whether the list goes on
		if err != nil {
			return answer, err
		}
		answer.Indexing = found.Indexing
		if full && (len(found.Jobs) > 0 || found.Next != "") {
			answer.Next = strconv.Itoa(n) + "."
			return answer, nil
		}
		if !full {
			answer.Jobs = append(answer.Jobs, found.Jobs...)
		}
		if found.Next != "" {
			answer.Next, answer.Short = strconv.Itoa(n)+"."+found.Next, found.Short
			return answer, nil
		}
		within = ""
	}
	return answer, nil
}

func notContinued() error {
	return farm.Invalid("the list cannot be continued", farm.Field("cursor", "was not given out by this farm for this order; begin again without it"))
}

// place is where a job stands among others.
type place struct {
	Key []byte `json:"k"` // of names it is no text
	ID  string `json:"i"`
}

// compare compares two places of an order.
func (o Order) compare(a, b place) int {
	by := bytes.Compare(a.Key, b.Key)
	if slices.Contains([]Order{NameDown, Priority, Longest, Furthest}, o) {
		by = -by
	}
	return cmp.Or(by, strings.Compare(b.ID, a.ID))
}

// keys are the keys of jobs in the order of a filter. What became known on the way is noted in the answer.
func (s *Search) keys(ctx context.Context, p farm.Principal, o Order, heads []farm.Job, answer *Jobs) ([][]byte, error) {
	switch o {
	case Furthest:
		return s.reached(heads)
	case Soonest:
		return s.finish(ctx, p, heads, answer)
	}
	key, keys := o.key(), make([][]byte, len(heads))
	for i := range heads {
		keys[i] = key(&heads[i])
	}
	return keys, nil
}

// key makes the keys of an order of which a job's head tells all.
func (o Order) key() func(job *farm.Job) []byte {
	switch o {
	case Oldest:
		return func(job *farm.Job) []byte { return []byte(job.ID) }
	case Priority:
		return func(job *farm.Job) []byte { return keyOfPriority(job.Priority) }
	case Longest:
		return func(job *farm.Job) []byte { return keyOfTime(int64(max(0, job.RenderTime()))) }
	}
	names, space := collate.New(language.Und, collate.IgnoreCase, collate.Numeric), new(collate.Buffer)
	return func(job *farm.Job) []byte {
		space.Reset()
		key := names.KeyFromString(space, cmp.Or(job.Name, job.Template.Composition))
		return bytes.Clone(key[:min(len(key), mostKey)])
	}
}

// mostKey is how many bytes of the key of a name count, which are those of about seventy letters.
const mostKey = 256

func keyOfTime(ns int64) []byte { return fmt.Appendf(nil, "%020d", ns) }

// priorityKey is added to priorities, so that none is below zero.
const priorityKey = 1_000_000

func keyOfPriority(priority int) []byte { return fmt.Appendf(nil, "%08d", priority+priorityKey) }

// placeOf reads the place that a cursor names, that before the first one for none.
func placeOf(cursor string) (after place, err error) {
	if text, err := base64.RawURLEncoding.DecodeString(cursor); err != nil || cursor != "" && json.Unmarshal(text, &after) != nil {
		return after, notContinued()
	}
	return after, nil
}

// cursorOf names a place, for placeOf.
func cursorOf(at place) (string, error) {
	text, err := json.Marshal(at)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// sorted sorts the jobs that a filter selects, and gives those behind the cursor: all of them where rosters have the order, else the newest mostRead.
func (s *Search) sorted(ctx context.Context, p farm.Principal, f Filter, cursor string, limit int) (Jobs, error) {
	answer := Jobs{Indexing: s.progress.Load()}
	after, err := placeOf(cursor)
	if err != nil {
		return answer, err
	}
	if found, answered, err := s.inRoster(ctx, p.Team, f, after, limit, false); answered || err != nil {
		return found, err
	}
	heads, all, err := s.heads(p.Team, f)
	if err != nil {
		return answer, err
	}
	if !all {
		found, answered, err := s.inRoster(ctx, p.Team, f, after, limit, true)
		if answered || err != nil {
			return found, err
		}
		answer.Partly, answer.Sorting = mostRead, found.Sorting
	}
	keys, err := s.keys(ctx, p, f.Order, heads, &answer)
	if err != nil {
		return answer, err
	}
	var places []place
	for i, head := range heads {
		if at := (place{keys[i], head.ID}); cursor == "" || f.Order.compare(at, after) > 0 {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, f.Order.compare)
	if len(places) > limit {
		if answer.Next, err = cursorOf(places[limit-1]); err != nil {
			return answer, err
		}
		places = places[:limit]
	}
	answer.Jobs, err = s.read(p.Team, f, places)
	return answer, err
}

// heads reads the heads of the newest jobs that a filter selects, mostRead at most; all says that there are no others.
func (s *Search) heads(team string, f Filter) (heads []farm.Job, all bool, err error) {
	q, err := f.query()
	if err != nil {
		return nil, false, err
	}
	before, err := f.upTo("")
	if err != nil {
		return nil, false, err
	}
	ids, all, err := s.candidates(team, f, q, before, mostRead)
	if err != nil {
		return nil, false, err
	}
	err = s.state.View(func(tx *raftstore.Tx) error {
		return f.each(tx, team, ids, func(head farm.Job) (bool, error) {
			heads = append(heads, head)
			return true, nil
		})
	})
	return heads, all, err
}

// read reads the jobs at some places. One that has gone since it was placed, or is no longer what the filter selects, is left out.
func (s *Search) read(team string, f Filter, places []place) (jobs []farm.Job, err error) {
	err = s.state.View(func(tx *raftstore.Tx) error {
		for _, at := range places {
			job, err := tx.Job(at.ID)
			if farm.CodeOf(err) == farm.CodeNotFound {
				continue
			}
			if err != nil {
				return err
			}
			if job.Team == team && f.selects(job) {
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	return jobs, err
}
