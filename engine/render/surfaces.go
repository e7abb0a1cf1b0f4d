package render

import (
	"image"
	"sync"

	"overcrank/engine/raster"
)

// surfaces keeps buffers of pixels for the next user.
type surfaces struct{ pool sync.Pool }

// get is a transparent image of that place and size.
func (s *surfaces) get(r image.Rectangle) *raster.Image {
	n := 4 * r.Dx() * r.Dy()
	if img, ok := s.pool.Get().(*raster.Image); ok && cap(img.Pix) >= n {
		img.Pix = img.Pix[:n]
		clear(img.Pix)
		img.Stride, img.Rect = 4*r.Dx(), r
		return img
	}
	return image.NewRGBA(r)
}

// put gives an image back; nobody may hold it any more.
func (s *surfaces) put(img *raster.Image) { s.pool.Put(img) }

func frameRect(w, h int) image.Rectangle { return image.Rect(0, 0, w, h) }
