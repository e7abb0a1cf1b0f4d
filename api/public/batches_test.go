package public

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/api/input"
	"overcrank/coordinator"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

func TestBatchesAreReadJobByJob(t *testing.T) {
	entries, err := decodeBatch([]byte(`{"jobs": [{"template": {"id": "A"}}, 7, {"template": {"id": "B"}, "settings": {"fps": 1}}, {"template": {"id": "C"}, "assets": [`+textAsset+`]}]}`), &input.Problems{})
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 || entries[0].Err != nil || entries[0].Job.Template.ID != "A" || entries[3].Err != nil || len(entries[3].Job.Assets) != 1 {
		t.Errorf("read %+v", entries)
	}
	if farm.CodeOf(entries[1].Err) != farm.CodeInvalid || !slices.Equal(fieldsOf(t, entries[2].Err), []string{"settings.fps"}) {
		t.Errorf("refused with %v and %v", entries[1].Err, entries[2].Err)
	}
	entries, err = decodeBatch([]byte(`{"project": " Spring ", "jobs": [{"template": {"id": "A"}}, {"template": {"id": "B"}, "project": "Autumn"}]}`), &input.Problems{Strict: true})
	if err != nil || entries[0].Job.ProjectID != "Spring" || entries[1].Job.ProjectID != "Autumn" {
		t.Errorf("a batch for a project is read as %+v (%v)", entries, err)
	}
	large := `{"jobs": [{"template": {"id": "A"}, "extra": [` + strings.Repeat("[0,0,0,0,0,0,0],", 200_000) + strings.Repeat(" ", 16<<20) + `0]}]}`
	if entries, err := decodeBatch([]byte(large), &input.Problems{}); err != nil || entries[0].Err != nil {
		t.Errorf("a large body of many values: %v, %v", err, entries)
	}
	for _, body := range []string{``, `[]`, `{}`, `{"jobs": {}}`, `{"jobs": []}`, `{"jobs": [` + strings.TrimSuffix(strings.Repeat("{},", 1001), ",") + `]}`} {
		if _, err := decodeBatch([]byte(body), &input.Problems{}); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%.40q: %v", body, err)
		}
	}
}

func TestTheStatusOfABatchFollowsItsJobs(t *testing.T) {
	for want, all := range map[string][]map[farm.JobStatus]int{
		"processing": {{farm.JobQueued: 1}, {farm.JobPending: 1, farm.JobFinished: 3}, {farm.JobRendering: 1, farm.JobFailed: 9}},
		"error":      {{farm.JobFailed: 2}, {farm.JobCancelled: 2}, {farm.JobFailed: 1, farm.JobCancelled: 1}},
		"finished":   {{farm.JobFinished: 2}, {farm.JobFinished: 1, farm.JobFailed: 5, farm.JobCancelled: 1}},
	} {
		for _, counts := range all {
			if got := BatchStatus(CountedStats(counts)); got != want {
				t.Errorf("%v is %s, want %s", counts, got, want)
			}
		}
	}
}

func TestBatchesOnTheWire(t *testing.T) {
	lies := &coordinator.Coordinator{}
	parent := queuedJob()
	parent.Status, parent.OutputName = farm.JobPending, jobA+"-x7.mp4"
	child := queuedJob()
	child.ID, child.OutputName, child.MissingFonts = "01JD7000000000000000000JBC", "c.mp4", []string{"Inter-Bold"}
	parent.Assets = []farm.Asset{{Type: "text"}, {Type: "job", Child: child.ID, Nested: &child}}
	result := submission.BatchResult{
		Batch: farm.Batch{ID: "01JD7000000000000000000BTA", Total: 3, Jobs: []farm.BatchJob{{Index: 1, ID: jobA}}},
		Jobs:  []farm.Job{parent},
		Errs: map[int]error{
			0: farm.Invalid("the request is not valid: template is missing", farm.FieldError{Field: "template", Message: "is missing"}),
			2: farm.Errorf(farm.CodeNotFound, "there is no template %q", "T"),
		},
	}
	golden(t, "batch-created-partial", batchCreatedShape(lies, result))
	whole := result
	whole.Batch.Total, whole.Errs, whole.Batch.Jobs = 1, nil, []farm.BatchJob{{Index: 0, ID: jobA}}
	golden(t, "batch-created", batchCreatedShape(lies, whole))
	golden(t, "batch-refused", batchCreatedShape(lies, submission.BatchResult{Batch: farm.Batch{Total: 1}, Errs: map[int]error{0: fmt.Errorf("broke")}}))

	jobs := map[string]farm.Job{jobA: parent}
	golden(t, "batch", batchShape(lies, result.Batch, jobs))
	golden(t, "batch-cancelled-none", batchCancelledShape(lies, result.Batch, jobs, nil))
	cancelled := parent
	cancelled.Status = farm.JobCancelled
	golden(t, "batch-cancelled", batchCancelledShape(lies, result.Batch, map[string]farm.Job{jobA: cancelled}, []farm.Job{cancelled, child}))
}

// BenchmarkDecodeBatch reads a batch of 1,000 jobs of 2 KB.
func BenchmarkDecodeBatch(b *testing.B) {
	asset := `{"type": "text", "layerName": "a layer", "value": "` + strings.Repeat("tonight at eight ", 15) + `"}`
	job := `{"template": {"id": "01JD7000000000000000000TPA", "composition": "main"}, "assets": [` + strings.TrimSuffix(strings.Repeat(asset+", ", 6), ", ") + `]}`
	body := []byte(`{"jobs": [` + strings.TrimSuffix(strings.Repeat(job+", ", 1000), ", ") + `]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := decodeBatch(body, &input.Problems{}); err != nil {
			b.Fatal(err)
		}
	}
}
