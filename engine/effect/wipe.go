package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// reveal multiplies each pixel of img by what of gives for its position in the layer: 0 hides it, 1 leaves it.
func reveal(f *Frame, img *raster.Image, of func(p geom.Point) float64) {
	back, ok := f.Matrix.Invert()
	if !ok {
		return
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		start := back.Apply(geom.Point{X: float64(img.Rect.Min.X) + 0.5, Y: float64(y) + 0.5})
		for i := range img.Rect.Dx() {
			px := row[4*i : 4*i+4 : 4*i+4]
			if px[3] == 0 {
				continue
			}
			k := uint32(unit(of(geom.Point{X: start.X + float64(i)*back.A, Y: start.Y + float64(i)*back.B}))*256 + 0.5)
			for c := range px {
				px[c] = uint8((uint32(px[c])*k + 128) >> 8)
			}
		}
	}
}

// hairline is the width, in pixels of the layer, over which a sharp edge is smoothed: a pixel of the picture.
func hairline(f *Frame) float64 { return 1 / max(f.Scale(), 1e-6) }

// completion is the share of a transition that is over, of a percentage.
func completion(f *Frame, n *eval.Number) float64 { return unit(f.Number(n) / 100) }

// heading is the direction of an angle in degrees, clockwise from the top, on a screen whose y points down.
func heading(degrees float64) geom.Point {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geom.Point{X: sin, Y: -cos}
}

// linearWipe hides the layer from one side.
type linearWipe struct{ done, angle, feather eval.Number }

func newLinearWipe(p Params) Effect {
	return &linearWipe{p.Number("0001", 0), p.Number("0002", 90), p.Number("0003", 0)}
}

func (e *linearWipe) Draw(f *Frame, img *raster.Image) error {
	way := heading(f.Number(&e.angle))
	soft := max(f.Number(&e.feather), hairline(f))
	reach := (math.Abs(way.X)*f.Size.X + math.Abs(way.Y)*f.Size.Y + soft) / 2
	middle := (way.X*f.Size.X + way.Y*f.Size.Y) / 2
	at := middle + (2*completion(f, &e.done)-1)*reach
	reveal(f, img, func(p geom.Point) float64 { return 0.5 + (p.X*way.X+p.Y*way.Y-at)/soft })
	return nil
}

// The values of Radial Wipe's popup "Wipe".
const (
	wipeCounterclockwise = 2
	wipeBoth             = 3
)

// radialWipe hides a sector of the layer.
type radialWipe struct {
	done, start, way, feather eval.Number
	center                    eval.Vector
}

func newRadialWipe(p Params) Effect {
	return &radialWipe{
		done: p.Number("0001", 0), start: p.Number("0002", 0), center: p.Point("0003"), way: p.Number("0004", 1), feather: p.Number("0005", 0),
	}
}

func (e *radialWipe) Draw(f *Frame, img *raster.Image) error {
	done := completion(f, &e.done)
	switch done {
	case 0:
		return nil
	case 1:
		clear(img.Pix)
		return nil
	}
	center, way := f.PointOr(&e.center, 0.5, 0.5), f.Choice(&e.way)
	soft := max(f.Number(&e.feather), hairline(f))
	start := f.Number(&e.start) * math.Pi / 180
	front := done * 2 * math.Pi
	reveal(f, img, func(p geom.Point) float64 {
		d := p.Sub(center)
		angle := math.Atan2(d.X, -d.Y) - start
		if way == wipeCounterclockwise {
			angle = -angle
		}
		angle -= math.Floor(angle/(2*math.Pi)) * 2 * math.Pi
		beyond, before := angle-front, 2*math.Pi-angle
		if way == wipeBoth {
			beyond, before = min(angle, before)-front/2, math.Pi
		}
		// The distance from the nearer side of the sector, as far as a perpendicular reaches it.
		return 0.5 + math.Sqrt(d.X*d.X+d.Y*d.Y)*max(-1, min(beyond, before, 1))/soft
	})
	return nil
}

// venetianBlinds hides stripes of the layer.
type venetianBlinds struct{ done, direction, width, feather eval.Number }

func newVenetianBlinds(p Params) Effect {
	return &venetianBlinds{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 20), p.Number("0004", 0)}
}

func (e *venetianBlinds) Draw(f *Frame, img *raster.Image) error {
	done := completion(f, &e.done)
	if done == 0 {
		return nil
	}
	sin, cos := math.Sincos(f.Number(&e.direction) * math.Pi / 180)
	width := max(1, f.Number(&e.width))
	soft := max(f.Number(&e.feather), hairline(f))
	reveal(f, img, func(p geom.Point) float64 { return 1 - stripes(p.X*cos+p.Y*sin, width, width*done, soft) })
	return nil
}
