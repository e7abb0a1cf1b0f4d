package animate

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/text"
)

// wiggly is the wiggly selector.
type wiggly struct {
	mode, high, low, based, rate, correlation, inTime, inSpace, locked, seed eval.Number
	chance                                                                   chance
}

func newWiggly(p params, c chance) selector {
	w := &wiggly{
		mode: p.number("ADBE Text Selector Mode", float64(modeAdd)),
		high: p.number("ADBE Text Wiggly Max Amount", 100), low: p.number("ADBE Text Wiggly Min Amount", -100),
		based: p.number("ADBE Text Range Type2", characters), rate: p.number("ADBE Text Temporal Freq", 2),
		correlation: p.number("ADBE Text Character Correlation", 50),
		inTime:      p.number("ADBE Text Temporal Phase", 0), inSpace: p.number("ADBE Text Spatial Phase", 0),
		locked: p.number("ADBE Text Wiggly Lock Dim", 0), seed: p.number("ADBE Text Wiggly Random Seed", 0), chance: c,
	}
	if w.rate.Varies() || w.rate.First() != 0 {
		p.text.timed = true
	}
	p.text.almost("After Effects' own randomness in the selector '%s'", p.name())
	return w
}

func (w *wiggly) apply(s *setting, amounts []amount, first bool) {
	u := s.units(&w.based)
	v := wave{
		chance: w.chance.seeded(s.number(&w.seed)), locked: s.number(&w.locked) != 0,
		low: s.number(&w.low) / 100, high: s.number(&w.high) / 100,
		apart: 1 - max(0, min(s.number(&w.correlation)/100, 1)), across: s.number(&w.inSpace) / 360,
		time: s.t*s.number(&w.rate) + s.number(&w.inTime)/360,
	}
	values := make([]amount, u.count)
	for i := range values {
		values[i] = v.at(i)
	}
	s.combine(mode(s.number(&w.mode)), amounts, first, func(g *text.Glyph) amount {
		if len(values) == 0 {
			return amount{}
		}
		return values[u.of(g)]
	})
}

// wave is a wiggling at a time, counted in wiggles.
type wave struct {
	chance                         chance
	low, high, apart, across, time float64
	locked                         bool
}

// at is the amount of unit i, between low and high. Without correlation each unit wiggles by itself, with all of it they are one.
func (w *wave) at(i int) amount {
	var out amount
	x := float64(i)*w.apart + w.across
	if math.IsNaN(x+w.time) || math.Abs(x)+math.Abs(w.time) > 1e15 {
		return out
	}
	for d := range out {
		number := d
		if w.locked {
			number = 0
		}
		out[d] = mix(w.low, w.high, (w.chance.noise(x, w.time, number)+1)/2)
	}
	return out
}
