package coordinator_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/wire"
)

var inner = farm.JobTemplate{Src: "http://files.test/inner.aep", Composition: "loop"}

// nestedAsset is an asset whose content is the result of a job.
func nestedAsset(layer string, job farm.Job) farm.Asset {
	if job.Template == (farm.JobTemplate{}) {
		job.Template = inner
	}
	return farm.Asset{Type: "job", LayerName: layer, Nested: &job}
}

func TestNestedJobsRenderFirstAndBecomeAssets(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) {
		j.Priority, j.RequireTags = 7, []string{"gpu"}
		j.Assets = []farm.Asset{
			{Type: "text", LayerName: "title", Value: []byte(`"x"`)},
			nestedAsset("bg", farm.Job{Assets: []farm.Asset{nestedAsset("deep", farm.Job{})}}),
			nestedAsset("logo", farm.Job{Settings: farm.Settings{Type: "image", Frames: &farm.Frames{Single: true}}}),
		}
	})
	if job.Status != farm.JobPending || len(job.Children) != 2 || job.Assets[1].Nested.Status != farm.JobPending || job.Assets[2].Nested.Status != farm.JobQueued {
		t.Fatalf("submitted %+v", job)
	}
	bg, logo := job.Assets[1].Nested, job.Assets[2].Nested
	deep := bg.Assets[0].Nested
	if stored := r.job(bg.ID); stored.Parent != job.ID || stored.Priority != 7 || !slices.Equal(stored.Children, []string{deep.ID}) || stored.Assets[0].Child != deep.ID {
		t.Errorf("stored %+v", stored)
	}
	if why, err := r.WhyWaiting(t.Context(), r.admin, job.ID); err != nil || !strings.Contains(why.String(), "0 of 2") {
		t.Errorf("why: %q, %v", why, err)
	}

	s := r.enrol("box", func(i *farm.Inventory) { i.Slots, i.Tags = 4, []string{"gpu"} })
	s.connect()
	first, second := s.lease(), s.lease()
	if first.Job != deep.ID || second.Job != logo.ID {
		if first, second = second, first; first.Job != deep.ID || second.Job != logo.ID {
			t.Fatalf("leased %s and %s, want %s and %s at once", second.Job, first.Job, deep.ID, logo.ID)
		}
	}
	s.say(wire.Message{Progress: &wire.Progress{Attempt: second.Attempt, Percent: 60}})
	// The job's own render, bg (itself and deep) and logo: three parts.
	r.eventually("the parent's progress counts its children", func() bool { return r.job(job.ID).Progress == 20 })
	s.finish(second, "logo picture")
	if got := r.job(job.ID).Progress; got < 33.3 || got > 33.4 {
		t.Errorf("with one of two finished the progress is %v", got)
	}
	third := s.finishForLease(first, "deep film")
	if got := r.job(job.ID).Progress; got != 50 {
		t.Errorf("with half of the other finished the progress is %v", got)
	}
	if a := third.Assets[0]; third.Job != bg.ID || a.Type != "video" || a.LayerName != "deep" || a.Src != "job://"+deep.ID || a.Child != "" {
		t.Fatalf("leased %+v", third)
	}
	ref := third.Files["job://"+deep.ID]
	if ref.Name != deep.OutputName || ref.Size != int64(len("deep film")) {
		t.Errorf("the lease names %+v", third.Files)
	}
	if got := s.fetch(ref.SHA256); got != "deep film" {
		t.Errorf("the nested result reads %q", got)
	}
	_, err := r.OpenFileFor(t.Context(), r.enrol("stranger").agent, ref.SHA256)
	wantCode(t, err, farm.CodeNotFound)
	last := s.finishForLease(third, "bg film")
	if last.Job != job.ID || last.Assets[0].Type != "text" || last.Assets[1].Type != "video" || last.Assets[2].Type != "image" {
		t.Fatalf("leased %+v", last)
	}
	r.restart()
	if got := s.fetch(last.Files["job://"+logo.ID].SHA256); got != "logo picture" {
		t.Errorf("after a restart the nested result reads %q", got)
	}
	s.connect(last.Attempt)
	s.finish(last, "whole film")
	if got := r.job(job.ID); got.Status != farm.JobFinished || got.Progress != 100 {
		t.Errorf("at last %+v", got)
	}
}

func TestAParentFailsWithItsChildAndNamesIt(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) {
		j.Assets = []farm.Asset{nestedAsset("a", farm.Job{}), nestedAsset("b", farm.Job{Assets: []farm.Asset{nestedAsset("c", farm.Job{})}})}
	})
	a, b := job.Assets[0].Nested, job.Assets[1].Nested
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	if l.Job != a.ID {
		t.Fatalf("leased %s first", l.Job)
	}
	s.fail(l, "Layer 'x' not found in composition 'loop'", false)
	got := r.job(job.ID)
	if got.Status != farm.JobFailed || !strings.Contains(got.Error, a.ID) || !strings.Contains(got.Error, "Layer 'x' not found") {
		t.Errorf("the parent is %s: %q", got.Status, got.Error)
	}
	for _, id := range []string{b.ID, b.Children[0]} {
		if got := r.job(id).Status; got != farm.JobCancelled {
			t.Errorf("what waited is %s", got)
		}
	}
	s.silent()
}

func TestWatchersHearOfTheProgressOfWhatIsNested(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) {
		j.Assets = []farm.Asset{nestedAsset("bg", farm.Job{Assets: []farm.Asset{nestedAsset("deep", farm.Job{})}})}
	})
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	events := r.Watch(t.Context(), r.admin)
	heard := map[string]bool{}
	r.eventually("both jobs around it have been told", func() bool {
		s.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 40}})
		for len(events) > 0 {
			if e := <-events; e.Kind == farm.EventProgress {
				heard[e.ID] = true
			}
		}
		return heard[job.ID] && heard[job.Children[0]] && heard[l.Job]
	})
}

func TestErrorsOfNestedJobsNameTheirPlace(t *testing.T) {
	r := open(t)
	_, err := r.Submit(t.Context(), r.admin, farm.Job{Template: inner, Assets: []farm.Asset{
		{Type: "text"}, nestedAsset("a", farm.Job{Assets: []farm.Asset{nestedAsset("b", farm.Job{Template: farm.JobTemplate{ID: "01NONE"}})}}),
	}})
	wantCode(t, err, farm.CodeNotFound)
	if !strings.Contains(err.Error(), "assets[1].assets[0].template") {
		t.Errorf("%v does not name the nested job", err)
	}
	_, err = r.Submit(t.Context(), r.admin, farm.Job{Template: inner, Assets: []farm.Asset{
		nestedAsset("a", farm.Job{Assets: []farm.Asset{{Type: "image", Src: "farm://" + strings.Repeat("0", 64)}}}),
	}})
	wantField(t, err, "assets[0].assets[0].src")
	if jobs, _, err := r.Jobs(t.Context(), r.admin, farm.JobQuery{}); err != nil || len(jobs) != 0 {
		t.Errorf("a refused family left %d jobs, %v", len(jobs), err)
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var e *farm.Error
	if !errors.As(err, &e) || e.Code != farm.CodeInvalid || len(e.Fields) != 1 || e.Fields[0].Field != field {
		t.Errorf("got %v, want one problem at %s", err, field)
	}
}

func TestANestedJobWaitsForItsTemplate(t *testing.T) {
	r := open(t)
	waiting := r.create(templates.New{Type: "aep"})
	job := r.submit(func(j *farm.Job) {
		j.Assets = []farm.Asset{nestedAsset("a", farm.Job{Template: farm.JobTemplate{ID: waiting.ID}})}
	})
	s := r.enrol("box")
	s.connect()
	s.silent()
	if why, err := r.WhyWaiting(t.Context(), r.admin, job.Children[0]); err != nil || !strings.Contains(why.String(), "not been uploaded") {
		t.Errorf("why: %q, %v", why, err)
	}
}

func TestJoinsAreLeasedWithTheirClipsInOrder(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) {
		j.Join, j.Template = true, farm.JobTemplate{}
		j.Assets = []farm.Asset{{Type: "video", Src: "http://files.test/a.mp4"}, nestedAsset("", farm.Job{}), {Type: "video", Src: "http://files.test/b.mp4"}}
	})
	if job.Status != farm.JobPending || !strings.HasSuffix(job.OutputName, ".mp4") {
		t.Errorf("submitted %+v", job)
	}
	s := r.enrol("box")
	s.connect()
	l := s.finishForLease(s.lease(), "clip")
	if l.Kind != farm.TaskJoin || l.Job != job.ID || len(l.Assets) != 3 || l.Assets[1].Src != "job://"+job.Children[0] || l.Assets[1].Type != "video" || l.Assets[2].Src != "http://files.test/b.mp4" {
		t.Errorf("leased %+v", l)
	}
	s.finish(l, "reel")
	if got := r.output(r.job(job.ID)); got != "reel" {
		t.Errorf("the result reads %q", got)
	}
}

func TestAJoinNeedsNoAfterEffects(t *testing.T) {
	r := open(t)
	r.enrol("suite", func(i *farm.Inventory) {
		i.Engines = []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0"}}
	})
	job := r.submit(func(j *farm.Job) {
		j.Join, j.Template, j.Assets = true, farm.JobTemplate{}, []farm.Asset{{Type: "video", Src: "http://files.test/a.mp4"}}
	})
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %+v", l)
	}
}

// finishForLease finishes a lease, and gives the next one, which may come before the word that the report is settled.
func (s *station) finishForLease(l wire.Lease, content string) wire.Lease {
	s.r.t.Helper()
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: s.render(l, content)}})
	var next *wire.Lease
	for settled := false; !settled || next == nil; {
		m := s.hear()
		settled = settled || m.Settled != nil
		if m.Lease != nil {
			next = m.Lease
		}
	}
	return *next
}

// fetch reads a file as the agent would.
func (s *station) fetch(sha256 string) string {
	s.r.t.Helper()
	f, err := s.r.OpenFileFor(s.r.t.Context(), s.agent, sha256)
	if err != nil {
		s.r.t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		s.r.t.Fatal(err)
	}
	return string(text)
}
