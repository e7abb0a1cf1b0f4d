package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// matte applies the track matte of v's layer to the transparency of img.
func (w *worker) matte(img *raster.Image, v view) error {
	cov, err := w.matteOf(img.Rect, v)
	if cov != nil && err == nil {
		raster.MultiplyAlpha(img, cov)
	}
	return err
}

// matteOf is what the track matte of v's layer lets through at the pixels of r; nil without a matte.
func (w *worker) matteOf(r image.Rectangle, v view) (*image.Alpha, error) {
	source := v.layer.Matted
	if v.layer.Matte == aep.MatteNone || source == nil {
		return nil, nil
	}
	cov := image.NewAlpha(r)
	if active(source.Layer, v.t) {
		if err := w.matteCoverage(cov, w.view(v.stage, source), v.layer.Matte); err != nil {
			return nil, err
		}
	}
	if v.layer.Matte == aep.MatteAlphaInverted || v.layer.Matte == aep.MatteLumaInverted {
		for i, k := range cov.Pix {
			cov.Pix[i] = 255 - k
		}
	}
	return cov, nil
}

// matteCoverage draws the matte layer, even if it is disabled, within its own matte, and keeps its alpha or its brightness.
func (w *worker) matteCoverage(cov *image.Alpha, v view, how aep.MatteKind) error {
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	opacity := w.opacity(v)
	if v.layer.Styles != nil {
		own := w.r.surfaces.get(cov.Rect)
		defer w.r.surfaces.put(own)
		if err := w.styledOver(own, &shownLayer{view: v, d: d, prepared: true}, 1, raster.Normal); err != nil {
			return err
		}
		keepCoverage(cov, own, how, opacity)
		return nil
	}
	pic, err := w.seen(cov.Rect, v, d, w.exposure(v), w.masks(v))
	if pic.img == nil || err != nil {
		return err
	}
	defer pic.release()
	s := pic.img
	if pic.m != geom.Identity || pic.h != nil {
		s = w.r.surfaces.get(pic.bounds(cov.Rect))
		defer w.r.surfaces.put(s)
		pic.over(s, 1, raster.Normal)
	}
	keepCoverage(cov, s, how, opacity)
	own, err := w.matteOf(cov.Rect, v)
	if own == nil || err != nil {
		return err
	}
	raster.MultiplyMask(cov, own)
	return nil
}

// keepCoverage takes the alpha of a matte's picture, or its brightness.
func keepCoverage(cov *image.Alpha, s *raster.Image, how aep.MatteKind, opacity float64) {
	both := cov.Rect.Intersect(s.Rect)
	luma := how == aep.MatteLuma || how == aep.MatteLumaInverted
	for y := both.Min.Y; y < both.Max.Y; y++ {
		src := s.Pix[s.PixOffset(both.Min.X, y):][:4*both.Dx()]
		dst := cov.Pix[cov.PixOffset(both.Min.X, y):][:both.Dx()]
		for i := range dst {
			k := float64(src[4*i+3])
			if luma {
				k = raster.Luma(src[4*i:])
			}
			dst[i] = uint8(k*opacity + 0.5)
		}
	}
}
