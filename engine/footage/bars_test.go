package footage

import (
	"image/color"
	"testing"
)

func TestBarsAreAsLargeAsTheFootage(t *testing.T) {
	s := Bars(140, 20)
	img, err := s.Frame(t.Context(), 7)
	if err != nil || img.Rect.Dx() != 140 || img.Rect.Dy() != 20 {
		t.Fatalf("%v, %v", img, err)
	}
	if a, b := img.RGBAAt(0, 0), img.RGBAAt(139, 19); a != (color.RGBA{191, 191, 191, 255}) || b != (color.RGBA{0, 0, 191, 255}) {
		t.Errorf("the outer bars are %v and %v", a, b)
	}
	if img, err = s.Halved(t.Context(), 0, 3, 0); err != nil || img.Rect.Dx() != 17 || img.RGBAAt(16, 1).B != 191 {
		t.Errorf("halved: %v, %v", img.Rect, err)
	}
	if huge := Bars(30000, 1); huge.Info.Width > mostBars {
		t.Errorf("bars of %d pixels", huge.Info.Width)
	}
}
