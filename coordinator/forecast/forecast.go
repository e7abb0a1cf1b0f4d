// Package forecast estimates, as a range, when a job will be done: from earlier measurements of its composition and from the progress of
// its machines. It has no clock.
package forecast

import (
	"math"
	"math/bits"

	"overcrank/farm"
)

// Cost is how many seconds something takes, as a range: nine of ten cases are below High, and nine of ten above Low.
type Cost struct{ Low, High float64 }

// Add is the cost of one after another.
func (c Cost) Add(other Cost) Cost { return Cost{c.Low + other.Low, c.High + other.High} }

// Times multiplies a cost.
func (c Cost) Times(n float64) Cost { return Cost{c.Low * n, c.High * n} }

// enough is how many measurements make a reliable range.
const enough = 3

// Learned reports whether a timing rests on enough measurements.
func Learned(t farm.Timing) bool { return t.Count >= enough }

// The range of a frame's time around its mean. tenth is how many mean deviations lie between the mean and the point that one of ten
// exceeds. least is the minimal uncertainty as a share of the mean; unsure adds to it after one measurement, and less after more.
const (
	tenth  = 1.6
	least  = 0.08
	unsure = 0.4
)

// Frame is what one frame costs, by a timing.
func Frame(t farm.Timing) Cost {
	mean := float64(t.Frame) / 1e6
	off := tenth*float64(t.Spread)/1e6 + mean*(least+unsure/float64(max(t.Count, 1)*max(t.Count, 1)))
	return Cost{Low: max(mean-off, mean/4), High: mean + off}
}

// Start is the cost until an engine's first frame, by a timing.
func Start(t farm.Timing) Cost {
	mean := float64(t.Start) / 1e6
	return Cost{Low: mean * 0.6, High: mean * 1.6}
}

// Live is what is left of something that took elapsed seconds for the share reached, 0 to 1.
func Live(elapsed, reached float64) Cost {
	left := elapsed * (1 - reached) / reached
	unsure := 0.1 + 0.2*(1-reached)
	return Cost{Low: left * (1 - unsure), High: left * (1 + 2*unsure)}
}

// Done is when work is done that begins now: each of running on its own machine, and each of waiting on whichever is free first.
func Done(running, waiting []Cost, machines int) Cost {
	var sum, longest, single Cost
	for _, c := range running {
		sum = sum.Add(c)
		longest = Cost{max(longest.Low, c.Low), max(longest.High, c.High)}
	}
	for _, c := range waiting {
		sum = sum.Add(c)
		single = Cost{max(single.Low, c.Low), max(single.High, c.High)}
	}
	n := float64(max(machines, 1))
	done := Cost{max(longest.Low, single.Low, sum.Low/n), max(longest.High, single.High, sum.High/n)}
	if len(waiting) > max(machines-len(running), 1) && n > 1 {
		// The last to begin ends after the others, in the worst case by its full length.
		done.High = max(done.High, sum.High/n+single.High*(1-1/n))
	}
	// Of many machines the slowest decides: each doubling of their number moves the middle up.
	if parallel := min(len(running)+len(waiting), int(n)); parallel > 1 {
		lift := float64(bits.Len(uint(parallel))-1) / 12
		done.Low += (done.High - done.Low) * min(lift, 0.4)
	}
	return done
}

// Span is a cost in whole seconds, for people.
func Span(c Cost, learning bool) farm.Span {
	return farm.Span{Low: math.Floor(c.Low), High: math.Ceil(c.High), Learning: learning}
}
