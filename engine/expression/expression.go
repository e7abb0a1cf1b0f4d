// Package expression runs After Effects expressions in goja.
package expression

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/text"
)

// Machine runs expressions; one per worker. It implements eval.Expressions.
type Machine struct{}

// Host is what expressions may ask of the world.
type Host struct {
	Project *aep.Project
	Eval    *eval.Evaluator
	Fonts   *text.Book // for sourceRectAtTime; may be nil
	// ReadData gives the content of a data footage (JSON, CSV); nil refuses.
	ReadData func(f *aep.Item) ([]byte, error)
}

// New makes a machine.
func New(h Host) *Machine { panic("skeleton: helper B3") }

// Evaluate runs the expression of ref.
func (m *Machine) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	panic("skeleton: helper B3")
}

// SourceRect is the bounds of what a layer shows, in pixels of the layer, at composition time t.
func (m *Machine) SourceRect(comp *aep.Item, l *aep.Layer, t float64, extents bool) (left, top, width, height float64) {
	panic("skeleton: helper B3")
}
