package likeness_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"overcrank/engine/likeness"
	"overcrank/engine/raster"
)

// picture is noise from a seed with a square of one colour at a place.
func picture(seed uint64, at int, c color.RGBA) *raster.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.IntN(256)) | uint8(i%4/3*255)
	}
	raster.FillRect(img, image.Rect(at, at, at+16, at+16), raster.Color{c.R, c.G, c.B, c.A})
	return img
}

func TestStructuralTellsLikePicturesFromUnlikeOnes(t *testing.T) {
	white, black := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}
	a := picture(1, 8, white)
	if got := likeness.Structural(a, picture(1, 8, white), nil); got < 0.9999 {
		t.Errorf("equal pictures: %g", got)
	}
	if got := likeness.Structural(a, picture(2, 8, white), nil); got > 0.4 {
		t.Errorf("other noise: %g", got)
	}
	changed := picture(1, 8, black)
	whole := likeness.Structural(a, changed, nil)
	rest := likeness.Structural(a, changed, []image.Rectangle{image.Rect(8, 8, 24, 24)})
	if whole > 0.95 || rest < 0.9999 {
		t.Errorf("a changed square: %g, without it %g", whole, rest)
	}
	shifted := image.NewRGBA(a.Rect)
	copy(shifted.Pix[4:], a.Pix)
	if got := likeness.Structural(a, shifted, nil); got > 0.5 {
		t.Errorf("shifted by a pixel: %g", got)
	}
}

func TestPicturesThatCanNotBeComparedAreNotAlike(t *testing.T) {
	a := picture(1, 8, color.RGBA{})
	if got := likeness.Structural(a, image.NewRGBA(image.Rect(0, 0, 64, 47)), nil); got != 0 {
		t.Errorf("another size: %g", got)
	}
	if got := likeness.Structural(a, a, []image.Rectangle{a.Rect}); got != 0 {
		t.Errorf("all left out: %g", got)
	}
}
