package render

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"sync"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/scene"
)

// Look identifies what a frame shows: two frames of a render with the same Look have the same pixels.
type Look [sha256.Size]byte

// lookOf is the look of a composition at a time: which layers are active, the values of all that varies, and what their sources show. Where frames
// are shared it is the frame's address, unless known is false.
func (w *worker) lookOf(s stage) (out Look, known bool) {
	l := looking{w: w, sum: sha256.New(), origins: w.r.origins}
	if l.origins != nil {
		_, _ = l.sum.Write(l.origins.base[:]) // a hash returns no error
	}
	l.stage(s)
	l.sum.Sum(out[:0])
	return out, l.origins != nil && !l.unknown
}

// looking collects a look.
type looking struct {
	w   *worker
	sum interface { // a hash.Hash
		io.Writer
		Sum([]byte) []byte
	}
	buf     [8]byte
	origins *origins // what each layer comes from is added too; nil for a look within this render
	unknown bool     // something has no origin
}

// from adds where something comes from.
func (l *looking) from(origin Look, err error) {
	_, _ = l.sum.Write(origin[:])
	l.unknown = l.unknown || err != nil
}

func (l *looking) word(v uint64) {
	binary.LittleEndian.PutUint64(l.buf[:], v)
	_, _ = l.sum.Write(l.buf[:]) // a hash returns no error
}

func (l *looking) numbers(list ...float64) {
	l.word(uint64(len(list)))
	for _, v := range list {
		l.word(math.Float64bits(v))
	}
}

func (l *looking) stage(s stage) { l.stageBelow(s, nil) }

// stageBelow adds the layers of a stage below one of them; all, when that is nil.
func (l *looking) stageBelow(s stage, end *scene.Layer) {
	if l.origins != nil {
		l.from(l.origins.comp(s.comp))
		l.lights(s)
	}
	for i, layer := range s.comp.Shown {
		if layer == end {
			break
		}
		if !active(layer.Layer, s.t) {
			continue
		}
		l.word(uint64(i))
		if !layer.Stencil() && l.w.opacity(view{stage: s, layer: layer}) <= 0 {
			l.word(math.MaxUint64 - 1) // whatever it is, it is not drawn
			continue
		}
		l.layer(s, layer)
		for m := layer.Matted; m != nil && active(m.Layer, s.t); m = m.Matted {
			l.word(math.MaxUint64)
			l.layer(s, m)
		}
	}
	l.word(uint64(len(s.comp.Shown)))
}

// lights adds the lights that shine on a composition's layers.
func (l *looking) lights(s stage) {
	for _, layer := range s.comp.All {
		if layer.Kind == scene.Light && active(layer.Layer, s.t) {
			l.layer(s, layer)
		}
	}
}

func (l *looking) layer(s stage, layer *scene.Layer) {
	w := l.w
	if l.origins != nil {
		l.from(l.origins.layer(layer))
		if layer.Kind == scene.Text { // what it lacks of fonts is told by laying it out, which a frame that is kept is not drawn for
			if doc, ok := layer.Document.At(w.eval, s.t).(*aep.TextDocument); ok && doc != nil && doc.Text != "" {
				_ = w.r.layouts.get(w, view{stage: s, layer: layer}, doc)
			}
		}
	}
	l.place(s, layer)
	for i := range layer.Varying {
		v := layer.Varying[i].At(w.eval, s.t)
		l.value(v)
		if _, opaque := v.(aep.Opaque); opaque {
			l.numbers(s.t) // between keyframes only its effect knows how it changes
		}
	}
	if layer.Timed {
		l.numbers(s.t)
	}
	if w.movingMasks(view{stage: s, layer: layer}) != nil {
		l.numbers(s.t)
		l.unknown = l.unknown || drivenValues(layer)
	}
	if layer.Material != nil {
		l.lighting(w.view(s, layer))
	}
	if layer.MotionBlur {
		x := w.exposure(w.view(s, layer))
		l.exposure(x)
		l.unknown = l.unknown || x != nil && drivenValues(layer)
	}
	v := view{stage: s, layer: layer}
	switch {
	case layer.Inner != nil && !s.holds(layer.Inner.Item):
		if t, ok := w.sourceTime(v, layer.Inner.Duration); ok {
			at := []instant{{t, 1}}
			inner := stage{comp: layer.Inner, outer: &v.stage, m: geom.Identity}
			if joined, ok := w.inner(s, layer, w.view(s, layer).m); ok {
				inner = joined
			} else if layer.Collapse {
				inner.m, inner.through = w.view(s, layer).m, layer
			} else {
				at = w.instants(v, t, 1/FrameTime(layer.Inner.Composition, 1), layer.Inner.Duration)
			}
			for _, one := range at {
				inner.t = one.t
				l.numbers(one.share)
				l.stage(inner)
			}
		}
	case layer.Kind == scene.Footage && layer.Source != nil && !layer.Source.Footage.Still:
		t, ok := w.sourceTime(v, footageLength(layer.Source.Footage))
		if !ok {
			t = -1
		} else if w.mixes(v) {
			l.numbers(w.passed(v, t, footageLength(layer.Source.Footage)))
		}
		l.numbers(t)
	}
}

// place adds where a layer is, and whether it was there one frame ago: then it may be drawn on a surface of its own, where rounding differs.
func (l *looking) place(s stage, layer *scene.Layer) {
	w := l.w
	m := geom.Identity
	switch {
	case s.inDepth(layer):
		s := s
		s.m = geom.Identity
		v := w.inSpace(s, layer)
		m = v.m
		l.numbers(v.depth)
		if camera := w.camera(&s); camera.Aperture > 0 {
			l.numbers(camera.Aperture, camera.Focus, camera.Zoom)
		}
		if v.h != nil {
			l.numbers(v.h[:]...)
		}
		if v.characters != nil {
			v.characters.values(func(n ...float64) { l.numbers(n...) })
		}
	case layer.Transform.Moves() || l.origins != nil: // its parents are not part of its origin
		m = layer.Transform.Matrix(w.eval, s.t)
	}
	l.numbers(m.A, m.B, m.C, m.D, m.E, m.F)
	if layer.Kind != scene.Solid && layer.Transform.Moves() && w.rests(layer, s.t) {
		l.word(math.MaxUint64)
	}
}

// exposure adds where a layer is while the shutter is open.
func (l *looking) exposure(x *exposure) {
	if x == nil {
		return
	}
	for i := range x.views {
		place := x.views[i].place()
		l.numbers(place[:]...)
		l.numbers(x.views[i].t)
	}
}

// value adds a value of any type.
func (l *looking) value(v aep.Value) {
	switch v := v.(type) {
	case aep.Numbers:
		l.numbers(v...)
	case aep.Opaque:
		l.word(uint64(len(v)))
		_, _ = l.sum.Write(v)
	default: // a path, a gradient, a text
		text, err := json.Marshal(v)
		if err != nil { // of a number that is none; then each frame has a look of its own
			text = binary.LittleEndian.AppendUint64(nil, uint64(l.w.n))
		}
		l.word(uint64(len(text)))
		_, _ = l.sum.Write(text)
	}
}

// maxLooks is about how many looks are kept.
const maxLooks = 4096

// looks are the looks of the last frames, each computed once by whichever worker needs it first.
type looks struct {
	mu    sync.Mutex
	known map[int]*frameLook
}

type frameLook struct {
	once  sync.Once
	look  Look
	known bool // it is the frame's address
}

// of is the look of frame n.
func (c *looks) of(w *worker, n int) *frameLook {
	c.mu.Lock()
	if c.known == nil {
		c.known = make(map[int]*frameLook)
	}
	f := c.known[n]
	if f == nil {
		f = &frameLook{}
		c.known[n] = f
	}
	if len(c.known) > maxLooks {
		for other := range c.known {
			if other < n-maxLooks/2 {
				delete(c.known, other)
			}
		}
	}
	c.mu.Unlock()
	f.once.Do(func() { f.look, f.known = w.lookOf(w.r.stageAt(n)) })
	return f
}

// repeats tells whether frame n looks like frame before, which is drawn anyway.
func (w *worker) repeats(n, before int) bool {
	return w.r.looks.of(w, n).look == w.r.looks.of(w, before).look
}
