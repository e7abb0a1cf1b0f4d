package render

import (
	"image"
	"slices"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// bases keep the picture of the lowest layers of a composition for as long as they look the same, which in most
// templates are the larger part: a frame then begins with a copy of it.
type bases map[uint64]*base

type base struct {
	clip    image.Rectangle
	last    []uint64 // what the lowest layers looked like in the frame before
	layers  []uint64 // and those that picture shows
	picture *raster.Image
	met     int // frame that asked for it last
}

// begin draws the lowest layers of s over dst, which is as empty as at the start of any other frame, and gives how many
// of shown it has drawn. The drawings that it prepared on the way stay with shown.
func (w *worker) begin(dst *raster.Image, s scene, shown []shownLayer) (int, error) {
	looks, err := w.looks(shown)
	if err != nil || len(looks) < 2 {
		return 0, err
	}
	c := &w.r.cache
	c.mu.Lock()
	b := c.base(s.path, dst.Rect)
	b.met = max(b.met, w.n)
	steady := common(b.last, looks)
	b.last = looks
	layers, picture := b.layers, b.picture
	c.mu.Unlock()
	if picture != nil && len(layers) >= steady && common(layers, looks) == len(layers) {
		copy(dst.Pix, picture.Pix)
		return len(layers), nil
	}
	if steady < 2 {
		return 0, nil
	}
	for i := range shown[:steady] {
		if err := w.layer(dst, &shown[i]); err != nil {
			return 0, err
		}
	}
	c.keep(s.path, b, looks[:steady], dst)
	return steady, nil
}

// base is the one of the composition at path, of which the part clip is drawn. The cache is locked.
func (c *cache) base(path uint64, clip image.Rectangle) *base {
	if c.bases == nil {
		c.bases = make(bases)
	}
	b := c.bases[path]
	if b == nil || b.clip != clip {
		if b != nil && b.picture != nil {
			c.size -= len(b.picture.Pix)
		}
		b = &base{clip: clip}
		c.bases[path] = b
	}
	return b
}

// keep makes dst the picture of b, unless there is no room or b was given up.
func (c *cache) keep(path uint64, b *base, layers []uint64, dst *raster.Image) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bases[path] != b {
		return
	}
	room := c.size
	if b.picture != nil {
		room -= len(b.picture.Pix)
	}
	if room+len(dst.Pix) > maxCache {
		return
	}
	c.size = room + len(dst.Pix)
	// The old picture may still be copied from by another worker, so the new one gets pixels of its own.
	picture := image.NewRGBA(dst.Rect)
	copy(picture.Pix, dst.Pix)
	b.layers, b.picture = layers, picture
}

// common is how many values a and b begin with together.
func common(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// looks tells what each of the lowest layers looks like now, up to the first that may change with every frame.
func (w *worker) looks(shown []shownLayer) ([]uint64, error) {
	var out []uint64
	for i := range shown {
		l := &shown[i]
		if l.layer.Matte != aep.MatteNone || l.layer.PreserveTransparency || l.layer.Adjustment {
			break
		}
		h := newHash()
		h.word(l.instance())
		opacity := w.opacity(l.view)
		if opacity > 0 {
			if err := w.ready(l); err != nil {
				return nil, err
			}
			if l.d != nil {
				if !l.d.still {
					break
				}
				h.add(l.m.A, l.m.B, l.m.C, l.m.D, l.m.E, l.m.F, opacity)
				h.word(l.d.state)
				h.word(w.state(l.view))
			}
		}
		out = append(out, h.Sum64())
	}
	return slices.Clip(out), nil
}
