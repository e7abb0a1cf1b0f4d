package style

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

const patternOverlayMatch = "patternFill/enabled"

// patternOverlay is Pattern Overlay: the tile of a Photoshop file over the layer, again and again.
type patternOverlay struct {
	ink
	align, scale eval.Number
	offset       eval.Vector
}

func newPatternOverlay(p Params) Style {
	return &patternOverlay{p.ink(normal, 100), p.number("align", 1), p.number("scale", 100), eval.VectorOf(p.at("phase"), [4]float64{})}
}

func (s *patternOverlay) Reach(*Frame) int { return 0 }

func (s *patternOverlay) Paint(f *Frame, c *Canvas) {
	if f.Pattern == nil || f.Pattern.Rect.Empty() {
		return
	}
	from := f.Layer
	if f.choice(&s.align) == 0 {
		from = f.Whole
	}
	by := s.offset.At(f.Eval, f.Time)
	begin := geom.Point{X: from.MinX + finite(by[0])*f.Scale, Y: from.MinY + finite(by[1])*f.Scale}
	k := max(0.01, f.number(&s.scale)/100) * f.Scale // pixels of the picture that a pixel of the tile takes
	tiles := newTiling(f.Pattern, k)
	s.paint(f, c.Inside, func(img *raster.Image) {
		at := 0
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				px := tiles.at((float64(x)-begin.X)/k, (float64(y)-begin.Y)/k)
				copy(img.Pix[at:at+4], px[:])
				at += 4
			}
		}
	})
}

// tiling is a tile that is repeated in all directions, and summed up for means of rectangles.
type tiling struct {
	sums *raster.Sums
	w, h float64
	size float64 // of the window that makes a pixel of the picture, in pixels of the tile: one at least
	side float64 // of a pixel of the picture, in pixels of the tile
}

func newTiling(tile *raster.Image, k float64) tiling {
	w, h := tile.Rect.Dx(), tile.Rect.Dy()
	return tiling{sums: raster.SumsOf(tile, true), w: float64(w), h: float64(h), size: max(1, 1/k), side: 1 / k}
}

// at is the mean of a pixel of the picture whose corner lies at a place of the tile.
func (t *tiling) at(x, y float64) raster.Color {
	// A larger window than the tile is the mean of all of it.
	across, down := min(t.size, t.w), min(t.size, t.h)
	x, y = x+(t.side-across)/2, y+(t.side-down)/2
	x, y = x-t.w*math.Floor(x/t.w), y-t.h*math.Floor(y/t.h)
	var sum [4]float64
	for _, px := range pieces(x, across, t.w) {
		for _, py := range pieces(y, down, t.h) {
			share := (px[1] - px[0]) * (py[1] - py[0]) / (across * down)
			if !(share > 0) {
				continue
			}
			for c, v := range t.sums.Mean(geom.Rect{MinX: px[0], MinY: py[0], MaxX: px[1], MaxY: py[1]}) {
				sum[c] += share * v
			}
		}
	}
	var out raster.Color
	for c, v := range sum {
		out[c] = uint8(255*max(0, min(1, v)) + 0.5)
	}
	return out
}

// pieces are a stretch that begins within a period, and what of it lies in the next.
func pieces(from, length, period float64) [2][2]float64 {
	end := from + length
	return [2][2]float64{{from, min(end, period)}, {0, max(0, end-period)}}
}
