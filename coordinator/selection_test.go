package coordinator_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/search"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// listed gives the names of what a filter selects, page by page.
func (r *rig) listed(p farm.Principal, f search.Filter, limit int) (names []string) {
	r.t.Helper()
	for before, pages := "", 0; ; pages++ {
		found, err := r.SelectJobs(r.t.Context(), p, f, before, limit)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, job := range found.Jobs {
			names = append(names, job.Name)
		}
		if before = found.Next; before == "" {
			return names
		}
		if pages > 20 {
			r.t.Fatalf("the list goes on after %q", names)
		}
	}
}

func TestJobsAreListedByWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, two := r.uploaded(project(t, []string{"main"})).ID, r.uploaded(project(t, []string{"main"})).ID
	r.submit(saying(one, "Spring", "tulips", "sale"))
	r.submit(saying(two, "Summer", "roses", "sale", "beach"))
	autumn := r.submit(saying(one, "Autumn", "leaves"))
	winter := r.submit(saying(two, "Winter", "roses under snow", "sale"))
	if _, err := r.CancelJobs(t.Context(), r.admin, []string{winter.ID}, true); err != nil {
		t.Fatal(err)
	}
	waiting, tomorrow := []farm.JobStatus{farm.JobQueued, farm.JobPending}, autumn.CreatedAt.Add(24*time.Hour)
	for name, c := range map[string]struct {
		filter search.Filter
		want   []string
	}{
		"everything":             {search.Filter{}, []string{"Winter", "Autumn", "Summer", "Spring"}},
		"by state":               {search.Filter{States: waiting}, []string{"Autumn", "Summer", "Spring"}},
		"by template":            {search.Filter{Template: two}, []string{"Winter", "Summer"}},
		"by template and state":  {search.Filter{Template: two, States: waiting}, []string{"Summer"}},
		"by tag":                 {search.Filter{Tag: "sale"}, []string{"Winter", "Summer", "Spring"}},
		"by part of a tag":       {search.Filter{Tag: "sal"}, nil},
		"by tag and template":    {search.Filter{Tag: "sale", Template: one}, []string{"Spring"}},
		"by who submitted it":    {search.Filter{By: autumn.SubmittedBy}, []string{"Winter", "Autumn", "Summer", "Spring"}},
		"by nobody who is there": {search.Filter{By: "nobody"}, nil},
		"by the beginning":       {search.Filter{Text: "rose"}, []string{"Winter", "Summer"}},
		"by words":               {search.Filter{Text: "roses"}, []string{"Winter", "Summer"}},
		"by words and state":     {search.Filter{Text: "roses", States: waiting}, []string{"Summer"}},
		"by words and tag":       {search.Filter{Text: "ros", Tag: "beach"}, []string{"Summer"}},
		"from tomorrow":          {search.Filter{From: tomorrow}, nil},
		"up to tomorrow":         {search.Filter{To: tomorrow, Template: one}, []string{"Autumn", "Spring"}},
		"before it all":          {search.Filter{To: autumn.CreatedAt.Add(-time.Hour)}, nil},
		"since an hour before":   {search.Filter{From: autumn.CreatedAt.Add(-time.Hour), Tag: "beach"}, []string{"Summer"}},
	} {
		for _, limit := range []int{1, 2, 50} {
			var last []string
			r.eventually(fmt.Sprintf("%s, %d at a time, lists %q", name, limit, c.want), func() bool {
				last = r.listed(r.admin, c.filter, limit)
				return slices.Equal(last, c.want)
			})
		}
	}
	if _, err := r.SelectJobs(t.Context(), r.admin, search.Filter{Tag: "sale"}, "no id", 10); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("a cursor that is none: %v", err)
	}
}

func TestJobsAreListedInEachOrder(t *testing.T) {
	t.Parallel()
	r := open(t)
	template := r.uploaded(project(t, []string{"main"})).ID
	for i, name := range []string{"shot 10", "Shot 2", "étude", "Zoom", "alpha"} {
		job := r.submit(saying(template, name, "word", "all"))
		priority := []int{0, 5, -3, 5, 0}[i]
		if _, err := r.ChangeJob(t.Context(), r.admin, job.ID, coordinator.JobChange{Priority: &priority}); err != nil {
			t.Fatal(err)
		}
		if name == "Zoom" {
			if _, err := r.CancelJobs(t.Context(), r.admin, []string{job.ID}, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting := []farm.JobStatus{farm.JobQueued, farm.JobPending}
	for name, c := range map[string]struct {
		filter search.Filter
		want   []string
	}{
		"oldest":                  {search.Filter{Order: search.Oldest}, []string{"shot 10", "Shot 2", "étude", "Zoom", "alpha"}},
		"oldest of words":         {search.Filter{Order: search.Oldest, Text: "word"}, []string{"shot 10", "Shot 2", "étude", "Zoom", "alpha"}},
		"name":                    {search.Filter{Order: search.ByName}, []string{"alpha", "étude", "Shot 2", "shot 10", "Zoom"}},
		"name down":               {search.Filter{Order: search.NameDown}, []string{"Zoom", "shot 10", "Shot 2", "étude", "alpha"}},
		"name of those that wait": {search.Filter{Order: search.ByName, Tag: "all", States: waiting}, []string{"alpha", "étude", "Shot 2", "shot 10"}},
		"state":                   {search.Filter{Order: search.ByState}, []string{"alpha", "étude", "Shot 2", "shot 10", "Zoom"}},
		"state of a template":     {search.Filter{Order: search.ByState, Template: template}, []string{"alpha", "étude", "Shot 2", "shot 10", "Zoom"}},
		"state of one state":      {search.Filter{Order: search.ByState, States: []farm.JobStatus{farm.JobCancelled}}, []string{"Zoom"}},
		"priority of a tag":       {search.Filter{Order: search.Priority, Tag: "all", States: waiting}, []string{"Shot 2", "shot 10", "alpha", "étude"}},
		"priority of words":       {search.Filter{Order: search.Priority, Text: "word"}, []string{"Zoom", "Shot 2", "alpha", "shot 10", "étude"}},
		"progress":                {search.Filter{Order: search.Furthest}, []string{"alpha", "étude", "Shot 2", "shot 10", "Zoom"}}, // none has begun, and one has ended
		"progress of one state":   {search.Filter{Order: search.Furthest, States: []farm.JobStatus{farm.JobCancelled}}, []string{"Zoom"}},
		"soonest of words":        {search.Filter{Order: search.Soonest, Text: "word"}, []string{"alpha", "étude", "Shot 2", "shot 10", "Zoom"}}, // without a machine nobody can tell
		"render time":             {search.Filter{Order: search.Longest}, []string{"alpha", "Zoom", "étude", "Shot 2", "shot 10"}},               // none rendered
	} {
		for _, limit := range []int{1, 2, 50} {
			var last []string
			r.eventually(fmt.Sprintf("%s, %d at a time, lists %q", name, limit, c.want), func() bool {
				last = r.listed(r.admin, c.filter, limit)
				return slices.Equal(last, c.want)
			})
		}
	}
	for _, f := range []search.Filter{{Order: search.Oldest}, {Order: search.ByName}, {Order: search.ByState}, {Order: search.Furthest}, {Order: search.Soonest}, {Order: search.Priority, Text: "word"}} {
		for _, cursor := range []string{"no cursor", "9.x", "e30x"} {
			if _, err := r.SelectJobs(t.Context(), r.admin, f, cursor, 10); farm.CodeOf(err) != farm.CodeInvalid {
				t.Errorf("the cursor %q in the order %q: %v", cursor, f.Order, err)
			}
		}
	}
	if _, err := r.SelectJobs(t.Context(), r.admin, search.Filter{Order: "weather"}, "", 10); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("an order that is none: %v", err)
	}
}

func TestLongListsAreSortedWhole(t *testing.T) {
	t.Parallel()
	r := open(t)
	const jobs = 2400 // more than are read and sorted at once
	var ids []string
	for len(ids) < jobs {
		entries := make([]submission.BatchEntry, 800)
		for i := range entries {
			n := len(ids) + i
			entries[i].Job = farm.Job{Name: fmt.Sprint("Shot ", n), Hold: true, Tags: []string{fmt.Sprint("tag", n%2)}, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
		}
		made, err := r.SubmitBatch(t.Context(), r.admin, entries)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range made.Batch.Jobs {
			ids = append(ids, job.ID)
		}
	}
	lists := func(f search.Filter, want ...string) {
		t.Helper()
		var last []string
		r.eventually(fmt.Sprintf("%+v begins with %q", f, want), func() bool {
			found, err := r.SelectJobs(t.Context(), r.admin, f, "", 2)
			if err != nil {
				t.Fatal(err)
			}
			more, err := r.SelectJobs(t.Context(), r.admin, f, found.Next, 1)
			if err != nil {
				t.Fatal(err)
			}
			last = nil
			for _, job := range append(found.Jobs, more.Jobs...) {
				last = append(last, job.Name)
			}
			return slices.Equal(last, want) && found.Partly == 0
		})
	}
	held := []farm.JobStatus{farm.JobQueued}
	sorted := r.WatchSome(t.Context(), r.admin, func(e farm.Event) bool { return e.Kind == farm.EventOrder })
	lists(search.Filter{Order: search.ByName}, "Shot 0", "Shot 1", "Shot 2")
	select {
	case <-sorted:
	case <-time.After(30 * time.Second):
		t.Error("nobody is told that the jobs can be sorted whole")
	}
	lists(search.Filter{Order: search.NameDown, States: held}, "Shot 2399", "Shot 2398", "Shot 2397")
	lists(search.Filter{Order: search.ByName, Text: "shot"}, "Shot 0", "Shot 1", "Shot 2")
	lists(search.Filter{Order: search.ByName, Tag: "tag1"}, "Shot 1", "Shot 3", "Shot 5")
	if _, err := r.CancelJobs(t.Context(), r.admin, ids[:2], true); err != nil {
		t.Fatal(err)
	}
	r.submit(func(j *farm.Job) { j.Name, j.Hold = "Shot 3a", true })
	lists(search.Filter{Order: search.ByName, States: held}, "Shot 2", "Shot 3", "Shot 3a")
	lists(search.Filter{Order: search.Oldest, Text: "shot"}, "Shot 0", "Shot 1", "Shot 2")
}

func TestJobsThatRenderAreSortedByWhatIsAheadOfThem(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := &studio{rig: open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })}
	s.template = s.uploaded(project(t, []string{"main"})).ID
	s.stations = append(s.stations, s.enrol("one"))
	s.stations[0].connect()
	measuredRun(s, c, func(farm.Job, wire.Lease) {})
	second := s.enrol("two")
	second.connect()
	s.stations = append(s.stations, second)
	named := func(name string) func(*farm.Job) { return func(j *farm.Job) { j.Name, j.MaxMachines = name, 1 } }
	s.film(named("first"))
	s.film(named("second"))
	leases := map[string]held{}
	for _, station := range s.stations {
		l := station.lease()
		job, err := s.Job(t.Context(), s.admin, l.Job)
		if err != nil {
			t.Fatal(err)
		}
		leases[job.Name] = held{station, l}
	}
	s.film(named("held"), func(j *farm.Job) { j.Hold = true })
	s.film(named("waits"))
	reach := func(name string, percent float64) {
		leases[name].say(wire.Message{Progress: &wire.Progress{Attempt: leases[name].Attempt, Percent: percent, FramesTotal: 100}})
	}
	c.pass(20 * time.Second)
	reach("first", 70)
	reach("second", 20)
	open := []farm.JobStatus{farm.JobRendering, farm.JobQueued, farm.JobPending}
	lists := func(order search.Order, want ...string) {
		t.Helper()
		for _, limit := range []int{1, 50} {
			var last []string
			s.eventually(fmt.Sprintf("%q, %d at a time, lists %q", order, limit, want), func() bool {
				last = s.listed(s.admin, search.Filter{Order: order, States: open}, limit)
				return slices.Equal(last, want)
			})
		}
	}
	lists(search.Furthest, "first", "second", "waits", "held")
	lists(search.Soonest, "first", "second", "waits", "held")
	found, err := s.SelectJobs(t.Context(), s.admin, search.Filter{Order: search.Soonest}, "", 2)
	if err != nil || len(found.Jobs) != 2 || found.Finish[found.Jobs[0].ID].High <= 0 || found.Finish[found.Jobs[0].ID].High > found.Finish[found.Jobs[1].ID].High {
		t.Errorf("the first two are likely to be done in %+v, %v", found.Finish, err)
	}
	c.pass(20 * time.Second)
	reach("second", 95)
	lists(search.Furthest, "second", "first", "waits", "held")
	lists(search.Soonest, "second", "first", "waits", "held")
}
