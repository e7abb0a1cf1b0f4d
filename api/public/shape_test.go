package public

import (
	"encoding/json"
	"flag"
	"math"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/api/apitest"
	"overcrank/farm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what a value looks like on the wire with the file of that name.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	apitest.Golden(t, *update, name, value)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123_456_789, time.UTC)

const (
	jobA      = "01JD7000000000000000000JBA"
	templateA = "01JD7000000000000000000TPA"
	resultA   = "https://farm.example/outputs/" + jobA + "-x7.mp4"
)

func queuedJob() farm.Job {
	return farm.Job{
		ID: jobA, Status: farm.JobQueued, CreatedAt: noon, UpdatedAt: noon,
		Template: farm.JobTemplate{ID: templateA, Composition: "main"},
	}
}

func TestJobsOnTheWire(t *testing.T) {
	golden(t, "job-queued", jobShape(queuedJob(), resultA, false))
	golden(t, "job-minimal", jobShape(queuedJob(), resultA, true))

	rendering := queuedJob()
	rendering.Status, rendering.Progress = farm.JobRendering, 41.6666
	rendering.StartedAt, rendering.UpdatedAt = noon.Add(time.Second), noon.Add(time.Second)
	rendering.MissingFonts = []string{"Inter-Bold"}
	rendering.Assets = []farm.Asset{
		{Type: "text", LayerName: "title", Value: json.RawMessage(`"A & B <c>"`)},
		{Type: "image", LayerName: "logo", Src: "https://example.com/a.png?x=1&y=2"},
	}
	golden(t, "job-rendering", jobShape(rendering, resultA, false))

	finished := rendering
	finished.Status, finished.Progress, finished.FinishedAt = farm.JobFinished, 100, noon.Add(13_500*time.Millisecond)
	finished.Name, finished.Tags, finished.Warnings = "opener", []string{"news"}, []string{"Font 'Inter-Bold' was substituted"}
	finished.Output = &farm.OutputRef{FileRef: farm.FileRef{SHA256: strings.Repeat("ab", 32), Size: 1234}}
	golden(t, "job-finished", jobShape(finished, resultA, false))
	body, err := DescribeJob(finished, resultA, json.RawMessage(`{"order": 7}`))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "webhook", json.RawMessage(body))

	failed := queuedJob()
	failed.Status, failed.Error, failed.ErrorAt = farm.JobFailed, "Layer 'title' not found in composition 'main'", noon.Add(time.Minute)
	failed.Template = farm.JobTemplate{Src: "https://example.com/a.aep"}
	golden(t, "job-error", jobShape(failed, resultA, false))

	golden(t, "job-created", jobCreated{ID: jobA, Status: "queued", OutputURL: resultA, MissingFonts: []string{"Inter-Bold"}})
}

func TestTemplatesOnTheWire(t *testing.T) {
	waiting := farm.Template{
		ID: templateA, Type: "aep", DisplayName: "Opener", Status: farm.TemplateAwaitingUpload, CreatedAt: noon, UpdatedAt: noon,
		UploadUntil: noon.Add(time.Hour),
	}
	created := templateShape(waiting, nil)
	created.UploadInfo = uploadShape(waiting, "https://farm.example/files/templates/"+templateA+"?sig=1", noon)
	golden(t, "template-created", created)
	golden(t, "template3", template3Shape(waiting))

	broken := waiting
	broken.Status, broken.Error = farm.TemplateError, "This file is not an After Effects project."
	golden(t, "template-error", templateShape(broken, nil))

	panel := waiting
	panel.Type, panel.Status = "mogrt", farm.TemplateUploaded
	panel.Compositions, panel.Layers = []string{"main"}, []string{"title"}
	low, high := 0.0, 100.0
	golden(t, "template-mogrt", templateShape(panel, &aep.MogrtSummary{
		Name: "Lower third", CapsuleID: "c-1",
		Fields: []aep.MogrtFieldSummary{
			{Name: "Headline", Type: "text", Value: "Hello"},
			{Name: "Size", Type: "slider", Value: 50.0, Min: &low, Max: &high},
		},
	}))
}

func TestCompositionsAndLayersOnTheWire(t *testing.T) {
	golden(t, "composition", compositionShape(aep.CompositionSummary{
		ID: 7, Name: "main", Width: 1280, Height: 720, Duration: 6.5, FrameRate: 29.97, Root: true, Layers: make([]aep.LayerSummary, 2),
	}))
	golden(t, "layer-text", layerShape(7, aep.LayerSummary{
		ID: 8, Name: "title", Type: "text", Text: "Hello\n", Fonts: []string{"Inter-Bold"},
		Top: 10.5, Left: 20, Width: 300, Height: 80, In: 1, Out: 6.5,
	}))
	golden(t, "layer-composition", layerShape(7, aep.LayerSummary{
		ID: 9, Name: "inner", Type: "av", SourceType: "comp", SourceComp: 3, Parent: 8, Width: math.Inf(1), Out: math.NaN(),
	}))
}
