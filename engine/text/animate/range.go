package animate

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/text"
)

// ranged is the range selector.
type ranged struct {
	units, based, mode, amount, shape, smoothness, high, low, shuffled, seed eval.Number
	percent, index                                                           span
	chance                                                                   chance
}

// span is where a selection begins and ends.
type span struct{ start, end, offset eval.Number }

// byIndex is the entry of the menu "Units" besides percentage.
const byIndex = 2

func newRange(p params, c chance) selector {
	adv := p.child("ADBE Text Range Advanced")
	r := &ranged{
		units: adv.number("ADBE Text Range Units", 1), based: adv.number("ADBE Text Range Type2", characters),
		mode: adv.number("ADBE Text Selector Mode", float64(modeAdd)), amount: adv.number("ADBE Text Selector Max Amount", 100),
		shape: adv.number("ADBE Text Range Shape", 1), smoothness: adv.number("ADBE Text Selector Smoothness", 100),
		high: adv.number("ADBE Text Levels Max Ease", 0), low: adv.number("ADBE Text Levels Min Ease", 0),
		shuffled: adv.number("ADBE Text Randomize Order", 0), seed: adv.number("ADBE Text Random Seed", 0), chance: c,
		percent: span{
			p.number("ADBE Text Percent Start", 0), p.number("ADBE Text Percent End", 100), p.number("ADBE Text Percent Offset", 0),
		},
		// An end by index that is not set is the end of the text, whatever its length.
		index: span{
			p.number("ADBE Text Index Start", 0), p.number("ADBE Text Index End", math.Inf(1)), p.number("ADBE Text Index Offset", 0),
		},
	}
	if r.shuffled.Varies() || r.shuffled.First() != 0 {
		p.text.almost("After Effects' own randomness in the selector '%s'", p.name())
	}
	return r
}

func (r *ranged) apply(s *setting, amounts []amount, first bool) {
	u := s.units(&r.based)
	start, end := r.span(s, u.count)
	f := form{
		shape: int(s.number(&r.shape)), start: start, end: end, smoothness: s.number(&r.smoothness) / 100,
		ease: newEase(s.number(&r.high)/100, s.number(&r.low)/100),
	}
	k := s.number(&r.amount) / 100
	values := make([]float64, u.count)
	for i := range values {
		values[i] = k * f.at(i)
	}
	if s.number(&r.shuffled) != 0 {
		values = shuffle(values, r.chance.seeded(s.number(&r.seed)))
	}
	s.combine(mode(s.number(&r.mode)), amounts, first, func(g *text.Glyph) amount {
		if len(values) == 0 {
			return amount{}
		}
		v := values[u.of(g)]
		return amount{v, v, v}
	})
}

// span is the selection among n units, as numbers of units.
func (r *ranged) span(s *setting, n int) (start, end float64) {
	if int(s.number(&r.units)) == byIndex {
		offset := s.number(&r.index.offset)
		start, end = s.number(&r.index.start)+offset, min(s.number(&r.index.end), float64(n))+offset
	} else {
		unit := float64(n) / 100
		offset := s.number(&r.percent.offset)
		start, end = (s.number(&r.percent.start)+offset)*unit, (s.number(&r.percent.end)+offset)*unit
	}
	return min(start, end), max(start, end)
}

// The entries of the menu "Shape".
const (
	shapeRampUp = 2 + iota // 1 is the square
	shapeRampDown
	shapeTriangle
	shapeRound
	shapeSmooth
)

// form is the shape of a selection from start to end.
type form struct {
	shape      int
	start, end float64
	smoothness float64
	ease       ease
}

// at is how much unit i is selected, 0 to 1, by the definition of Lottie's selectors, which are those of After Effects: shapes are
// taken at the middle of a unit, and a square covers a part of a unit.
func (f *form) at(i int) float64 {
	x := float64(i)
	if f.shape < shapeRampUp || f.shape > shapeSmooth {
		return f.ease.at(smooth(max(0, min(x+1, f.end)-max(x, f.start)), f.smoothness))
	}
	if f.start == f.end {
		after := 0.0
		if x >= f.end {
			after = 1
		}
		switch f.shape {
		case shapeRampUp:
			return f.ease.at(after)
		case shapeRampDown:
			return f.ease.at(1 - after)
		}
		return 0
	}
	part := max(0, min((x+0.5-f.start)/(f.end-f.start), 1))
	switch f.shape {
	case shapeRampDown:
		part = 1 - part
	case shapeTriangle:
		part = 1 - math.Abs(2*part-1)
	case shapeRound:
		part = math.Sqrt(max(0, 1-(2*part-1)*(2*part-1)))
	case shapeSmooth:
		part = (1 - math.Cos(2*math.Pi*part)) / 2
	}
	return f.ease.at(part)
}

// smooth narrows the transition of a unit that is partly covered: with a smoothness of 1 it takes as long as the border needs to cross
// the unit, with 0 none, at its middle.
func smooth(covered, smoothness float64) float64 {
	if smoothness >= 1 {
		return min(covered, 1)
	}
	return max(0, min((covered-0.5)/max(smoothness, 1e-9)+0.5, 1))
}

// ease is the curve of Ease High and Ease Low, a cubic one from (0, 0) to (1, 1) with two control points.
type ease struct {
	x1, y1, x2, y2 float64
	none           bool
}

func newEase(high, low float64) ease {
	high, low = max(-1, min(high, 1)), max(-1, min(low, 1))
	return ease{max(0, low), max(0, -low), 1 - max(0, high), 1 + min(0, high), high == 0 && low == 0}
}

func (e *ease) at(x float64) float64 {
	if e.none || x <= 0 || x >= 1 {
		return x
	}
	lo, hi := 0.0, 1.0
	for range 40 { // to a millionth of a millionth
		mid := (lo + hi) / 2
		if bezier(e.x1, e.x2, mid) < x {
			lo = mid
		} else {
			hi = mid
		}
	}
	return bezier(e.y1, e.y2, lo)
}

// bezier is the cubic curve 0, a, b, 1 at t.
func bezier(a, b, t float64) float64 {
	s := 1 - t
	return 3*s*s*t*a + 3*s*t*t*b + t*t*t
}
