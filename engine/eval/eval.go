// Package eval computes the values of properties at a time: static values, keyframes with their easing, spatial paths,
// and expressions.
package eval

import (
	"errors"
	"fmt"
	"time"

	"overcrank/aep"
	"overcrank/engine/geom"
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
	Err   error // of an expression that failed, and took that long; nil for one that was ended
}

func (e *TimeoutError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the expression failed after more than %v: %v", e.Limit, e.Err)
	}
	return fmt.Sprintf("the expression ran longer than %v", e.Limit)
}

// Evaluator evaluates properties of one project. It is not safe for concurrent use: each worker has its own.
type Evaluator struct {
	Project *aep.Project
	// Expressions may be nil: then expressions are ignored.
	Expressions Expressions
	// OnError is called for every expression that failed.
	OnError func(ref Ref, t float64, err error)
	Places  Places // shared with other evaluators of the same scene; may be nil

	running []run                       // expressions that are being evaluated, the innermost last
	memo    map[moment]aep.Value        // results of this frame
	outside map[moment]result           // those in a circle of expressions, which hold while no expression runs
	inside  []map[moment]result         // those that hold while an expression runs, by its place in running
	kept    map[*aep.Property]aep.Value // results of all times; nil for an expression that fails at any time

	places     map[placeAt]geom.Matrix // of this frame
	transforms map[*aep.Layer]*Transform
	cameras    map[*aep.Item][]Camera
}

// maxDepth limits how deep expressions may use each other.
const maxDepth = 200

// Value is the value of ref at composition time t, including its expression; nil when the property has none.
func (e *Evaluator) Value(ref Ref, t float64) aep.Value {
	if ref.Prop == nil || ref.Prop.Group {
		return nil
	}
	if e.Expressions == nil || !Driven(ref.Prop) {
		e.used(len(ref.Prop.Keys) > 1, circle{})
		return e.before(ref, t)
	}
	if v, ok := e.kept[ref.Prop]; ok {
		if v == nil {
			e.used(len(ref.Prop.Keys) > 1, circle{})
			v = e.before(ref, t)
		}
		return v
	}
	if depth := e.runs(ref.Prop); depth >= 0 {
		return e.own(ref, depth, t)
	}
	r, ok := e.known(momentOf(ref.Prop, t))
	moving := true
	if !ok {
		r, moving = e.express(ref, t)
	}
	e.used(moving, r.circle)
	return r.value
}

// errCircle is the error of an expression that asks for one that asks for it.
var errCircle = errors.New("expressions ask for each other in a circle; the value without this expression is used within it")

// own is the value of a property that its own expression reads: the one without the expression, as in After Effects. Rigs do so on
// purpose, with toWorld in the expression of a position; a circle through other properties is an error.
func (e *Evaluator) own(ref Ref, depth int, t float64) aep.Value {
	through := depth < len(e.running)-1
	if through && e.OnError != nil {
		e.OnError(ref, t, errCircle)
	}
	e.used(len(ref.Prop.Keys) > 1, circle{met: through, open: through, low: depth, high: depth})
	return e.before(ref, t)
}

// express evaluates the expression of ref, and tells whether its result may be another at another time.
func (e *Evaluator) express(ref Ref, t float64) (r result, moving bool) {
	before := e.before(ref, t)
	v, done, err := e.run(ref, before, t)
	if err != nil {
		v = nil
		if e.OnError != nil {
			e.OnError(ref, t, err)
		}
	}
	r = result{v, done.circle}
	if v == nil {
		r.value = before
	}
	if e.kept != nil && done.still && !done.moving && !done.circle.met {
		e.kept[ref.Prop] = v
		return r, v == nil && len(ref.Prop.Keys) > 1
	}
	e.learn(momentOf(ref.Prop, t), r)
	return r, true
}

// run evaluates the expression of ref, and nothing else.
func (e *Evaluator) run(ref Ref, before aep.Value, t float64) (v aep.Value, done run, err error) {
	if n := len(e.running); n >= maxDepth {
		return nil, run{circle: circle{met: true, open: true, high: n - 1}}, fmt.Errorf("expressions ask for each other more than %d deep", maxDepth)
	}
	e.running = append(e.running, run{prop: ref.Prop})
	defer func() { done = e.end() }()
	v, err = e.Expressions.Evaluate(ref, before, t)
	return v, done, err
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
