package photoshop

import (
	"errors"
	"image"
	"unicode/utf16"
)

// layers reads the records of the layers, and where their channels are.
func (f *File) layers(c *cursor) {
	count := c.s16()
	if count < 0 {
		f.clear, count = true, -count
	}
	if count > maxLayers {
		c.err = errors.New("it has too many layers")
	}
	for i := 0; i < count && c.err == nil; i++ {
		f.Layers = append(f.Layers, f.record(c))
	}
	at := c.at
	for i := range f.Layers {
		for k := range f.Layers[i].channels {
			ch := &f.Layers[i].channels[k]
			ch.at = at
			if ch.length < 0 || ch.length > c.end-at {
				c.err = errCut
				return
			}
			at += ch.length
		}
	}
}

func (f *File) record(c *cursor) Layer {
	l := Layer{Bounds: c.rect()}
	count := int(c.u16())
	if count > maxChannels {
		c.err = errors.New("it is broken: a layer has an impossible number of channels")
	}
	for i := 0; i < count && c.err == nil; i++ {
		l.channels = append(l.channels, channel{id: c.s16(), length: c.length(f.big)})
	}
	c.skip(4)
	l.blend = c.word(4)
	l.opacity, l.clipping = c.u8(), c.u8() != 0
	l.Hidden = c.u8()&2 != 0
	c.skip(1)
	extra := c.part(int64(c.u32()))
	if c.err == nil {
		f.extra(&l, extra)
		c.err = extra.err
	}
	return l
}

// rect reads a rectangle; one that is turned around is empty.
func (c *cursor) rect() image.Rectangle {
	top, left, bottom, right := c.s32(), c.s32(), c.s32(), c.s32()
	if right <= left || bottom <= top {
		return image.Rectangle{}
	}
	return image.Rect(left, top, right, bottom)
}

// allValues is a blending range from black to white: each end is split into two values.
const allValues = 0x0000FFFF

// extra reads mask, name and kind of a layer.
func (f *File) extra(l *Layer, c *cursor) {
	if m := c.part(int64(c.u32())); m.left() >= 18 {
		l.mask.bounds = m.rect()
		l.mask.around = m.u8()
		flags := m.u8()
		l.mask.off = flags&2 != 0
		if flags&1 != 0 { // counted from the layer's corner
			l.mask.bounds = l.mask.bounds.Add(l.Bounds.Min)
		}
	}
	for ranges := c.part(int64(c.u32())); ranges.left() >= 4 && ranges.err == nil; {
		l.Ranged = ranges.u32() != allValues || l.Ranged
	}
	size := int(c.u8())
	l.Name = latin(c.bytes(size))
	c.skip(min(int64(3-size%4), c.left()))
	for c.left() >= 12 && c.err == nil {
		b := f.block(c, 2)
		switch b.key {
		case "luni":
			if name := b.data.unicode(); name != "" {
				l.Name = name
			}
		case "lsct", "lsdk":
			f.sectionOf(l, b.data)
		case "lfx2", "lmfx", "lrFX":
			l.Styled = true
			if id := patternID(b.data); id != "" {
				l.pattern = id
			}
		case "SoCo", "GdFl", "PtFl":
			l.Filled = true
		case "iOpa":
			l.opacity = uint8(uint32(l.opacity) * uint32(b.data.u8()) / 255)
		}
	}
	c.err = nil // a block that ends too early is the last one
}

func (f *File) sectionOf(l *Layer, c *cursor) {
	if kind := int(c.u32()); kind <= sectionEnd {
		l.section = kind
	}
	if c.left() >= 8 {
		c.skip(4)
		l.blend = c.word(4)
	}
}

// maxName is how many characters of a name are read.
const maxName = 1024

func (c *cursor) unicode() string {
	n := int(min(c.u32(), maxName))
	units := make([]uint16, 0, n)
	for i := 0; i < n && c.left() >= 2; i++ {
		if u := c.u16(); u != 0 {
			units = append(units, u)
		}
	}
	return string(utf16.Decode(units))
}

// latin reads one byte as one character.
func latin(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}
