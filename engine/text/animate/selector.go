package animate

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/text"
)

// amount is how much a glyph has of a property, by its first, second and third dimension: 1 for all of it, negative for the opposite.
type amount [3]float64

// selector tells how much each glyph has of an animator's properties.
type selector interface {
	// apply combines its own amounts with those of the selectors before it, or with all if it is the first.
	apply(s *setting, amounts []amount, first bool)
}

// selectors are the selectors that can be drawn, by their match names.
var selectors = map[string]func(p params, c chance) selector{
	"ADBE Text Selector":             newRange,
	"ADBE Text Wiggly Selector":      newWiggly,
	"ADBE Text Expressible Selector": newExpression,
}

// The entries of the menu "Based On".
const (
	characters = 1 + iota
	charactersWithoutSpaces
	words
	lines
)

// units are what a selector counts.
type units struct {
	based int
	count int
}

func (s *setting) units(based *eval.Number) units {
	u := units{based: int(s.number(based))}
	switch u.based {
	case charactersWithoutSpaces:
		u.count = s.layout.Counts.Solids
	case words:
		u.count = s.layout.Counts.Words
	case lines:
		u.count = len(s.layout.Lines)
	default:
		u.count = s.layout.Counts.Chars
	}
	return u
}

// of is the unit of a glyph; spaces after the last character have its unit.
func (u units) of(g *text.Glyph) int {
	i := g.Char
	switch u.based {
	case charactersWithoutSpaces:
		i = g.Solid
	case words:
		i = g.Word
	case lines:
		i = g.Line
	}
	return max(0, min(i, u.count-1))
}

// mode is an entry of the menu "Mode".
type mode int

// The modes.
const (
	modeAdd mode = 1 + iota
	modeSubtract
	modeIntersect
	modeMin
	modeMax
	modeDifference
)

// base is what the first selector is combined with: a mode that takes away begins with all, as a mask does.
func (m mode) base() float64 {
	switch m {
	case modeSubtract, modeIntersect, modeMin:
		return 1
	}
	return 0
}

// combine is the amount after a selector of amount b, if it was a before.
func (m mode) combine(a, b float64) float64 {
	switch m {
	case modeSubtract:
		a -= b
	case modeIntersect:
		a *= b
	case modeMin:
		a = min(a, b)
	case modeMax:
		a = max(a, b)
	case modeDifference:
		a = math.Abs(a - b)
	default:
		a += b
	}
	return max(-1, min(a, 1))
}

// combine combines the amounts so far with those of of.
func (s *setting) combine(m mode, amounts []amount, first bool, of func(g *text.Glyph) amount) {
	for i := range amounts {
		b := of(s.glyphs[i].Glyph)
		for d, v := range b {
			if first {
				amounts[i][d] = m.base()
			}
			amounts[i][d] = m.combine(amounts[i][d], v)
		}
	}
}
