package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// sending is what the interface tells of an upload.
type sending struct {
	ID       string
	Size     int64
	PartSize int64
	Parts    int
	Missing  []int
	Arrived  int64
	Src      *string
}

// pattern is content of which each part is another.
func pattern(size int) []byte {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return content
}

func (r *rig) begin(key string, size int) (up sending) {
	r.t.Helper()
	r.send(http.MethodPost, "/api/farm/v1/uploads", fmt.Sprintf(`{"name": "spot.zip", "size": %d, "key": %q}`, size, key)).into(http.StatusCreated, &up)
	return up
}

func (r *rig) sendPart(up sending, content []byte, number int) reply {
	from := int64(number) * up.PartSize
	return r.send(http.MethodPut, fmt.Sprintf("/api/farm/v1/uploads/%s/parts/%d", up.ID, number), content[from:min(from+up.PartSize, up.Size)],
		"Content-Type: application/octet-stream")
}

func TestAFileComesInPartsAndGoesOnWhereItStopped(t *testing.T) {
	r := start(t)
	content := pattern(17<<20 + 5)
	up := r.begin("once", len(content))
	if up.Parts != 3 || !slices.Equal(up.Missing, []int{0, 1, 2}) || up.Arrived != 0 {
		t.Fatalf("a new upload: %+v", up)
	}
	finish := "/api/farm/v1/uploads/" + up.ID + "/finish"
	r.sendPart(up, content, 2).into(http.StatusNoContent, nil)
	r.sendPart(up, content, 0).into(http.StatusNoContent, nil)
	r.send(http.MethodPost, finish, `{}`).refused(http.StatusConflict, "1 of 3 parts")
	r.send(http.MethodPut, "/api/farm/v1/uploads/"+up.ID+"/parts/1", content[:100], "Content-Type: application/octet-stream").refused(http.StatusBadRequest, "has 100 bytes")

	again := r.begin("once", len(content)) // as after the caller was started anew
	if again.ID != up.ID || !slices.Equal(again.Missing, []int{1}) || again.Arrived != int64(len(content))-up.PartSize {
		t.Fatalf("begun again: %+v", again)
	}
	if other := r.begin("another", len(content)); other.ID == up.ID || other.Arrived != 0 {
		t.Errorf("another upload of that name is the same: %+v", other)
	}
	r.sendPart(again, content, 1).into(http.StatusNoContent, nil)
	r.send(http.MethodPost, finish, `{"sha256": "`+fmt.Sprintf("%064d", 0)+`"}`).refused(http.StatusConflict, "not the one that was announced")

	sum := sha256.Sum256(content)
	var kept struct{ Src, SHA256 string }
	r.send(http.MethodPost, finish, `{"sha256": "`+hex.EncodeToString(sum[:])+`"}`).into(http.StatusCreated, &kept)
	if kept.SHA256 != hex.EncodeToString(sum[:]) || kept.Src != "farm://"+kept.SHA256 {
		t.Errorf("the file that came of the parts: %+v", kept)
	}
	src := kept.Src
	r.send(http.MethodPost, finish, nil).into(http.StatusCreated, &kept) // its answer was lost
	var done sending
	r.get("/api/farm/v1/uploads/"+up.ID).into(http.StatusOK, &done)
	if kept.Src != src || done.Src == nil || *done.Src != src || len(done.Missing) != 0 {
		t.Errorf("asked again, the farm gives %q, and %+v", kept.Src, done)
	}
	r.send(http.MethodDelete, "/api/farm/v1/uploads/"+up.ID, nil).into(http.StatusNoContent, nil)
	r.get("/api/farm/v1/uploads/"+up.ID).refused(http.StatusNotFound, "Begin it again")
}

func TestATemplateTakesAFileThatCameInParts(t *testing.T) {
	r := start(t)
	content := []byte("a project of many parts")
	up := r.begin("project", len(content))
	r.sendPart(up, content, 0).into(http.StatusNoContent, nil)
	var kept struct{ Src string }
	r.send(http.MethodPost, "/api/farm/v1/uploads/"+up.ID+"/finish", `{}`).into(http.StatusCreated, &kept)
	made := r.createTemplate("aep")
	r.send(http.MethodPut, "/api/farm/v1/templates/"+made.ID+"/file", `{"src": "farm://`+fmt.Sprintf("%064d", 0)+`"}`).refused(http.StatusBadRequest, "hand it over again")
	r.send(http.MethodPut, "/api/farm/v1/templates/"+made.ID+"/file", `{"src": "`+kept.Src+`"}`).into(http.StatusOK, nil)
	var at struct{ URL string }
	r.get("/api/v2/templates/"+made.ID+"/download").into(http.StatusOK, &at)
	if got := r.get(strings.TrimPrefix(at.URL, r.base), "Authorization:").into(http.StatusOK, nil).body; !bytes.Equal(got, content) {
		t.Errorf("the template's file has %d bytes", len(got))
	}
}
