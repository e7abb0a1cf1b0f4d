package photoshop

import (
	"image"

	"overcrank/engine/raster"
)

// Limits of patterns.
const (
	maxPattern = 1 << 20 // pixels
	maxEntries = 10_000
	maxArrays  = 64
)

// modeIndexed is the colour mode of patterns with a palette.
const modeIndexed = 2

// Pattern is the tile of the pattern that the effects of a layer lay over it. It is nil when there is none, or the file does not hold it in a way that
// is read.
func (f *File) Pattern(l *Layer) *raster.Image {
	if l.pattern == "" {
		return nil
	}
	entries := 0
	for _, block := range f.patterns {
		for c := *block; c.left() >= 4 && c.err == nil && entries < maxEntries; entries++ {
			size := int64(c.u32())
			one := c.part(size)
			c.skip(min((4-size%4)%4, c.left()))
			if img := f.tile(one, l.pattern); img != nil {
				return img
			}
		}
	}
	return nil
}

// tile reads the pattern of one entry, if it has that name.
func (f *File) tile(c *cursor, id string) *raster.Image {
	if c.u32() != 1 {
		return nil
	}
	mode := int(c.u32())
	c.skip(4) // its size, which its arrays tell
	c.unicode()
	if latin(c.bytes(int(c.u8()))) != id || c.err != nil {
		return nil
	}
	var palette []byte
	if mode == modeIndexed {
		palette = c.bytes(3 * 256)
		c.skip(4)
	}
	if c.u32() != 3 {
		return nil
	}
	c.skip(4) // the length of what follows
	bounds, arrays := c.rect(), int(c.u32())
	w, h := bounds.Dx(), bounds.Dy()
	if c.err != nil || w <= 0 || h <= 0 || w > maxPattern/h || arrays > maxArrays {
		return nil
	}
	t := tile{bounds: bounds, palette: palette}
	switch mode {
	case modeGray, modeDuo, modeIndexed:
		t.planes = make([][]uint8, 1)
	case modeRGB:
		t.planes = make([][]uint8, 3)
	default:
		return nil
	}
	for i := range arrays + 2 { // and two masks
		if c.left() < 4 || c.u32() == 0 {
			continue
		}
		if !t.array(c.part(int64(c.u32())), i) {
			return nil
		}
	}
	return t.picture()
}

// tile is a pattern that is being read.
type tile struct {
	bounds  image.Rectangle
	planes  [][]uint8
	alpha   []uint8
	palette []byte
}

// array reads the i-th array of values; false for one that is not read. Behind those of the colours comes transparency.
func (t *tile) array(c *cursor, i int) bool {
	if c.left() == 0 {
		return c.err == nil
	}
	depth, bounds := int(c.u32()), c.rect()
	c.skip(2)
	packed := int(c.u8())
	if c.err != nil || bounds != t.bounds || depth != 8 && depth != 16 && depth != 32 {
		return false
	}
	colour := i < len(t.planes)
	values := &File{in: c.in, depth: depth, mode: modeGray}
	planes, err := values.unpack(c, packed, bounds.Size(), packing{1, 1, colour})
	if err != nil {
		return false
	}
	if colour {
		t.planes[i] = planes[0]
	} else {
		t.alpha = planes[0]
	}
	return true
}

func (t *tile) picture() *raster.Image {
	for _, p := range t.planes {
		if p == nil {
			return nil
		}
	}
	planes := t.planes
	if t.palette != nil {
		planes = make([][]uint8, 3)
		for k := range planes {
			planes[k] = make([]uint8, len(t.planes[0]))
			for i, v := range t.planes[0] {
				planes[k][i] = t.palette[3*int(v)+k]
			}
		}
	}
	out := (&File{}).compose(image.Rect(0, 0, t.bounds.Dx(), t.bounds.Dy()), planes)
	if t.alpha != nil {
		applyAlpha(out, t.alpha, false)
	}
	return out
}
