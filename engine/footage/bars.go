package footage

import (
	"context"
	"image"

	"overcrank/engine/raster"
)

// barColours are the seven bars of SMPTE ECR 1-1978 at 75 %, from the left.
var barColours = [...]raster.Color{
	{191, 191, 191, 255}, {191, 191, 0, 255}, {0, 191, 191, 255}, {0, 191, 0, 255}, {191, 0, 191, 255}, {191, 0, 0, 255}, {0, 0, 191, 255},
}

// mostBars is the largest width and height at which bars are made, in pixels: larger ones are the same, drawn larger.
const mostBars = 2048

// Bars are colour bars in the place of footage that is missing, of the footage's size.
func Bars(width, height int) *Source {
	width, height = min(max(width, 1), mostBars), min(max(height, 1), mostBars)
	return &Source{Info: Info{Width: width, Height: height, Still: true, Video: true}, reader: bars{width, height}}
}

// bars makes its picture whenever it is asked for: that is faster than to read one.
type bars struct{ width, height int }

func (b bars) frame(_ context.Context, _, halvings, _ int) (*raster.Image, error) {
	w, h := max(1, b.width>>halvings), max(1, b.height>>halvings)
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	n := len(barColours)
	for i, c := range barColours {
		raster.FillRect(img, image.Rect(i*w/n, 0, (i+1)*w/n, h), c)
	}
	return img, nil
}

func (bars) rest() bool { return true }

func (bars) close() error { return nil }
