package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/footage"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// sharp is the drawing of a file of outlines that is rasterised continuously: at the size at which it is seen, as text and shapes are. It is
// width by height pixels large in the layer.
func (w *worker) sharp(v view, it *aep.Item, src *footage.Source, width, height float64) *drawing {
	m := v.m.Mul(geom.Scale(width/float64(src.Info.Width), height/float64(src.Info.Height)))
	box := geom.Rect{MaxX: width, MaxY: height}.Transform(v.m).Grow(1)
	// drawn is what is seen of it within an area, on a surface of its own.
	drawn := func(area image.Rectangle) (*raster.Image, error) {
		area = area.Intersect(raster.PixelRect(box))
		if area.Empty() {
			return nil, nil
		}
		own := w.r.surfaces.get(area)
		if err := src.Sharp(w.ctx, own, m); err != nil {
			w.r.surfaces.put(own)
			return nil, w.leftOut(v, it, err)
		}
		return own, nil
	}
	return &drawing{
		box: box, blends: true, still: true,
		draw: func(dst *raster.Image, opacity float64, blend raster.Blend) error {
			own, err := drawn(dst.Rect)
			if own == nil || err != nil {
				return err
			}
			defer w.r.surfaces.put(own)
			raster.Composite(dst, own, opacity, blend)
			return nil
		},
		deep: func(dst *deep.Image) error {
			own, err := drawn(dst.Rect)
			if own == nil || err != nil {
				return err
			}
			defer w.r.surfaces.put(own)
			picture, done := w.deepened(it, own, false)
			defer done()
			deep.Draw(dst, picture, geom.Identity, dst.Rect, 1, deep.Normal, raster.Nearest)
			return nil
		},
	}
}
