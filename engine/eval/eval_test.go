package eval_test

import (
	"errors"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

func number(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

func keyed(p *aep.Property, keys ...aep.Keyframe) *aep.Property {
	p.Keys = keys
	return p
}

func key(t float64, v aep.Value, in, out aep.Interpolation) aep.Keyframe {
	return aep.Keyframe{Time: t, Value: v, In: in, Out: out}
}

// scene is a composition of 100 by 100 pixels with one layer.
func scene(transform ...*aep.Property) (*aep.Item, *aep.Layer) {
	l := &aep.Layer{ID: 1, Stretch: 100, Kind: aep.LayerShape, Props: &aep.Property{Group: true, Children: []*aep.Property{
		{Match: "ADBE Transform Group", Group: true, Children: transform},
	}}}
	return &aep.Item{ID: 1, Comp: &aep.Composition{Width: 100, Height: 100, Layers: []*aep.Layer{l}}}, l
}

func TestKeyframesGiveTheirValuesOverTime(t *testing.T) {
	n := func(v ...float64) aep.Numbers { return v }
	eased := []aep.Keyframe{key(0, n(0), aep.Bezier, aep.Bezier), key(1, n(100), aep.Bezier, aep.Bezier)}
	eased[0].OutEase = []aep.Ease{{Speed: 0, Influence: 1.0 / 3}}
	eased[1].InEase = []aep.Ease{{Speed: 0, Influence: 1.0 / 3}}
	back := []aep.Keyframe{key(0, n(50), aep.Bezier, aep.Bezier), key(1, n(50), aep.Bezier, aep.Bezier)}
	back[0].OutEase = []aep.Ease{{Speed: 300, Influence: 1.0 / 3}}
	back[1].InEase = []aep.Ease{{Speed: 300, Influence: 1.0 / 3}}
	linear := []aep.Keyframe{key(1, n(0, 10), aep.Linear, aep.Linear), key(3, n(20, 10), aep.Linear, aep.Linear)}
	held := []aep.Keyframe{key(0, n(1), aep.Hold, aep.Hold), key(1, n(2), aep.Hold, aep.Hold)}
	for _, c := range []struct {
		name string
		keys []aep.Keyframe
		t    float64
		want aep.Numbers
	}{
		{"before the first key", linear, 0, n(0, 10)},
		{"halfway", linear, 2, n(10, 10)},
		{"after the last key", linear, 9, n(20, 10)},
		{"held", held, 0.999, n(1)},
		{"at the next key", held, 1, n(2)},
		{"just before the next key by rounding", held, 1 - 1e-9, n(2)},
		{"eased in the middle", eased, 0.5, n(50)},
		{"eased at a quarter", eased, 0.25, n(15.625)},
		{"speed without a change of value", back, 0.25, n(50 + 28.125)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := eval.Plain(eval.Ref{Prop: keyed(number("p"), c.keys...)}, c.t).(aep.Numbers)
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 1e-6 {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestRovingKeysArePassedAtTheSpeedOfTheWholeWay(t *testing.T) {
	p := keyed(number("ADBE Position", 0, 0),
		key(0, aep.Numbers{0, 0}, aep.Linear, aep.Linear),
		key(0.9, aep.Numbers{30, 0}, aep.Linear, aep.Linear), // its own time does not count
		key(1, aep.Numbers{30, 70}, aep.Linear, aep.Linear))
	p.Keys[1].Roving, p.Spatial = true, true
	for _, c := range []struct{ t, x, y float64 }{{0.15, 15, 0}, {0.3, 30, 0}, {0.65, 30, 35}} {
		got, _ := eval.Plain(eval.Ref{Prop: p}, c.t).(aep.Numbers)
		if math.Abs(got[0]-c.x) > 1e-6 || math.Abs(got[1]-c.y) > 1e-6 {
			t.Errorf("at %g s: %v, want %g, %g", c.t, got, c.x, c.y)
		}
	}
}

func TestAPositionMovesEvenlyAlongItsCurve(t *testing.T) {
	p := keyed(number("ADBE Position", 0, 0), key(0, aep.Numbers{0, 0}, aep.Linear, aep.Linear), key(1, aep.Numbers{100, 0}, aep.Linear, aep.Linear))
	p.Spatial = true
	p.Keys[0].TangentOut, p.Keys[1].TangentIn = []float64{0, -100}, []float64{0, -20}
	step, prev := 0.0, aep.Numbers{0, 0}
	for i := 1; i <= 10; i++ {
		got, _ := eval.Plain(eval.Ref{Prop: p}, float64(i)/10).(aep.Numbers)
		d := math.Hypot(got[0]-prev[0], got[1]-prev[1])
		if i > 1 && math.Abs(d-step) > 0.1*step {
			t.Errorf("step %d is %g long, the one before %g", i, d, step)
		}
		step, prev = d, got
	}
}

func TestPathsAndTextsBetweenKeys(t *testing.T) {
	a := &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 0, OutX: 10}, {X: 100}}}
	b := &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 50, OutX: 30}, {X: 100}}}
	p := keyed(&aep.Property{}, key(0, a, aep.Linear, aep.Linear), key(2, b, aep.Linear, aep.Linear))
	if got := eval.Plain(eval.Ref{Prop: p}, 1).(*aep.Path); got.Vertices[0].X != 25 || got.Vertices[0].OutX != 20 {
		t.Errorf("halfway the first vertex is %+v", got.Vertices[0])
	}
	a.Feather, b.Feather = []aep.FeatherPoint{{At: 0.5, Radius: 10}}, []aep.FeatherPoint{{Segment: 1, At: 0.5, Radius: 30}}
	if got := eval.Plain(eval.Ref{Prop: p}, 1).(*aep.Path).Feather; len(got) != 1 || got[0] != (aep.FeatherPoint{Segment: 1, Radius: 20}) {
		t.Errorf("halfway the feather points are %+v", got)
	}
	p.Keys[1].Value = &aep.Path{Vertices: []aep.Vertex{{}}}
	if got := eval.Plain(eval.Ref{Prop: p}, 1); got != a {
		t.Error("a path without counterparts for its vertices did not stay")
	}
	text := keyed(&aep.Property{}, key(0, &aep.TextDocument{Text: "a"}, aep.Linear, aep.Linear), key(2, &aep.TextDocument{Text: "b"}, aep.Linear, aep.Linear))
	if got := eval.Plain(eval.Ref{Prop: text}, 1).(*aep.TextDocument); got.Text != "a" {
		t.Errorf("between two texts there is %q", got.Text)
	}
}

// answers is what a test's expressions come to.
type answers map[string]func(ref eval.Ref, before aep.Value, t float64) (aep.Value, error)

func (a answers) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	return a[ref.Prop.Expression](ref, before, t)
}

func driven(p *aep.Property, expression string) *aep.Property {
	p.Expression, p.ExpressionOn = expression, true
	return p
}

func TestAFailedExpressionLeavesTheValueAndIsReported(t *testing.T) {
	broken := errors.New("broken")
	comp, l := scene(driven(number("ADBE Opacity", 40), "fails"))
	var heard error
	e := &eval.Evaluator{
		Expressions: answers{"fails": func(eval.Ref, aep.Value, float64) (aep.Value, error) { return nil, broken }},
		OnError:     func(_ eval.Ref, _ float64, err error) { heard = err },
	}
	opacity := l.Props.Find("ADBE Transform Group", "ADBE Opacity")
	if got := e.Number(eval.Ref{Comp: comp, Layer: l, Prop: opacity}, 0, 0); got != 40 {
		t.Errorf("value %g, want 40", got)
	}
	if !errors.Is(heard, broken) {
		t.Errorf("heard %v", heard)
	}
	opacity.ExpressionOn = false
	heard = nil
	if e.Number(eval.Ref{Comp: comp, Layer: l, Prop: opacity}, 0, 0) != 40 || heard != nil {
		t.Error("an expression that is off was run")
	}
}

func TestAPropertyThatReadsItselfHasTheValueBeforeItsExpression(t *testing.T) {
	comp, l := scene(driven(number("ADBE Opacity", 7), "self"), driven(number("ADBE Rotate Z", 5), "other"))
	group := l.Props.Child("ADBE Transform Group")
	ref := eval.Ref{Comp: comp, Layer: l, Prop: group.Child("ADBE Opacity")}
	other := eval.Ref{Comp: comp, Layer: l, Prop: group.Child("ADBE Rotate Z")}
	var errs []error
	e := &eval.Evaluator{OnError: func(_ eval.Ref, _ float64, err error) { errs = append(errs, err) }}
	plusOne := func(of eval.Ref) func(eval.Ref, aep.Value, float64) (aep.Value, error) {
		return func(_ eval.Ref, _ aep.Value, t float64) (aep.Value, error) {
			return aep.Numbers{e.Number(of, t, 0) + 1}, nil
		}
	}
	answer := answers{"self": plusOne(ref), "other": plusOne(ref)}
	e.Expressions = answer
	if got := e.Number(ref, 0, 0); got != 8 || len(errs) != 0 {
		t.Errorf("value %g, errors %v", got, errs)
	}
	answer["self"] = plusOne(other)
	if got := e.Number(ref, 0, 0); got != 9 || len(errs) != 1 {
		t.Errorf("in a circle of two: value %g, errors %v", got, errs)
	}
}

func TestAnExpressionRunsOnceAFrame(t *testing.T) {
	comp, l := scene(driven(number("ADBE Opacity", 1), "count"))
	ref := eval.Ref{Comp: comp, Layer: l, Prop: l.Props.Find("ADBE Transform Group", "ADBE Opacity")}
	runs := 0
	e := &eval.Evaluator{Expressions: answers{"count": func(eval.Ref, aep.Value, float64) (aep.Value, error) {
		runs++
		return aep.Numbers{float64(runs)}, nil
	}}}
	for frame := 1; frame <= 2; frame++ {
		e.BeginFrame()
		for range 3 {
			if got := e.Number(ref, 0, 0); got != float64(frame) {
				t.Errorf("frame %d: %g", frame, got)
			}
		}
		if e.Number(ref, 1, 0) == float64(frame) {
			t.Error("another time gave the same value")
		}
		runs = frame
	}
}

func TestSeparatedDimensionsMakeThePosition(t *testing.T) {
	position := number("ADBE Position", 1, 2, 3)
	position.Separated = true
	x := keyed(number("ADBE Position_0"), key(0, aep.Numbers{0}, aep.Linear, aep.Linear), key(1, aep.Numbers{10}, aep.Linear, aep.Linear))
	comp, l := scene(position, x, driven(number("ADBE Position_1", 5), "twice"))
	e := &eval.Evaluator{Expressions: answers{"twice": func(_ eval.Ref, before aep.Value, _ float64) (aep.Value, error) {
		return aep.Numbers{2 * before.(aep.Numbers)[0]}, nil
	}}}
	if gx, gy := e.Pair(eval.Ref{Comp: comp, Layer: l, Prop: position}, 0.5, 0, 0); gx != 5 || gy != 10 {
		t.Errorf("position %g, %g, want 5, 10", gx, gy)
	}
}

func TestStretchedLayersRunAtTheirOwnSpeed(t *testing.T) {
	l := &aep.Layer{Start: 2, Stretch: 50}
	if got := eval.LocalTime(l, 3); got != 2 {
		t.Errorf("local time %g, want 2", got)
	}
	if got := eval.CompTime(l, 2); got != 3 {
		t.Errorf("composition time %g, want 3", got)
	}
}

func TestParentsCarryTheirChildren(t *testing.T) {
	comp, parent := scene(number("ADBE Position", 50, 50), number("ADBE Rotate Z", 90), number("ADBE Scale", 200, 200))
	child := &aep.Layer{ID: 2, Parent: 1, Stretch: 100, Kind: aep.LayerShape, Props: &aep.Property{Group: true, Children: []*aep.Property{
		{Match: "ADBE Transform Group", Group: true, Children: []*aep.Property{number("ADBE Position", 10, 0), number("ADBE Anchor Point", 1, 1)}},
	}}}
	comp.Comp.Layers = append(comp.Comp.Layers, child)
	e := &eval.Evaluator{}
	got := e.LayerMatrix(comp, child, 0).Apply(geom.Point{X: 1, Y: 1})
	if math.Abs(got.X-50) > 1e-9 || math.Abs(got.Y-70) > 1e-9 {
		t.Errorf("the child's anchor lies at %v, want 50, 70", got)
	}
	parent.Parent = 2 // a circle, as only a broken file has it
	e.LayerMatrix(comp, child, 0)
}

func TestASeparatedPositionThatIsItsOwnDimensionHasAValue(t *testing.T) {
	position := &aep.Property{Match: "ADBE Position", Name: "ADBE Position_0", Separated: true, Value: aep.Numbers{1, 2, 3}}
	l := &aep.Layer{Stretch: 100, Props: &aep.Property{Group: true, Children: []*aep.Property{
		{Match: "ADBE Transform Group", Group: true, Children: []*aep.Property{position}},
	}}}
	e := eval.Evaluator{}
	if x, y := e.Pair(eval.Ref{Layer: l, Prop: position}, 0, 0, 0); x != 1 || y != 2 {
		t.Errorf("it is at %g, %g", x, y)
	}
}
