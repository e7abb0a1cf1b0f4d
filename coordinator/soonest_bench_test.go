package coordinator_test

import (
	"fmt"
	"testing"

	"overcrank/coordinator/search"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// BenchmarkSoonest lists 300 waiting jobs of one template, which has many compositions and versions, with those first that are likely to be done
// first, as the page of jobs does.
func BenchmarkSoonest(b *testing.B) {
	r := open(b)
	var names []string
	for n := range 60 {
		names = append(names, fmt.Sprintf("Composition %02d of the spring campaign", n))
	}
	title := r.uploaded(project(b, names)).ID
	for n := range 5 {
		r.enrol(fmt.Sprintf("suite-%d", n))
	}
	entries := make([]submission.BatchEntry, 300)
	for i := range entries {
		entries[i].Job = farm.Job{Name: fmt.Sprint("Variant ", i), Template: farm.JobTemplate{ID: title, Composition: names[i%len(names)]}}
	}
	if _, err := r.SubmitBatch(b.Context(), r.admin, entries); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found, err := r.Search().Select(b.Context(), r.admin, search.Filter{Order: search.Soonest}, "", 100)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.WhyWaitingEach(b.Context(), r.admin, idsOf(found.Jobs)); err != nil || len(found.Jobs) != 100 {
			b.Fatal(len(found.Jobs), err)
		}
	}
}

func idsOf(jobs []farm.Job) (ids []string) {
	for _, job := range jobs {
		ids = append(ids, job.ID)
	}
	return ids
}
