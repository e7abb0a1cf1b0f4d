package web_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"overcrank/coordinator/search"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// BenchmarkJobsPage asks for pages of a list of 100,000 jobs, one request after the other: the newest, the oldest, those of a state, of words that
// one, all and no jobs have, and those that are sorted without an index; and for the overview of one person and of the team.
func BenchmarkJobsPage(b *testing.B) {
	r := start(b)
	const jobs, at = 100_000, 1000
	var last string
	for first := 0; first < jobs; first += at {
		entries := make([]submission.BatchEntry, at)
		for i := range entries {
			entries[i].Job = farm.Job{
				Name: fmt.Sprintf("Variant %06d of the autumn spot", first+i), Hold: true, Tags: []string{fmt.Sprintf("campaign-%d", (first+i)%100)},
				Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"},
			}
		}
		made, err := r.farm.SubmitBatch(b.Context(), r.principal("ada"), entries)
		if err != nil {
			b.Fatal(err)
		}
		last = made.Batch.Jobs[at-1].ID
	}
	b.Logf("the last job is found %v after it was submitted", r.found(last))
	v := r.as("ada")
	began := time.Now()
	v.fetch("/jobs?sort=name")
	first := time.Since(began)
	r.eventually("all jobs are sorted", func() bool {
		found, err := r.farm.SelectJobs(b.Context(), r.principal("ada"), search.Filter{Order: search.ByName}, "", 1)
		return err == nil && found.Partly == 0
	})
	b.Logf("the first list by name is answered in %v, and all are sorted after %v", first, time.Since(began))
	for name, path := range map[string]string{
		"newest": "/jobs", "oldest": "/jobs?sort=oldest", "a state": "/jobs?state=waiting", "words of one": "/jobs?q=variant+004711", "words of all": "/jobs?q=autumn",
		"words of none": "/jobs?q=autumn+nowhere", "a tag": "/jobs?tag=campaign-7", "by name": "/jobs?sort=name", "words by name": "/jobs?q=autumn&sort=name",
		"by render time": "/jobs?sort=longest", "names of a tag": "/jobs?tag=campaign-7&sort=name", "names backwards": "/jobs?sort=name-down", "names of a state": "/jobs?state=waiting&sort=name", "overview": "/", "overview of the team": "/?of=team",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				v.fetch(path)
			}
		})
	}
}

// found waits until a job can be searched for.
func (r *rig) found(id string) time.Duration {
	r.t.Helper()
	began := time.Now()
	for {
		answer, err := r.farm.Search().Find(r.t.Context(), r.principal("ada"), id, "job", 1)
		if err != nil {
			r.t.Fatal(err)
		}
		if answer.Indexing == nil && len(answer.Found) > 0 {
			return time.Since(began)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// fetch reads a page to its end, as it comes.
func (v *visitor) fetch(path string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %d, %v", path, res.StatusCode, err)
	}
}
