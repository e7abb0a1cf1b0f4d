//go:build linux

package main

import (
	"strings"
	"testing"

	"overcrank/cmd/overcrank/titlecard"
)

// The inner jobs give a still, and a film that keeps what is transparent; both stand in layers of the outer one.
func TestResultsOfNestedJobsStandInLayers(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := map[string]string{"id": f.card(), "composition": titlecard.Composition}
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
	f.finished(job.ID)
	log := f.log(job.ID)
	for _, want := range []string{"asset 0: image '" + titlecard.PictureLayer + "', changed 1", "asset 1: video '" + titlecard.PictureLayer + "', changed 1"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
}
