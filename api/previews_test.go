package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/preview"
)

// drawsPreviews makes the tests' own program one that draws previews.
const drawsPreviews = "draw-previews"

// drawing is a stage whose picture is the value of the first asset.
type drawing struct{}

func (drawing) Rest(context.Context) {}

// Draw implements preview.Stage.
func (drawing) Draw(_ context.Context, shot preview.Shot) (preview.Picture, error) {
	if shot.Composition != "main" {
		return preview.Picture{}, &preview.Refusal{Message: "Composition '" + shot.Composition + "' not found"}
	}
	p := preview.Picture{JPEG: []byte("plain"), Frame: shot.Frame, Frames: 250, Rate: 25, Notes: []string{"font 'Grüße' is not installed 🙂"}}
	if len(shot.Assets) > 0 {
		p.JPEG = shot.Assets[0].Value
	}
	if shot.Frame < 0 {
		p.Frame = int(shot.Time * 25)
	}
	return p, nil
}

func TestAPreviewIsDrawnOfWhatAJobWouldPutIn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), Previewer: []string{self, drawsPreviews}})
	at := "/api/farm/v1/templates/" + r.given(project(t, 1), "uploaded") + "/preview"
	got := r.send(http.MethodPost, at, `{"composition": "main", "seconds": 2.4, "width": 640, "assets": [{"type": "text", "layerName": "title", "value": "Hi"}]}`).into(http.StatusOK, nil)
	var notes []string
	if err := json.Unmarshal([]byte(got.header.Get("Preview-Notes")), &notes); err != nil || len(notes) != 1 || notes[0] != "font 'Grüße' is not installed 🙂" {
		t.Errorf("the notes are %q, %v", got.header.Get("Preview-Notes"), err)
	}
	if string(got.body) != `"Hi"` || got.header.Get("Preview-Frame") != "60" || got.header.Get("Preview-Frames") != "250" || got.header.Get("Preview-Rate") != "25" ||
		!strings.HasPrefix(got.header.Get("Content-Type"), "image/jpeg") {
		t.Errorf("got %q with %v", got.body, got.header)
	}
	r.send(http.MethodPost, at, `{"composition": "nobody"}`).refused(http.StatusBadRequest, "Composition 'nobody' not found")
	r.send(http.MethodPost, at, `{"composition": "main", "frame": -1, "width": 5, "colour": 1}`).refused(http.StatusBadRequest, "frame", "width", "colour")
}
