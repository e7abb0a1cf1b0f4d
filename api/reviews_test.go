package api_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/reviews"
	"overcrank/farm"
)

// reviewAnswer is what tests read of a review link.
type reviewAnswer struct {
	ID, Job   string
	URL, For  *string
	Open      bool
	RevokedAt *time.Time
}

// commentAnswer is what tests read of a comment.
type commentAnswer struct {
	ID, Name, Text  string
	Review, Verdict *string
	Frame           *int
}

// link makes a review link to a job, and gives the code in its address too.
func (r *rig) link(job, body string) (made reviewAnswer, code string) {
	r.t.Helper()
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job+"/reviews", body).into(http.StatusCreated, &made)
	if made.URL == nil || !made.Open || made.Job != job {
		r.t.Fatalf("the new link is %+v", made)
	}
	code, found := strings.CutPrefix(*made.URL, r.base+reviews.Path)
	if !found || code == "" {
		r.t.Fatalf("the link's address is %s", *made.URL)
	}
	return made, code
}

// finished is a job that a machine has rendered to a film.
func (r *rig) finished() jobAnswer {
	r.t.Helper()
	job := r.submit(srcJob)
	m := r.enrol("suite-1")
	m.connect()
	m.finish([]byte("film"))
	return job
}

func TestARevokedLinkShowsNothingMore(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	job := r.finished()
	links := "/api/farm/v1/jobs/" + job.ID + "/reviews"
	link, code := r.link(job.ID, `{"for": "Client"}`)
	other, kept := r.link(job.ID, `{}`)
	visit, err := r.farm.Reviews().Visit(t.Context(), code, "")
	if err != nil || visit.Link.ID != link.ID || len(visit.Takes) != 1 {
		t.Fatalf("the link shows %+v, %v", visit.Takes, err)
	}
	for range 2 { // once more changes nothing
		r.send(http.MethodDelete, links+"/"+link.ID, nil).into(http.StatusNoContent, nil)
	}
	if _, err := r.farm.Reviews().Visit(t.Context(), code, ""); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a visit by the revoked link: %v", err)
	}
	if _, err := r.farm.Reviews().Visit(t.Context(), kept, ""); err != nil {
		t.Errorf("a visit by the other link: %v", err)
	}
	var list []reviewAnswer
	r.get(links).into(http.StatusOK, &list)
	if len(list) != 2 || list[0].ID != link.ID || list[0].Open || list[0].RevokedAt == nil || list[1].ID != other.ID || !list[1].Open || list[1].RevokedAt != nil {
		t.Errorf("the links are %+v", list)
	}
	for _, l := range list {
		if l.URL != nil {
			t.Errorf("the list tells the address %s", *l.URL)
		}
	}
	elsewhere := r.submit(srcJob)
	r.send(http.MethodDelete, "/api/farm/v1/jobs/"+elsewhere.ID+"/reviews/"+other.ID, nil).refused(http.StatusNotFound)
}

func TestCommentsAreDeleted(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	job := r.finished()
	comments := "/api/farm/v1/jobs/" + job.ID + "/comments"
	_, code := r.link(job.ID, `{}`)
	visit, err := r.farm.Reviews().Visit(t.Context(), code, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.farm.Reviews().GuestSay(t.Context(), visit, reviews.Said{Take: job.ID, Name: "Cleo", Text: "Slower"}); err != nil {
		t.Fatal(err)
	}
	var own commentAnswer
	r.send(http.MethodPost, comments, `{"text": "Warmer", "frame": 3, "drawing": [{"colour": "red", "points": [0, 0, 10000, 10000]}]}`).into(http.StatusCreated, &own)
	if own.Name != "admin" || own.Review != nil || own.Frame == nil || *own.Frame != 3 {
		t.Errorf("the comment is %+v", own)
	}
	var list []commentAnswer
	r.get(comments).into(http.StatusOK, &list)
	if len(list) != 2 || list[0].Name != "Cleo" || list[0].Review == nil || list[1].ID != own.ID {
		t.Fatalf("the comments are %+v", list)
	}
	r.send(http.MethodDelete, comments+"/"+own.ID, nil).into(http.StatusNoContent, nil)
	r.send(http.MethodDelete, comments+"/"+own.ID, nil).refused(http.StatusNotFound)
	r.get(comments).into(http.StatusOK, &list)
	if len(list) != 1 || list[0].Text != "Slower" {
		t.Errorf("after one was deleted the comments are %+v", list)
	}
	r.send(http.MethodDelete, comments+"/"+list[0].ID, nil).into(http.StatusNoContent, nil)
	r.get(comments).into(http.StatusOK, &list)
	if len(list) != 0 {
		t.Errorf("after both were deleted the comments are %+v", list)
	}
}

func TestATeamsLogoIsReadBack(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	const logo, binary = "/api/farm/v1/logo", "Content-Type: application/octet-stream"
	amber := color.NRGBA{R: 240, G: 160, B: 20, A: 255}
	drawn := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	for i := range 40 * 20 {
		drawn.SetNRGBA(i%40, i/40, amber)
	}
	var sent bytes.Buffer
	if err := png.Encode(&sent, drawn); err != nil {
		t.Fatal(err)
	}
	r.get(logo).refused(http.StatusNotFound)
	r.send(http.MethodPut, logo, sent.Bytes(), binary).into(http.StatusNoContent, nil)
	got := r.get(logo).into(http.StatusOK, nil)
	if kind := got.header.Get("Content-Type"); kind != "image/png" {
		t.Errorf("the logo is of the type %s", kind)
	}
	picture, err := png.Decode(bytes.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size != image.Pt(40, 20) || color.NRGBAModel.Convert(picture.At(20, 10)) != amber {
		t.Errorf("the logo has %v pixels, the one in its middle is %v", size, picture.At(20, 10))
	}
	r.send(http.MethodPut, logo, "this is text", binary).refused(http.StatusBadRequest, "is not a PNG, JPEG or WebP")
	if after := r.get(logo).into(http.StatusOK, nil); !bytes.Equal(after.body, got.body) {
		t.Error("a file that was refused has changed the logo")
	}
	r.send(http.MethodDelete, logo, nil).into(http.StatusNoContent, nil)
	r.get(logo).refused(http.StatusNotFound)
}
