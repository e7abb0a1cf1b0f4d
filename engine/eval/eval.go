// Package eval computes the values of properties at a time: static values, keyframes with their easing, spatial paths,
// and expressions.
package eval

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"overcrank/aep"
)

// Ref identifies a property of a layer of a composition.
type Ref struct {
	Comp  *aep.Item
	Layer *aep.Layer
	Prop  *aep.Property
}

// Expressions evaluates the expression of a property. before is the value without the expression; t is composition time
// in seconds. The result has before's type. After an error before is used.
type Expressions interface {
	Evaluate(ref Ref, before aep.Value, t float64) (aep.Value, error)
}

// TimeoutError reports that the expression of Ref took too long: that of the property asked for, or of one that it uses.
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
	// OnError is called for every expression that failed.
	OnError func(ref Ref, t float64, err error)

	memo    map[moment]aep.Value
	running []*aep.Property // whose expressions are being evaluated, the innermost last

	transforms map[*aep.Layer]*Transform
}

type moment struct {
	prop *aep.Property
	t    float64
}

// maxDepth limits how deep expressions may use each other.
const maxDepth = 48

// BeginFrame drops the cached results of expressions and caches those of the new frame, so that an expression that many
// others use runs once per frame. If the project changes between two values, BeginFrame must be called between them, or
// never at all.
func (e *Evaluator) BeginFrame() {
	if e.memo == nil {
		e.memo = make(map[moment]aep.Value)
		return
	}
	clear(e.memo)
}

// Value is the value of ref at composition time t, including its expression; nil when the property has none.
func (e *Evaluator) Value(ref Ref, t float64) aep.Value {
	if ref.Prop == nil || ref.Prop.Group {
		return nil
	}
	before := e.before(ref, t)
	if e.Expressions == nil || !Driven(ref.Prop) {
		return before
	}
	if slices.Contains(e.running, ref.Prop) {
		return e.own(ref, before, t)
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

// errCircle is the error of an expression that asks for one that asks for it.
var errCircle = errors.New("expressions ask for each other in a circle; the value without this expression is used within it")

// own is the value of a property that its own expression reads: the one without the expression, as in After Effects. Rigs do so on
// purpose, with toWorld in the expression of a position; a circle through other properties is an error.
func (e *Evaluator) own(ref Ref, before aep.Value, t float64) aep.Value {
	if e.running[len(e.running)-1] != ref.Prop && e.OnError != nil {
		e.OnError(ref, t, errCircle)
	}
	return before
}

func (e *Evaluator) express(ref Ref, before aep.Value, t float64) (aep.Value, error) {
	if len(e.running) >= maxDepth {
		return nil, fmt.Errorf("expressions ask for each other more than %d deep", maxDepth)
	}
	e.running = append(e.running, ref.Prop)
	defer func() { e.running = e.running[:len(e.running)-1] }()
	v, err := e.Expressions.Evaluate(ref, before, t)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return before, nil
	}
	return v, nil
}

// before is the value without ref's own expression. The dimensions of a separated position are properties with their own
// expressions.
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
		if follower == nil || follower.Hidden || follower.Separated { // a follower that is itself separated would be a circle
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

// Driven tells whether an expression determines p's value.
func Driven(p *aep.Property) bool { return p.Expression != "" && p.ExpressionOn }

// Varies tells whether p or anything below it may change over time.
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

// LocalTime converts composition time t to layer-local time; CompTime is the inverse.
func LocalTime(l *aep.Layer, t float64) float64 {
	if l.Stretch == 0 {
		return t - l.Start
	}
	return (t - l.Start) * 100 / l.Stretch
}

// CompTime converts layer-local time t to composition time.
func CompTime(l *aep.Layer, t float64) float64 {
	if l.Stretch == 0 {
		return l.Start + t
	}
	return l.Start + t*l.Stretch/100
}
