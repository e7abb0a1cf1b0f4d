package render

import (
	"image"
	"slices"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// bases cache, for each composition, the picture of its lowest layers while these look the same. In most templates that
// is most of the picture: a frame then begins with a copy of it.
type bases map[uint64]*base

type base struct {
	clip    image.Rectangle
	last    []uint64 // looks of the lowest layers in the previous frame
	layers  []uint64 // looks of the layers in picture
	picture *raster.Image
	met     int // the last frame that used it
}

// begin draws the lowest layers of s over dst, which is as empty as at the start of any other frame, and returns how
// many of shown it has drawn. Drawings prepared on the way are kept in shown.
func (w *worker) begin(dst *raster.Image, s stage, shown []shownLayer) (int, error) {
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

// base is the cached base of the composition at path, within clip. The cache is locked.
func (c *cache) base(path uint64, clip image.Rectangle) *base {
	if c.bases == nil {
		c.bases = make(bases)
	}
	b := c.bases[path]
	if b == nil || b.clip != clip {
		if b != nil && b.picture != nil {
			c.room.give(len(b.picture.Pix))
		}
		b = &base{clip: clip}
		c.bases[path] = b
	}
	return b
}

// keep makes dst the picture of b, unless there is no room or b was dropped.
func (c *cache) keep(path uint64, b *base, layers []uint64, dst *raster.Image) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bases[path] != b {
		return
	}
	if b.picture == nil && !c.room.take(len(dst.Pix)) {
		return
	}
	// Another worker may still be copying from the old picture, so the new one gets its own pixels.
	picture := image.NewRGBA(dst.Rect)
	copy(picture.Pix, dst.Pix)
	b.layers, b.picture = layers, picture
}

// common is the length of the common prefix of a and b.
func common(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// looks identifies the current look of each of the lowest layers, up to the first that may change with every frame.
func (w *worker) looks(shown []shownLayer) ([]uint64, error) {
	var out []uint64
	for i := range shown {
		l := &shown[i]
		if l.among != nil || l.layer.Matte != aep.MatteNone || l.layer.PreserveTransparency || l.layer.Adjustment {
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
				if !l.d.still || l.exposure(w) != nil || !w.plainInSpace(l.view) {
					break
				}
				h.add(l.m.A, l.m.B, l.m.C, l.m.D, l.m.E, l.m.F, opacity)
				if l.h != nil {
					h.add(l.h[:]...)
				}
				h.word(l.d.state)
				h.word(w.state(l.view))
				h.word(w.styleState(l.view))
			}
		}
		out = append(out, h.Sum64())
	}
	return slices.Clip(out), nil
}
