package effect

import (
	"math"
	"slices"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of Scribble's popups "Scribble", "Wiggle Type" and "Composite" that matter here.
const (
	scribbleOneMask       = 1
	scribbleAllMasks      = 2
	wiggleStatic          = 1
	wiggleJagged          = 2
	scribbleOnTransparent = 1
	scribbleReveal        = 3
)

// maxScribbled limits the turns of a scribble.
const maxScribbled = 20_000

// scribble is Scribble: masks filled by a line that goes to and fro.
type scribble struct {
	wholeLayer
	paths                                                                                 Paths
	kind, opacity, width, angle, spacing, overlap, start, end, wiggle, speed, seed, style eval.Number
	color                                                                                 eval.Vector
}

func newScribble(p Params) Effect {
	p.Lack("the exact pattern") // its curves and their variation among it
	e := &scribble{
		paths: p.Paths("0002", ""), kind: p.Number("0064", scribbleOneMask), color: p.Color("0006", [4]float64{1, 1, 1, 1}), opacity: p.Number("0024", 1),
		width: p.Number("0008", 2), angle: p.Number("0010", 0), spacing: p.Number("0060", 5), overlap: p.Number("0038", 0), start: p.Number("0030", 0),
		end: p.Number("0032", 100), wiggle: p.Number("0048", wiggleStatic), speed: p.Number("0044", 5), seed: p.Number("0046", 0), style: p.Number("0026", 2),
	}
	p.LackIf(&e.kind, above(scribbleAllMasks), "masks by their modes")
	return e
}

// Timed implements Timed: its line is another one several times a second.
func (e *scribble) Timed() bool { return e.wiggle.Varies() || whole(e.wiggle.First()) != wiggleStatic }

func (e *scribble) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	from, to := unit(f.Number(&e.start)/100), unit(f.Number(&e.end)/100)
	if from > to {
		from, to = to, from
	}
	var lines []geom.Outline
	for i, o := range e.paths.of(f, f.Choice(&e.kind) != scribbleOneMask) {
		line := e.line(f, o, i)
		if from > 0 || to < 1 {
			line = line.Trim(from, to)
		}
		lines = append(lines, line)
	}
	b := brush{color: f.Color(&e.color), size: max(0, min(1000, f.Number(&e.width))), hardness: 1}
	b.stroke(f, painted, lines)
	style := 0
	switch f.Choice(&e.style) {
	case scribbleOnTransparent:
		style = paintOnTransparent
	case scribbleReveal:
		style = paintReveal
	}
	finish(style, img, painted, f.Share(&e.opacity))
	return nil
}

// line is the line that fills an outline, in pixels of the layer. It leaves off where rows of the outline are in several parts.
func (e *scribble) line(f *Frame, o geom.Outline, n int) (out geom.Outline) {
	turn := geom.Rotate(-f.Number(&e.angle))
	edges := o.Flatten(turn, 0.25)
	var box geom.Rect
	for i, l := range edges {
		for j, p := range l.Points {
			if i == 0 && j == 0 {
				box = geom.Rect{MinX: p.X, MinY: p.Y, MaxX: p.X, MaxY: p.Y}
			}
			box = geom.Rect{MinX: min(box.MinX, p.X), MinY: min(box.MinY, p.Y), MaxX: max(box.MaxX, p.X), MaxY: max(box.MaxY, p.Y)}
		}
	}
	step := max(0.5, (box.MaxY-box.MinY)/maxScribbled, f.Number(&e.spacing))
	shake, overlap := e.shaking(f, n, step/2), max(-1000, min(1000, f.Number(&e.overlap)))
	rows, joined := 0, false
	for y := box.MinY + step/2; y < box.MaxY; y += step {
		across := crossings(edges, y)
		if joined = joined && len(across) == 2; len(across) == 0 {
			continue
		}
		for i := 0; i+1 < len(across) && rows < maxScribbled; i += 2 {
			a, b := geom.Point{X: across[i] - overlap, Y: y - step/4}, geom.Point{X: across[i+1] + overlap, Y: y + step/4}
			if rows%2 == 1 {
				a.X, b.X = b.X, a.X
			}
			a, b = a.Add(shake(2*rows)), b.Add(shake(2*rows+1))
			if rows++; joined {
				out.Line(a.X, a.Y)
			} else {
				out.Move(a.X, a.Y)
			}
			out.Line(b.X, b.Y)
		}
		joined = len(across) == 2
	}
	return out.Transform(geom.Rotate(f.Number(&e.angle)))
}

// shaking moves the turns of a line by up to reach: all the time in the same way, from one moment to the next, or smoothly between these.
func (e *scribble) shaking(f *Frame, n int, reach float64) func(turn int) geom.Point {
	seed, moment, share := f.Choice(&e.seed)+1000*n, 0.0, 0.0
	if how := f.Choice(&e.wiggle); how != wiggleStatic {
		moment, share = math.Modf(max(0, f.Time*max(0, min(1000, f.Number(&e.speed)))))
		if how == wiggleJagged {
			share = 0
		}
	}
	return func(turn int) geom.Point {
		at := func(axis int) float64 {
			a, b := random.At(seed, turn, axis, lattice(moment)), random.At(seed, turn, axis, lattice(moment)+1)
			return (a + (b-a)*smooth(share) - 0.5) * 2 * reach
		}
		return geom.Point{X: at(0), Y: at(1) / 2}
	}
}

// crossings are where edges cross a height, in order: what lies between the first two is inside, and so on.
func crossings(edges []geom.Polyline, y float64) (out []float64) {
	for _, l := range edges {
		for i, a := range l.Points {
			b := l.Points[(i+1)%len(l.Points)]
			if (a.Y <= y) != (b.Y <= y) {
				out = append(out, a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X))
			}
		}
	}
	slices.Sort(out)
	return out
}
