package page

import (
	"context"
	"time"

	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// FrameTimes are how long frames of a job took, as the script of its page reads them: of two runs that hold a frame the later one counts.
type FrameTimes struct {
	Of      []FrameRun `json:"of"`
	Slowest *SlowFrame `json:"slowest,omitempty"`
}

// SlowFrame is the frame that took longest.
type SlowFrame struct {
	Frame int    `json:"frame"`
	Words string `json:"words"`
}

// FrameTimesOf says how long frames took that attempts rendered, the earlier attempts first.
func FrameTimesOf(ctx context.Context, timed []results.TimedAttempt, attempts []farm.AttemptRecord) FrameTimes {
	by := make(map[wire.Attempt]results.TimedAttempt, len(timed))
	for _, t := range timed {
		by[t.Attempt] = t
	}
	out := FrameTimes{Of: []FrameRun{}}
	var counted []farm.FrameStretch
	for _, a := range attempts {
		t, known := by[wire.Attempt{Task: a.Task, Attempt: a.Number}]
		if !known {
			continue
		}
		name := agentWord(ctx, a.AgentName, a.Agent)
		counted = append(outsideOf(counted, t.Of), t.Of...)
		for _, s := range t.Of {
			out.Of = append(out.Of, stretchRun(ctx, name, s, t.Step))
		}
	}
	out.Slowest = slowestOf(ctx, counted)
	return out
}

// stretchRun says who rendered a frame and how long it took, or that of some frames.
func stretchRun(ctx context.Context, name string, s farm.FrameStretch, step int) FrameRun {
	if s.Frames == 1 {
		return FrameRun{s.Slow, s.Slow, say(ctx, "Rendered by %s in %s", name, milliseconds(ctx, s.Took))}
	}
	last := s.First/step*step + step - 1
	return FrameRun{s.First, last, say(ctx, "Rendered by %s, %s per frame; the slowest of the frames %d to %d is %d, %s",
		name, milliseconds(ctx, s.Took/s.Frames), s.First, last, s.Slow, milliseconds(ctx, s.Most))}
}

// outsideOf are those of some stretches whose slowest frame lies outside of what later ones reach over.
func outsideOf(stretches, later []farm.FrameStretch) (left []farm.FrameStretch) {
	first, last := later[0].First, 0
	for _, s := range later {
		first, last = min(first, s.First), max(last, s.First+s.Frames-1)
	}
	for _, s := range stretches {
		if s.Slow < first || s.Slow > last {
			left = append(left, s)
		}
	}
	return left
}

// slowestOf is the frame that took longest, nil where nothing tells.
func slowestOf(ctx context.Context, all []farm.FrameStretch) *SlowFrame {
	var slow farm.FrameStretch
	frames, took := 0, 0
	for _, s := range all {
		frames, took = frames+s.Frames, took+s.Took
		if s.Most > slow.Most {
			slow = s
		}
	}
	if frames < 2 || slow.Most < 1 {
		return nil
	}
	return &SlowFrame{slow.Slow, say(ctx, "Slowest frame: %d, %s; %s on average", slow.Slow, milliseconds(ctx, slow.Most), milliseconds(ctx, took/frames))}
}

func milliseconds(ctx context.Context, n int) string {
	return inWords(ctx).Duration(time.Duration(n) * time.Millisecond)
}
