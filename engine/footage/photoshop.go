package footage

import (
	"fmt"
	"image"
	"os"

	"overcrank/engine/footage/photoshop"
	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

// PhotoshopLayer is the layer of a Photoshop file that a project shows; without a name it is all of them. A layer is imported as large as it
// is, or as large as the whole picture.
type PhotoshopLayer struct {
	Name          string
	Number        int // from the bottom, to tell apart layers of the same name
	Width, Height int // of the footage, in pixels
}

// photoshopDepth is how many bytes a pixel takes while it is decoded: its channels, and a layer or mask beside it.
const photoshopDepth = 8

// probePhotoshop tells whether a file is one of Photoshop's that can be read here.
func probePhotoshop(path string) (Info, bool) {
	f, file, err := openPhotoshop(path)
	if err != nil {
		return Info{}, false // left to ffmpeg
	}
	defer f.Close()
	return Info{Width: file.Width, Height: file.Height, Still: true, Video: true, Alpha: true, Inks: file.Inks()}, true
}

func openPhotoshop(path string) (f *os.File, file *photoshop.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it is broken: %v", r)
		}
		if err != nil && f != nil {
			_ = f.Close() // nothing was written
		}
	}()
	if f, err = os.Open(path); err != nil {
		return nil, nil, err
	}
	about, err := f.Stat()
	if err != nil {
		return f, nil, err
	}
	file, err = photoshop.Open(f, about.Size(), ffmpeg.MaxPixels)
	return f, file, err
}

// Probe tells about the footage that a layer is.
func (l PhotoshopLayer) Probe(path string) (Info, error) {
	info, _, err := l.sized(path, Info{})
	return info, err
}

// sized is the size of the footage that a layer is, and the pattern of its styles.
func (l PhotoshopLayer) sized(path string, info Info) (Info, *raster.Image, error) {
	f, file, err := openPhotoshop(path)
	if err != nil {
		return info, nil, unreadable(path, err)
	}
	defer f.Close()
	layer, err := l.in(file)
	if err != nil {
		return info, nil, unreadable(path, err)
	}
	pattern := patternOf(file, layer)
	info.Styled, info.Ranged, info.Inks, info.Patterned = layer.Styled, layer.Ranged, file.Inks(), pattern != nil
	if layer.Filled && layer.Bounds.Empty() {
		info.Lacks = "a fill without pixels"
	}
	if l.alone(layer) {
		info.Width, info.Height = layer.Bounds.Dx(), layer.Bounds.Dy()
	}
	return info, pattern, nil
}

// patternOf is the pattern of a layer's styles; a broken one is none.
func patternOf(file *photoshop.File, layer *photoshop.Layer) (img *raster.Image) {
	defer func() {
		if recover() != nil {
			img = nil
		}
	}()
	return file.Pattern(layer)
}

func (l PhotoshopLayer) in(file *photoshop.File) (*photoshop.Layer, error) {
	layer := file.Layer(l.Name, l.Number)
	if layer == nil {
		return nil, fmt.Errorf("it has no layer '%s'", l.Name)
	}
	return layer, nil
}

// alone tells whether the footage is as large as the layer.
func (l PhotoshopLayer) alone(layer *photoshop.Layer) bool {
	return !layer.Bounds.Empty() && l.Width == layer.Bounds.Dx() && l.Height == layer.Bounds.Dy()
}

// decodePhotoshop reads a layer, or all of them together.
func decodePhotoshop(path string, l PhotoshopLayer) (img *raster.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("it is broken: %v", r)
		}
	}()
	f, file, err := openPhotoshop(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if l.Name == "" {
		return file.Merged()
	}
	layer, err := l.in(file)
	if err != nil {
		return nil, err
	}
	img, err = file.Picture(layer)
	if err != nil {
		return nil, err
	}
	if l.alone(layer) {
		img.Rect = img.Rect.Sub(img.Rect.Min)
		return img, nil
	}
	return placed(img, file.Width, file.Height), nil
}

// placed is a picture in its place within a larger one.
func placed(img *raster.Image, w, h int) *raster.Image {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	seen := img.Rect.Intersect(out.Rect)
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		copy(out.Pix[out.PixOffset(seen.Min.X, y):][:4*seen.Dx()], img.Pix[img.PixOffset(seen.Min.X, y):])
	}
	return out
}
