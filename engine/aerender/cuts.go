package aerender

import (
	"cmp"
	"math"
	"slices"
)

const (
	// calm is how long a stretch without changed layers lasts at least, in seconds, to be encoded by itself: the encoder's start costs as much as a
	// few frames, and so does the key frame that a stretch begins with.
	calm = 1.0
	// maxCalm is how many stretches without changed layers a film has at most.
	maxCalm = 4
)

// cutsFor are the frames of a composition, of so many frames at a rate, at which layers that have changed at these times begin or end to show: films
// of jobs that differ in these layers are the same between the others.
func cutsFor(times []extent, frames int, rate float64) (cuts []int) {
	still := between(times, frames, rate)
	still = slices.DeleteFunc(still, func(r reach) bool { return float64(r.length()) < calm*rate })
	if len(still) > maxCalm {
		slices.SortStableFunc(still, func(a, b reach) int { return cmp.Compare(b.length(), a.length()) })
		still = still[:maxCalm]
		slices.SortFunc(still, func(a, b reach) int { return cmp.Compare(a.first, b.first) })
	}
	for _, r := range still {
		for _, n := range []int{r.first, r.end} {
			if n > 0 && n < frames && !slices.Contains(cuts, n) {
				cuts = append(cuts, n)
			}
		}
	}
	return cuts
}

// reach is the frames from first to before end.
type reach struct{ first, end int }

func (r reach) length() int { return r.end - r.first }

// between are the frames at which nothing has changed.
func between(times []extent, frames int, rate float64) (out []reach) {
	var busy []reach
	frame := func(t float64) int { // the first at t or later
		return int(min(float64(frames), max(0, math.Ceil(t*rate-1e-3))))
	}
	for _, e := range times {
		busy = append(busy, reach{frame(e.from), frame(e.to)})
	}
	slices.SortFunc(busy, func(a, b reach) int { return cmp.Compare(a.first, b.first) })
	at := 0
	for _, b := range append(busy, reach{frames, frames}) {
		if b.first > at {
			out = append(out, reach{at, b.first})
		}
		at = max(at, b.end)
	}
	return out
}

// within are the cuts after the first and up to the last frame of a film.
func within(cuts []int, first, last int) []int {
	return slices.DeleteFunc(slices.Clone(cuts), func(n int) bool { return n <= first || n > last })
}

// stretchesOf are the stretches of the frames first..last between cuts, which lie within them.
func stretchesOf(cuts []int, first, last int) (out []reach) {
	for _, n := range cuts {
		out = append(out, reach{first, n})
		first = n
	}
	return append(out, reach{first, last + 1})
}
