package photoshop

import (
	"errors"
	"image"

	"overcrank/engine/raster"
)

// Merged is the picture of all layers together: as Photoshop wrote it, or of a file without, made of the layers.
func (f *File) Merged() (*raster.Image, error) {
	if !f.drawn && len(f.Layers) > 0 {
		return f.flattened()
	}
	c := &cursor{in: f.in, at: f.merged, end: f.in.Size()}
	packed := int(c.u16())
	if c.err != nil {
		return nil, c.err
	}
	n := f.colours()
	if f.channels < n {
		return nil, errors.New("it is broken: it has too few channels")
	}
	// The alpha of layers, or of a file without layers the first channel after its colours.
	alpha := f.channels > n && (f.clear || len(f.Layers) == 0)
	if alpha {
		n++
	}
	planes, err := f.unpack(c, packed, image.Pt(f.Width, f.Height), packing{n, f.channels, true})
	if err != nil {
		return nil, err
	}
	out := f.compose(image.Rect(0, 0, f.Width, f.Height), planes[:f.colours()])
	if alpha {
		applyAlpha(out, planes[n-1], f.clear)
	}
	return out, nil
}

// applyAlpha makes a picture transparent. The colours of what Photoshop merged were laid on white.
func applyAlpha(img *raster.Image, alpha []uint8, onWhite bool) {
	for i, a := range alpha {
		p := img.Pix[4*i : 4*i+4 : 4*i+4]
		for c := range 3 {
			if onWhite {
				p[c] = uint8(min(max(int(p[c])-int(255-a), 0), int(a)))
			} else {
				p[c] = uint8((uint32(p[c])*uint32(a) + 127) / 255)
			}
		}
		p[3] = a
	}
}

// compose makes an opaque picture of planes of colours.
func (f *File) compose(bounds image.Rectangle, planes [][]uint8) *raster.Image {
	out := image.NewRGBA(bounds)
	for i := range planes[0] {
		p := out.Pix[4*i : 4*i+4 : 4*i+4]
		switch len(planes) {
		case 1:
			p[0], p[1], p[2] = planes[0][i], planes[0][i], planes[0][i]
		case 3:
			p[0], p[1], p[2] = planes[0][i], planes[1][i], planes[2][i]
		case 4: // CMYK, where 255 is no ink
			for k := range 3 {
				p[k] = uint8((uint32(planes[k][i])*uint32(planes[3][i]) + 127) / 255)
			}
		}
		p[3] = 255
	}
	return out
}

// Layer finds a layer by its name; of several, the one with the number, counted from the bottom as in Layers. It is nil when there is none.
func (f *File) Layer(name string, number int) *Layer {
	var found *Layer
	for i := range f.Layers {
		l := &f.Layers[i]
		if l.Name == name && l.section == sectionNone && (found == nil || i == number) {
			found = l
		}
	}
	return found
}

// Picture is the picture of a layer with its mask, as large as the layer's bounds. Its opacity and blend mode are not applied: they belong to
// the composition that the layers are imported into.
func (f *File) Picture(l *Layer) (*raster.Image, error) {
	w, h := l.Bounds.Dx(), l.Bounds.Dy()
	if w <= 0 || h <= 0 {
		return image.NewRGBA(image.Rectangle{}), nil
	}
	if !f.fits(w, h) {
		return nil, errTooLarge
	}
	planes, alpha := make([][]uint8, f.colours()), []uint8(nil)
	for _, ch := range l.channels {
		var err error
		switch {
		case ch.id >= 0 && ch.id < len(planes):
			planes[ch.id], err = f.plane(ch, w, h)
		case ch.id == channelAlpha:
			alpha, err = f.plane(ch, w, h)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, p := range planes {
		if p == nil {
			return nil, errors.New("it is broken: a layer lacks a channel")
		}
	}
	out := f.compose(l.Bounds, planes)
	if alpha != nil {
		applyAlpha(out, alpha, false)
	}
	return out, f.cover(l, out)
}

var errTooLarge = errors.New("its layers are larger than can be drawn")

// fits tells whether a picture may be read, and counts it: many layers in a small file must not take hours.
func (f *File) fits(w, h int) bool {
	if w > maxSide || h > maxSide || w > f.most/h || f.read/readings > f.most {
		return false
	}
	f.read += w * h
	return true
}

// readings is how many pictures of the largest size the layers of a file may be together.
const readings = 20

// cover applies the layer's mask to its picture.
func (f *File) cover(l *Layer, img *raster.Image) error {
	for _, ch := range l.channels {
		if ch.id != channelMask || l.mask.off {
			continue
		}
		b := l.mask.bounds
		var values []uint8
		if !b.Empty() {
			if !f.fits(b.Dx(), b.Dy()) {
				return errTooLarge
			}
			var err error
			if values, err = f.plane(ch, b.Dx(), b.Dy()); err != nil {
				return err
			}
		}
		multiply(img, l.mask.around, b, values)
	}
	return nil
}

// multiply multiplies a picture by a mask.
func multiply(img *raster.Image, around uint8, bounds image.Rectangle, values []uint8) {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for x := range img.Rect.Dx() {
			m := around
			if at := image.Pt(img.Rect.Min.X+x, y); at.In(bounds) {
				m = values[(at.Y-bounds.Min.Y)*bounds.Dx()+at.X-bounds.Min.X]
			}
			if m == 255 {
				continue
			}
			p := row[4*x : 4*x+4 : 4*x+4]
			for c := range p {
				p[c] = uint8((uint32(p[c])*uint32(m) + 127) / 255)
			}
		}
	}
}
