package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Roughen Edges' popup "Edge Type" that are not drawn like the first.
const (
	edgeColored        = 2
	edgeCut            = 3
	edgeRustyColored   = 6
	edgePhotoColored   = 8
	maxRoughComplexity = 10
)

// roughenEdges is Roughen Edges: the layer's transparency eaten away by noise, up to a border inside of its edge. How noise and border meet is not published; here
// the edge of the softened transparency is moved by the noise.
type roughenEdges struct {
	kind, border, sharpness, influence, scale, stretch, complexity, evolution eval.Number
	offset, color                                                             eval.Vector
}

func newRoughenEdges(p Params) Effect {
	p.Lack("the exact noise")
	e := &roughenEdges{
		kind: p.Number("0001", 1), border: p.Number("0002", 8), sharpness: p.Number("0003", 1), influence: p.Number("0004", 1), scale: p.Number("0005", 100),
		stretch: p.Number("0006", 0), offset: p.Point("0007"), complexity: p.Number("0008", 2), evolution: p.Number("0009", 0),
		color: p.Color("0010", [4]float64{0.5, 0.25, 0, 1}),
	}
	p.LackIf(&e.kind, above(edgeCut), "the edge type")
	return e
}

func (e *roughenEdges) blurring(f *Frame) raster.Blurring {
	r := max(0, min(500, f.Number(&e.border))) * f.Scale()
	return raster.Boxes(r/2, r/2, 2)
}

// Reach implements Spreading: the transparency around each pixel counts.
func (e *roughenEdges) Reach(f *Frame) int { return e.blurring(f).Reach() }

// noise are the octaves over a picture, and the size of their largest cells in pixels of the layer.
func (e *roughenEdges) noise(f *Frame, img *raster.Image) (octaves []*field, cellX, cellY float64) {
	const cell = 10 // pixels at 100 %
	size := max(0.1, min(100, f.Number(&e.scale)/100)) * cell
	wide := math.Exp2(max(-4, min(4, f.Number(&e.stretch))))
	cellX, cellY = size*max(1, wide), size*max(1, 1/wide)
	back, ok := f.Matrix.Invert()
	if !ok {
		return nil, cellX, cellY
	}
	at := f.Point(&e.offset)
	box := boxOf(img).Transform(back)
	z, period := evolution(f.Number(&e.evolution), false, 0)
	for i := range int(max(1, min(maxRoughComplexity, f.Number(&e.complexity)))) {
		k := math.Exp2(float64(i))
		octaves = append(octaves, newField(noiseSoftLinear, i, z, period, geom.Rect{
			MinX: (box.MinX - at.X) / cellX * k, MinY: (box.MinY - at.Y) / cellY * k, MaxX: (box.MaxX - at.X) / cellX * k, MaxY: (box.MaxY - at.Y) / cellY * k,
		}))
	}
	return octaves, cellX, cellY
}

func (e *roughenEdges) Draw(f *Frame, img *raster.Image) error {
	b := e.blurring(f)
	octaves, cellX, cellY := e.noise(f, img)
	if b.Reach() == 0 || octaves == nil {
		return nil
	}
	soft := raster.AlphaOf(img, img.Rect)
	b.Alpha(soft)
	kind, color, at := f.Choice(&e.kind), f.Color(&e.color), f.Point(&e.offset)
	influence := max(0, min(1, f.Number(&e.influence)))
	steep := 1 + 3*max(0, min(10, f.Number(&e.sharpness)))
	if kind == edgeCut {
		steep *= 8
	}
	colored := kind == edgeColored || kind == edgeRustyColored || kind == edgePhotoColored
	// The soft transparency is a half on the edge, and whole where the border ends: there nothing is taken away.
	middle := (0.5 + 1 - 0.5/steep) / 2
	i := 0
	paintEach(f, img, func(x, y float64, px []uint8) {
		v := float64(soft.Pix[i]) / 255
		i++
		if px[3] == 0 {
			return
		}
		n := max(-1, min(1, sum(octaves, (x-at.X)/cellX, (y-at.Y)/cellY)))
		left := unit((v-middle-(middle-0.5)*influence*n)*steep + 0.5)
		if colored {
			for j := range 3 {
				px[j] = channel(float64(px[j])*left+color[j]*float64(px[3])*(1-left), float64(px[3]))
			}
			return
		}
		for j := range px {
			px[j] = channel(float64(px[j])*left, 255)
		}
	})
	return nil
}
