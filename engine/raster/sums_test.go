package raster_test

import (
	"image"
	"math"
	"testing"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

func TestSumsGiveTheMeanOfAnyBox(t *testing.T) {
	img := image.NewRGBA(image.Rect(-3, 2, 9, 11))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37 % 251)
	}
	// at is the value of the picture at a point: each pixel has one everywhere.
	at := func(x, y float64, c int) float64 {
		p := image.Pt(int(math.Floor(x)), int(math.Floor(y)))
		if !p.In(img.Rect) {
			return 0
		}
		return float64(img.Pix[img.PixOffset(p.X, p.Y)+c]) / 255
	}
	all, alpha := raster.SumsOf(img, true), raster.SumsOf(img, false)
	for _, box := range []geom.Rect{
		{MinX: 0, MinY: 4, MaxX: 3, MaxY: 7}, {MinX: 0.25, MinY: 4.5, MaxX: 0.75, MaxY: 4.75}, {MinX: -2.5, MinY: 2.25, MaxX: 6.75, MaxY: 10.5},
		{MinX: -9, MinY: -9, MaxX: 20, MaxY: 20}, {MinX: 7.5, MinY: 9.5, MaxX: 12.5, MaxY: 13.5}, {MinX: 20, MinY: 3, MaxX: 21, MaxY: 4},
	} {
		const parts = 200 // of a side, so fine that pixels of quarters are whole numbers of them or nearly
		var want [4]float64
		for i := range parts * parts {
			x := box.MinX + (box.MaxX-box.MinX)*(float64(i%parts)+0.5)/parts
			y := box.MinY + (box.MaxY-box.MinY)*(float64(i/parts)+0.5)/parts
			for c := range want {
				want[c] += at(x, y, c) / (parts * parts)
			}
		}
		got, one := all.Mean(box), alpha.Mean(box)
		for c := range want {
			if math.Abs(got[c]-want[c]) > 0.005 {
				t.Errorf("%v has a mean of %v, want %v", box, got, want)
				break
			}
		}
		if one != [4]float64{3: one[3]} || math.Abs(one[3]-got[3]) > 1e-12 {
			t.Errorf("%v has an alpha of %v, want %v", box, one, got[3])
		}
	}
}
