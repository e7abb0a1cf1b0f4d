package coordinator_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/people"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
)

// shared makes a review link, and gives the code in its address.
func (r *rig) shared(in reviews.NewLink) (link farm.ReviewLink, code string) {
	r.t.Helper()
	r.eventually("the farm keeps review links", func() bool {
		made, address, err := r.Reviews().Create(r.t.Context(), r.admin, in)
		if err != nil && !strings.Contains(err.Error(), "later release") { // a new farm's level has yet to rise
			r.t.Fatal(err)
		}
		link, code = made, strings.TrimPrefix(address, publicAddress+reviews.Path)
		return err == nil
	})
	if len(code) < 26 || strings.Contains(link.Hash, code) {
		r.t.Fatalf("the code is %q", code)
	}
	return link, code
}

// rendered submits a job, and has it rendered.
func (r *rig) rendered(mac *station, name string, edit ...func(*farm.Job)) farm.Job {
	r.t.Helper()
	job := r.submit(append(edit, func(j *farm.Job) { j.Name = name })...)
	mac.finish(mac.lease(), "film")
	r.eventually(name+" has finished", func() bool { return r.job(job.ID).Status == farm.JobFinished })
	return job
}

func TestALinkShowsItsJobAndNoOther(t *testing.T) {
	now := &clock{now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)}
	r := open(t, now.config)
	mac := r.enrol("mac")
	mac.connect()
	job, other := r.rendered(mac, "Opener"), r.rendered(mac, "Closer")
	link, code := r.shared(reviews.NewLink{Job: job.ID, For: "Client"})
	visit, err := r.Reviews().Visit(t.Context(), code, "")
	if err != nil || len(visit.Takes) != 1 || visit.Takes[0].ID != job.ID || visit.Link.ID != link.ID {
		t.Fatalf("the visit shows %+v, %v", visit, err)
	}
	if _, err := visit.Take(other.ID); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("another job: %v", err)
	}
	frame := 3
	said, err := r.Reviews().GuestSay(t.Context(), visit, reviews.Said{Take: job.ID, Name: " Cleo ", Text: "Warmer", Frame: &frame, Inside: true})
	if err != nil || said.Name != "Cleo" || said.Inside {
		t.Fatalf("said was %+v, %v", said, err)
	}
	if _, err := r.Reviews().GuestSay(t.Context(), visit, reviews.Said{Take: other.ID, Name: "Cleo", Text: "Hello"}); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a comment on another job: %v", err)
	}
	if _, err := r.Reviews().Say(t.Context(), r.admin, reviews.Said{Take: job.ID, Text: "Between us", Inside: true}); err != nil {
		t.Fatal(err)
	}
	if seen, err := r.Reviews().GuestRemarks(t.Context(), visit); err != nil || len(seen) != 1 {
		t.Errorf("the visitor reads %+v, %v", seen, err)
	}
	if all, err := r.Reviews().Remarks(t.Context(), r.admin, job.ID); err != nil || len(all) != 2 {
		t.Errorf("the team reads %+v, %v", all, err)
	}
	now.pass(reviews.DefaultLife)
	if _, err := r.Reviews().Visit(t.Context(), code, ""); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("after its time: %v", err)
	}
	if _, err := r.Reviews().Visit(t.Context(), strings.Repeat("A", 26), ""); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a code that is none: %v", err)
	}
}

func TestALinkWithAPasswordShowsNothingWithoutIt(t *testing.T) {
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	job := r.rendered(mac, "Opener")
	_, code := r.shared(reviews.NewLink{Job: job.ID, Password: "tungsten"})
	_, plain := r.shared(reviews.NewLink{Job: job.ID, Password: "daylight"})
	visit, err := r.Reviews().Visit(t.Context(), code, "")
	if farm.CodeOf(err) != farm.CodeUnauthorized || len(visit.Takes) != 0 {
		t.Fatalf("without a password: %+v, %v", visit.Takes, err)
	}
	if _, _, err := r.Reviews().Enter(t.Context(), code, "192.0.2.1", "daylight"); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("with another's: %v", err)
	}
	proof, _, err := r.Reviews().Enter(t.Context(), code, "192.0.2.1", "tungsten")
	if err != nil {
		t.Fatal(err)
	}
	if visit, err = r.Reviews().Visit(t.Context(), code, proof); err != nil || len(visit.Takes) != 1 {
		t.Errorf("with its own: %v", err)
	}
	if _, err := r.Reviews().Visit(t.Context(), plain, proof); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("what opens one link opens another: %v", err)
	}
	refused := false
	for range 30 {
		_, _, err := r.Reviews().Enter(t.Context(), code, "192.0.2.7", "guess")
		refused = refused || farm.CodeOf(err) == farm.CodeRateLimited
	}
	if !refused {
		t.Error("30 guesses were all looked at")
	}
}

func TestAnApprovalByLinkDecidesTheJob(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) {
		j.PreviewFirst, j.Approve, j.Settings.Frames = true, true, &farm.Frames{End: 9}
	})
	_, code := r.shared(reviews.NewLink{Job: job.ID})
	visit, err := r.Reviews().Visit(t.Context(), code, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reviews().GuestSay(t.Context(), visit, reviews.Said{Take: job.ID, Name: "Cleo", Verdict: farm.VerdictApproved}); err != nil {
		t.Fatal(err)
	}
	if got := r.job(job.ID); got.ApprovedBy != "Cleo" || got.ApprovedAt.IsZero() {
		t.Errorf("the job was approved by %q", got.ApprovedBy)
	}
}

func TestTakesAreShownToWhomTheyAreMeantFor(t *testing.T) {
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	kept := r.uploaded(project(t, []string{"main"}))
	first := r.rendered(mac, "Opener", func(j *farm.Job) { j.Template = farm.JobTemplate{ID: kept.ID, Composition: "main"} })
	_, one := r.shared(reviews.NewLink{Job: first.ID})
	_, all := r.shared(reviews.NewLink{Job: first.ID, Takes: true})
	again, err := r.ResubmitJobs(t.Context(), r.admin, []string{first.ID})
	if err != nil || len(again.Jobs) != 1 {
		t.Fatalf("resubmitting: %+v, %v", again, err)
	}
	shows := func(code string) int {
		visit, err := r.Reviews().Visit(t.Context(), code, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(visit.Takes)
	}
	if got := shows(all); got != 1 {
		t.Errorf("%d takes are shown before the second one is rendered", got)
	}
	mac.finish(mac.lease(), "film")
	r.eventually("the second take is shown", func() bool { return shows(all) == 2 })
	if got := shows(one); got != 1 {
		t.Errorf("a link to one job shows %d takes", got)
	}
	list, err := r.Reviews().Takes(t.Context(), r.admin, again.Jobs[0].ID)
	if err != nil || len(list) != 2 || list[0].ID != first.ID || list[1].Number != 2 {
		t.Errorf("the team sees the takes %+v, %v", list, err)
	}
}

func TestALogoIsDrawnAnew(t *testing.T) {
	r := open(t)
	var sent bytes.Buffer
	if err := png.Encode(&sent, image.NewNRGBA(image.Rect(0, 0, 2000, 500))); err != nil {
		t.Fatal(err)
	}
	r.eventually("the farm keeps logos", func() bool {
		return r.Reviews().SetLogo(t.Context(), r.admin, append(sent.Bytes(), "<script>"...)) == nil
	})
	kept, err := r.Reviews().Logo(t.Context(), r.admin)
	if err != nil || bytes.Contains(kept, []byte("script")) {
		t.Fatalf("kept are %d bytes, %v", len(kept), err)
	}
	if size, err := png.DecodeConfig(bytes.NewReader(kept)); err != nil || size.Width != 480 || size.Height != 120 {
		t.Errorf("the logo has %d × %d pixels, %v", size.Width, size.Height, err)
	}
	for name, picture := range map[string][]byte{"text": []byte("no picture"), "cut off": sent.Bytes()[:100], "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)} {
		if err := r.Reviews().SetLogo(context.Background(), r.admin, picture); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhoMayDeleteWhatWasSaid(t *testing.T) {
	r := open(t)
	job := r.submit()
	artist, _ := r.token(r.admin, people.NewToken{Name: "art", Role: farm.RoleArtist})
	var own, other farm.Remark
	r.eventually("the farm keeps comments", func() bool {
		var err error
		own, err = r.Reviews().Say(t.Context(), artist, reviews.Said{Take: job.ID, Text: "Mine"})
		return err == nil
	})
	other, err := r.Reviews().Say(t.Context(), r.admin, reviews.Said{Take: job.ID, Text: "Yours"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Reviews().Unsay(t.Context(), artist, job.ID, other.ID); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("an artist deletes what a producer said: %v", err)
	}
	for who, id := range map[*farm.Principal]string{&artist: own.ID, &r.admin: other.ID} {
		if err := r.Reviews().Unsay(t.Context(), *who, job.ID, id); err != nil {
			t.Errorf("%s: %v", who.Name, err)
		}
	}
}
