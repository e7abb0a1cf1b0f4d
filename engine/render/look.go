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

// lookOf is the look of a composition at a time: which layers are active, the values of all that varies, and what their sources show.
func (w *worker) lookOf(s stage) Look {
	l := looking{w: w, sum: sha256.New()}
	l.stage(s)
	var out Look
	l.sum.Sum(out[:0])
	return out
}

// looking collects a look.
type looking struct {
	w   *worker
	sum interface { // a hash.Hash
		io.Writer
		Sum([]byte) []byte
	}
	buf [8]byte
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

func (l *looking) stage(s stage) {
	for i, layer := range s.comp.Shown {
		if !active(layer.Layer, s.t) {
			continue
		}
		l.word(uint64(i))
		l.layer(s, layer)
		for m := layer.Matted; m != nil && active(m.Layer, s.t); m = m.Matted {
			l.word(math.MaxUint64)
			l.layer(s, m)
		}
	}
	l.word(uint64(len(s.comp.Shown)))
}

func (l *looking) layer(s stage, layer *scene.Layer) {
	w := l.w
	m := geom.Identity
	switch {
	case layer.ThreeD:
		s := s
		s.m = geom.Identity
		v := w.inSpace(s, layer)
		m = v.m
		l.numbers(v.depth)
		if v.h != nil {
			l.numbers(v.h[:]...)
		}
	case layer.Transform.Moves():
		m = layer.Transform.Matrix(w.eval, s.t)
	}
	l.numbers(m.A, m.B, m.C, m.D, m.E, m.F)
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
	}
	if layer.MotionBlur {
		l.exposure(w.exposure(w.view(s, layer)))
	}
	v := view{stage: s, layer: layer}
	switch {
	case layer.Inner != nil && !s.holds(layer.Inner.Item):
		if t, ok := w.sourceTime(v, layer.Inner.Duration); ok {
			at := []instant{{t, 1}}
			inner := stage{comp: layer.Inner, outer: &v.stage, m: geom.Identity}
			if layer.Collapse {
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
		}
		l.numbers(t)
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
const maxLooks = 512

// looks are the looks of the last frames, each computed once by whichever worker needs it first.
type looks struct {
	mu    sync.Mutex
	known map[int]*frameLook
}

type frameLook struct {
	once sync.Once
	look Look
}

// of is the look of frame n.
func (c *looks) of(w *worker, n int) Look {
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
	f.once.Do(func() { f.look = w.lookOf(w.r.stageAt(n)) })
	return f.look
}

// repeats tells whether frame n looks like frame before, which is drawn anyway.
func (w *worker) repeats(n, before int) bool {
	return w.r.looks.of(w, n) == w.r.looks.of(w, before)
}
