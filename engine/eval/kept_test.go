package eval_test

import (
	"errors"
	"fmt"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// rig is a layer whose properties have expressions that read each other.
type rig struct {
	*eval.Evaluator
	layer *aep.Layer
	comp  *aep.Item
	does  answers
	runs  map[string]int // how often each expression ran
	errs  []error
}

func newRig(props ...*aep.Property) *rig {
	r := &rig{does: answers{}, runs: map[string]int{}}
	r.comp, r.layer = scene(props...)
	r.Evaluator = &eval.Evaluator{OnError: func(_ eval.Ref, _ float64, err error) { r.errs = append(r.errs, err) }, Expressions: r.does}
	return r
}

func (r *rig) ref(match string) eval.Ref {
	return eval.Ref{Comp: r.comp, Layer: r.layer, Prop: r.layer.Props.Find("ADBE Transform Group", match)}
}

func (r *rig) number(match string, t float64) float64 { return r.Number(r.ref(match), t, -1) }

// sum makes an expression one more than the sum of properties.
func (r *rig) sum(name string, still bool, of ...string) {
	r.does[name] = func(ref eval.Ref, _ aep.Value, t float64) (aep.Value, error) {
		r.runs[name]++
		n := 1.0
		for _, match := range of {
			n += r.number(match, t)
		}
		if still {
			r.Keep(ref.Prop)
		}
		return aep.Numbers{n}, nil
	}
}

func TestAResultThatNothingChangesIsFoundOnce(t *testing.T) {
	moves := keyed(number("moves", 0), key(0, aep.Numbers{0}, aep.Linear, aep.Linear), key(1, aep.Numbers{10}, aep.Linear, aep.Linear))
	r := newRig(number("rests", 5), moves, driven(number("a", 0), "of what rests"), driven(number("b", 0), "of what moves"),
		driven(number("c", 0), "of a"), driven(number("d", 0), "of b"), driven(number("e", 0), "of the time"), driven(number("f", 0), "of e"))
	r.sum("of what rests", true, "rests")
	r.sum("of what moves", true, "moves")
	r.sum("of a", true, "a")
	r.sum("of b", true, "b")
	r.sum("of the time", false)
	r.sum("of e", true, "e")
	for frame := range 3 {
		r.BeginFrame()
		at := float64(frame) / 4
		for match, want := range map[string]float64{"a": 6, "b": 1 + 10*at, "c": 7, "d": 2 + 10*at, "e": 1, "f": 2} {
			if got := r.number(match, at); got != want {
				t.Errorf("%s at %g = %g, want %g", match, at, got, want)
			}
		}
	}
	for name, want := range map[string]int{"of what rests": 1, "of what moves": 3, "of a": 1, "of b": 3, "of the time": 3, "of e": 3} {
		if r.runs[name] != want {
			t.Errorf("the expression %s ran %d times, want %d", name, r.runs[name], want)
		}
	}
}

func TestAnExpressionThatFailsAtAnyTimeRunsOnce(t *testing.T) {
	moves := keyed(number("moves", 0), key(0, aep.Numbers{0}, aep.Linear, aep.Linear), key(1, aep.Numbers{10}, aep.Linear, aep.Linear))
	r := newRig(driven(moves, "fails"), driven(number("reads", 0), "reads"))
	runs := 0
	r.does["fails"] = func(ref eval.Ref, _ aep.Value, _ float64) (aep.Value, error) {
		runs++
		r.Keep(ref.Prop)
		return nil, errors.New("broken")
	}
	r.sum("reads", true, "moves")
	for frame := range 4 {
		r.BeginFrame()
		if got, want := r.number("reads", float64(frame)/4), 1+float64(frame)*2.5; got != want {
			t.Errorf("frame %d: %g, want the value without the expression, and one more: %g", frame, got, want)
		}
	}
	if runs != 1 || len(r.errs) != 1 {
		t.Errorf("it ran %d times and %d errors were reported, want one", runs, len(r.errs))
	}
}

func TestWhatIsFoundWithinACircleIsNotUsedOutsideIt(t *testing.T) {
	values := func(order ...string) map[string]float64 {
		r := newRig(driven(number("a", 100), "reads b"), driven(number("b", 200), "reads c"), driven(number("c", 300), "reads a and b"))
		r.sum("reads b", true, "b")
		r.sum("reads c", true, "c")
		r.sum("reads a and b", true, "a", "b")
		r.BeginFrame()
		found := map[string]float64{}
		for _, match := range order {
			found[match] = r.number(match, 0)
		}
		return found
	}
	want := map[string]float64{}
	for _, match := range []string{"a", "b", "c"} {
		want[match] = values(match)[match]
	}
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "a", "c"}} {
		if got := values(order...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("asked for in the order %v: %v, alone %v", order, got, want)
		}
	}
}

func TestCirclesOfManyExpressionsEnd(t *testing.T) {
	const count = 12
	var props []*aep.Property
	var names []string
	for i := range count {
		names = append(names, fmt.Sprint("p", i))
		props = append(props, driven(number(names[i], 1), names[i]))
	}
	r := newRig(props...)
	total := 0
	for _, name := range names {
		r.sum(name, true, names...)
	}
	r.BeginFrame()
	r.number("p0", 0)
	for _, n := range r.runs {
		total += n
	}
	if total > 1<<count {
		t.Errorf("%d expressions that all ask for each other ran %d times", count, total)
	}
}

func TestExpressionsMayAskFarAlongAChain(t *testing.T) {
	const length = 150
	props := []*aep.Property{number("p0", 0)}
	for i := 1; i <= length; i++ {
		props = append(props, driven(number(fmt.Sprint("p", i), 0), fmt.Sprint("p", i)))
	}
	r := newRig(props...)
	for i := 1; i <= length; i++ {
		r.sum(fmt.Sprint("p", i), false, fmt.Sprint("p", i-1))
	}
	if got := r.number(fmt.Sprint("p", length), 0); got != length || len(r.errs) > 0 {
		t.Errorf("got %g, want %d (%v)", got, length, r.errs)
	}
}
