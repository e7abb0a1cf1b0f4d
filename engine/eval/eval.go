// Package eval gives properties their value at a time: static values, keyframes with their easing, spatial paths, and
// expressions.
package eval

import "overcrank/aep"

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

// Evaluator evaluates properties of one project. It is not safe for concurrent use: each worker has its own.
type Evaluator struct {
	Project *aep.Project
	// Expressions may be nil: then expressions are ignored.
	Expressions Expressions
	// OnError hears of every expression that failed.
	OnError func(ref Ref, t float64, err error)
}

// Value is the value of ref at composition time t, expression included; nil when the property has none.
func (e *Evaluator) Value(ref Ref, t float64) aep.Value { panic("skeleton: helper B1") }

// Plain is the value without the expression.
func Plain(ref Ref, t float64) aep.Value { panic("skeleton: helper B1") }

// LocalTime is the layer-local time of composition time t, CompTime the reverse.
func LocalTime(l *aep.Layer, t float64) float64 { return (t - l.Start) * 100 / l.Stretch }

// CompTime is the composition time of layer-local time t.
func CompTime(l *aep.Layer, t float64) float64 { return l.Start + t*l.Stretch/100 }
