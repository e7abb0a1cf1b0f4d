package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxWriting limits the places of a brush of which one picture is made.
const maxWriting = 4000

// writeOn is Write-on: the line that a brush has drawn so far, whose position moves over time.
type writeOn struct {
	wholeLayer
	position, color                        eval.Vector
	size, hardness, opacity, length, style eval.Number
	clock                                  Clock
}

func newWriteOn(p Params) Effect {
	for _, number := range []string{"0008", "0009"} {
		p.Unless(number, 1, "the change of the brush along the stroke")
	}
	return &writeOn{
		position: p.Point("0001"), color: p.Color("0002", [4]float64{1, 1, 1, 1}), size: p.Number("0003", 2), hardness: p.Number("0004", 0.79),
		opacity: p.Number("0005", 1), length: p.Number("0006", 0), style: p.Number("0010", 1), clock: p.Clock(),
	}
}

// Timed implements Timed: the line goes on being there after its brush has stopped.
func (e *writeOn) Timed() bool { return e.position.Varies() }

// line is what the brush has drawn.
func (e *writeOn) line(f *Frame) geom.Outline {
	past := max(0, e.clock.At(f.Time))
	if length := f.Number(&e.length); length > 0 {
		past = min(past, length)
	}
	// Four places a frame are closer than the eye tells apart from a curve.
	n := int(min(maxWriting, math.Ceil(past*max(1, f.Rate)*4)))
	if !e.position.Varies() {
		n = 0
	}
	var o geom.Outline
	moment := *f
	for i := range n + 1 {
		moment.Time = f.Time - past
		if n > 0 {
			moment.Time += past * float64(i) / float64(n)
		}
		p := moment.PointOr(&e.position, 0.5, 0.5)
		if i == 0 {
			o.Move(p.X, p.Y)
		}
		o.Line(p.X, p.Y)
	}
	return o
}

func (e *writeOn) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	b := brush{color: f.Color(&e.color), size: f.Number(&e.size), hardness: f.Share(&e.hardness)}
	b.stroke(f, painted, []geom.Outline{e.line(f)})
	finish(f.Choice(&e.style), img, painted, f.Share(&e.opacity))
	return nil
}
