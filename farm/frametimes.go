package farm

import (
	"slices"
	"time"
)

// MostStretches is how many stretches FrameTimes hold.
const MostStretches = 1000

// FrameTimes are how long each of a render's frames took, or, where they are very many, stretches of them.
type FrameTimes struct {
	Step int            `json:"step"` // frames of a stretch, at most
	Of   []FrameStretch `json:"of"`
}

// FrameStretch is one frame, or some of those that follow each other. Times are in milliseconds, frames are counted from the composition's first as 0.
type FrameStretch struct {
	First  int `json:"first"`
	Frames int `json:"frames"` // that were timed
	Took   int `json:"took"`   // all together
	Slow   int `json:"slow"`   // which took longest
	Most   int `json:"most"`   // as long as this
}

// Add adds a frame that is done.
func (f *FrameTimes) Add(frame int, took time.Duration) {
	f.Step = max(f.Step, 1)
	ms := int(took.Milliseconds())
	f.put(FrameStretch{First: frame, Frames: 1, Took: ms, Slow: frame, Most: ms})
	if len(f.Of) <= MostStretches {
		return
	}
	all := f.Of
	f.Step, f.Of = 2*f.Step, all[:0] // as long again
	for _, s := range all {
		f.put(s)
	}
	f.Of = f.Of[:min(len(f.Of), MostStretches)] // of frames in no order whatever
}

// put adds a stretch, to the one before if that is the same.
func (f *FrameTimes) put(s FrameStretch) {
	n := len(f.Of)
	if n == 0 || f.Of[n-1].First/f.Step != s.First/f.Step {
		f.Of = append(f.Of, s)
		return
	}
	was := &f.Of[n-1]
	was.First, was.Frames, was.Took = min(was.First, s.First), was.Frames+s.Frames, was.Took+s.Took
	if s.Most > was.Most {
		was.Slow, was.Most = s.Slow, s.Most
	}
}

// Valid says whether the times can be: a machine has told them.
func (f FrameTimes) Valid() bool {
	return f.Step > 0 && len(f.Of) <= MostStretches && !slices.ContainsFunc(f.Of, func(s FrameStretch) bool {
		return min(s.First, s.Took, s.Slow, s.Most) < 0 || s.Frames < 1 || s.Most > s.Took
	})
}
