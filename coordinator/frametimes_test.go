package coordinator_test

import (
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// TestFrameTimesAreKeptBesideTheResult has a machine tell what each frame took, and the farm forget that with the pictures of the frames.
func TestFrameTimesAreKeptBesideTheResult(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film(func(j *farm.Job) { j.MaxMachines = 1 })
	h := held{s.stations[0], s.stations[0].lease()}
	const told = `{"step": 1, "of": [{"first": 7, "frames": 1, "took": 90, "slow": 7, "most": 90}]}`
	if err := s.Results().ReceiveFrameTimes(t.Context(), h.agent, h.Attempt, []byte(told)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Results().ReceiveFrameTimes(t.Context(), h.agent, h.Attempt, []byte(strings.Replace(told, "90}", "91}", 1))), farm.CodeInvalid)
	late := wire.Attempt{Task: h.Task, Attempt: h.Attempt.Attempt + 1}
	wantCode(t, s.Results().ReceiveFrameTimes(t.Context(), h.agent, late, []byte(told)), farm.CodeConflict)

	kept, err := s.Results().FrameTimes(t.Context(), s.admin, job.ID)
	want := []farm.FrameStretch{{First: 7, Frames: 1, Took: 90, Slow: 7, Most: 90}}
	if err != nil || len(kept) != 1 || kept[0].Attempt != h.Attempt || !slices.Equal(kept[0].Of, want) {
		t.Fatalf("kept are %+v, %v", kept, err)
	}
	if pictures, err := s.Results().Thumbnails(t.Context(), s.admin, job.ID); err != nil || len(pictures) != 0 {
		t.Errorf("the pictures of the job are %+v, %v", pictures, err)
	}
	if err := s.Results().DeletePictures(t.Context(), job.ID); err != nil {
		t.Fatal(err)
	}
	if kept, err := s.Results().FrameTimes(t.Context(), s.admin, job.ID); err != nil || len(kept) != 0 {
		t.Errorf("once the pictures are gone, kept are %+v, %v", kept, err)
	}
}
