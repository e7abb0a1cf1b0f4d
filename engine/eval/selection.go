package eval

import "overcrank/aep"

// Selection is what the expression of a text's expression selector is told of the characters, words or lines that it is asked about.
type Selection struct {
	Index, Total int        // textIndex, from 1, and textTotal
	Value        [3]float64 // selectorValue: how much the selectors before it select, in per cent
}

// Selectors are Expressions that evaluate expression selectors, whose value differs from character to character.
type Selectors interface {
	Expressions
	Select(ref Ref, s Selection, before aep.Value, t float64) (aep.Value, error)
}

// Selected is the amount of an expression selector, in per cent, of the characters of s at composition time t.
func (e *Evaluator) Selected(ref Ref, t float64, s Selection) aep.Numbers {
	before := e.before(ref, t)
	run, ok := e.Expressions.(Selectors)
	if !ok || !Driven(ref.Prop) {
		return numbers(before)
	}
	v, err := run.Select(ref, s, before, t)
	if err != nil {
		if e.OnError != nil {
			e.OnError(ref, t, err)
		}
		v = before
	}
	return numbers(v)
}
