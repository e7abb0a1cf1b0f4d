package raster_test

import (
	"image"
	"testing"

	"overcrank/engine/raster"
)

// Each mean is that of whole numbers, rounded once, for as many pictures as there may be.
func TestAMeanOfPicturesIsExact(t *testing.T) {
	area := image.Rect(-3, 5, 4, 9)
	var e raster.Exposure
	for _, n := range []int{1, 2, 3, 16, 128, 255, 256, raster.MaxExposures} {
		e.Reset(area)
		want := make([]int, 4*area.Dx()*area.Dy())
		for k := range n {
			img := image.NewRGBA(area)
			for i := range img.Pix {
				img.Pix[i] = uint8(255 - i*k%7)
				want[i] += int(img.Pix[i])
			}
			e.Add(img)
		}
		got := image.NewRGBA(area)
		e.Mean(got, n)
		for i, sum := range want {
			if mean := uint8((sum + n/2) / n); got.Pix[i] != mean {
				t.Fatalf("%d pictures: channel %d is %d, want %d", n, i, got.Pix[i], mean)
			}
		}
	}
}

func TestPicturesThatAreMissingOrSmallerAreTransparent(t *testing.T) {
	var e raster.Exposure
	e.Reset(image.Rect(0, 0, 4, 1))
	img := image.NewRGBA(image.Rect(1, -1, 9, 3))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	e.Add(img)
	got := image.NewRGBA(image.Rect(0, 0, 6, 1))
	e.Mean(got, 4)
	for x, want := range []uint8{0, 50, 50, 50, 0, 0} {
		if c := got.RGBAAt(x, 0); c.R != want || c.A != want {
			t.Errorf("pixel %d is %v, want %d", x, c, want)
		}
	}
}
