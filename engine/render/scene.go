package render

import (
	"hash/maphash"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// stage is a composition to draw at a time; m maps its pixels to those of the target.
type stage struct {
	comp  *scene.Comp
	t     float64
	m     geom.Matrix
	outer *stage // the one that contains this one
	// fresh tells whether it is drawn over nothing.
	fresh bool
	// path distinguishes the places where the same composition is nested.
	path uint64
	// through is the layer that shows it collapsed, in the outer stage; nil for others.
	through *scene.Layer
	// late is how far t lies after the time of the frame, at a moment while the shutter is open.
	late float64
	// joins maps the space of the composition to that of the world, where through shows its layers among others; nil for others.
	joins *geom.Space
}

// view is a layer of a stage; m maps the layer's pixels to the target's.
type view struct {
	stage
	layer *scene.Layer
	m     geom.Matrix
	// h is how a 3D layer is seen in perspective, in the target's pixels, and m is close to it in the layer's middle; nil where m says all.
	h     *geom.Homography
	depth float64 // of a 3D layer: its distance from the viewer
	// characters is how those of a text in space are seen; nil for other layers.
	characters *characters
	own        bool // the target has the layer's own pixels, scaled by m
}

// holds tells whether comp is s or one of the compositions around it.
func (s *stage) holds(comp *aep.Item) bool {
	for ; s != nil; s = s.outer {
		if s.comp.Item == comp {
			return true
		}
	}
	return false
}

// frameSlack makes a time that rounding put just before a cut count as after it.
const frameSlack = 1e-6

// composition draws the layers of s over dst, from the bottom.
func (w *worker) composition(dst *raster.Image, s stage) error {
	outer := w.at
	shown := w.shown(s)
	first := 0
	if s.fresh {
		var err error
		if shown, err = w.uncovered(dst.Rect, shown); err != nil {
			return err
		}
		if first, err = w.begin(dst, s, shown); err != nil {
			return err
		}
		if first, err = w.lower(dst, s, shown, first); err != nil {
			return err
		}
		if err = w.hide(shown[first:]); err != nil {
			return err
		}
	}
	end := w.sendOut(dst.Rect, shown[first:])
	defer end()
	for i := range shown[first:] {
		if shown[first+i].hidden {
			continue
		}
		if err := w.layer(dst, &shown[first+i]); err != nil {
			return err
		}
		shown[first+i].errand.skip()
	}
	w.at = outer // not deferred: after a panic it says where that was
	return nil
}

// shownLayer is a layer that is visible at a time, with its drawing once that is prepared, and its exposure once that is asked for.
type shownLayer struct {
	view
	d        *drawing
	prepared bool
	x        *exposure
	exposed  bool
	rank     int // its place among the layers of its composition, from the bottom
	// among are 3D layers that are drawn together, with what is seen of each; nil for a layer that is drawn alone.
	among  []shownLayer
	sights []sight
	// apart tells whether it is drawn on a surface of its own, so that what lies below it is not there.
	apart  bool
	hidden bool    // nothing of it would be seen
	errand *errand // what helpers draw of it ahead; nil for most
}

// exposure is the worker's exposure of the layer.
func (l *shownLayer) exposure(w *worker) *exposure {
	if !l.exposed {
		l.x, l.exposed = w.exposure(l.view), true
	}
	return l.x
}

// shown are the visible layers of s, from the bottom.
func (w *worker) shown(s stage) []shownLayer {
	out := make([]shownLayer, 0, len(s.comp.Shown))
	w.expand(s, func(s stage, l *scene.Layer) {
		if _, only := w.castsShadows(l, s.t); !only {
			out = append(out, shownLayer{view: w.view(s, l), rank: len(out)})
		}
	})
	return w.byDepth(out)
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

func (w *worker) view(s stage, l *scene.Layer) view {
	w.at = l
	if s.inDepth(l) {
		return w.inSpace(s, l)
	}
	return view{stage: s, layer: l, m: s.m.Mul(l.Transform.Matrix(w.eval, s.t))}
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
func state(c *scene.Comp, t float64) uint64 {
	h := newHash()
	for i, l := range c.All {
		if active(l.Layer, t) {
			h.word(uint64(i))
		}
	}
	return h.Sum64()
}

func (v view) instance() uint64 {
	return maphash.Comparable(seed, [2]uint64{v.path, uint64(v.layer.ID)})
}
