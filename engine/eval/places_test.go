package eval_test

import (
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// found are places that are never forgotten.
type found map[float64]geom.Matrix

func (f found) Find(_ *eval.Transform, at float64) (geom.Matrix, bool) {
	m, ok := f[at]
	return m, ok
}

func (f found) Put(_ *eval.Transform, at float64, m geom.Matrix) { f[at] = m }

func TestEvaluatorsShareWhereALayerWas(t *testing.T) {
	r := newRig(driven(number("ADBE Position", 0, 0), "goes"))
	r.does["goes"] = func(_ eval.Ref, _ aep.Value, at float64) (aep.Value, error) {
		r.runs["goes"]++
		return aep.Numbers{100 * at, 7}, nil
	}
	moves, shared := eval.TransformOf(nil, r.comp, r.layer), found{}
	first, second := &eval.Evaluator{Expressions: r.does, Places: shared}, &eval.Evaluator{Expressions: r.does, Places: shared}
	look := func(e *eval.Evaluator, at float64, runs int) {
		t.Helper()
		if m := moves.Matrix(e, at); m.E != 100*at || m.F != 7 {
			t.Errorf("at %v it is at %v, %v", at, m.E, m.F)
		}
		if r.runs["goes"] != runs {
			t.Errorf("at %v the expression ran %d times, not %d", at, r.runs["goes"], runs)
		}
	}
	look(first, 1, 1) // the project may change yet
	look(first, 1, 2)
	first.BeginFrame()
	second.BeginFrame()
	look(first, 1, 3)
	look(second, 1, 3)
	look(second, 2, 4)
	second.BeginFrame()
	look(second, 2, 4)
	look(second, 1, 4)
}
