package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of Vegas' popups "Stroke" and "Blend Mode" that differ from the usual ones.
const (
	vegasMask        = 2
	vegasTransparent = 1
	vegasUnder       = 3
	vegasStencil     = 4
)

// Limits of Vegas.
const (
	maxVegasSegments = 1000
	vegasSteps       = 16 // the pieces of one segment, each of one opacity
)

// vegas is Vegas: segments of light that run along a mask.
type vegas struct {
	wholeLayer
	paths                                                                          Paths
	source, segments, length, even, rotation, randomPhase, seed, mode, width, hard eval.Number
	first, middle, middleAt, last                                                  eval.Number
	color                                                                          eval.Vector
}

func newVegas(p Params) Effect {
	e := &vegas{
		paths: p.Paths("0050", ""), source: p.Number("0052", 1), segments: p.Number("0028", 32), length: p.Number("0024", 1),
		even: p.Number("0026", 2), rotation: p.Number("0030", 0), randomPhase: p.Number("0032", 0), seed: p.Number("0034", 1),
		mode: p.Number("0008", 2), color: p.Color("0018", [4]float64{1, 1, 0, 1}), width: p.Number("0020", 2), hard: p.Number("0022", 0),
		first: p.Number("0036", 1), middle: p.Number("0038", 0), middleAt: p.Number("0040", 0.5), last: p.Number("0042", 0),
	}
	p.LackIf(&e.source, func(v float64) bool { return whole(v) != vegasMask }, "the contours of the image")
	return e
}

// opacity is the opacity at a place of a segment, from 0, its tail, to 1, its head.
func (e *vegas) opacity(f *Frame, at float64) float64 {
	first, middle, last, where := unit(f.Number(&e.first)), unit(f.Number(&e.middle)), unit(f.Number(&e.last)), unit(f.Number(&e.middleAt))
	if at < where {
		return last + (middle-last)*at/where
	}
	if where >= 1 {
		return middle
	}
	return middle + (first-middle)*(at-where)/(1-where)
}

func (e *vegas) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	if f.Choice(&e.source) == vegasMask {
		for _, o := range e.paths.At(f) {
			e.run(f, painted, o)
		}
	}
	switch f.Choice(&e.mode) {
	case vegasUnder:
		raster.Composite(painted, img, 1, raster.Normal)
		copy(img.Pix, painted.Pix)
	case vegasStencil:
		finish(paintReveal, img, painted, 1)
	case vegasTransparent:
		finish(paintOnTransparent, img, painted, 1)
	default:
		raster.Composite(img, painted, 1, raster.Normal)
	}
	return nil
}

// run paints the segments along one outline.
func (e *vegas) run(f *Frame, painted *raster.Image, o geom.Outline) {
	n := int(max(1, min(maxVegasSegments, f.Number(&e.segments))))
	long := unit(f.Number(&e.length)) / float64(n)
	gap := 1 / float64(n)
	if f.Choice(&e.even) == 1 { // bunched
		gap = long
	}
	c, width := f.Color(&e.color), f.Number(&e.width)
	shift := f.Number(&e.rotation) / 360
	if f.Choice(&e.randomPhase) != 0 {
		shift += random.At(f.Choice(&e.seed), 0, 0, 0)
	}
	steps := max(1, min(vegasSteps, 4*vegasSteps*8/n))
	for i := range n {
		begin := shift + float64(i)*gap
		begin -= math.Floor(begin)
		for k := range steps {
			from := begin + long*float64(k)/float64(steps)
			to := from + long/float64(steps)
			if from >= 1 {
				from, to = from-1, to-1
			}
			s := raster.Shape{Outline: o.Trim(from, to), Color: c, Stroke: &raster.StrokeStyle{Width: max(0.1, width)}}
			s.Color[3] = e.opacity(f, (float64(k)+0.5)/float64(steps))
			f.Host.Paint(painted, &s, f.Matrix)
		}
	}
	sigma := min(200, width*(1-f.Share(&e.hard))/8*f.Scale())
	raster.Blur(painted, sigma, sigma)
}
