package search

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"overcrank/farm"
)

// TestARosterListsAsThePlainRuleDoes changes a roster by chance, and compares its pages with all jobs, filtered and sorted as they are.
func TestARosterListsAsThePlainRuleDoes(t *testing.T) {
	t.Parallel()
	start := time.UnixMilli(1_700_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		rows, jobs, name := &roster{}, map[string]farm.Job{}, ByName.key()
		one := func(of string, n int) string { return fmt.Sprint(of, rapid.IntRange(0, n).Draw(t, of)) }
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			var put []row
			var gone []ulid.ULID
			touched := map[string]bool{}
			for range rapid.IntRange(0, 40).Draw(t, "jobs") {
				at := start.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "at")) * time.Millisecond)
				id := idAt(at)
				if touched[id] {
					continue
				}
				touched[id] = true
				if _, known := jobs[id]; known && rapid.Bool().Draw(t, "goes") {
					delete(jobs, id)
					gone = append(gone, ulid.MustParse(id))
					continue
				}
				job := farm.Job{
					ID: id, CreatedAt: at, Name: one("Shot ", 12), SubmittedBy: one("by", 1), Batch: one("batch", 1), ProjectID: one("project", 1), Tags: []string{one("tag", 2), one("tag", 2)},
					Template: farm.JobTemplate{ID: one("template", 1)}, Priority: rapid.IntRange(-2, 2).Draw(t, "priority"), Rendered: int64(rapid.IntRange(0, 3).Draw(t, "rendered")),
					Status: rapid.SampledFrom(farm.JobStatuses()).Draw(t, "status"),
				}
				jobs[id] = job
				r, err := rowOf(&job, name)
				if err != nil {
					t.Fatal(err)
				}
				put = append(put, r)
			}
			rows.change(put, gone)
		}
		f := Filter{Order: rapid.SampledFrom([]Order{ByName, NameDown, Longest, Priority, Oldest}).Draw(t, "order")}
		for field, value := range map[*string]string{&f.By: "by1", &f.Template: "template1", &f.Batch: "batch1", &f.Tag: "tag1", &f.Project: "project1"} {
			if rapid.IntRange(0, 3).Draw(t, "asked") == 0 {
				*field = value
			}
		}
		if rapid.Bool().Draw(t, "states") {
			f.States = []farm.JobStatus{farm.JobFinished, farm.JobQueued}
		}
		if rapid.Bool().Draw(t, "times") {
			f.From, f.To = start.Add(10*time.Millisecond), start.Add(50*time.Millisecond)
		}
		key := f.Order.key()
		var want []place
		for _, job := range jobs {
			if f.selects(job) {
				want = append(want, place{key(&job), job.ID})
			}
		}
		slices.SortFunc(want, f.Order.compare)
		wanted, err := f.wanted()
		if err != nil {
			t.Fatal(err)
		}
		var got []place
		var behind *row
		for limit := rapid.IntRange(1, 20).Draw(t, "limit"); ; {
			places, total, more := rows.first(f.Order, &wanted, nil, behind, limit)
			if total != len(want) {
				t.Fatalf("%d are wanted, and %d are counted", len(want), total)
			}
			if got = append(got, places...); !more {
				break
			}
			r, err := f.Order.rowAt(places[len(places)-1])
			if err != nil {
				t.Fatal(err)
			}
			behind = &r
		}
		if !slices.EqualFunc(got, want, func(a, b place) bool { return a.ID == b.ID && slices.Equal(a.Key, b.Key) }) {
			t.Fatalf("in the order %q are\n%q, want\n%q", f.Order, got, want)
		}
	})
}

// BenchmarkRoster sorts 100,000 jobs whose names are numbered, as those of a batch are.
func BenchmarkRoster(b *testing.B) {
	rows, name := &roster{}, ByName.key()
	var put []row
	for n := range 100_000 {
		job := farm.Job{ID: idAt(time.UnixMilli(int64(n))), Name: fmt.Sprintf("Variant %06d of the autumn spot", n), Tags: []string{fmt.Sprint("campaign-", n%100)}}
		r, err := rowOf(&job, name)
		if err != nil {
			b.Fatal(err)
		}
		put = append(put, r)
	}
	rows.change(put, nil)
	for _, order := range []Order{ByName, NameDown, Longest} {
		b.Run(string(order), func(b *testing.B) {
			for b.Loop() {
				rows.first(order, &wanted{}, nil, nil, 100)
			}
		})
	}
}

// TestAListDoesNotWaitForARoster asks for one that nothing makes, and then for one that is there, or that never comes.
func TestAListDoesNotWaitForARoster(t *testing.T) {
	t.Parallel()
	x := opened(t, t.TempDir())
	t.Cleanup(func() {
		if err := x.close(); err != nil {
			t.Error(err)
		}
	})
	s := &Search{changes: NewChanges()}
	s.index.Store(x)
	began := time.Now()
	if rows, comes := s.rosterOf(t.Context(), "team", true); rows != nil || !comes || time.Since(began) > 2*time.Second {
		t.Errorf("while it is made the roster is %v, comes: %v, after %v", rows, comes, time.Since(began))
	}
	s.rosters.put("team", &roster{})
	if rows, comes := s.rosterOf(t.Context(), "team", true); rows == nil || comes {
		t.Errorf("once it is made the roster is %v, comes: %v", rows, comes)
	}
	s.rosters.ask("large", time.Now())
	s.rosters.put("large", nil)
	if rows, comes := s.rosterOf(t.Context(), "large", true); rows != nil || comes {
		t.Errorf("of too many jobs the roster is %v, comes: %v", rows, comes)
	}
}
