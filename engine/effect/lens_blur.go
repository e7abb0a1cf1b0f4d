package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// lensBlur is Camera Lens Blur, and Lens Blur before it, with a round iris, whose disc two boxes approximate. With a map, what lies at the distance of the
// focus stays as it is, and all else is blurred by how far it is from there.
type lensBlur struct {
	radius, repeat, channel, focus, invert eval.Number
	far                                    float64 // the distance that the focus has at white
	by                                     Chosen
	stretch                                func(f *Frame) bool
}

// mapStretched is the value of Camera Lens Blur's popup "Placement" for a map that is stretched over the layer, rather than centred.
const mapStretched = 2

// depthChannels are what of the map counts, by the values of both effects' popup for the channel.
var depthChannels = []int{mapLuminance, mapLuminance, mapRed, mapGreen, mapBlue, mapAlpha}

// newCameraLensBlur takes the numbers of the map's parameters, 0011 to 0014, from their places between those that scripts in public name: 0010, 0017, 0021.
func newCameraLensBlur(p Params) Effect {
	p.Lack("the shape of the iris")
	p.Unless("0017", 0, "the gain of the highlights")
	placement := p.Number("0012", mapStretched)
	return withMap(p, "0010", &lensBlur{
		radius: p.Number("0001", 5), channel: p.Number("0011", 1), focus: p.Number("0013", 0), far: 1, invert: p.Number("0014", 0), repeat: p.Number("0021", 0),
		stretch: func(f *Frame) bool { return f.Choice(&placement) == mapStretched },
	})
}

// newLensBlur takes the parameters in the order that Adobe's help had for them; no project with one was met.
func newLensBlur(p Params) Effect {
	p.Lack("the shape of the iris")
	stretch := p.Number("0014", 1)
	return withMap(p, "0001", &lensBlur{
		radius: p.Number("0006", 15), channel: p.Number("0002", 1), focus: p.Number("0004", 0), far: 255, invert: p.Number("0003", 0),
		stretch: func(f *Frame) bool { return f.Choice(&stretch) != 0 },
	})
}

func withMap(p Params, layer string, e *lensBlur) Effect {
	if e.by, _ = p.Layer(layer); e.by.ID != 0 {
		p.Lack("the edges between near and far")
	}
	return e
}

// Timed implements Timed: the map is another layer.
func (e *lensBlur) Timed() bool { return e.by.ID != 0 }

func (e *lensBlur) of(f *Frame, share float64) raster.Blurring {
	r := discBox(f.Number(&e.radius) * f.Scale() * share)
	return raster.Boxes(r, r, 2)
}

// discBox is the radius of two boxes with the variance of a disc: that of a disc of radius r along an axis is r²/4, that of a box of pixels (r²+r)/3.
func discBox(r float64) float64 {
	r = max(r, 0)
	return (math.Sqrt(1+1.5*r*r) - 1) / 2
}

// Reach implements Spreading.
func (e *lensBlur) Reach(f *Frame) int { return e.of(f, 1).Reach() }

func (e *lensBlur) Draw(f *Frame, img *raster.Image) error {
	repeat := f.Choice(&e.repeat) != 0
	if e.by.ID == 0 {
		blurWithin(f, e.of(f, 1), repeat, img)
		return nil
	}
	by, release, err := f.other(e.by, e.stretch(f), img.Rect)
	if err != nil {
		return err
	}
	defer release()
	channel := depthChannels[max(0, min(f.Choice(&e.channel), len(depthChannels)-1))]
	focus, invert := unit(f.Number(&e.focus)/e.far), f.Choice(&e.invert) != 0
	graded(f, img, func(share float64) raster.Blurring { return e.of(f, share) }, repeat, func(i int) uint32 {
		depth := 0.0
		if c := raster.Color(by.Pix[i : i+4]); c[3] > 0 {
			depth = unit(mapped(c, channel))
		}
		if invert {
			depth = 1 - depth
		}
		return uint32(255*math.Abs(depth-focus) + 0.5)
	})
	return nil
}
