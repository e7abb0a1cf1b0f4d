package render

import (
	"image"
	"math/bits"
	"sync"

	"overcrank/engine/raster"
)

// surfaces is a pool of pixel buffers for each power of two.
type surfaces struct{ pools [64]sync.Pool }

// get is a transparent image with the bounds r.
func (s *surfaces) get(r image.Rectangle) *raster.Image {
	n := 4 * r.Dx() * r.Dy()
	class := bits.Len(uint(max(n, 1) - 1))
	img, ok := s.pools[class].Get().(*raster.Image)
	if !ok {
		img = &image.RGBA{Pix: make([]uint8, 1<<class)}
	}
	img.Pix = img.Pix[:n]
	clear(img.Pix)
	img.Stride, img.Rect = 4*r.Dx(), r
	return img
}

// put returns an image to the pool; nobody may use it any more.
func (s *surfaces) put(img *raster.Image) { s.pools[bits.Len(uint(cap(img.Pix)))-1].Put(img) }

func frameRect(w, h int) image.Rectangle { return image.Rect(0, 0, w, h) }
