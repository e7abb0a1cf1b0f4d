package coordinator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// noise is text that no compression makes small.
func noise(seed uint64, size int) json.RawMessage {
	random := rand.New(rand.NewPCG(seed, seed))
	text := make([]byte, size)
	for i := range text {
		text[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[random.IntN(64)]
	}
	return json.RawMessage(`"` + string(text) + `"`)
}

func entryOf(edit func(*farm.Job)) submission.BatchEntry {
	job := farm.Job{Template: inner}
	if edit != nil {
		edit(&job)
	}
	return submission.BatchEntry{Job: job}
}

func TestABatchTooLargeForOneCommandAppearsWhole(t *testing.T) {
	r := open(t)
	kept := farm.JobTemplate{ID: r.uploaded(project(t, []string{"main"})).ID, Composition: "main"} // assets of others are not in the command
	var entries []submission.BatchEntry
	for i := range 30 {
		entries = append(entries, entryOf(func(j *farm.Job) {
			j.Template = kept
			j.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: noise(uint64(i), 100<<10)}, nestedAsset("bg", farm.Job{})}
		}))
	}
	entries[7] = entryOf(func(j *farm.Job) {
		j.Template = kept
		j.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: noise(7, 900<<10)}}
	})
	result, err := r.SubmitBatch(t.Context(), r.admin, entries)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Jobs) != 29 || len(result.Batch.Jobs) != 29 || len(result.Errs) != 1 || farm.CodeOf(result.Errs[7]) != farm.CodeTooLarge {
		t.Fatalf("taken are %d, refused %v", len(result.Jobs), result.Errs)
	}
	batch, jobs, err := r.Batch(t.Context(), r.admin, result.Batch.ID)
	if err != nil || len(batch.Jobs) != 29 || len(jobs) != 29 || batch.Total != 30 {
		t.Fatalf("the batch has %d jobs, %d of them are there, %v", len(batch.Jobs), len(jobs), err)
	}
	for i, entry := range batch.Jobs {
		job := jobs[entry.ID]
		if job.ID != result.Jobs[i].ID || string(job.Assets[0].Value) != string(entries[entry.Index].Job.Assets[0].Value) || job.Batch != batch.ID || len(job.Children) != 1 {
			t.Errorf("job %d of the batch is %.300v", entry.Index, job)
		}
	}
	if _, err := r.Job(t.Context(), r.admin, result.Jobs[3].Children[0]); err != nil {
		t.Error(err)
	}
}

// TestABatchOfSeveralPartsKeepsTheTasksOfItsJobs submits jobs with one task and with two, some of them with nested jobs, one of which is
// too large, so that families, jobs and tasks are not as many.
func TestABatchOfSeveralPartsKeepsTheTasksOfItsJobs(t *testing.T) {
	r := open(t)
	kept := farm.JobTemplate{ID: r.uploaded(project(t, []string{"main"})).ID, Composition: "main"}
	var entries []submission.BatchEntry
	for i := range 40 {
		entries = append(entries, entryOf(func(j *farm.Job) {
			j.Template, j.PreviewFirst = kept, i%3 == 0
			j.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: noise(uint64(i), 100<<10)}}
			if i%4 == 0 {
				j.Assets = append(j.Assets, nestedAsset("bg", farm.Job{}))
			}
		}))
	}
	entries[39].Job.Assets[0].Value = noise(1, 900<<10)
	result, err := r.SubmitBatch(t.Context(), r.admin, entries)
	if err != nil || len(result.Jobs) != 39 || farm.CodeOf(result.Errs[39]) != farm.CodeTooLarge {
		t.Fatalf("taken are %d, refused %v, %v", len(result.Jobs), result.Errs, err)
	}
	for i, job := range result.Jobs {
		tasks, _, err := r.Tasks(t.Context(), r.admin, job.ID, "", 10)
		want := 1
		if i%3 == 0 {
			want = 2
		}
		if err != nil || len(tasks) != want || result.Batch.Jobs[i].Index != i {
			t.Errorf("job %d has %d tasks, want %d, %v", i, len(tasks), want, err)
		}
	}
}

func TestABatchLooksATemplateUpOnce(t *testing.T) {
	r := open(t)
	tpl := r.uploaded(project(t, []string{"main"}))
	entries := make([]submission.BatchEntry, 1000)
	for i := range entries {
		entries[i] = entryOf(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	}
	entries[500].Job.Template.Composition = "nowhere"
	result, err := r.SubmitBatch(t.Context(), r.admin, entries)
	if err != nil || len(result.Jobs) != 999 || result.Jobs[0].Template.Composition != "main" || !strings.Contains(fmt.Sprint(result.Errs[500]), "nowhere") {
		t.Fatalf("taken are %d, %v, %v", len(result.Jobs), result.Errs, err)
	}
	batches, _, err := r.Batches(t.Context(), r.admin, "", 10)
	if err != nil || len(batches) != 1 || batches[0].Counts[farm.JobQueued] != 999 {
		t.Errorf("listed %v, %v", batches, err)
	}
	_, _, err = r.Batch(t.Context(), farm.Principal{Team: "another"}, result.Batch.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, _, _, err = r.CancelBatch(t.Context(), farm.Principal{Team: "another", Role: farm.RoleArtist}, result.Batch.ID, false)
	wantCode(t, err, farm.CodeNotFound)
	_, _, cancelled, err := r.CancelBatch(t.Context(), r.admin, result.Batch.ID, false)
	if err != nil || len(cancelled) != 999 {
		t.Errorf("cancelled %d, %v", len(cancelled), err)
	}
}

func TestHeldJobsWaitUntilTheyAreReleased(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit(func(j *farm.Job) {
		j.Hold = true
		j.Assets = []farm.Asset{nestedAsset("bg", farm.Job{})}
	})
	s.silent()
	r.stop()
	r.start()
	s.connect()
	s.silent()
	released, err := r.ReleaseJobs(t.Context(), r.admin, []string{job.ID})
	if err != nil || len(released) != 2 {
		t.Fatalf("released %+v, %v", released, err)
	}
	l := s.finishForLease(s.lease(), "bg")
	if l.Job != job.ID {
		t.Errorf("leased %+v", l)
	}
	_, err = r.ReleaseJobs(context.Background(), farm.Principal{Team: "another", Role: farm.RoleArtist}, []string{job.ID})
	wantCode(t, err, farm.CodeNotFound)
}

func TestAWaitingJobIsHeldBack(t *testing.T) {
	r := open(t)
	first, second := r.submit(), r.submit()
	held, err := r.HoldJobs(t.Context(), r.admin, []string{first.ID})
	if err != nil || len(held) != 1 || !held[0].Hold {
		t.Fatalf("held %+v, %v", held, err)
	}
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Job != second.ID {
		t.Errorf("the machine gets %s, want the job that is not held", l.Job)
	}
	if line, _, err := r.Queue(t.Context(), r.admin, 10, ""); err != nil || len(line) != 0 {
		t.Errorf("the line is %+v, %v", line, err)
	}
	if _, err := r.HoldJobs(t.Context(), r.admin, []string{second.ID}); err != nil {
		t.Fatal(err)
	}
	if why, err := r.WhyWaiting(t.Context(), r.admin, second.ID); err != nil || !strings.Contains(why.String(), "machines finish what they have begun") {
		t.Errorf("a job that is held while it renders: %q, %v", why, err)
	}
	if _, err := r.ReleaseJobs(t.Context(), r.admin, []string{first.ID}); err != nil {
		t.Fatal(err)
	}
	if line, _, err := r.Queue(t.Context(), r.admin, 10, ""); err != nil || len(line) != 1 || line[0].Job != first.ID {
		t.Errorf("the line is %+v, %v", line, err)
	}
}

// BenchmarkBatchOf1000 submits jobs of 2 KB with six assets, whose texts are words or noise: a thousand of noise need several
// commands.
func BenchmarkBatchOf1000(b *testing.B) {
	words := func(seed uint64, size int) json.RawMessage {
		random, text := rand.New(rand.NewPCG(seed, seed)), ""
		for len(text) < size {
			text += []string{"tonight ", "at eight ", "the new season of ", "sport ", "weather ", "live from ", "the arena ", "with guests "}[random.IntN(8)]
		}
		return json.RawMessage(`"` + text + `"`)
	}
	b.Run("words", func(b *testing.B) { benchmarkBatch(b, words) })
	b.Run("noise", func(b *testing.B) { benchmarkBatch(b, noise) })
}

func benchmarkBatch(b *testing.B, text func(seed uint64, size int) json.RawMessage) {
	r := open(b)
	tpl := r.uploaded(project(b, []string{"main"}))
	entries := make([]submission.BatchEntry, 1000)
	for i := range entries {
		entries[i] = entryOf(func(j *farm.Job) {
			j.Template = farm.JobTemplate{ID: tpl.ID, Composition: "main"}
			for k := range 6 {
				j.Assets = append(j.Assets, farm.Asset{Type: "text", LayerName: fmt.Sprintf("layer %d", k), Value: text(uint64(i*6+k), 250)})
			}
		})
	}
	for b.Loop() {
		if _, err := r.SubmitBatch(b.Context(), r.admin, entries); err != nil {
			b.Fatal(err)
		}
	}
}
