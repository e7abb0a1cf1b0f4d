package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// fill gives every pixel one colour and keeps its transparency.
type fill struct {
	color   eval.Vector
	opacity eval.Number
}

func newFill(p Params) Effect {
	return &fill{p.Color("0002", [4]float64{1, 0, 0, 1}), p.Number("0005", 1)}
}

func (e *fill) Draw(f *Frame, img *raster.Image) error {
	c := f.Color(&e.color)
	k := raster.Premultiply([4]float64{c[0], c[1], c[2], f.Share(&e.opacity)})
	for i := 0; i+3 < len(img.Pix); i += 4 {
		a := uint32(img.Pix[i+3])
		if a == 0 {
			continue
		}
		for j := range 3 {
			img.Pix[i+j] = uint8((uint32(k[j])*a + uint32(img.Pix[i+j])*(255-uint32(k[3])) + 127) / 255)
		}
	}
	return nil
}
