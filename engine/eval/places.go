package eval

import (
	"math"

	"overcrank/engine/geom"
)

// Places are where layers were at the times of late, as far as expressions say where they are. Evaluators that look at one frame after the other share
// them, since each frame is compared with the one before.
type Places interface {
	// Find is where a transform was at a composition time; false when that is not known.
	Find(of *Transform, at float64) (geom.Matrix, bool)
	Put(of *Transform, at float64, m geom.Matrix)
}

// placeAt is a transform at a time, as its bits.
type placeAt struct {
	of *Transform
	at uint64
}

// place is the matrix of a transform that expressions determine. While one of them runs it may depend on that.
func (e *Evaluator) place(t *Transform, at float64) geom.Matrix {
	if e.memo == nil || len(e.running) > 0 {
		return t.matrix(e, at)
	}
	key := placeAt{t, math.Float64bits(at)}
	m, ok := e.places[key]
	if !ok {
		m = e.placeNew(t, at)
		e.places[key] = m
	}
	return m
}

// placeNew is place where this evaluator was not asked for it before, in this frame.
func (e *Evaluator) placeNew(t *Transform, at float64) geom.Matrix {
	if e.Places == nil {
		return t.matrix(e, at)
	}
	m, ok := e.Places.Find(t, at)
	if !ok {
		m = t.matrix(e, at)
		e.Places.Put(t, at, m)
	}
	return m
}
