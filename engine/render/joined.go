package render

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/scene"
)

// maxJoined is how many layers of collapsed compositions one composition shows among its own at most.
const maxJoined = 4096

// world is the stage whose space that of s is a part of: s itself, or what shows it collapsed.
func (s *stage) world() *stage {
	for s.joins != nil {
		s = s.outer
	}
	return s
}

// tilted tells whether layers without depth lie in a plane of the world's space: that of the collapsed 3D layer that shows them.
func (s *stage) tilted() bool {
	for ; s.joins != nil; s = s.outer {
		if s.through.ThreeD {
			return true
		}
	}
	return false
}

// inDepth tells whether a layer is seen in space.
func (s *stage) inDepth(l *scene.Layer) bool { return l.ThreeD || s.tilted() }

// spatial tells whether the layer is seen in space.
func (v *view) spatial() bool { return v.inDepth(v.layer) }

// camera is how the space of which that of s is a part is seen.
func (w *worker) camera(s *stage) eval.View {
	s = s.world()
	return s.comp.View(w.eval, s.t-s.late, s.t)
}

// sees is how the plane of a layer of s at a place is seen, in pixels of the target.
func (w *worker) sees(s *stage, camera *eval.View, place geom.Space) geom.Homography {
	return geom.Perspective(s.world().m).Mul(camera.See(place))
}

// inner is the stage of the composition that a collapsed layer shows, of which the layers join those of s; false when none is shown. m is that of the layer.
func (w *worker) inner(s stage, l *scene.Layer, m geom.Matrix) (stage, bool) {
	if !l.Joins || s.holds(l.Inner.Item) {
		return stage{}, false
	}
	v := view{stage: s, layer: l}
	t, ok := w.sourceTime(v, l.Inner.Duration)
	if !ok {
		return stage{}, false
	}
	camera := w.camera(&s)
	place := w.spaceOf(s, l, camera.At)
	return stage{comp: l.Inner, t: t, m: m, outer: &v.stage, path: v.instance(), through: l, late: s.late, joins: &place}, true
}

// expand calls each with the layers of s that are there, from the bottom, and instead of those that show compositions whose layers join them, with
// theirs.
func (w *worker) expand(s stage, each func(s stage, l *scene.Layer)) {
	left := maxJoined
	w.expanded(s, &left, each)
}

func (w *worker) expanded(s stage, left *int, each func(s stage, l *scene.Layer)) {
	for _, l := range s.comp.Shown {
		if !active(l.Layer, s.t) {
			continue
		}
		if l.Joins {
			if *left -= len(l.Inner.Shown); *left < 0 {
				w.undrawn(s.comp.Item, l.Layer, "the depth of so many layers of collapsed compositions")
				*left = 0
				continue
			}
			if inner, ok := w.inner(s, l, w.view(s, l).m); ok {
				w.expanded(inner, left, each)
			}
			continue
		}
		each(s, l)
	}
}
