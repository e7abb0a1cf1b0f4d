//go:build linux

package main

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

// nestedCard is a still of the title card as the asset of another job.
func nestedCard(template, layer string, assets ...map[string]any) map[string]any {
	return map[string]any{
		"type": "job", "layerName": layer, "template": map[string]string{"id": template, "composition": titlecard.Composition},
		"settings": map[string]any{"type": "image", "frames": 60}, "assets": assets,
	}
}

// TestNestedJobsAreSeenInTheirParent has a job whose picture is a job whose picture is green.
func TestNestedJobsAreSeenInTheirParent(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	green := map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": greenPicture(t)}
	hidden := map[string]any{"type": "function", "name": "nx:layer-state-set", "params": map[string]any{"layerName": "Shade", "visible": false}}
	fit := map[string]any{"type": "function", "name": "nx:layer-autoscale", "params": map[string]any{"layerName": titlecard.PictureLayer, "type": "fill"}}
	id := f.submitCard(template, map[string]any{"type": "image", "frames": 60},
		nestedCard(template, titlecard.PictureLayer, nestedCard(template, titlecard.PictureLayer, green, fit, hidden), fit, hidden), fit, hidden)
	done := f.finished(id)
	file, err := os.Open(f.download(done))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(titlecard.Width*3/4, titlecard.Height/4).RGBA(); g < 0xb000 || r > 0x4000 || b > 0x4000 {
		t.Errorf("where the green picture of the innermost job shows stands %#x %#x %#x\n%s", r, g, b, f.log(id))
	}
}

func TestANestedJobThatFailsFailsItsParent(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	id := f.submitCard(template, map[string]any{"type": "image", "frames": 60},
		nestedCard(template, titlecard.PictureLayer, map[string]any{"type": "text", "layerName": "nowhere", "value": "x"}))
	job := f.ended(id)
	if job.Status != "error" || !strings.Contains(why(job), "Nested job ") || !strings.Contains(why(job), "nowhere") {
		t.Errorf("the job is %s: %q", job.Status, why(job))
	}
}
