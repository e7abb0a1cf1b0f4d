package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// solidComposite is Solid Composite: a colour behind the layer.
type solidComposite struct {
	source, opacity eval.Number
	color           eval.Vector
	blend           raster.Blend
}

func newSolidComposite(p Params) Effect {
	return &solidComposite{p.Number("0001", 100), p.Number("0003", 100), p.Color("0002", [4]float64{1, 1, 1, 1}), p.Blend("0004")}
}

func (e *solidComposite) Draw(f *Frame, img *raster.Image) error {
	c := f.Color(&e.color)
	under, release := f.Host.Surface(img.Rect)
	defer release()
	raster.FillRect(under, f.layerRect(img.Rect), raster.Premultiply([4]float64{c[0], c[1], c[2], unit(f.Number(&e.opacity) / 100)}))
	raster.Composite(under, img, unit(f.Number(&e.source)/100), e.blend)
	copy(img.Pix, under.Pix)
	return nil
}
