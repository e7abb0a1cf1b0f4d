package attempt

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"overcrank/farm"
)

// stopwatch measures the parts of an attempt. The zero value is ready.
type stopwatch struct {
	mu     sync.Mutex
	m      farm.Measured
	start  time.Time // of the engine
	first  time.Time // frame
	last   time.Time
	before int // frames that were done when the first was told
	times  farm.FrameTimes
}

// engine tells which engine renders.
func (w *stopwatch) engine(e farm.EngineInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.Engine = strings.TrimSpace(e.Kind + " " + e.Version)
}

// fetched tells how long all files together took.
func (w *stopwatch) fetched(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.FetchSeconds = d.Seconds()
}

// engineStarts begins the time until the first frame. An engine that only follows, for the sound, does not count.
func (w *stopwatch) engineStarts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() {
		w.start = time.Now()
	}
}

// rendered tells that so many frames are done, the last of which has a number.
func (w *stopwatch) rendered(frames, last int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() || frames <= w.m.Frames {
		return
	}
	now := time.Now()
	if !w.first.IsZero() && last >= 0 { // the first one's time is the engine's start, too
		w.times.Add(last, now.Sub(w.last)/time.Duration(frames-w.m.Frames))
	}
	w.last, w.m.Frames = now, frames
	if w.first.IsZero() {
		w.first, w.before = w.last, frames
	}
}

// reused tells that so many frames of a run were not drawn, since another render had drawn them.
func (w *stopwatch) reused(frames int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.Reused += max(0, frames)
}

// frameTimes are how long frames took, as they are handed over; nil for none.
func (w *stopwatch) frameTimes() ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.times.Of) == 0 {
		return nil, nil
	}
	return json.Marshal(w.times)
}

// measured is what was measured so far. The engine's start is told apart from its first frame by what the others took; of a single
// frame it cannot be, and all counts as the start.
func (w *stopwatch) measured() farm.Measured {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.m
	if w.first.IsZero() {
		return m
	}
	m.StartSeconds = w.first.Sub(w.start).Seconds()
	if later := m.Frames - w.before; later > 0 {
		each := w.last.Sub(w.first).Seconds() / float64(later)
		m.FrameSeconds = each * float64(m.Frames)
		m.StartSeconds = max(0, m.StartSeconds-each*float64(w.before))
	}
	return m
}
