// Package eval gives properties their value at a time: static values, keyframes with their easing, spatial paths, and
// expressions.
package eval

import (
	"fmt"
	"time"

	"overcrank/aep"
)

// Ref names a property of a layer of a composition.
type Ref struct {
	Comp  *aep.Item
	Layer *aep.Layer
	Prop  *aep.Property
}

// Expressions evaluates the expression of a property. before is the value without it; t is composition time in seconds.
// The value has before's type. An error leaves before in force.
type Expressions interface {
	Evaluate(ref Ref, before aep.Value, t float64) (aep.Value, error)
}

// TimeoutError is an evaluation that took too long, which the expression of Ref is to blame for: that of the property that was asked
// for, or of one that it asks for in turn.
type TimeoutError struct {
	Ref   Ref
	Limit time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the expression ran longer than %v", e.Limit)
}

// Evaluator evaluates properties of one project. It is not safe for concurrent use: each worker has its own.
type Evaluator struct {
	Project *aep.Project
	// Expressions may be nil: then expressions are ignored.
	Expressions Expressions
	// OnError hears of every expression that failed.
	OnError func(ref Ref, t float64, err error)

	depth int
	memo  map[moment]aep.Value
}

type moment struct {
	prop *aep.Property
	t    float64
}

// maxDepth bounds expressions that ask for expressions; more than this is a circle.
const maxDepth = 48

// BeginFrame forgets the expressions' results and remembers those to come until the next call, so that an expression
// that many others ask for runs once a frame. Whoever changes the project between two values must call it between them,
// or never.
func (e *Evaluator) BeginFrame() {
	if e.memo == nil {
		e.memo = make(map[moment]aep.Value)
		return
	}
	clear(e.memo)
}

// Value is the value of ref at composition time t, expression included; nil when the property has none.
func (e *Evaluator) Value(ref Ref, t float64) aep.Value {
	if ref.Prop == nil || ref.Prop.Group {
		return nil
	}
	before := e.before(ref, t)
	if e.Expressions == nil || !Driven(ref.Prop) {
		return before
	}
	key := moment{ref.Prop, t}
	if v, ok := e.memo[key]; ok {
		return v
	}
	v, err := e.express(ref, before, t)
	if err != nil {
		if e.OnError != nil {
			e.OnError(ref, t, err)
		}
		v = before
	}
	if e.memo != nil {
		e.memo[key] = v
	}
	return v
}

func (e *Evaluator) express(ref Ref, before aep.Value, t float64) (aep.Value, error) {
	if e.depth >= maxDepth {
		return nil, fmt.Errorf("expressions ask for each other more than %d deep, probably in a circle", maxDepth)
	}
	e.depth++
	defer func() { e.depth-- }()
	v, err := e.Expressions.Evaluate(ref, before, t)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return before, nil
	}
	return v, nil
}

// before is the value without ref's own expression. The dimensions of a separated position are properties of their own,
// with expressions of their own.
func (e *Evaluator) before(ref Ref, t float64) aep.Value {
	if !ref.Prop.Separated {
		return Plain(ref, t)
	}
	group := ref.Layer.Props.Child("ADBE Transform Group")
	out := append(aep.Numbers(nil), numbers(Plain(Ref{ref.Comp, ref.Layer, ref.Prop}, t))...)
	for len(out) < 3 {
		out = append(out, 0)
	}
	for i, match := range [...]string{"ADBE Position_0", "ADBE Position_1", "ADBE Position_2"} {
		follower := group.Child(match)
		if follower == nil || follower.Hidden || follower.Separated { // one that is separated itself leads in a circle
			continue
		}
		if n := numbers(e.Value(Ref{ref.Comp, ref.Layer, follower}, t)); len(n) > 0 {
			out[i] = n[0]
		}
	}
	return out
}

// Number is the first number of a property's value, or def.
func (e *Evaluator) Number(ref Ref, t, def float64) float64 {
	if n := numbers(e.Value(ref, t)); len(n) > 0 {
		return n[0]
	}
	return def
}

// Pair is the first two numbers of a property's value, or those given.
func (e *Evaluator) Pair(ref Ref, t, x, y float64) (float64, float64) {
	n := numbers(e.Value(ref, t))
	if len(n) > 0 {
		x = n[0]
	}
	if len(n) > 1 {
		y = n[1]
	}
	return x, y
}

// Driven is whether an expression gives p its value.
func Driven(p *aep.Property) bool { return p.Expression != "" && p.ExpressionOn }

// Varies is whether p or anything below it may change over time.
func Varies(p *aep.Property) bool {
	if p == nil {
		return false
	}
	if len(p.Keys) > 1 || Driven(p) {
		return true
	}
	for _, c := range p.Children {
		if Varies(c) {
			return true
		}
	}
	return false
}

func numbers(v aep.Value) aep.Numbers {
	n, _ := v.(aep.Numbers)
	return n
}

// LocalTime is the layer-local time of composition time t, CompTime the reverse.
func LocalTime(l *aep.Layer, t float64) float64 {
	if l.Stretch == 0 {
		return t - l.Start
	}
	return (t - l.Start) * 100 / l.Stretch
}

// CompTime is the composition time of layer-local time t.
func CompTime(l *aep.Layer, t float64) float64 {
	if l.Stretch == 0 {
		return l.Start + t
	}
	return l.Start + t*l.Stretch/100
}
