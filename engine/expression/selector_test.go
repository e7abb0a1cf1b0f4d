package expression

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
)

func TestExpressionSelectorsKnowTheirCharacters(t *testing.T) {
	s := newStage(t)
	amount := &aep.Property{Match: matchAmount, Enabled: true, Dimensions: 3, Value: aep.Numbers{100, 100, 100}, ExpressionOn: true}
	ref := s.ref("opacity")
	ref.Prop = amount
	sel := eval.Selection{Index: 2, Total: 8, Value: [3]float64{40, 80, 100}}
	for text, want := range map[string][3]float64{
		"selectorValue * textIndex/textTotal": {10, 20, 25},
		"textIndex == 2 ? 30 : 0":             {30, 30, 30},
		"[textIndex, textTotal, time]":        {2, 8, 1.5},
		"thisLayer.transform.opacity":         {100, 100, 100},
	} {
		amount.Expression = text
		got := s.eval.Selected(ref, 1.5, sel)
		for d := range want {
			if len(got) != 3 || math.Abs(got[d]-want[d]) > 1e-9 {
				t.Errorf("%s gives %v, want %v", text, got, want)
				break
			}
		}
	}
	amount.Expression = "random(100)"
	first := s.eval.Selected(ref, 1, eval.Selection{Index: 1, Total: 2})
	if again, other := s.eval.Selected(ref, 1, eval.Selection{Index: 1, Total: 2}), s.eval.Selected(ref, 1, sel); first[0] != again[0] || first[0] == other[0] {
		t.Errorf("random numbers of a character: %g, %g, of another %g", first[0], again[0], other[0])
	}
	if len(s.faults) > 0 {
		t.Errorf("faults: %v", s.faults)
	}
	amount.Expression = "textIndex" // asked for without a character, as when a project is looked at
	if v, err := s.machine.Evaluate(ref, amount.Value, 0); err != nil || v.(aep.Numbers)[0] != 1 {
		t.Errorf("without a character it is %v, %v", v, err)
	}
	if _, err := s.run("opacity", "textIndex", 0); err == nil {
		t.Error("other properties know textIndex")
	}
}

func TestAFaultOfAnExpressionSelectorLeavesItsValue(t *testing.T) {
	s := newStage(t)
	ref := s.ref("opacity")
	ref.Prop = &aep.Property{Match: matchAmount, Enabled: true, Dimensions: 3, Value: aep.Numbers{70, 70, 70}, Expression: "noSuchThing", ExpressionOn: true}
	if got := s.eval.Selected(ref, 0, eval.Selection{Index: 1, Total: 1}); len(got) != 3 || got[0] != 70 || len(s.faults) != 1 {
		t.Errorf("got %v, faults %v", got, s.faults)
	}
}
