package effect

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// edge is what lies beyond the borders of a layer for an effect that reads there.
type edge int

// The kinds of edges.
const (
	edgeNothing edge = iota // transparent
	edgeRepeat              // the pixels of the border, on and on
	edgeTile                // the layer again
	edgeMirror              // the layer again, reflected at each border
)

// warp gives each pixel of img what lies elsewhere in the layer: from maps a position to the position that is seen there, both in pixels of
// the layer; without ok nothing is seen there.
func warp(f *Frame, img *raster.Image, beyond edge, from func(p geom.Point) (q geom.Point, ok bool)) {
	back, ok := f.Matrix.Invert()
	if !ok {
		return
	}
	src, release := f.Host.Surface(img.Rect)
	defer release()
	copy(src.Pix, img.Pix)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			q, ok := from(back.Apply(geom.Point{X: float64(img.Rect.Min.X+i/4) + 0.5, Y: float64(y) + 0.5}))
			var c raster.Color
			if ok {
				c = raster.At(src, f.Matrix.Apply(geom.Point{X: beyond.fold(q.X, f.Size.X), Y: beyond.fold(q.Y, f.Size.Y)}))
			}
			copy(row[i:i+4], c[:])
		}
	}
}

// fold maps a coordinate beyond 0–size to the one that is seen there.
func (e edge) fold(v, size float64) float64 {
	if e == edgeNothing || v >= 0 && v <= size || !(size > 0) {
		return v
	}
	switch e {
	case edgeRepeat:
		// Half a pixel within, where no transparent neighbour has a share.
		return max(0.5, min(size-0.5, v))
	case edgeMirror:
		v = math.Abs(math.Remainder(v, 2*size))
	default:
		v -= math.Floor(v/size) * size
	}
	return v
}
