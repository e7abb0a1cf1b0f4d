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
	src, release := copied(f, img)
	defer release()
	r := raster.NewReader(src)
	// Half a pixel of the picture within the border, where no transparent neighbour has a share.
	inset := 0.5 / max(f.Scale(), 1e-6)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		start := back.Apply(geom.Point{X: float64(img.Rect.Min.X) + 0.5, Y: float64(y) + 0.5})
		for i := range img.Rect.Dx() {
			q, ok := from(geom.Point{X: start.X + float64(i)*back.A, Y: start.Y + float64(i)*back.B})
			var c raster.Color
			if ok {
				if beyond != edgeNothing {
					q = geom.Point{X: beyond.fold(q.X, f.Size.X, inset), Y: beyond.fold(q.Y, f.Size.Y, inset)}
				}
				c = r.At(f.Matrix.Apply(q))
			}
			copy(row[4*i:4*i+4], c[:])
		}
	}
}

// copied is a copy of img that is read while img is written.
func copied(f *Frame, img *raster.Image) (src *raster.Image, release func()) {
	src, release = f.Host.Surface(img.Rect)
	copy(src.Pix, img.Pix)
	return src, release
}

// fold maps a coordinate beyond 0–size to the one that is seen there, at least inset within.
func (e edge) fold(v, size, inset float64) float64 {
	if e == edgeNothing || !(size > 0) {
		return v
	}
	if v < 0 || v > size {
		switch e {
		case edgeTile:
			v -= math.Floor(v/size) * size
		case edgeMirror:
			v = math.Abs(math.Remainder(v, 2*size))
		}
	}
	return max(inset, min(size-inset, v))
}

// mix gives back to img the share keep of what it was before.
func mix(img, before *raster.Image, keep float64) {
	k := uint32(unit(keep)*256 + 0.5)
	if k == 0 {
		return
	}
	for i, v := range before.Pix[:len(img.Pix)] {
		img.Pix[i] = uint8((uint32(img.Pix[i])*(256-k) + uint32(v)*k + 128) >> 8)
	}
}

// layerRect is the rectangle of the layer in its own pixels.
func layerRect(f *Frame) geom.Rect { return geom.Rect{MaxX: f.Size.X, MaxY: f.Size.Y} }
