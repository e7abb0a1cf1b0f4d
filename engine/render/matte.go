package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// matte applies the track matte of v's layer to the transparency of img.
func (w *worker) matte(img *raster.Image, v view) error {
	if v.layer.Matte == aep.MatteNone {
		return nil
	}
	source := matteOf(v.comp.Comp, v.layer)
	if source == nil {
		return nil
	}
	cov := image.NewAlpha(img.Rect)
	if active(source, v.t) {
		if err := w.matteCoverage(cov, w.view(v.scene, source), v.layer.Matte); err != nil {
			return err
		}
	}
	if v.layer.Matte == aep.MatteAlphaInverted || v.layer.Matte == aep.MatteLumaInverted {
		for i, k := range cov.Pix {
			cov.Pix[i] = 255 - k
		}
	}
	raster.MultiplyAlpha(img, cov)
	return nil
}

// matteCoverage draws the matte layer, even if it is disabled, and keeps its alpha or its brightness.
func (w *worker) matteCoverage(cov *image.Alpha, v view, how aep.MatteKind) error {
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	opacity := w.opacity(v)
	s, release, err := w.surface(cov.Rect, v, d, w.masks(v), w.effects(v))
	if s == nil || err != nil {
		return err
	}
	defer release()
	both := cov.Rect.Intersect(s.Rect)
	luma := how == aep.MatteLuma || how == aep.MatteLumaInverted
	for y := both.Min.Y; y < both.Max.Y; y++ {
		src := s.Pix[s.PixOffset(both.Min.X, y):][:4*both.Dx()]
		dst := cov.Pix[cov.PixOffset(both.Min.X, y):][:both.Dx()]
		for i := range dst {
			k := float64(src[4*i+3])
			if luma {
				k = 0.2126*float64(src[4*i]) + 0.7152*float64(src[4*i+1]) + 0.0722*float64(src[4*i+2])
			}
			dst[i] = uint8(k*opacity + 0.5)
		}
	}
	return nil
}

// matteOf is the track matte of l: the layer that it names, or in projects from before After Effects 23 the one above.
func matteOf(c *aep.Composition, l *aep.Layer) *aep.Layer {
	if l.MatteLayer != 0 {
		return eval.LayerByID(c, l.MatteLayer)
	}
	for i, other := range c.Layers {
		if other == l && i > 0 {
			return c.Layers[i-1]
		}
	}
	return nil
}
