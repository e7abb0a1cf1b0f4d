// Package ranges decides whether a composition is rendered by several machines, and which frames each of them gets. It is
// pure: no clock, no I/O.
package ranges

import (
	"cmp"

	"overcrank/farm"
)

// Work is a composition that is about to be rendered.
type Work struct {
	Frames   farm.Frames
	Machines int     // that could begin now, the one included that is about to
	Frame    float64 // seconds that a frame takes
	Start    float64 // seconds that an engine takes before its first frame
	Assemble float64 // seconds that a frame takes to be put together with the others; 0 when that was never measured
	Sound    bool    // is rendered apart
	Policy   farm.SplitPolicy
}

// Plan is what becomes of some work, and why.
type Plan struct {
	Ranges []farm.Frames // that it is best split into, the larger ones first; nil when it is better left whole
	Why    Why
	// Whole and Shared are the seconds that it is expected to take on one machine, and on so many. They count where Why is Pays or NoGain.
	Whole, Shared float64
	Machines      int
}

// Why is the reason for which work is split, or left whole.
type Why int

// The reasons: Pays is the one for which work is split.
const (
	Pays   Why = iota
	Off        // the policy has nothing split
	Alone      // one machine could begin now
	Single     // the policy, or the work, has room for one range only
	Small      // ranges would be smaller than the policy wants
	NoGain     // several machines would not be done sooner by enough to be worth their time
)

// What splitting costs beside the engines' starts, and what it has to bring to be worth it.
const (
	assembleSeconds = 1.0   // to begin to put parts together
	assembleFrame   = 0.005 // seconds, for each frame that is put together, as long as that was not measured
	soundSeconds    = 0.5   // to render the sound, beside the engine's start
	leastGain       = 0.25  // of the time that the whole takes on one machine
	leastSaved      = 2.0   // seconds
)

// How many ranges a machine gets: more of them balance machines that are not alike, and lose less with one that goes; but
// each costs a start of the engine.
const (
	mostEach   = 3
	mostRanges = 100
	// startsPerRange is how many starts of an engine a range should be worth at least: with this many, starting takes no more
	// than a fifteenth of a machine's time.
	startsPerRange = 15
)

// Decide says what the work is best split into, if at all.
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

// shared is how many seconds the work takes on so many machines, until its parts are put together.
func shared(w Work, machines int, seconds float64) float64 {
	sound := 0.0
	if w.Sound {
		sound = (w.Start + soundSeconds) / float64(machines)
	}
	return w.Start + seconds/float64(machines) + sound + assembleSeconds + cmp.Or(w.Assemble, assembleFrame)*float64(w.Frames.Count())
}

// weights are how much of the work each range gets: a machine's first is its largest, so that the last ones to end are small.
// Where machines get one each, the last is smaller by the sound, which is another machine's work too.
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

// cut divides frames by weights; no range stays empty.
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
