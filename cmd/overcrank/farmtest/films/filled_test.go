//go:build linux

package films_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

// TestFilledInProjectRendersAsTheJobWould asks for the project instead of the film, registers it as a template of its own, and
// renders that without any asset.
func TestFilledInProjectRendersAsTheJobWould(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	card := f.Card()
	assets := []map[string]any{
		{"type": "text", "layerName": titlecard.TitleLayer, "value": "Taken along"},
		{"type": "image", "layerName": titlecard.PictureLayer, "src": dataPicture(t), "name": "logo.png"},
		{"type": "data", "layerName": titlecard.TitleLayer, "property": "Transform.Opacity", "value": 70},
	}
	frame := map[string]any{"type": "image", "frames": 60}
	direct := f.SubmitCard(card, frame, assets...)
	filled := f.Finished(f.SubmitCard(card, map[string]any{"type": "aep"}, assets...))
	zip := f.Fetch(filled)

	again := f.Register("zip", zip)
	if again.Status != "uploaded" {
		t.Fatalf("the result is no project: %s", again.Error)
	}
	want, err := os.ReadFile(f.Fetch(f.Finished(direct)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Fetch(f.Finished(f.SubmitCard(again.ID, frame))))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the filled-in project renders another picture than the job that filled it in")
	}
}

// dataPicture is a picture as a data: address.
func dataPicture(t *testing.T) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range 320 * 180 {
		img.Set(i%320, i/320, color.RGBA{byte(i), 90, 200, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}
