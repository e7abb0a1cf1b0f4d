package render

import (
	"cmp"
	"math"
	"reflect"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/scene"
)

// MotionBlur says which layers are blurred by their motion.
type MotionBlur int

// After Effects' render settings for motion blur.
const (
	// BlurMarked blurs the layers whose switch is on, whatever the switch of their composition says ("On For Checked Layers").
	BlurMarked MotionBlur = iota
	// BlurEnabled blurs those of them whose composition's switch is on too ("Current Settings").
	BlurEnabled
	// BlurNone blurs none ("Off For All Layers").
	BlurNone
)

// shutter is when a frame is exposed, in seconds after its time, and at how many moments of that a moving layer is drawn.
type shutter struct {
	opens, length float64
	least, most   int
}

// What After Effects allows in a composition's settings; files may ask for anything.
const (
	maxShutterAngle   = 720 // degrees
	maxShutterPhase   = 360 // degrees
	maxShutterSamples = 64
	maxShutterLimit   = 256
)

// shutter is that of a composition; false when it never opens.
func (r *Renderer) shutter(c *aep.Composition) (s shutter, ok bool) {
	if r.opt.MotionBlur == BlurNone || r.opt.MotionBlur == BlurEnabled && !c.MotionBlur {
		return s, false
	}
	frame := FrameTime(c, 1)
	s.opens = frame * max(-maxShutterPhase, min(c.ShutterPhase, maxShutterPhase)) / 360
	s.length = frame * min(c.ShutterAngle, maxShutterAngle) / 360
	s.least = max(2, min(cmp.Or(c.ShutterSamples, aep.ShutterSamples), maxShutterSamples))
	s.most = max(s.least, min(cmp.Or(c.ShutterLimit, aep.ShutterLimit), maxShutterLimit))
	return s, s.length > 0 && !math.IsNaN(s.opens)
}

// moment is in the middle of part i of n equal parts of the time for which the shutter is open.
func (s *shutter) moment(i, n int) float64 { return s.opens + s.length*(float64(i)+0.5)/float64(n) }

// exposure is a layer that moves, or whose outlines change, while the shutter is open.
type exposure struct {
	shutter
	views []view // at its moments
	anew  bool   // its outlines change
}

// exposure is that of a layer in a frame; nil when its motion is not blurred, or when it is at rest.
func (w *worker) exposure(v view) *exposure {
	l := v.layer
	// The layers of a collapsed composition are blurred by their own switches.
	if !l.MotionBlur || v.own || l.Collapse && l.Kind == scene.Nested && v.h == nil {
		return nil
	}
	redrawn := len(l.Redrawn) > 0 || l.Stirs()
	moving := l.Transform.Moves() || v.through != nil || l.ThreeD && v.world().comp.CameraMoves()
	if !moving && !redrawn {
		return nil
	}
	s, ok := w.r.shutter(v.filmed().Composition)
	if !ok {
		return nil
	}
	x := &exposure{shutter: s, views: w.moments(v, &s, s.least)}
	x.anew = redrawn && w.redrawn(v, x.views)
	if !x.anew && x.rests(v) {
		return nil
	}
	x.anew = x.anew || v.characters != nil
	return x
}

// filmed is the composition whose shutter counts: that which all stages around s show collapsed.
func (s *stage) filmed() *scene.Comp {
	for s.through != nil {
		s = s.outer
	}
	return s.comp
}

// moments are the views of v's layer at n moments of a frame.
func (w *worker) moments(v view, s *shutter, n int) []view {
	out := make([]view, n)
	for i := range out {
		out[i] = w.view(w.later(v.stage, s.moment(i, n)), v.layer)
	}
	return out
}

// later is a stage by seconds of the composition whose shutter counts after its time. What it shows stays where it is, unless a collapsed
// composition moves.
func (w *worker) later(s stage, by float64) stage {
	was := s.t
	if s.through == nil {
		s.t += by
		s.late += s.t - was
		return s
	}
	outer := w.later(*s.outer, by)
	if w.view(*s.outer, s.through).m == s.m { // and not in the layer's own pixels, for an effect
		s.m = w.view(outer, s.through).m
	}
	if t, ok := w.sourceTime(view{stage: outer, layer: s.through}, s.comp.Duration); ok {
		s.t = t
	}
	if s.joins != nil {
		camera := w.camera(&outer)
		place := w.spaceOf(outer, s.through, camera.At)
		s.joins = &place
	}
	s.outer = &outer
	s.late += s.t - was
	return s
}

// redrawn tells whether the outlines of a text or shape layer change between moments of a frame. A text that is replaced by another is that of
// the frame throughout, so that two are never seen at once.
func (w *worker) redrawn(v view, moments []view) bool {
	l := v.layer
	if l.Document.Varies() {
		text := l.Document.At(w.eval, v.t)
		for i := range moments {
			if !reflect.DeepEqual(l.Document.At(w.eval, moments[i].t), text) {
				return false
			}
		}
	}
	if l.Stirs() {
		return true
	}
	values := func(t float64) uint64 {
		h := newHash()
		all := looking{w: w, sum: h}
		for i := range l.Redrawn {
			all.value(l.Redrawn[i].At(w.eval, t))
		}
		return h.Sum64()
	}
	first := values(v.t)
	for i := range moments {
		if values(moments[i].t) != first {
			return true
		}
	}
	return false
}

// stillness is the movement, in pixels, that no channel of 8 bits shows.
const stillness = 1e-3

// rests tells whether the layer is where v shows it at all moments.
func (x *exposure) rests(v view) bool {
	size := v.layer.Size()
	box := geom.Rect{MaxX: size.X, MaxY: size.Y}
	if v.layer.Centred() {
		box.MinX, box.MinY = -size.X, -size.Y
	}
	at := v.place()
	for i := range x.views {
		to := x.views[i].place()
		if to != at && !(distance(at, to, box) < stillness) {
			return false
		}
	}
	return true
}

// place maps pixels of the layer to those of the target, whether in perspective or not.
func (v *view) place() geom.Homography {
	if v.h != nil {
		return *v.h
	}
	return geom.Perspective(v.m)
}

// distance is how far the corners of box move at most from one place to another; infinite when one of them is not seen.
func distance(from, to geom.Homography, box geom.Rect) float64 {
	most := 0.0
	for _, p := range [4]geom.Point{{X: box.MinX, Y: box.MinY}, {X: box.MaxX, Y: box.MinY}, {X: box.MinX, Y: box.MaxY}, {X: box.MaxX, Y: box.MaxY}} {
		a, before := from.Apply(p)
		b, after := to.Apply(p)
		d := a.Sub(b).Len()
		if !(before > 0) || !(after > 0) || math.IsNaN(d) {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// refine adds moments so that nothing of box, in pixels of the layer, moves by more than a pixel from one to the next. Layers in space, shapes
// and what is drawn anew have the least number, as in After Effects.
func (w *worker) refine(v view, x *exposure, box geom.Rect) {
	if x.anew || v.spatial() || v.layer.Kind == scene.Shape {
		return
	}
	n := len(x.views)
	if n < 2 {
		return
	}
	way := 0.0
	for i := range x.views[1:] {
		way += distance(x.views[i].place(), x.views[i+1].place(), box)
	}
	way *= float64(n) / float64(n-1) // the first and the last lie half a part within the time
	if more := int(math.Ceil(min(way, maxShutterLimit))); more > n {
		x.views = w.moments(v, &x.shutter, min(more, x.most))
	}
}
