package render

import (
	"image"
	"math"
	"sync"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// cache keeps the surfaces of layers that look the same from frame to frame. A layer is kept from the second time that
// it appears with the same matrix, so that moving layers cost nothing here.
type cache struct {
	mu    sync.Mutex
	known map[uint64]*cached
	bases bases
	room  holding
	// rested is the frame before which unused entries were dropped.
	rested int
}

type cached struct {
	layer   *scene.Layer
	m       geom.Matrix
	state   uint64
	clip    image.Rectangle
	surface *raster.Image // nil until it appears a second time
	met     int           // the last frame in which it appeared
}

// CollectAt is the percentage by which the memory in use may grow before garbage is collected, for debug.SetGCPercent.
// Pictures are large, few, and contain no pointers: scanning them costs nothing, while leaving as much garbage as there
// are pictures takes a gigabyte.
const CollectAt = 25

// keeps tells whether a drawing without masks and effects is drawn on a surface of its own, to be kept. Drawn directly
// it is rounded differently, and a frame must not depend on which frames were drawn before. So this depends only on the
// time: it holds for a layer that had the same place one frame ago, whether that frame was drawn or not.
func (w *worker) keeps(v view, d *drawing) bool {
	if !d.still || d.cheap {
		return false
	}
	return w.rests(v.layer, v.t)
}

// rests tells whether a layer has the same place at a time as one frame before.
func (w *worker) rests(layer *scene.Layer, t float64) bool {
	c := w.r.comp.Comp
	before := t - FrameTime(c, 1)
	if n := int(math.Round(t / FrameTime(c, 1))); t == FrameTime(c, n) {
		before = FrameTime(c, n-1) // to the last bit, so that what was found for that frame is used
	}
	return layer.Transform.Matrix(w.eval, t) == layer.Transform.Matrix(w.eval, before)
}

// cached is the layer's surface when it is worth keeping; nil when the caller has to draw it.
func (w *worker) cached(clip image.Rectangle, v view, d *drawing, masks []mask, effects []scene.Effect) *raster.Image {
	if !d.still || d.cheap && len(masks)+len(effects) == 0 {
		return nil
	}
	c := &w.r.cache
	key := v.instance()
	now := cached{layer: v.layer, m: v.m, state: d.state, clip: clip, met: w.n}
	if len(masks)+len(effects) > 0 {
		now.state ^= w.state(v)
	}
	c.mu.Lock()
	e := c.known[key]
	met := e != nil && e.layer == now.layer && e.m == now.m && e.state == now.state && e.clip == now.clip
	if met {
		e.met = max(e.met, w.n)
	}
	if met && e.surface != nil {
		defer c.mu.Unlock()
		return e.surface
	}
	if !met {
		c.put(key, &now)
		c.mu.Unlock()
		return nil
	}
	about := 4 * clip.Dx() * clip.Dy()
	room := c.room.take(about)
	c.mu.Unlock()
	if !room {
		return nil
	}
	s, err := w.build(clip, v, d, masks, effects)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room.give(about)
	if s == nil || err != nil {
		return nil
	}
	if c.room.take(len(s.Pix)) {
		now.surface = s
	}
	c.put(key, &now)
	return s
}

// rest drops entries that were not used for a while before frame n.
func (c *cache) rest(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n < c.rested+restAfter {
		return
	}
	c.rested = n
	for key, e := range c.known {
		if e.met < n-restAfter {
			if e.surface != nil {
				c.room.give(len(e.surface.Pix))
			}
			delete(c.known, key)
		}
	}
	for key, b := range c.bases {
		if b.met < n-restAfter {
			if b.picture != nil {
				c.room.give(len(b.picture.Pix))
			}
			delete(c.bases, key)
		}
	}
}

// put replaces an entry by one for whose surface there is room. The old surface is left to the garbage collector, since another worker may be
// reading it.
func (c *cache) put(key uint64, e *cached) {
	if c.known == nil {
		c.known = make(map[uint64]*cached)
	}
	if old := c.known[key]; old != nil && old.surface != nil {
		c.room.give(len(old.surface.Pix))
	}
	c.known[key] = e
}

// close gives up all that is kept.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room.giveAll()
	c.known, c.bases = nil, nil
}
