package encode

import (
	"fmt"

	"overcrank/engine/raster"
)

// shape is how frames look to ffmpeg.
type shape struct {
	spec   Spec
	width  int // as written; rounded to even if the codec needs it
	height int
	i420   bool // frames are given in I420
}

// shapeOf is the shape of the frames of a film. Its template has an encoder of this machine.
func shapeOf(s Spec) shape {
	f := shape{spec: s, width: s.Width, height: s.Height, i420: s.Template.way.I420()}
	if s.Template.way.Even {
		f.width, f.height = s.Width+s.Width%2, s.Height+s.Height%2
	}
	return f
}

// fits tells whether a picture has the size of the film's frames.
func (f shape) fits(img *raster.Image) error {
	if img.Rect.Dx() != f.spec.Width || img.Rect.Dy() != f.spec.Height {
		return failure(f.spec.Name.Path, fmt.Errorf("a frame is %d x %d pixels, not %d x %d", img.Rect.Dx(), img.Rect.Dy(), f.spec.Width, f.spec.Height))
	}
	return nil
}

// convert fills to, a frame as ffmpeg gets it, from a picture.
func (f shape) convert(to []byte, img *raster.Image) {
	if f.i420 {
		fillI420(to, f.width, f.height, img)
		return
	}
	fill(to, f.width, f.height, img, f.spec.Template.Alpha)
}

// frameSize is the size in bytes of a frame as ffmpeg gets it.
func (f shape) frameSize() int {
	if f.i420 {
		return i420Size(f.width, f.height)
	}
	return 4 * f.width * f.height
}

// Form implements Former.
func (f shape) Form() (name string, size int, convert func(to []byte, img *raster.Image), ok bool) {
	return i420Name, f.frameSize(), f.convert, f.i420
}

// Picture implements Former.
func (f shape) Picture(formed []byte) *raster.Image {
	return i420Picture(formed, f.width, f.height, f.spec.Width, f.spec.Height)
}
