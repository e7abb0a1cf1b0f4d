package coordinator_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"overcrank/coordinator/search"
	"overcrank/farm"
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
