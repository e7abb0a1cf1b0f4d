package aerender

import (
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/image/draw"

	"overcrank/engine/encode"
	"overcrank/engine/raster"
)

const (
	maxThumbnails  = 24
	thumbnailWidth = 320 // pixels
)

// thumbnails writes small pictures of evenly spread frames into a folder while a composition renders. Each file appears
// complete.
type thumbnails struct {
	dir   string
	every int // one of so many frames becomes a thumbnail
	done  int
}

// newThumbnails is for a run of so many frames. Without a folder it does nothing.
func newThumbnails(dir string, frames int) *thumbnails {
	return &thumbnails{dir: dir, every: max(1, (frames+maxThumbnails-1)/maxThumbnails)}
}

// wants tells whether a frame of the run, counted from 0, becomes a thumbnail.
func (t *thumbnails) wants(count int) bool { return t.dir != "" && count%t.every == 0 }

// add takes the next frame of the run, number n of the composition, if it becomes a thumbnail.
func (t *thumbnails) add(n int, picture func() *raster.Image) error {
	count := t.done
	t.done++
	if !t.wants(count) {
		return nil
	}
	path := filepath.Join(t.dir, strconv.Itoa(n)+".jpg")
	part := filepath.Join(t.dir, "."+strconv.Itoa(n)+".part")
	err := encode.WriteFile(part, func(w io.Writer) error {
		return jpeg.Encode(w, shrink(picture()), &jpeg.Options{Quality: 80})
	})
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}

func shrink(img *raster.Image) image.Image {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w <= thumbnailWidth {
		return img
	}
	small := image.NewRGBA(image.Rect(0, 0, thumbnailWidth, max(1, h*thumbnailWidth/w)))
	draw.ApproxBiLinear.Scale(small, small.Rect, img, img.Rect, draw.Src, nil)
	return small
}
