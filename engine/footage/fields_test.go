package footage

import (
	"image"
	"image/color"
	"testing"
)

// The upper lines of the film are as bright as the number of its frame says, the lower ones brighter by half a frame: each field its own time.
func TestFieldsAreShownOneAfterTheOther(t *testing.T) {
	path := makeFilm(t, "i.mov", "-vf", "geq=lum='2*N+mod(Y,2)*60':cb=128:cr=128,format=gray,format=rgb24", "-c:v", "qtrle")
	for order, want := range map[Fields]int{UpperFirst: 60, LowerFirst: -60} {
		s := open(t, path, Interpretation{Fields: order})
		if s.Info.FrameRate != 50 {
			t.Fatalf("%g pictures a second", s.Info.FrameRate)
		}
		early, err := s.Frame(t.Context(), 0.4)
		if err != nil {
			t.Fatal(err)
		}
		late, err := s.Frame(t.Context(), 0.42)
		if err != nil {
			t.Fatal(err)
		}
		a, b := early.RGBAAt(5, 10), late.RGBAAt(5, 10)
		if d := int(b.R) - int(a.R); d < want-6 || d > want+6 {
			t.Errorf("order %d: the fields of frame 10 are %v and %v", order, a, b)
		}
		if early.RGBAAt(5, 11) != a || early.RGBAAt(5, 0) != a || late.RGBAAt(5, 47) != b {
			t.Errorf("order %d: a picture has lines of both fields", order)
		}
	}
}

func TestLinesBetweenThoseOfAFieldAreTheirMean(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 1, 4))
	for y, v := range []uint8{10, 99, 30, 199} {
		img.SetRGBA(0, y, color.RGBA{v, v, v, 255})
	}
	for first, want := range [][]uint8{{10, 20, 30, 30}, {99, 99, 149, 199}} {
		got := field(img, first)
		for y, v := range want {
			if got.RGBAAt(0, y).R != v {
				t.Errorf("field %d, line %d: %d, want %d", first, y, got.RGBAAt(0, y).R, v)
			}
		}
	}
	if one := field(image.NewRGBA(image.Rect(0, 0, 3, 1)), 1); one.Rect.Dy() != 1 {
		t.Error("a picture of one line has another size")
	}
}
