package forecast

import (
	"math/rand/v2"
	"testing"
	"time"

	"overcrank/farm"
)

// history is what was measured on a machine whose frames take about mean seconds, and now and then more or less.
func history(chance *rand.Rand, mean, spread float64, attempts int) farm.Timing {
	var t farm.Timing
	for range attempts {
		t.Add(farm.Measured{StartSeconds: 2, Frames: 50, FrameSeconds: 50 * around(chance, mean, spread)}, time.Time{})
	}
	return t
}

func around(chance *rand.Rand, mean, spread float64) float64 {
	return max(mean*(1+spread*chance.NormFloat64()), mean/10)
}

// TestRangeCoversWhatHappens simulates machines with known histories that render ranges of a film, and compares when they are done with
// the forecast.
func TestRangeCoversWhatHappens(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		name     string
		machines int
		ranges   int
		attempts int
		spread   float64
	}{
		{"one machine", 1, 1, 20, 0.1},
		{"one machine that was measured once", 1, 1, 1, 0.1},
		{"a range for each of four", 4, 4, 20, 0.1},
		{"three ranges for each of four", 4, 12, 20, 0.2},
		{"a machine of moods", 1, 1, 20, 0.3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const rounds, frames = 400, 40.0
			covered, early, width := 0, 0, 0.0
			for range rounds {
				timing := history(chance, 0.5, tc.spread, tc.attempts)
				each := Start(timing).Add(Frame(timing).Times(frames))
				waiting := make([]Cost, tc.ranges)
				free := make([]float64, tc.machines)
				for i := range waiting {
					waiting[i] = each
					next := earliest(free)
					free[next] += 2 + frames*around(chance, 0.5, tc.spread)
				}
				span := Span(Done(nil, waiting, tc.machines), false)
				took := latest(free)
				width += (span.High - span.Low) / took / rounds
				switch {
				case took < span.Low:
					early++
				case took <= span.High:
					covered++
				}
			}
			if share := float64(covered) / rounds; share < 0.75 {
				t.Errorf("covered %.0f%%, %d of %d were early", 100*share, early, rounds)
			}
			if width > 2 {
				t.Errorf("a range is %.1f times as wide as what it foretells", width)
			}
			t.Logf("covered %d of %d, %.2f wide", covered, rounds, width)
		})
	}
}

func earliest(free []float64) int {
	at := 0
	for i := range free {
		if free[i] < free[at] {
			at = i
		}
	}
	return at
}

func latest(free []float64) float64 {
	last := 0.0
	for _, at := range free {
		last = max(last, at)
	}
	return last
}

func TestLeftShrinksWithProgress(t *testing.T) {
	half, most := Live(10, 0.5), Live(18, 0.9)
	if half.Low > 10 || half.High < 10 || most.Low > 2 || most.High < 2 || most.High-most.Low >= half.High-half.Low {
		t.Errorf("half-way %+v, near the end %+v", half, most)
	}
}
