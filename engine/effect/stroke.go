package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// stroke is Stroke: a brush that follows masks.
type stroke struct {
	wholeLayer
	paths                                                           Paths
	sequential, size, hardness, opacity, start, end, spacing, style eval.Number
	color                                                           eval.Vector
}

// maxSpacing is the spacing, in per cent of the brush, at which its dots can no longer be told apart.
const maxSpacing = 50

func newStroke(p Params) Effect {
	e := &stroke{
		paths: p.Paths("0001", "0010"), sequential: p.Number("0011", 1), color: p.Color("0002", [4]float64{1, 1, 1, 1}), size: p.Number("0003", 2),
		hardness: p.Number("0004", 0.75), opacity: p.Number("0005", 1), start: p.Number("0008", 0), end: p.Number("0009", 100),
		spacing: p.Number("0006", 15), style: p.Number("0007", 1),
	}
	if e.spacing.Varies() || e.spacing.First() > maxSpacing {
		p.Lack("the spacing of its dots")
	}
	return e
}

func (e *stroke) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	b := brush{color: f.Color(&e.color), size: f.Number(&e.size), hardness: f.Share(&e.hardness)}
	from, to := unit(f.Number(&e.start)/100), unit(f.Number(&e.end)/100)
	if from > to {
		from, to = to, from
	}
	outlines := e.paths.At(f)
	if f.Choice(&e.sequential) != 0 {
		var joined geom.Outline
		for _, o := range outlines {
			joined.Append(o)
		}
		outlines = []geom.Outline{joined}
	}
	if from > 0 || to < 1 {
		for i := range outlines {
			outlines[i] = outlines[i].Trim(from, to)
		}
	}
	b.stroke(f, painted, outlines)
	finish(f.Choice(&e.style), img, painted, f.Share(&e.opacity))
	return nil
}
