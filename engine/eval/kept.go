package eval

import (
	"math"
	"slices"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// moment is a property at a time, as its bits: so it is hashed as a whole.
type moment struct {
	prop *aep.Property
	t    uint64
}

func momentOf(prop *aep.Property, t float64) moment { return moment{prop, math.Float64bits(t)} }

// run is an expression that is being evaluated.
type run struct {
	prop   *aep.Property
	moving bool // it used a property that changes over time
	still  bool // it says that it used nothing else that does
	circle circle
}

// circle is what a result has to do with expressions that ask for each other. Such a result depends on where in the circle one begins to ask,
// so that only who begins at the same place may use it again: what is drawn must not depend on what was drawn before.
type circle struct {
	met       bool // expressions asked for each other in a circle
	open      bool // some of them are still running
	low, high int  // the places in running of the outermost and the innermost of these
}

func (c circle) with(other circle) circle {
	switch {
	case !other.open:
	case !c.open:
		c.open, c.low, c.high = true, other.low, other.high
	default:
		c.low, c.high = min(c.low, other.low), max(c.high, other.high)
	}
	c.met = c.met || other.met
	return c
}

// outside is the circle as it is seen after the expression at depth has ended.
func (c circle) outside(depth int) circle {
	if c.low >= depth {
		c.open = false
	}
	c.high = min(c.high, depth-1)
	return c
}

// result is the value of an expression, and the circle that it was found in.
type result struct {
	value  aep.Value
	circle circle
}

// BeginFrame drops the cached results of expressions and caches those of the new frame, so that an expression that many
// others use runs once per frame. After the first BeginFrame the project must not change any more.
func (e *Evaluator) BeginFrame() {
	if e.memo == nil {
		e.memo = make(map[moment]aep.Value)
		e.outside = make(map[moment]result)
		e.kept = make(map[*aep.Property]aep.Value)
		e.places = make(map[placeAt]geom.Matrix)
		return
	}
	clear(e.memo)
	clear(e.outside)
	clear(e.places)
}

// Steady tells whether the project does not change any more.
func (e *Evaluator) Steady() bool { return e.kept != nil }

// Keep says that the expression of prop, which is being evaluated, used nothing that changes over time but the properties that it asked
// Value for. Unless one of those does, its result is kept for all times.
func (e *Evaluator) Keep(prop *aep.Property) {
	if n := len(e.running); n > 0 && e.running[n-1].prop == prop {
		e.running[n-1].still = true
	}
}

// used notes what the innermost running expression depends on.
func (e *Evaluator) used(moving bool, c circle) {
	if n := len(e.running); n > 0 {
		at := &e.running[n-1]
		at.moving, at.circle = at.moving || moving, at.circle.with(c)
	}
}

func (e *Evaluator) runs(prop *aep.Property) (depth int) {
	return slices.IndexFunc(e.running, func(r run) bool { return r.prop == prop })
}

// known is a result that was found before: in this frame, or in this frame within the same running expressions.
func (e *Evaluator) known(key moment) (result, bool) {
	if v, ok := e.memo[key]; ok {
		return result{value: v}, true
	}
	if len(e.running) == 0 {
		r, ok := e.outside[key]
		return r, ok
	}
	for _, inside := range e.inside {
		if r, ok := inside[key]; ok {
			return r, true
		}
	}
	return result{}, false
}

// learn caches a result for this frame, or while the expressions run that it was found within.
func (e *Evaluator) learn(key moment, r result) {
	switch last := len(e.running) - 1; {
	case r.circle.met && last >= 0:
		if r.circle.open {
			last = r.circle.high
		}
		for len(e.inside) <= last {
			e.inside = append(e.inside, make(map[moment]result))
		}
		e.inside[last][key] = r
	case e.memo == nil:
	case r.circle.met:
		e.outside[key] = r
	default:
		e.memo[key] = r.value
	}
}

// end takes the innermost expression from those that run, and forgets what was found within it.
func (e *Evaluator) end() run {
	depth := len(e.running) - 1
	r := e.running[depth]
	e.running = e.running[:depth]
	if depth < len(e.inside) {
		clear(e.inside[depth])
	}
	r.circle = r.circle.outside(depth)
	return r
}
