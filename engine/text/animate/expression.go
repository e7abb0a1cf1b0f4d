package animate

import (
	"overcrank/engine/eval"
)

// expressed is the expression selector.
type expressed struct {
	based  eval.Number
	amount eval.Vector
	ref    eval.Ref
}

// maxAsked limits how often an expression is asked for one text; the units after these have the last answer.
const maxAsked = 20000

func newExpression(p params, _ chance) selector {
	out := &expressed{
		based: p.number("ADBE Text Range Type2", characters), amount: p.vector("ADBE Text Expressible Amount", [4]float64{100, 100, 100}),
		ref: p.child("ADBE Text Expressible Amount").ref,
	}
	if out.ref.Prop != nil && eval.Driven(out.ref.Prop) {
		p.text.timed = true // what it is for other characters is not among the layer's values
	}
	return out
}

func (x *expressed) apply(s *setting, amounts []amount, _ bool) {
	u := s.units(&x.based)
	fixed := x.amount.At(s.eval, s.t)
	known, values := make([]bool, u.count), make([]amount, u.count)
	asked := 0
	for i := range amounts {
		n := u.of(s.glyphs[i].Glyph)
		if u.count == 0 {
			continue
		}
		if !known[n] {
			known[n] = true
			values[n] = amount{fixed[0] / 100, fixed[1] / 100, fixed[2] / 100}
			if asked < maxAsked {
				values[n] = x.ask(s, eval.Selection{Index: n + 1, Total: u.count, Value: percent(amounts[i])}, fixed)
				asked++
			}
		}
		amounts[i] = values[n]
	}
}

// ask asks the expression for one unit.
func (x *expressed) ask(s *setting, sel eval.Selection, fixed [4]float64) amount {
	v := fixed
	if s.eval != nil && x.ref.Prop != nil && eval.Driven(x.ref.Prop) {
		copy(v[:], s.eval.Selected(x.ref, s.t, sel))
	}
	var out amount
	for d := range out {
		out[d] = max(-1, min(v[d]/100, 1))
	}
	return out
}

func percent(a amount) [3]float64 { return [3]float64{100 * a[0], 100 * a[1], 100 * a[2]} }
