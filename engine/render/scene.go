package render

import (
	"hash/maphash"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// scene is a composition to draw at a time; m maps its pixels to those of the target.
type scene struct {
	comp  *aep.Item
	t     float64
	m     geom.Matrix
	outer *scene // the scene that contains this one
	// fresh tells whether it is drawn over the same background, or none, in every frame.
	fresh bool
	// path distinguishes the places where the same composition is nested.
	path uint64
}

// view is a layer of a scene; m maps the layer's pixels to the target's.
type view struct {
	scene
	layer *aep.Layer
	m     geom.Matrix
}

// holds tells whether comp is s or one of the compositions around it.
func (s *scene) holds(comp *aep.Item) bool {
	for ; s != nil; s = s.outer {
		if s.comp == comp {
			return true
		}
	}
	return false
}

// frameSlack makes a time that rounding put just before a cut count as after it.
const frameSlack = 1e-6

// composition draws the layers of s over dst, from the bottom.
func (w *worker) composition(dst *raster.Image, s scene) error {
	outer := w.at
	shown := w.shown(s)
	first := 0
	if s.fresh {
		var err error
		if first, err = w.begin(dst, s, shown); err != nil {
			return err
		}
	}
	for i := range shown[first:] {
		if err := w.layer(dst, &shown[first+i]); err != nil {
			return err
		}
	}
	w.at = outer // not deferred: after a panic it says where that was
	return nil
}

// shownLayer is a layer that is visible at a time, with its drawing once that is prepared.
type shownLayer struct {
	view
	d        *drawing
	prepared bool
}

// shown are the visible layers of s, from the bottom.
func (w *worker) shown(s scene) []shownLayer {
	layers := s.comp.Comp.Layers
	solo := anySolo(layers)
	var out []shownLayer
	for i := len(layers) - 1; i >= 0; i-- {
		if l := layers[i]; visible(l, s.t) && (!solo || l.Solo) {
			out = append(out, shownLayer{view: w.view(s, l)})
		}
	}
	return out
}

// ready prepares the drawing of a layer.
func (w *worker) ready(l *shownLayer) error {
	if l.prepared {
		return nil
	}
	l.prepared = true
	var err error
	l.d, err = w.prepare(l.view)
	return err
}

func (w *worker) view(s scene, l *aep.Layer) view {
	w.at = place{s.comp, l}
	v := view{scene: s, layer: l}
	v.m = s.m.Mul(w.eval.LayerMatrix(s.comp, l, s.t))
	return v
}

func anySolo(layers []*aep.Layer) bool {
	for _, l := range layers {
		if l.Solo {
			return true
		}
	}
	return false
}

func visible(l *aep.Layer, t float64) bool {
	return l.Enabled && !l.Guide && !l.Null && active(l, t)
}

func active(l *aep.Layer, t float64) bool {
	in, out := l.In, l.Out
	if in > out {
		in, out = out, in
	}
	return t+frameSlack >= in && t+frameSlack < out
}

// state identifies which of the layers are visible at t, so that a composition without movement looks different before
// and after a cut.
func state(c *aep.Composition, t float64) uint64 {
	h := newHash()
	for i, l := range c.Layers {
		if active(l, t) {
			h.word(uint64(i))
		}
	}
	return h.Sum64()
}

func (v view) instance() uint64 {
	return maphash.Comparable(seed, [2]uint64{v.path, uint64(v.layer.ID)})
}

// at is a reference to a property of the layer.
func (v view) at(p *aep.Property) eval.Ref { return eval.Ref{Comp: v.comp, Layer: v.layer, Prop: p} }

func (w *worker) number(v view, group *aep.Property, match string, def float64) float64 {
	return w.eval.Number(v.at(group.Child(match)), v.t, def)
}

func (w *worker) pair(v view, group *aep.Property, match string, x, y float64) (float64, float64) {
	return w.eval.Pair(v.at(group.Child(match)), v.t, x, y)
}

func (w *worker) color(v view, group *aep.Property, match string, def [4]float64) [4]float64 {
	n, _ := w.eval.Value(v.at(group.Child(match)), v.t).(aep.Numbers)
	if len(n) < 3 {
		return def
	}
	out := [4]float64{n[0], n[1], n[2], 1}
	if len(n) > 3 {
		out[3] = n[3]
	}
	return out
}
