package effect

import (
	"image"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// directionalBlur is Directional Blur. The picture is turned so that the direction lies across, blurred, and turned back.
type directionalBlur struct{ direction, length eval.Number }

func newDirectionalBlur(p Params) Effect {
	return &directionalBlur{p.Number("0001", 0), p.Number("0002", 0)}
}

func (e *directionalBlur) of(f *Frame) raster.Blurring {
	return raster.Gaussian(f.Number(&e.length)*BlurSigma*f.Scale(), 0)
}

func (e *directionalBlur) Reach(f *Frame) int { return e.of(f).Reach() }

func (e *directionalBlur) Draw(f *Frame, img *raster.Image) error {
	b := e.of(f)
	turn := math.Mod(f.Number(&e.direction), 180)
	if b.Reach() == 0 || math.IsNaN(turn) {
		return nil
	}
	switch turn {
	case 0: // upwards
		b.Across, b.Down = nil, b.Across
		fallthrough
	case 90, -90:
		b.Image(img)
		return nil
	}
	m := geom.Rotate(90 - turn)
	back, ok := m.Invert()
	if !ok {
		return nil
	}
	box := geom.Rect{MinX: float64(img.Rect.Min.X), MinY: float64(img.Rect.Min.Y), MaxX: float64(img.Rect.Max.X), MaxY: float64(img.Rect.Max.Y)}
	turned, release := f.Host.Surface(raster.PixelRect(box.Transform(m)))
	defer release()
	raster.Draw(turned, img, m, turned.Rect, 1, raster.Normal, raster.Bilinear)
	b.Image(turned)
	clear(img.Pix)
	raster.Draw(img, turned, back, img.Rect, 1, raster.Normal, raster.Bilinear)
	return nil
}

// radialBlur blurs around a point: it turns the picture about it, or zooms it.
type radialBlur struct {
	wholeLayer
	amount eval.Number
	center eval.Vector
	kind   eval.Number
	// how is by the kind at a moment.
	how func(kind int) radialWay
}

// radialWay is how a radial blur moves the picture.
type radialWay struct {
	// step is the movement of a share, between -1/2 and 1/2, of an amount.
	step func(amount, share float64) geom.Matrix
	// outwards tells whether the blur begins at the picture, rather than reaching half of it to either side.
	outwards bool
}

// turning moves by an angle in degrees, zooming by per cent of the distance to the centre.
func turning(amount, share float64) geom.Matrix { return geom.Rotate(amount * share) }

func zooming(amount, share float64) geom.Matrix {
	k := math.Exp(max(-3, min(3, amount/100)) * share)
	return geom.Scale(k, k)
}

// radialZoom is the value of Radial Blur's popup "Type" for a zoom.
const radialZoom = 2

func newRadialBlur(p Params) Effect {
	p.Lack("the exact length")
	return &radialBlur{amount: p.Number("0001", 10), center: p.Point("0002"), kind: p.Number("0003", 1), how: func(kind int) radialWay {
		if kind == radialZoom {
			return radialWay{step: zooming}
		}
		return radialWay{step: turning}
	}}
}

// The values of CC Radial Blur's popup "Type"; those that are not named turn.
const (
	ccStraightZoom = 1
	ccFadingZoom   = 2
	ccCenteredZoom = 3
	ccRotate       = 4
)

func newCCRadialBlur(p Params) Effect {
	p.Lack("the exact length")
	e := &radialBlur{amount: p.Number("0002", 0), center: p.Point("0004"), kind: p.Number("0001", ccRotate), how: func(kind int) radialWay {
		switch kind {
		case ccStraightZoom, ccFadingZoom:
			return radialWay{zooming, true}
		case ccCenteredZoom:
			return radialWay{step: zooming}
		}
		return radialWay{step: turning}
	}}
	p.LackIf(&e.kind, func(v float64) bool {
		kind := whole(v)
		return kind != ccStraightZoom && kind != ccCenteredZoom && kind != ccRotate
	}, "the fading")
	return e
}

func newCCRadialFastBlur(p Params) Effect {
	p.Lack("the exact length")
	p.Unless("0003", 1, "the brighter or darker zoom")
	return &radialBlur{amount: p.Number("0002", 50), center: p.Point("0001"), how: func(int) radialWay { return radialWay{zooming, true} }}
}

// maxHalvings limits a radial blur to 2^8 positions.
const maxHalvings = 8

// Draw lays the picture over itself, moved forwards and backwards by a quarter of the way, the result by an eighth, and so on: n times give 2^n
// positions at equal distances.
func (e *radialBlur) Draw(f *Frame, img *raster.Image) error {
	amount := f.Number(&e.amount)
	center := f.Matrix.Apply(f.PointOr(&e.center, 0.5, 0.5))
	if !(math.Abs(amount) > 0 && math.Abs(amount) < 1<<16) || math.IsNaN(center.X+center.Y) {
		return nil
	}
	way := e.how(f.Choice(&e.kind))
	at := func(share float64) geom.Matrix {
		return geom.Translate(center.X, center.Y).Mul(way.step(amount, share)).Mul(geom.Translate(-center.X, -center.Y))
	}
	forth, release := f.Host.Surface(img.Rect)
	defer release()
	back, release := f.Host.Surface(img.Rect)
	defer release()
	if way.outwards {
		copy(forth.Pix, img.Pix)
		clear(img.Pix)
		raster.Draw(img, forth, at(0.5), img.Rect, 1, raster.Normal, raster.Bilinear)
	}
	for share, n := 0.25, 0; n < maxHalvings && farthest(at(share), img.Rect) > 0.25; share, n = share/2, n+1 {
		clear(forth.Pix)
		clear(back.Pix)
		raster.Draw(forth, img, at(share), img.Rect, 1, raster.Normal, raster.Bilinear)
		raster.Draw(back, img, at(-share), img.Rect, 1, raster.Normal, raster.Bilinear)
		for i, v := range back.Pix {
			img.Pix[i] = uint8((uint32(v) + uint32(forth.Pix[i]) + 1) / 2)
		}
	}
	return nil
}

// farthest is how far m moves a corner of r at most, in pixels.
func farthest(m geom.Matrix, r image.Rectangle) float64 {
	far := 0.0
	for _, p := range [4]geom.Point{
		{X: float64(r.Min.X), Y: float64(r.Min.Y)}, {X: float64(r.Max.X), Y: float64(r.Min.Y)},
		{X: float64(r.Min.X), Y: float64(r.Max.Y)}, {X: float64(r.Max.X), Y: float64(r.Max.Y)},
	} {
		q := m.Apply(p)
		far = max(far, math.Hypot(q.X-p.X, q.Y-p.Y))
	}
	return far
}
