package raster

import (
	"encoding/binary"
	"image"
)

// MaxExposures is how many pictures an Exposure can add up: so many channels of 255 fit into 16 bits.
const MaxExposures = 0xffff / 0xff

// Exposure is the sum of pictures that are seen one after the other by the same frame. It is exact: only the mean is rounded, once.
type Exposure struct {
	rect image.Rectangle
	sums []uint64 // of a pixel each, its channels in four lanes of 16 bits
}

// Reset begins a sum of pictures within r.
func (e *Exposure) Reset(r image.Rectangle) {
	e.rect = r
	n := r.Dx() * r.Dy()
	if n > cap(e.sums) {
		e.sums = make([]uint64, n)
		return
	}
	e.sums = e.sums[:n]
	clear(e.sums)
}

// Add adds a picture, transparent beyond its border, to at most MaxExposures-1 others.
func (e *Exposure) Add(img *Image) {
	both := e.rect.Intersect(img.Rect)
	for y := both.Min.Y; y < both.Max.Y; y++ {
		pix := img.Pix[img.PixOffset(both.Min.X, y):][:4*both.Dx()]
		sums := e.sums[(y-e.rect.Min.Y)*e.rect.Dx()+both.Min.X-e.rect.Min.X:][:both.Dx()]
		for i := range sums {
			if p := binary.LittleEndian.Uint32(pix[4*i:]); p != 0 {
				sums[i] += spread(p)
			}
		}
	}
}

// Mean sets the pixels of dst, as far as they were summed, to the mean of n pictures. Those that were not added are transparent.
func (e *Exposure) Mean(dst *Image, n int) {
	both := e.rect.Intersect(dst.Rect)
	// A sum has 16 bits, so that multiplying by the reciprocal is as exact as dividing.
	reciprocal := uint64(1)<<32/uint64(n) + 1
	mean := func(sum uint64) uint8 { return uint8((sum&0xffff + uint64(n)/2) * reciprocal >> 32) }
	for y := both.Min.Y; y < both.Max.Y; y++ {
		pix := dst.Pix[dst.PixOffset(both.Min.X, y):][:4*both.Dx()]
		sums := e.sums[(y-e.rect.Min.Y)*e.rect.Dx()+both.Min.X-e.rect.Min.X:][:both.Dx()]
		for i, sum := range sums {
			// spread puts the channels 0 and 2 into the lower lanes.
			pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = mean(sum), mean(sum>>32), mean(sum>>16), mean(sum>>48)
		}
	}
}
