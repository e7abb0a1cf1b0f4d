package style

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of the popup "Style" of Gradient Overlay.
const (
	gradientLinear = iota + 1
	gradientRadial
	gradientAngle
	gradientReflected
	gradientDiamond
)

// gradientOverlay is Gradient Overlay: a gradient over the layer, as long as the layer is where it lies across it.
type gradientOverlay struct {
	ink
	colors                             eval.Slot
	angle, kind, reverse, align, scale eval.Number
	offset                             eval.Vector
}

func newGradientOverlay(p Params) Style {
	s := &gradientOverlay{
		ink: p.ink(normal, 100), colors: eval.SlotOf(p.at("gradient")), angle: p.number("angle", 90), kind: p.number("type", gradientLinear),
		reverse: p.number("reverse", 0), align: p.number("align", 1), scale: p.number("scale", 100), offset: eval.VectorOf(p.at("offset"), [4]float64{}),
	}
	p.smoothness()
	return s
}

// smoothness notes that gradients change evenly between their colours.
func (p Params) smoothness() {
	if n := p.number("gradientSmoothness", 0); n.Has() && (n.Varies() || n.First() > 0) {
		p.lack("the smoothness of the gradient")
	}
}

func (s *gradientOverlay) Reach(*Frame) int { return 0 }

func (s *gradientOverlay) Paint(f *Frame, c *Canvas) {
	g := gradient(f, &s.colors)
	box := f.Layer
	if f.choice(&s.align) == 0 {
		box = f.Whole
	}
	half := f.half(box, f.number(&s.angle), max(0.01, f.number(&s.scale)/100))
	if g == nil || !(half > 0) {
		return
	}
	ramp := g.Ramp()
	by := s.offset.At(f.Eval, f.Time) // per cent of the box
	middle := geom.Point{X: (box.MinX+box.MaxX)/2 + by[0]/100*(box.MaxX-box.MinX), Y: (box.MinY+box.MaxY)/2 + by[1]/100*(box.MaxY-box.MinY)}
	sin, cos := math.Sincos(f.number(&s.angle) * math.Pi / 180)
	kind, reverse := f.choice(&s.kind), f.choice(&s.reverse) != 0
	s.paint(f, c.Inside, func(img *raster.Image) {
		at := 0
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				dx, dy := (float64(x)+0.5-middle.X)/half, (float64(y)+0.5-middle.Y)/half
				t := along(kind, dx*cos-dy*sin, -dx*sin-dy*cos)
				if reverse {
					t = 1 - t
				}
				copy(img.Pix[at:at+4], ramp[int(max(0, min(1, t))*255+0.5)][:])
				at += 4
			}
		}
	})
}

// half is half the length of a gradient at an angle that just covers a box, times a scale.
func (f *Frame) half(box geom.Rect, angle, scale float64) float64 {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return (math.Abs(cos)*(box.MaxX-box.MinX) + math.Abs(sin)*(box.MaxY-box.MinY)) / 2 * scale
}

// along is where a place lies in a gradient, 0 to 1: u is how far it lies from the middle along the gradient, v across it to the left, both as
// shares of half its length.
func along(kind int, u, v float64) float64 {
	switch kind {
	case gradientRadial:
		return math.Hypot(u, v)
	case gradientAngle:
		turn := math.Atan2(v, u) / (2 * math.Pi)
		return turn - math.Floor(turn)
	case gradientReflected:
		return math.Abs(u)
	case gradientDiamond:
		return math.Abs(u) + math.Abs(v)
	}
	return (u + 1) / 2
}
