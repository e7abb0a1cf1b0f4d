package page

import (
	"strings"
	"testing"

	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestTheSlowestFrameIsNamed(t *testing.T) {
	first := farm.FrameTimes{Step: 1, Of: []farm.FrameStretch{{First: 10, Frames: 1, Took: 200, Slow: 10, Most: 200}, {First: 11, Frames: 1, Took: 9000, Slow: 11, Most: 9000}, {First: 12, Frames: 1, Took: 600, Slow: 12, Most: 600}}}
	again := farm.FrameTimes{Step: 1, Of: []farm.FrameStretch{{First: 11, Frames: 1, Took: 400, Slow: 11, Most: 400}}}
	attempts := []farm.AttemptRecord{{Task: "j.1", Number: 1, AgentName: "suite-1"}, {Task: "j.4", Number: 1, AgentName: "suite-2"}, {Task: "j.5", Number: 1}}
	v := FrameTimesOf(t.Context(), []results.TimedAttempt{{Attempt: wire.Attempt{Task: "j.4", Attempt: 1}, FrameTimes: again}, {Attempt: wire.Attempt{Task: "j.1", Attempt: 1}, FrameTimes: first}}, attempts)
	if len(v.Of) != 4 || v.Of[1].First != 11 || !strings.Contains(v.Of[1].Words, "suite-1 in 9") || v.Of[3].First != 11 || !strings.Contains(v.Of[3].Words, "suite-2 in 0.4") {
		t.Errorf("the frames are %+v", v.Of)
	}
	if v.Slowest == nil || v.Slowest.Frame != 12 || !strings.Contains(v.Slowest.Words, "0.4") {
		t.Errorf("the slowest frame is %+v: frame 11 was rendered again, quickly", v.Slowest)
	}
	long := farm.FrameTimes{Step: 4, Of: []farm.FrameStretch{{First: 41, Frames: 3, Took: 900, Slow: 42, Most: 700}}}
	v = FrameTimesOf(t.Context(), []results.TimedAttempt{{Attempt: wire.Attempt{Task: "j.1", Attempt: 1}, FrameTimes: long}}, attempts)
	if len(v.Of) != 1 || v.Of[0].First != 41 || v.Of[0].Last != 43 || !strings.Contains(v.Of[0].Words, "is 42, 0.7") {
		t.Errorf("a stretch is %+v", v.Of)
	}
	if none := FrameTimesOf(t.Context(), nil, attempts); none.Slowest != nil || none.Of == nil {
		t.Errorf("of nothing there is %+v", none)
	}
}
