package ranges

import (
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
)

func TestWorkIsSplitWhenItPays(t *testing.T) {
	for _, tc := range []struct {
		name   string
		work   Work
		ranges int
	}{
		{"slow frames on four machines", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.25, Start: 1}, 4},
		{"slow frames, a cheap start", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1}, 12},
		{"a single machine", Work{Frames: farm.Frames{End: 199}, Machines: 1, Frame: 1, Start: 1}, 0},
		{"fast frames", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.01, Start: 0.5}, 0},
		{"a start that costs more than the frames", Work{Frames: farm.Frames{End: 9}, Machines: 4, Frame: 0.2, Start: 30}, 0},
		{"a still", Work{Machines: 4, Frame: 100, Start: 1}, 0},
		{"fewer frames than machines", Work{Frames: farm.Frames{End: 2}, Machines: 9, Frame: 60, Start: 1}, 3},
		{"the farm splits nothing", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{Off: true}}, 0},
		{"ranges of a minute", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MinSeconds: 60}}, 3},
		{"two ranges at most", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MaxRanges: 2}}, 2},
		{"more machines than ranges", Work{Frames: farm.Frames{End: 9999}, Machines: 2000, Frame: 10, Start: 1}, 100},
	} {
		if got := Plan(tc.work); len(got) != tc.ranges {
			t.Errorf("%s: %d ranges, want %d: %v", tc.name, len(got), tc.ranges, got)
		}
	}
}

func TestSoundMakesRoomInTheLastRange(t *testing.T) {
	got := Plan(Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.25, Start: 2, Sound: true})
	if len(got) != 4 || got[3].Count() >= got[0].Count() {
		t.Errorf("ranges %v", got)
	}
}

func TestRangesHoldEveryFrameOnce(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		w := Work{
			Frames:   farm.Frames{Start: rapid.IntRange(0, 500).Draw(t, "start")},
			Machines: rapid.IntRange(0, 300).Draw(t, "machines"), Frame: rapid.Float64Range(0, 100).Draw(t, "frame"),
			Start: rapid.Float64Range(0, 60).Draw(t, "engine"), Sound: rapid.Bool().Draw(t, "sound"),
			Policy: farm.SplitPolicy{MinSeconds: rapid.Float64Range(0, 50).Draw(t, "min"), MaxRanges: rapid.IntRange(0, 40).Draw(t, "max")},
		}
		w.Frames.End = w.Frames.Start + rapid.IntRange(0, 3000).Draw(t, "frames")
		plan := Plan(w)
		if len(plan) == 0 {
			return
		}
		planned++
		next := w.Frames.Start
		for _, r := range plan {
			if r.Start != next || r.Count() < 1 {
				t.Fatalf("%v of %v", plan, w.Frames)
			}
			next = r.End + 1
		}
		if next != w.Frames.End+1 || len(plan) < 2 || len(plan) > mostOf(w.Policy) || w.Policy.MinSeconds > 0 && float64(w.Frames.Count())*w.Frame < 2*w.Policy.MinSeconds {
			t.Fatalf("%d ranges for %+v", len(plan), w)
		}
	})
	if planned == 0 {
		t.Error("nothing was ever split: the test no longer covers it")
	}
}
