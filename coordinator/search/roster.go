package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"overcrank/farm"
)

// roster has of all jobs of a team, in memory, what lists are sorted and filtered by. It is a little behind the state, which is asked again about what
// is shown.
type roster struct {
	mu   sync.RWMutex
	rows []row // by id
}

// row is a job. Of what filters name there are sums: two texts with the same are told apart when the job is read.
type row struct {
	id                           ulid.ULID
	name                         string // its key in the order of names
	tags                         string // sums, four bytes each
	rendered                     int64  // ns
	by, template, batch, project uint32
	priority                     int32
	state                        uint8 // a bit
}

// bitOf is the bit of a state.
func bitOf(status farm.JobStatus) uint8 { return 1 << (1 + slices.Index(farm.JobStatuses(), status)) }

// rowOf is the row of a job by its head; name makes the key of its name.
func rowOf(head *farm.Job, name func(*farm.Job) []byte) (row, error) {
	id, err := ulid.ParseStrict(head.ID)
	if err != nil {
		return row{}, fmt.Errorf("the id %q of a job: %w", head.ID, err)
	}
	r := row{
		id: id, name: string(name(head)), rendered: int64(max(0, head.RenderTime())), priority: int32(head.Priority),
		state: bitOf(head.Status),
		by:    shortSum(head.SubmittedBy), template: shortSum(head.Template.ID), batch: shortSum(head.Batch), project: shortSum(head.ProjectID),
	}
	if len(head.Tags) > 0 {
		var sums []byte
		for _, tag := range head.Tags[:min(len(head.Tags), mostTags)] {
			sums = binary.BigEndian.AppendUint32(sums, shortSum(tag))
		}
		r.tags = string(sums)
	}
	return r, nil
}

func shortSum(text string) uint32 {
	sum := emptySum.withText(text)
	return uint32(sum>>32) ^ uint32(sum)
}

// change puts rows in, in the place of those with the same ids, and takes others out.
func (t *roster) change(put []row, gone []ulid.ULID) {
	byID := func(r row, id ulid.ULID) int { return r.id.Compare(id) }
	slices.SortFunc(put, func(a, b row) int { return a.id.Compare(b.id) })
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := 0 // new rows are gathered at the beginning of put, in their order
	for _, r := range put {
		if at, known := slices.BinarySearchFunc(t.rows, r.id, byID); known {
			t.rows[at] = r
		} else {
			put[fresh] = r
			fresh++
		}
	}
	t.merge(put[:fresh])
	if len(gone) > 0 {
		slices.SortFunc(gone, ulid.ULID.Compare)
		t.rows = slices.DeleteFunc(t.rows, func(r row) bool { _, is := slices.BinarySearchFunc(gone, r.id, ulid.ULID.Compare); return is })
	}
}

// merge puts new rows, in the order of their ids, among the others. Nearly all come behind them.
func (t *roster) merge(fresh []row) {
	old, end := len(t.rows), len(t.rows)+len(fresh)
	t.rows = append(t.rows, fresh...)
	for len(fresh) > 0 && old > 0 {
		end--
		if last := len(fresh) - 1; t.rows[old-1].id.Compare(fresh[last].id) > 0 {
			old--
			t.rows[end] = t.rows[old]
		} else {
			t.rows[end] = fresh[last]
			fresh = fresh[:last]
		}
	}
	copy(t.rows, fresh)
}

// wanted is a filter as rows are compared with it.
type wanted struct {
	by, template, batch, tag, project uint32
	of                                Filter
	states                            uint8 // their bits
	from, to                          ulid.ULID
}

func (f Filter) wanted() (w wanted, err error) {
	w = wanted{by: shortSum(f.By), template: shortSum(f.Template), batch: shortSum(f.Batch), tag: shortSum(f.Tag), project: shortSum(f.Project), of: f}
	for _, status := range f.States {
		w.states |= bitOf(status)
	}
	for _, b := range []struct {
		id *ulid.ULID
		at time.Time
	}{{&w.from, f.From}, {&w.to, f.To}} {
		if b.at.IsZero() {
			continue
		}
		if *b.id, err = ulid.ParseStrict(idAt(b.at)); err != nil {
			return w, fmt.Errorf("the time of a filter: %w", err)
		}
	}
	return w, nil
}

// has says whether a row is likely to be one of what is wanted.
func (w *wanted) has(r *row) bool {
	return (w.states == 0 || w.states&r.state != 0) &&
		(w.of.By == "" || r.by == w.by) &&
		(w.of.Template == "" || r.template == w.template) &&
		(w.of.Batch == "" || r.batch == w.batch) &&
		(w.of.Project == "" || r.project == w.project) &&
		(w.of.Tag == "" || r.tagged(w.tag)) &&
		(w.of.From.IsZero() || r.id.Compare(w.from) >= 0) &&
		(w.of.To.IsZero() || r.id.Compare(w.to) < 0)
}

func (r *row) tagged(sum uint32) bool {
	for list := r.tags; len(list) >= 4; list = list[4:] {
		if binary.BigEndian.Uint32([]byte(list[:4])) == sum {
			return true
		}
	}
	return false
}

// compare compares rows in an order that rosters have.
func (o Order) compareRows(a, b *row) int {
	switch o {
	case ByName:
		return cmp.Or(strings.Compare(a.name, b.name), b.id.Compare(a.id))
	case NameDown:
		return cmp.Or(strings.Compare(b.name, a.name), b.id.Compare(a.id))
	case Longest:
		return cmp.Or(cmp.Compare(b.rendered, a.rendered), b.id.Compare(a.id))
	case Priority:
		return cmp.Or(cmp.Compare(b.priority, a.priority), b.id.Compare(a.id))
	}
	return a.id.Compare(b.id) // Oldest
}

// inRosters says whether rosters have the order.
func (o Order) inRosters() bool {
	return slices.Contains([]Order{ByName, NameDown, Longest, Priority, Oldest}, o)
}

// placeOf is where a row stands, as keys and cursors say it.
func (o Order) placeOf(r *row) place {
	at := place{ID: r.id.String()}
	switch o {
	case ByName, NameDown:
		at.Key = []byte(r.name)
	case Longest:
		at.Key = keyOfTime(r.rendered)
	case Priority:
		at.Key = keyOfPriority(int(r.priority))
	case Oldest:
		at.Key = []byte(at.ID)
	}
	return at
}

// rowAt is a row that stands at a place.
func (o Order) rowAt(at place) (r row, err error) {
	if r.id, err = ulid.ParseStrict(at.ID); err != nil {
		return r, notContinued()
	}
	var n int64
	switch o {
	case ByName, NameDown:
		r.name = string(at.Key)
	case Longest:
		r.rendered, err = strconv.ParseInt(string(at.Key), 10, 64)
	case Priority:
		n, err = strconv.ParseInt(string(at.Key), 10, 32)
		r.priority = int32(n - priorityKey)
	}
	if err != nil {
		return r, notContinued()
	}
	return r, nil
}

// Rows are looked at by blocks, of which each is a stride behind the one before: in their order each row would be better than those before where names
// are numbered, and one by one each would be far from the one before in memory.
const stride, block = 64, 64

// each calls do for all rows.
func (t *roster) each(do func(*row)) {
	for begin := range stride {
		for i := begin * block; i < len(t.rows); i += stride * block {
			for j := range t.rows[i:min(i+block, len(t.rows))] {
				do(&t.rows[i+j])
			}
		}
	}
}

// first gives the first places, at most limit, of what is wanted behind another place in an order, how many are wanted in any place, and whether there are
// more behind these. among are the rows that come into question, nil for all.
func (t *roster) first(o Order, w *wanted, among map[ulid.ULID]bool, after *row, limit int) (places []place, total int, more bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var best []*row
	t.each(func(r *row) {
		if !w.has(r) || among != nil && !among[r.id] {
			return
		}
		total++
		if after != nil && o.compareRows(r, after) <= 0 || len(best) > limit && o.compareRows(r, best[limit]) > 0 {
			return
		}
		at, _ := slices.BinarySearchFunc(best, r, o.compareRows)
		best = slices.Insert(best, at, r)
		best = best[:min(len(best), limit+1)]
	})
	for _, r := range best[:min(len(best), limit)] {
		places = append(places, o.placeOf(r))
	}
	return places, total, len(best) > limit
}
