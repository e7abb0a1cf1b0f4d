package eval_test

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// TestATransformNeverMagnifiesMoreThanItSays looks at keyframes at many times, with parents and with curves that swing beyond their keyframes.
func TestATransformNeverMagnifiesMoreThanItSays(t *testing.T) {
	n := func(v ...float64) aep.Numbers { return v }
	swinging := func(v0, v1 aep.Numbers, speed float64) *aep.Property {
		a, b := key(1, v0, aep.Bezier, aep.Bezier), key(3, v1, aep.Bezier, aep.Bezier)
		a.OutEase, b.InEase = []aep.Ease{{Speed: speed, Influence: 0.8}}, []aep.Ease{{Speed: -speed, Influence: 0.5}}
		return keyed(number("ADBE Scale", v0...), a, b)
	}
	driven := number("ADBE Scale", 10, 10)
	driven.Expression, driven.ExpressionOn = "[10, 10]", true
	for _, c := range []struct {
		name        string
		scale       *aep.Property
		parent      *aep.Property
		least, most float64
	}{
		{"as it is", nil, nil, 1, 1},
		{"static", number("ADBE Scale", 25, -50), nil, 0.5, 0.5},
		{"a parent", number("ADBE Scale", 25, 20), number("ADBE Scale", 40, -200), 0.5, 0.5},
		{"linear keyframes", keyed(number("ADBE Scale", 0, 0), key(0, n(10, 30), aep.Linear, aep.Linear), key(2, n(20, -40), aep.Linear, aep.Linear)), nil, 0.4, 0.4},
		{"eased beyond the keyframes", swinging(n(10, 10), n(20, 20), 100), nil, 0.5, 2},
		{"eased below nothing", swinging(n(10, 10), n(20, 20), -100), nil, 0.5, 2},
		{"held", keyed(number("ADBE Scale", 0, 0), key(0, n(10, 30), aep.Hold, aep.Hold), key(2, n(90, 20), aep.Hold, aep.Hold)), nil, 0.9, 0.9},
		{"an expression", driven, nil, math.Inf(1), math.Inf(1)},
		{"an expression of a parent", nil, driven, math.Inf(1), math.Inf(1)},
		{"no number", number("ADBE Scale", math.NaN(), 1), nil, math.Inf(1), math.Inf(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := keyed(number("ADBE Rotate Z", 0), key(0, n(0), aep.Linear, aep.Linear), key(4, n(90), aep.Linear, aep.Linear))
			group := []*aep.Property{turn}
			if c.scale != nil {
				group = append(group, c.scale)
			}
			comp, l := scene(group...)
			if c.parent != nil {
				_, parent := scene(c.parent, number("ADBE Rotate Z", 30))
				parent.ID, l.Parent = 2, 2
				comp.Comp.Layers = append(comp.Comp.Layers, parent)
			}
			transform := eval.TransformOf(nil, comp, l)
			got := transform.Magnifies()
			if got != c.most && !(got >= c.least && got <= c.most) {
				t.Fatalf("it magnifies %g times, want %g to %g", got, c.least, c.most)
			}
			seen := 0.0
			for i := range 401 {
				x, y := transform.Matrix(&eval.Evaluator{}, float64(i)/100).AxisScale()
				seen = max(seen, x, y)
			}
			if seen > got*(1+1e-12) {
				t.Errorf("it says that it magnifies %g times, and does %g times", got, seen)
			}
			if got < 3 && seen < got/3 {
				t.Errorf("it says that it magnifies %g times, and does only %g times", got, seen)
			}
		})
	}
}
