// Package ranges decides whether several machines render a composition, and which frames each of them gets. It is pure: no clock, no I/O.
package ranges

import (
	"cmp"

	"overcrank/farm"
)

// Work is a composition that is to be rendered.
type Work struct {
	Frames   farm.Frames
	Machines int     // that could begin now, including the one about to
	Frame    float64 // seconds per frame
	Start    float64 // seconds from an engine's start to its first frame
	Assemble float64 // seconds to assemble a frame; 0 when not measured
	Sound    bool    // sound is rendered separately
	Policy   farm.SplitPolicy
}

// Plan is how work is split, and why.
type Plan struct {
	Ranges []farm.Frames // the ranges, larger ones first; nil to leave the work whole
	Why    Why
	// Whole and Shared are the expected seconds on one machine and on Machines. They are set when Why is Pays or NoGain.
	Whole, Shared float64
	Machines      int
}

// Why is the reason to split work or to leave it whole.
type Why int

// The reasons. Only Pays splits the work.
const (
	Pays   Why = iota
	Off        // the policy forbids splitting
	Alone      // only one machine could begin now
	Single     // the policy or the work allows one range only
	Small      // ranges would be shorter than the policy's minimum
	NoGain     // several machines would not save enough time
)

// What splitting costs besides the engines' starts, and what it must save.
const (
	assembleSeconds = 1.0   // to begin assembling
	assembleFrame   = 0.005 // seconds per assembled frame, while not measured
	soundSeconds    = 0.5   // to render the sound, besides the engine's start
	leastGain       = 0.25  // least share of the time on one machine to be saved
	leastSaved      = 2.0   // seconds
)

// How many ranges a machine gets: more of them balance unequal machines and lose less with one that fails, but each costs an engine
// start.
const (
	mostEach   = 3
	mostRanges = 100
	// startsPerRange is how many engine starts a range should be worth: with this many, starting takes at most a fifteenth of a machine's
	// time.
	startsPerRange = 15
)

// Decide returns how to split the work, if at all.
func Decide(w Work) Plan {
	n, seconds := w.Frames.Count(), float64(w.Frames.Count())*w.Frame
	machines := min(w.Machines, n, mostOf(w.Policy))
	switch {
	case w.Policy.Off:
		return Plan{Why: Off}
	case w.Machines < 2:
		return Plan{Why: Alone}
	case machines < 2:
		return Plan{Why: Single}
	}
	if least := w.Policy.MinSeconds; least > 0 {
		machines = min(machines, int(seconds/least))
	}
	if machines < 2 {
		return Plan{Why: Small}
	}
	p := Plan{Machines: machines, Whole: w.Start + seconds, Shared: shared(w, machines, seconds)}
	if p.Whole-p.Shared < max(leastGain*p.Whole, leastSaved) {
		p.Why = NoGain
		return p
	}
	per := seconds / float64(machines)
	each := int(per / max(startsPerRange*w.Start, w.Policy.MinSeconds, 1))
	each = min(max(each, 1), mostEach, mostOf(w.Policy)/machines, n/machines)
	p.Ranges = cut(w.Frames, weights(w, machines, max(each, 1)))
	return p
}

func mostOf(p farm.SplitPolicy) int { return cmp.Or(p.MaxRanges, mostRanges) }

// shared is how many seconds the work takes on a number of machines, including assembly.
func shared(w Work, machines int, seconds float64) float64 {
	sound := 0.0
	if w.Sound {
		sound = (w.Start + soundSeconds) / float64(machines)
	}
	return w.Start + seconds/float64(machines) + sound + assembleSeconds + cmp.Or(w.Assemble, assembleFrame)*float64(w.Frames.Count())
}

// weights returns the relative sizes of the ranges. A machine's first is its largest, so that the last ones to end are small. Where
// machines get one each, the last is smaller, to make up for the sound.
func weights(w Work, machines, each int) []float64 {
	var list []float64
	for round := range each {
		for range machines {
			list = append(list, float64(each-round))
		}
	}
	if w.Sound && each == 1 {
		share := float64(w.Frames.Count()) * w.Frame / float64(machines)
		list[len(list)-1] = max(0.25, 1-(w.Start+soundSeconds)/share)
	}
	return list
}

// cut divides frames by weights; no range is empty.
func cut(frames farm.Frames, weights []float64) []farm.Frames {
	sum := 0.0
	for _, weight := range weights {
		sum += weight
	}
	list := make([]farm.Frames, len(weights))
	from, reached := frames.Start, 0.0
	for i, weight := range weights {
		reached += weight
		to := frames.Start + int(reached/sum*float64(frames.Count())+0.5) - 1
		to = min(max(to, from), frames.End-(len(weights)-1-i))
		if i == len(weights)-1 {
			to = frames.End
		}
		list[i] = farm.Frames{Start: from, End: to}
		from = to + 1
	}
	return list
}
