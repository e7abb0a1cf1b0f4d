//go:build linux

package films_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

// greenPicture is a picture without anything on it, as an address.
func greenPicture(t *testing.T) string {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 64, 36))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{G: 255, A: 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestNestedJobsAreSeenInTheirParent has a job whose picture is a job whose picture is green.
func TestNestedJobsAreSeenInTheirParent(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	green := map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": greenPicture(t)}
	hidden := map[string]any{"type": "function", "name": "nx:layer-state-set", "params": map[string]any{"layerName": "Shade", "visible": false}}
	fit := map[string]any{"type": "function", "name": "nx:layer-autoscale", "params": map[string]any{"layerName": titlecard.PictureLayer, "type": "fill"}}
	id := f.SubmitCard(template, map[string]any{"type": "image", "frames": 60},
		farmtest.NestedCard(template, titlecard.PictureLayer, farmtest.NestedCard(template, titlecard.PictureLayer, green, fit, hidden), fit, hidden), fit, hidden)
	done := f.Finished(id)
	file, err := os.Open(f.Fetch(done))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(farmtest.SmallWidth*3/4, farmtest.SmallHeight/4).RGBA(); g < 0xb000 || r > 0x4000 || b > 0x4000 {
		t.Errorf("where the green picture of the innermost job shows stands %#x %#x %#x\n%s", r, g, b, f.LogOf(id))
	}
}

func TestANestedJobThatFailsFailsItsParent(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	id := f.SubmitCard(template, map[string]any{"type": "image", "frames": 60},
		farmtest.NestedCard(template, titlecard.PictureLayer, map[string]any{"type": "text", "layerName": "nowhere", "value": "x"}))
	job := f.Ended(id)
	if job.Status != "error" || !strings.Contains(job.Stats.Error, "Nested job ") || !strings.Contains(job.Stats.Error, "nowhere") {
		t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
	}
}

func TestResultsOfNestedJobsStandInLayers(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := map[string]string{"id": f.Card(), "composition": titlecard.Composition}
	job, err := f.Submit(t.Context(), map[string]any{
		"template": template, "settings": map[string]any{"type": "image", "frames": 40},
		"assets": []any{
			map[string]any{"type": "job", "layerName": titlecard.PictureLayer, "template": template, "settings": map[string]any{"type": "image", "frames": 10}},
			map[string]any{"type": "job", "layerName": titlecard.PictureLayer, "template": template, "settings": map[string]any{"frames": []int{0, 45}, "codec": "video_prores_4444"},
				"assets": []any{map[string]any{"type": "text", "layerName": "Title", "value": "inner"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Finished(job.ID)
	log := f.LogOf(job.ID)
	for _, want := range []string{"asset 0: image '" + titlecard.PictureLayer + "', changed 1", "asset 1: video '" + titlecard.PictureLayer + "', changed 1"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
}
