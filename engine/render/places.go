package render

import (
	"math"
	"sync"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// maxPlaces is about how many places are kept twice: of a frame and the one before, for thousands of layers.
const maxPlaces = 1 << 14

// places are where layers were in the last frames. It is safe for concurrent use.
type places struct {
	mu     sync.Mutex
	late   map[placeAt]geom.Matrix
	before map[placeAt]geom.Matrix // those that were known when late began
}

// placeAt is a transform at a time, as its bits.
type placeAt struct {
	of *eval.Transform
	at uint64
}

// Find implements eval.Places.
func (p *places) Find(of *eval.Transform, at float64) (geom.Matrix, bool) {
	key := placeAt{of, math.Float64bits(at)}
	p.mu.Lock()
	defer p.mu.Unlock()
	m, ok := p.late[key]
	if !ok {
		m, ok = p.before[key]
	}
	return m, ok
}

// Put implements eval.Places.
func (p *places) Put(of *eval.Transform, at float64, m geom.Matrix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late == nil || len(p.late) >= maxPlaces {
		p.before, p.late = p.late, make(map[placeAt]geom.Matrix)
	}
	p.late[placeAt{of, math.Float64bits(at)}] = m
}
