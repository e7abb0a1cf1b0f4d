package farm

import (
	"strings"
	"time"
)

// Measured is how long the parts of a render took on one machine.
type Measured struct {
	Engine       string  `json:"engine,omitempty"` // kind and version, such as "aftereffects 26.0.2"
	FetchSeconds float64 `json:"fetchSeconds,omitempty"`
	StartSeconds float64 `json:"startSeconds,omitempty"` // from the engine's start to its first frame
	Frames       int     `json:"frames,omitempty"`       // that were rendered
	FrameSeconds float64 `json:"frameSeconds,omitempty"` // of all frames together
	Reused       int     `json:"reused,omitempty"`       // of Frames, those that were not drawn, since another job's render had drawn them
}

// Kind is the kind of engine that was measured, "" when unknown.
func (m Measured) Kind() string {
	kind, _, _ := strings.Cut(m.Engine, " ")
	return kind
}

// Timing is the running mean of the measurements of a kind of work; later ones weigh more. Times are whole microseconds,
// so that every node computes the same.
type Timing struct {
	Count  int       `json:"count"`            // attempts that were measured
	Frame  int64     `json:"frame,omitempty"`  // for one frame
	Spread int64     `json:"spread,omitempty"` // mean deviation of Frame from one attempt to the next
	Start  int64     `json:"start,omitempty"`  // from the engine's start to its first frame
	At     time.Time `json:"at"`               // of the latest
}

// timingMemory is the number of measurements after which older ones fade from a Timing.
const timingMemory = 8

// maxTiming is the longest time that is believed of a measurement, in microseconds: anything longer is a clock's error.
const maxTiming = 30 * 24 * 3600 * 1_000_000

// Add adds the measurements of an attempt; those that it lacks stay as they are.
func (t *Timing) Add(m Measured, at time.Time) {
	n := int64(min(t.Count+1, timingMemory))
	if frame := microseconds(m.FrameSeconds); frame > 0 && m.Frames > 0 {
		frame /= int64(m.Frames)
		if t.Frame == 0 {
			t.Frame, t.Spread = frame, frame/4
		} else {
			t.Spread += (abs(frame-t.Frame) - t.Spread) / n
			t.Frame += (frame - t.Frame) / n
		}
	}
	if start := microseconds(m.StartSeconds); start > 0 {
		if t.Start == 0 {
			t.Start = start
		} else {
			t.Start += (start - t.Start) / n
		}
	}
	t.Count++
	t.At = at
}

// Usable says whether there is anything to add.
func (m Measured) Usable() bool {
	return m.Frames > 0 && microseconds(m.FrameSeconds) > 0 || microseconds(m.StartSeconds) > 0
}

// microseconds is 0 for what cannot be a measurement.
func microseconds(seconds float64) int64 {
	if us := seconds * 1e6; us >= 1 && us <= maxTiming {
		return int64(us)
	}
	return 0
}

func abs(n int64) int64 { return max(n, -n) }

// Span is a forecast: a number of seconds from now, as a range.
type Span struct {
	Low  float64 `json:"low"`  // nine of ten take longer
	High float64 `json:"high"` // nine of ten take less
	// Learning says that too little was measured for a good forecast; Low and High are 0 when nothing was.
	Learning bool `json:"learning,omitempty"`
}
