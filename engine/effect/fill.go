package effect

import (
	"image"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// fill gives every pixel one colour and keeps its transparency; or those within masks.
type fill struct {
	color                         eval.Vector
	opacity, invert, softX, softY eval.Number
	paths                         Paths
}

func newFill(p Params) Effect {
	return &fill{
		paths: p.Paths("0001", "0007"), color: p.Color("0002", [4]float64{1, 0, 0, 1}), invert: p.Number("0006", 0), softX: p.Number("0003", 0),
		softY: p.Number("0004", 0), opacity: p.Number("0005", 1),
	}
}

func (e *fill) Draw(f *Frame, img *raster.Image) error {
	within, release := e.within(f, img.Rect)
	defer release()
	c := f.Color(&e.color)
	k := raster.Premultiply([4]float64{c[0], c[1], c[2], f.Share(&e.opacity)})
	if within != nil {
		before, release := copied(f, img)
		defer release()
		dye(img, k)
		for i, v := range within.Pix {
			within.Pix[i] = 255 - v
		}
		raster.Mix(img, before, within, 1)
		return nil
	}
	dye(img, k)
	return nil
}

// within is the part that is filled; nil is everything.
func (e *fill) within(f *Frame, r image.Rectangle) (*image.Alpha, func()) {
	outlines := e.paths.At(f)
	if len(outlines) == 0 {
		return nil, func() {}
	}
	sx, sy := f.Number(&e.softX)*BlurSigma*f.Scale(), f.Number(&e.softY)*BlurSigma*f.Scale()
	img, release := f.Host.Surface(r.Inset(-max(raster.BlurReach(sx), raster.BlurReach(sy))))
	for _, o := range outlines {
		f.Host.Paint(img, &raster.Shape{Outline: o, Color: [4]float64{0, 0, 0, 1}}, f.Matrix)
	}
	mask := raster.AlphaOf(img, img.Rect)
	raster.BlurAlpha(mask, sx, sy)
	part := image.NewAlpha(r)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(part.Pix[part.PixOffset(r.Min.X, y):][:r.Dx()], mask.Pix[mask.PixOffset(r.Min.X, y):])
	}
	if f.Choice(&e.invert) != 0 {
		for i, v := range part.Pix {
			part.Pix[i] = 255 - v
		}
	}
	return part, release
}

// dye lays one premultiplied colour over every pixel, as far as it is visible.
func dye(img *raster.Image, k raster.Color) {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		a := uint32(img.Pix[i+3])
		if a == 0 {
			continue
		}
		for j := range 3 {
			img.Pix[i+j] = uint8((uint32(k[j])*a + uint32(img.Pix[i+j])*(255-uint32(k[3])) + 127) / 255)
		}
	}
}
