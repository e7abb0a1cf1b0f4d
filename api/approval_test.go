package api_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// stills is what a machine hands over for frames that are to be looked at.
func stills(t *testing.T, frames []int) (archive, picture []byte) {
	t.Helper()
	var one, all bytes.Buffer
	if err := png.Encode(&one, image.NewGray(image.Rect(0, 0, 16, 9))); err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(&all)
	for _, frame := range frames {
		f, err := w.Create(fmt.Sprintf("frame_%05d.png", frame))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(one.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return all.Bytes(), one.Bytes()
}

func TestAJobThatHasEndedIsRenderedAgainAsATake(t *testing.T) {
	r := start(t)
	template := r.given(project(t, 1), "uploaded") // of a project that is not kept, no take could be made
	job := r.submit(`{"template": {"id": "` + template + `", "composition": "main"}, "settings": {"frames": [5, 9]}, "name": "Spot"}`)
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/render-again", []byte(`{"frames": [{"start": 7}]}`)).into(http.StatusConflict, nil)
	r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/render-again", []byte(`{"frames": [{"start": 7}]}`)).into(http.StatusConflict, nil)
	var again struct {
		Job    string
		Take   bool
		Frames []farm.Frames
	}
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/render-again", []byte(`{"frames": [{"start": 7}], "whole": true}`)).into(http.StatusOK, &again)
	if again.Job == job.ID || !again.Take || len(again.Frames) != 1 || again.Frames[0] != (farm.Frames{Start: 5, End: 9}) {
		t.Errorf("the take is %+v", again)
	}
	var now struct{ Name string }
	if r.get("/api/farm/v1/jobs/"+again.Job).into(http.StatusOK, &now); now.Name != "Spot" {
		t.Errorf("the take is called %q", now.Name)
	}
}

func TestFirstFramesAreLookedAtBeforeTheRestIsRendered(t *testing.T) {
	r := start(t)
	job := r.submit(previewJob)
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	if lease == nil || lease.Kind != farm.TaskSample || len(lease.Stills) == 0 {
		t.Fatalf("the machine got the lease %+v", lease)
	}
	archive, picture := stills(t, lease.Stills)
	var out farm.OutputRef
	m.put(wire.PathOutput, lease.Attempt, "result.zip", archive).into(http.StatusOK, &out)
	out.Frames = len(lease.Stills)
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	for settled := false; !settled; {
		settled = m.hear().Settled != nil
	}
	var samples []struct {
		Frame int
		URL   string
	}
	r.get("/api/farm/v1/jobs/"+job.ID+"/samples").into(http.StatusOK, &samples)
	if len(samples) != len(lease.Stills) || samples[0].Frame != lease.Stills[0] {
		t.Fatalf("the pictures are %+v, of the frames %v", samples, lease.Stills)
	}
	if got := r.get(samples[0].URL).into(http.StatusOK, nil); got.header.Get("Content-Type") != "image/png" || !bytes.Equal(got.body, picture) {
		t.Errorf("the picture is %d bytes of %s", len(got.body), got.header.Get("Content-Type"))
	}
	r.inParts(samples[0].URL, picture)

	var now struct {
		Approval *struct{ ApprovedAt, ApprovedBy *string }
		Tasks    struct{ Total, Done int }
	}
	r.get("/api/farm/v1/jobs/"+job.ID).into(http.StatusOK, &now)
	if now.Approval == nil || now.Approval.ApprovedAt != nil || now.Tasks.Done != 1 || now.Tasks.Total < 2 {
		t.Errorf("before its approval the job is %+v", now)
	}
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/approve", nil).into(http.StatusOK, &now)
	if now.Approval == nil || now.Approval.ApprovedAt == nil || now.Approval.ApprovedBy == nil || *now.Approval.ApprovedBy != "admin" {
		t.Errorf("after its approval the job is %+v", now.Approval)
	}
	if rest := m.hear().Lease; rest == nil || rest.Kind != farm.TaskRender {
		t.Errorf("after the approval the machine gets %+v", rest)
	}
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/reject", nil).refused(http.StatusConflict, "cancel it instead")

	other := r.submit(previewJob)
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+other.ID+"/reject", `{"reason": "too dark"}`).into(http.StatusOK, nil)
	var failed jobAnswer
	r.get("/api/v2/jobs/"+other.ID).into(http.StatusOK, &failed)
	if failed.Status != "error" {
		t.Errorf("the rejected job is %s", failed.Status)
	}
}
