package raster

import (
	"encoding/binary"
	"image"

	"overcrank/engine/geom"
)

// Project draws src over dst within clip, as h shows it in perspective; what lies behind the viewer is not drawn. It samples as Draw does.
func Project(dst, src *Image, h geom.Homography, clip image.Rectangle, opacity float64, blend Blend) {
	k := uint64(unit(opacity)*256 + 0.5)
	r := src.Rect
	// The border fades over one pixel.
	box, ok := h.Box(geom.Rect{MinX: float64(r.Min.X) - 1, MinY: float64(r.Min.Y) - 1, MaxX: float64(r.Max.X) + 1, MaxY: float64(r.Max.Y) + 1})
	back, invertible := h.Invert()
	if !ok || !invertible || k == 0 {
		return
	}
	clip = clip.Intersect(dst.Rect).Intersect(PixelRect(box))
	if clip.Empty() {
		return
	}
	s := sampler{src: src, w: r.Dx(), h: r.Dy()}
	row := make([]uint8, 4*clip.Dx())
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		px, py := float64(clip.Min.X)+0.5, float64(y)+0.5
		u, v, w := back[0]*px+back[1]*py+back[2], back[3]*px+back[4]*py+back[5], back[6]*px+back[7]*py+back[8]
		for i := range clip.Dx() {
			var sum uint64
			if w > 0 {
				sum = s.between(u/w-float64(r.Min.X)-0.5, v/w-float64(r.Min.Y)-0.5)
			}
			if k != 256 {
				sum = sum * k >> 8 & lanes
			}
			binary.LittleEndian.PutUint32(row[4*i:], gather(sum))
			u, v, w = u+back[0], v+back[3], w+back[6]
		}
		blend(dst.Pix[dst.PixOffset(clip.Min.X, y):][:4*clip.Dx()], row, Span{clip.Min.X, y, unit(opacity)})
	}
}
