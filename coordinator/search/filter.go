package search

import (
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Filter selects jobs: those that have all that it names. An empty field selects nothing out.
type Filter struct {
	Text     string // words, as in Find
	By       string // who submitted them
	Template string // id
	Batch    string // id
	Tag      string
	Project  string // id
	Machine  string // id of one that worked on them
	States   []farm.JobStatus
	From, To time.Time // when they were submitted; to the millisecond
	Order    Order
	// Minimal has the newest first come without fonts, assets, upload and webhook.
	Minimal bool
}

// Narrow says whether more is asked for than states.
func (f Filter) Narrow() bool {
	return f.Text != "" || f.By != "" || f.Template != "" || f.Batch != "" || f.Tag != "" || f.Project != "" || f.Machine != "" || !f.From.IsZero() || !f.To.IsZero()
}

// Jobs are some of the jobs that a filter selects, in its order.
type Jobs struct {
	Jobs []farm.Job
	// Next is the cursor with which the list goes on, "" at its end; of the newest first, the id before which it does.
	Next string
	// Short says that so many others were looked at that the answer was given before it was full.
	Short bool
	// Partly is how many jobs were sorted, the newest, where there are more of them than are sorted at once; else 0.
	Partly int
	// Sorting says that all of them are being put in order, where Partly is not 0: whoever watches the team is told with farm.EventOrder.
	Sorting bool
	// Finish is when those that have not ended are likely to be done, by their ids, in the order Soonest. Unforecast says that there are so many of them
	// that some were not asked about.
	Finish     map[string]farm.Span
	Unforecast bool
	Indexing   *Progress // see Answer
}

const (
	// mostRead is how many jobs are read for one answer at most: the index knows no states, which change too often.
	mostRead = 2000
	// spare is how many more than a page has are looked up first where no states are asked for: nearly all that the index names are then selected.
	spare = 16
	// mostWalked is in how many jobs of some states each is looked at, rather than what the index says.
	mostWalked = 500
	// mostTags is how many tags of a job a filter can name.
	mostTags = 16
)

// newest lists the newest jobs that a filter selects, before the job with that id where one is given.
func (s *Search) newest(team string, f Filter, before string, limit int) (Jobs, error) {
	q, err := f.query()
	if err != nil {
		return Jobs{}, err
	}
	before, err = f.upTo(before)
	if err != nil {
		return Jobs{}, err
	}
	return s.page(team, f, q, limit, func(most int) ([]string, bool, error) { return s.candidates(team, f, q, before, most) })
}

// page reads a page of what a filter selects among candidates: of a few more than it has at first, where that is likely to do, and then of mostRead.
func (s *Search) page(team string, f Filter, q Query, limit int, candidates func(most int) (ids []string, all bool, err error)) (Jobs, error) {
	answer, most := Jobs{Indexing: s.progress.Load()}, mostRead
	if len(f.States) == 0 && !q.Empty() {
		most = min(limit+spare, mostRead)
	}
	for {
		ids, all, err := candidates(most)
		if err != nil {
			return answer, err
		}
		if err := s.pick(team, f, ids, all, limit, &answer); err != nil || !answer.Short || len(ids) < most || most == mostRead {
			return answer, err
		}
		answer, most = Jobs{Indexing: answer.Indexing}, mostRead
	}
}

// candidates are the ids of the newest jobs that a filter may select, before the job with that id where one is given: of those that the index names as
// many as most, of others mostRead at most; all says that there are no others.
func (s *Search) candidates(team string, f Filter, q Query, before string, most int) (ids []string, all bool, err error) {
	few, err := s.fewIn(team, f)
	switch {
	case err != nil:
		return nil, false, err
	case q.Empty() && f.Machine != "" && !few:
		return s.onMachine(team, f, before)
	case few || q.Empty():
		return s.inStates(team, f, before)
	}
	x := s.index.Load()
	if x == nil {
		return nil, true, nil
	}
	all, err = x.find(shelf{KindJob, team}, q, before, func(id string) bool {
		ids = append(ids, id)
		return len(ids) < most+nearby
	})
	if err != nil {
		s.changes.tell() // a damaged index is made again
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) // as the list is: numbers are only nearly in that order
	if len(ids) > most {
		ids, all = ids[:most], false
	}
	return ids, all, err
}

// pick reads the jobs of ids in their order, and keeps those that the filter selects.
func (s *Search) pick(team string, f Filter, ids []string, all bool, limit int, answer *Jobs) error {
	return s.state.View(func(tx *raftstore.Tx) error {
		full := false
		err := f.each(tx, team, ids, func(head farm.Job) (bool, error) {
			if full = len(answer.Jobs) == limit; full {
				answer.Next = answer.Jobs[limit-1].ID
				return false, nil
			}
			job, err := head, error(nil)
			if !f.Minimal {
				job, err = tx.Job(head.ID)
			}
			answer.Jobs = append(answer.Jobs, job)
			return true, err
		})
		if err != nil || full {
			return err
		}
		if !all && len(ids) > 0 && ids[len(ids)-1] >= f.firstID() {
			answer.Next, answer.Short = ids[len(ids)-1], true
		}
		return nil
	})
}

// each reads the heads of those jobs of ids that the filter selects, in their order, until do says that it has enough.
func (f Filter) each(tx *raftstore.Tx, team string, ids []string, do func(head farm.Job) (more bool, err error)) error {
	first := f.firstID()
	for _, id := range ids {
		if id < first {
			return nil
		}
		head, err := tx.JobHead(id)
		if farm.CodeOf(err) == farm.CodeNotFound || err == nil && (head.Team != team || !f.selects(head)) {
			continue
		}
		if err != nil {
			return err
		}
		worked, err := f.ranOnMachine(tx, id)
		if err != nil {
			return err
		}
		if !worked {
			continue
		}
		if more, err := do(head); err != nil || !more {
			return err
		}
	}
	return nil
}

// fewIn says whether so few jobs are in the states of a filter that each may be looked at: the state itself is then asked, which is never behind.
// What values jobs have only the index tells.
func (s *Search) fewIn(team string, f Filter) (few bool, err error) {
	if len(f.States) == 0 || f.Text != "" {
		return false, nil
	}
	err = s.state.View(func(tx *raftstore.Tx) error {
		counts, err := tx.CountJobs(team)
		n := 0
		for _, status := range f.States {
			n += counts[status]
		}
		few = n <= mostWalked
		return err
	})
	return few, err
}

// inStates are the ids of the newest jobs in the states of a filter.
func (s *Search) inStates(team string, f Filter, before string) (ids []string, all bool, err error) {
	q := farm.JobQuery{States: f.States, Sort: "newest_first", Limit: mostRead, Minimal: true, From: f.From, To: f.endOf(before)}
	err = s.state.View(func(tx *raftstore.Tx) error {
		jobs, next, err := tx.Jobs(team, q)
		for _, job := range jobs {
			if before == "" || job.ID < before {
				ids = append(ids, job.ID)
			}
		}
		all = next == ""
		return err
	})
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	return ids, all, err
}

// onMachine are the ids of the newest jobs that the machine of a filter worked on.
func (s *Search) onMachine(team string, f Filter, before string) (ids []string, all bool, err error) {
	err = s.state.View(func(tx *raftstore.Tx) error {
		found, more, err := tx.MachineJobs(team, f.Machine, f.endOf(before), mostRead)
		for _, id := range found {
			if before == "" || id < before {
				ids = append(ids, id)
			}
		}
		all = !more
		return err
	})
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	return ids, all, err
}

// endOf is the moment before which jobs have to be submitted to stand before the job with an id, or in the filter's time without one.
func (f Filter) endOf(before string) time.Time {
	if id, err := ulid.ParseStrict(before); err == nil {
		return ulid.Time(id.Time()).Add(time.Millisecond)
	}
	return f.To
}

// ranOnMachine says whether a job is one that the machine of the filter worked on, if it names one.
func (f Filter) ranOnMachine(tx *raftstore.Tx, id string) (bool, error) {
	if f.Machine == "" {
		return true, nil
	}
	return tx.WorkedOn(f.Machine, id)
}

// selects says whether a job is one that is asked for, as far as its head tells.
func (f Filter) selects(job farm.Job) bool {
	return (len(f.States) == 0 || slices.Contains(f.States, job.Status)) &&
		(f.By == "" || job.SubmittedBy == f.By) &&
		(f.Template == "" || job.Template.ID == f.Template) &&
		(f.Batch == "" || job.Batch == f.Batch) &&
		(f.Tag == "" || slices.Contains(job.Tags, f.Tag)) &&
		(f.Project == "" || job.ProjectID == f.Project) &&
		(f.From.IsZero() || !job.CreatedAt.Before(f.From)) &&
		(f.To.IsZero() || job.CreatedAt.Before(f.To))
}

// query is what the index is asked for.
func (f Filter) query() (Query, error) {
	q, err := Read(f.Text)
	if err != nil {
		return q, err
	}
	for _, field := range []struct {
		mark  byte
		value string
	}{{markBy, f.By}, {markTemplate, f.Template}, {markBatch, f.Batch}, {markTag, f.Tag}, {markProject, f.Project}} {
		if field.value != "" {
			q.words = append(q.words, markOf(field.mark, field.value))
		}
	}
	return q, nil
}

// upTo is the id before which the list begins: that of the page before, or the first of the filter's end.
func (f Filter) upTo(before string) (string, error) {
	if before == "" {
		if f.To.IsZero() {
			return "", nil
		}
		return idAt(f.To), nil
	}
	if _, err := ulid.ParseStrict(before); err != nil {
		return "", farm.Invalid("the list cannot be continued", farm.Field("before", "is not the id of a job; begin again without it"))
	}
	return before, nil
}

// firstID is the first id that a job of the filter's time can have.
func (f Filter) firstID() string {
	if f.From.IsZero() {
		return ""
	}
	return idAt(f.From)
}

// idAt is the first id of a moment: ids begin with when they were made.
func idAt(at time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(uint64(max(0, at.UnixMilli()))); err != nil {
		_ = id.SetTime(ulid.MaxTime()) // a moment after the year 10889
	}
	return id.String()
}

// What the words begin with that stand for a field as a whole; no word of a text begins so.
const (
	markBy       = 'b'
	markTemplate = 't'
	markBatch    = 'c'
	markTag      = 'g'
	markProject  = 'p'
)

// marksOf are the words by which filters find a job.
func marksOf(job farm.Job) (marks []string) {
	add := func(mark byte, value string) {
		if value != "" {
			marks = append(marks, markOf(mark, value))
		}
	}
	add(markBy, job.SubmittedBy)
	add(markTemplate, job.Template.ID)
	add(markBatch, job.Batch)
	add(markProject, job.ProjectID)
	for _, tag := range job.Tags[:min(len(job.Tags), mostTags)] {
		add(markTag, tag)
	}
	return marks
}

// markOf is the word of a field with a value. Values may be long; two with the same sum are told apart when the job is read.
func markOf(mark byte, value string) string {
	sum, word := emptySum.withText(value), [18]byte{0: '\x01', 1: mark}
	for i := range 16 {
		word[2+i] = "0123456789abcdef"[sum>>(60-4*i)&15]
	}
	return string(word[:])
}
