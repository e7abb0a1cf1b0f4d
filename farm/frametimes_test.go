package farm

import (
	"testing"
	"time"
)

func TestFrameTimesStayBoundedAndKeepTheSlowest(t *testing.T) {
	var few FrameTimes
	for frame := 10; frame < 20; frame++ {
		few.Add(frame, time.Duration(frame)*time.Millisecond)
	}
	if len(few.Of) != 10 || few.Step != 1 || few.Of[3] != (FrameStretch{First: 13, Frames: 1, Took: 13, Slow: 13, Most: 13}) || !few.Valid() {
		t.Errorf("ten frames are %+v", few)
	}
	var many FrameTimes
	const all = 432_000
	for i := range all {
		frame := i ^ 1 // as engines that draw several at once tell them
		took := 3 * time.Millisecond
		if frame == 123_456 {
			took = 900 * time.Millisecond
		}
		many.Add(frame, took)
	}
	frames, ms, slowest := 0, 0, FrameStretch{}
	for _, s := range many.Of {
		frames, ms = frames+s.Frames, ms+s.Took
		if s.Most > slowest.Most {
			slowest = s
		}
	}
	if len(many.Of) > MostStretches || frames != all || ms != 3*all+897 || slowest.Slow != 123_456 || slowest.Most != 900 || !many.Valid() {
		t.Errorf("%d stretches of %d hold %d frames, %d ms, the slowest %+v", len(many.Of), many.Step, frames, ms, slowest)
	}
	for _, bad := range []FrameTimes{{}, {Step: 1, Of: []FrameStretch{{Frames: 0}}}, {Step: 1, Of: []FrameStretch{{First: -1, Frames: 1}}}, {Step: 1, Of: make([]FrameStretch, MostStretches+1)}} {
		if bad.Valid() {
			t.Errorf("%+v can be", bad)
		}
	}
}
