package ranges

import (
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
)

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		name   string
		work   Work
		ranges int
		why    Why
	}{
		{"slow frames on four machines", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.25, Start: 1}, 4, Pays},
		{"slow frames, a cheap start", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1}, 12, Pays},
		{"a single machine", Work{Frames: farm.Frames{End: 199}, Machines: 1, Frame: 1, Start: 1}, 0, Alone},
		{"fast frames", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.01, Start: 0.5}, 0, NoGain},
		{"a start that costs more than the frames", Work{Frames: farm.Frames{End: 9}, Machines: 4, Frame: 0.2, Start: 30}, 0, NoGain},
		{"a still", Work{Machines: 4, Frame: 100, Start: 1}, 0, Single},
		{"fewer frames than machines", Work{Frames: farm.Frames{End: 2}, Machines: 9, Frame: 60, Start: 1}, 3, Pays},
		{"the farm splits nothing", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{Off: true}}, 0, Off},
		{"ranges of a minute", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MinSeconds: 60}}, 3, Pays},
		{"two ranges at most", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MaxRanges: 2}}, 2, Pays},
		{"more machines than ranges", Work{Frames: farm.Frames{End: 9999}, Machines: 2000, Frame: 10, Start: 1}, 100, Pays},
		{"one range at most", Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MaxRanges: 1}}, 0, Single},
		{"shorter than two ranges may be", Work{Frames: farm.Frames{End: 99}, Machines: 4, Frame: 1, Start: 1, Policy: farm.SplitPolicy{MinSeconds: 60}}, 0, Small},
		{"a film of which it was measured what its parts cost", Work{Frames: farm.Frames{End: 1499}, Machines: 3, Frame: 0.025, Start: 0.5, Assemble: 0.005}, 3, Pays},
		{"parts that cost more than they save", Work{Frames: farm.Frames{End: 1499}, Machines: 3, Frame: 0.025, Start: 0.5, Assemble: 0.05}, 0, NoGain},
	} {
		got := Decide(tc.work)
		if len(got.Ranges) != tc.ranges || got.Why != tc.why {
			t.Errorf("%s: %d ranges, want %d, for reason %d, want %d: %+v", tc.name, len(got.Ranges), tc.ranges, got.Why, tc.why, got)
		}
		if (got.Why == Pays || got.Why == NoGain) != (got.Whole > 0 && got.Shared > 0 && got.Machines > 1) {
			t.Errorf("%s: whole %v s, on %d machines %v s", tc.name, got.Whole, got.Machines, got.Shared)
		}
	}
}

func TestSoundShortensTheLastRange(t *testing.T) {
	got := Decide(Work{Frames: farm.Frames{End: 199}, Machines: 4, Frame: 0.25, Start: 2, Sound: true}).Ranges
	if len(got) != 4 || got[3].Count() >= got[0].Count() {
		t.Errorf("ranges %v", got)
	}
}

func TestRangesCoverEveryFrameOnce(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		w := Work{
			Frames:   farm.Frames{Start: rapid.IntRange(0, 500).Draw(t, "start")},
			Machines: rapid.IntRange(0, 300).Draw(t, "machines"), Frame: rapid.Float64Range(0, 100).Draw(t, "frame"),
			Start: rapid.Float64Range(0, 60).Draw(t, "engine"), Sound: rapid.Bool().Draw(t, "sound"),
			Policy: farm.SplitPolicy{MinSeconds: rapid.Float64Range(0, 50).Draw(t, "min"), MaxRanges: rapid.IntRange(0, 40).Draw(t, "max")},
		}
		w.Frames.End = w.Frames.Start + rapid.IntRange(0, 3000).Draw(t, "frames")
		plan := Decide(w).Ranges
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
