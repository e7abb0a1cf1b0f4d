package coordinator_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// stillsZip packs pictures as an agent does.
func stillsZip(t testing.TB, frames []int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, frame := range frames {
		w, err := z.Create(fmt.Sprintf("frame_%05d.png", frame))
		if err == nil {
			err = png.Encode(w, image.NewGray(image.Rect(0, 0, 4, 4)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPicturesToLookAtFirstAreNoFramesToGoOnFrom(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film(func(j *farm.Job) { j.PreviewFirst = true })
	first := held{s.stations[0], s.stations[0].lease()}
	done := farm.Frames{Start: 0, End: 99}
	out := first.part(done)
	other := s.enrol("other")
	other.connect()
	first.say(wire.Message{Failed: &wire.Failed{Attempt: first.Attempt, Cancelled: true, Done: &done, Output: &out}})
	first.through()
	if again := other.lease(); again.Job != job.ID || again.Kind != farm.TaskSample || again.Attempt.Attempt != first.Attempt.Attempt+1 {
		t.Errorf("leased %+v", again)
	}
}

func TestPicturesComeFirstAndTheRestWaitsForApproval(t *testing.T) {
	s := openStudio(t, 1)
	mac := s.stations[0]
	sample := func(job farm.Job) {
		t.Helper()
		l := mac.lease()
		if l.Job != job.ID || l.Kind != farm.TaskSample || !l.Part || !slices.Equal(l.Stills, []int{0, 49, 99}) {
			t.Fatalf("leased %+v", l)
		}
		held{mac, l}.result(stillsZip(t, l.Stills))
	}
	approve := func(j *farm.Job) { j.Approve = true }
	job := s.film(approve)
	sample(job)
	if got := s.job(job.ID); got.Status != farm.JobQueued || got.Progress != 0 {
		t.Errorf("while it waits: %s, %v%%", got.Status, got.Progress)
	}
	if why, err := s.WhyWaiting(t.Context(), s.admin, job.ID); err != nil || !strings.Contains(why.String(), "approv") {
		t.Errorf("it waits because %q, %v", why, err)
	}
	if list, err := s.Results().Samples(t.Context(), s.admin, job.ID); err != nil || len(list) != 3 || list[1].Frame != 49 {
		t.Errorf("samples %v, %v", list, err)
	}
	f, err := s.Results().OpenSample(t.Context(), s.admin, job.ID, 99)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(f); err != nil || f.ContentType != "image/png" {
		t.Errorf("a sample is %s: %v", f.ContentType, err)
	}
	_ = f.Close()
	_, err = s.Results().OpenSample(t.Context(), s.admin, job.ID, 5)
	wantCode(t, err, farm.CodeNotFound)
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin}
	for _, decide := range []func(context.Context, farm.Principal, string) (farm.Job, error){
		s.ApproveJob, func(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
			return s.RejectJob(ctx, p, id, "")
		},
	} {
		_, err := decide(t.Context(), stranger, job.ID)
		wantCode(t, err, farm.CodeNotFound)
	}
	if got, err := s.ApproveJob(t.Context(), s.admin, job.ID); err != nil || got.ApprovedBy != s.admin.Name || got.ApprovedAt.IsZero() {
		t.Errorf("approved: %+v, %v", got, err)
	}
	whole := mac.lease()
	if whole.Job != job.ID || whole.Kind != farm.TaskRender || whole.Part {
		t.Fatalf("leased %+v", whole)
	}
	mac.say(wire.Message{Progress: &wire.Progress{Attempt: whole.Attempt, Percent: 40}})
	s.eventually("the progress is that of the render", func() bool { return s.job(job.ID).Progress == 40 })
	held{mac, whole}.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished || s.output(got) != "the film" {
		t.Errorf("ended as %s", got.Status)
	}

	job = s.film(approve)
	sample(job)
	if _, err := s.RejectJob(t.Context(), s.admin, job.ID, "the logo is last year's"); err != nil {
		t.Fatal(err)
	}
	if got := s.job(job.ID); got.Status != farm.JobFailed || !strings.Contains(got.Error, s.admin.Name+": the logo is last year's") {
		t.Errorf("ended as %s: %s", got.Status, got.Error)
	}
	job = s.film(func(j *farm.Job) { j.PreviewFirst = true })
	sample(job)
	if l := mac.lease(); l.Job != job.ID || l.Kind != farm.TaskRender {
		t.Errorf("leased %+v", l)
	}
	_, err = s.Submit(t.Context(), s.admin, farm.Job{PreviewFirst: true, Join: true})
	wantCode(t, err, farm.CodeInvalid)
}
