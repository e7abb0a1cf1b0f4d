package search

import (
	"bytes"
	"cmp"
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
)

// Orders are all orders, as they are offered.
func Orders() []Order { return []Order{Newest, Oldest, ByName, NameDown, ByState, Priority, Longest} }

// Select lists what a filter selects of the caller's jobs, at most limit, in the filter's order; cursor is the Next of the page before. Where no index
// has the order, the newest that fit are sorted, and the answer says Partly when there are others.
func (s *Search) Select(p farm.Principal, f Filter, cursor string, limit int) (Jobs, error) {
	if err := p.May(farm.ActView); err != nil {
		return Jobs{}, err
	}
	switch {
	case f.Order == Newest:
		return s.newest(p.Team, f, cursor, limit)
	case f.Order == ByState:
		return s.byState(p.Team, f, cursor, limit)
	case f.walked() && f.Order == Oldest:
		return s.walk(p.Team, f, "oldest_first", cursor, limit)
	case f.walked() && f.Order == Priority:
		return s.walk(p.Team, f, "priority", cursor, limit)
	case slices.Contains(Orders(), f.Order):
		return s.sorted(p.Team, f, cursor, limit)
	}
	return Jobs{}, farm.Invalid("jobs cannot be listed", farm.FieldError{
		Field: "sort", Message: fmt.Sprintf("%.40q is no order; use oldest, name, name-down, state, priority or longest", string(f.Order))})
}

// walked says whether the lists of the state have all that a filter names.
func (f Filter) walked() bool {
	return f.Text == "" && f.By == "" && f.Template == "" && f.Batch == "" && f.Machine == ""
}

// walk reads a page in an order that the state keeps.
func (s *Search) walk(team string, f Filter, sort, cursor string, limit int) (found Jobs, err error) {
	q := farm.JobQuery{States: f.States, Project: f.Project, From: f.From, To: f.To, Sort: sort, Limit: limit, Cursor: cursor}
	if !f.To.IsZero() {
		q.To = f.To.Add(-1) // which a query counts in
	}
	if f.Tag != "" {
		q.Tags = []string{f.Tag}
	}
	err = s.state.View(func(tx *raftstore.Tx) error {
		found.Jobs, found.Next, err = tx.Jobs(team, q)
		return err
	})
	return found, err
}

// statesInOrder are the states that ByState lists one after the other.
func statesInOrder() [][]farm.JobStatus {
	return [][]farm.JobStatus{{farm.JobRendering}, {farm.JobQueued, farm.JobPending}, {farm.JobFailed}, {farm.JobCancelled}, {farm.JobFinished}}
}

// byState lists the jobs of one state after those of another. Its cursor is the place of a state and the id before which its jobs go on.
func (s *Search) byState(team string, f Filter, cursor string, limit int) (Jobs, error) {
	groups := statesInOrder()
	place, before, _ := strings.Cut(cursor, ".")
	first, err := strconv.Atoi(cmp.Or(place, "0"))
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
		found, err := s.newest(team, of, before, max(1, limit-len(answer.Jobs))) // one, to see whether the list goes on
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
		before = ""
	}
	return answer, nil
}

func notContinued() error {
	return farm.Invalid("the list cannot be continued", farm.FieldError{
		Field: "cursor", Message: "was not given out by this farm for this order; begin again without it"})
}

// place is where a job stands among others.
type place struct {
	Key []byte `json:"k"` // of names it is no text
	ID  string `json:"i"`
}

// compare compares two places of an order.
func (o Order) compare(a, b place) int {
	by := bytes.Compare(a.Key, b.Key)
	if o == NameDown || o == Priority || o == Longest {
		by = -by
	}
	return cmp.Or(by, strings.Compare(b.ID, a.ID))
}

// keys makes the keys of an order.
func (o Order) keys() func(job *farm.Job) []byte {
	switch o {
	case Oldest:
		return func(job *farm.Job) []byte { return []byte(job.ID) }
	case Priority:
		return func(job *farm.Job) []byte { return fmt.Appendf(nil, "%08d", job.Priority+1_000_000) }
	case Longest:
		return func(job *farm.Job) []byte { return fmt.Appendf(nil, "%020d", int64(max(0, job.RenderTime()))) }
	}
	names, space := collate.New(language.Und, collate.IgnoreCase, collate.Numeric), new(collate.Buffer)
	return func(job *farm.Job) []byte {
		space.Reset()
		return bytes.Clone(names.KeyFromString(space, cmp.Or(job.Name, job.Template.Composition)))
	}
}

// sorted sorts the newest jobs that a filter selects, and gives those behind the cursor. The cost is that of mostRead heads, however many jobs there are.
func (s *Search) sorted(team string, f Filter, cursor string, limit int) (Jobs, error) {
	answer := Jobs{Indexing: s.progress.Load()}
	var after place
	if text, err := base64.RawURLEncoding.DecodeString(cursor); err != nil || cursor != "" && json.Unmarshal(text, &after) != nil {
		return answer, notContinued()
	}
	q, err := f.query()
	if err != nil {
		return answer, err
	}
	before, err := f.upTo("")
	if err != nil {
		return answer, err
	}
	ids, all, err := s.candidates(team, f, q, before)
	if err != nil {
		return answer, err
	}
	answer.Partly = !all
	return answer, s.state.View(func(tx *raftstore.Tx) error {
		var places []place
		key := f.Order.keys()
		err := f.each(tx, team, ids, func(head farm.Job) (bool, error) {
			if at := (place{key(&head), head.ID}); cursor == "" || f.Order.compare(at, after) > 0 {
				places = append(places, at)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(places, f.Order.compare)
		for _, at := range places[:min(limit, len(places))] {
			job, err := tx.Job(at.ID)
			if err != nil {
				return err
			}
			answer.Jobs = append(answer.Jobs, job)
		}
		if len(places) > limit {
			text, err := json.Marshal(places[limit-1])
			answer.Next = base64.RawURLEncoding.EncodeToString(text)
			return err
		}
		return nil
	})
}
