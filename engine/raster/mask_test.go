package raster_test

import (
	"image"
	"testing"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

func TestCoverageIsMultipliedByAMaskUntilTheNextReset(t *testing.T) {
	mask := image.NewAlpha(image.Rect(-2, -2, 6, 6))
	for x := range 6 {
		mask.Pix[mask.PixOffset(x, 1)] = uint8(40 * x)
	}
	var r raster.Rasterizer
	covered := func(within *image.Alpha) (out [4]uint8) {
		r.Reset(image.Rect(0, 0, 4, 4))
		if within != nil {
			r.Within(within)
		}
		r.Fill(geom.RectOutline(2, 2, 4, 4, 0), geom.Identity)
		r.Spans(false, func(x, y int, cov []uint8) {
			if y == 1 {
				copy(out[x:], cov)
			}
		})
		return out
	}
	if got := covered(mask); got != [4]uint8{0, 40, 80, 120} {
		t.Errorf("within a mask: %v", got)
	}
	if got := covered(nil); got != [4]uint8{255, 255, 255, 255} {
		t.Errorf("without one: %v", got)
	}
}
