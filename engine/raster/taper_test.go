package raster

import (
	"image"
	"math"
	"testing"

	"overcrank/engine/geom"
)

// thickness is how much of each column a stroke of a line from (0, 50) to (100, 50), 20 wide, covers.
func thickness(p *Profile, lineCap int) []float64 {
	var o geom.Outline
	o.Move(0, 50)
	o.Line(100, 50)
	var r Rasterizer
	r.Reset(image.Rect(0, 0, 120, 100))
	r.Stroke(o, StrokeStyle{Width: 20, Profile: p, Cap: lineCap}, geom.Identity)
	out := make([]float64, 120)
	r.Spans(false, func(x, _ int, row []uint8) {
		for i, k := range row {
			out[x+i] += float64(k) / 255
		}
	})
	return out
}

func TestAStrokeIsAsWideAsItsProfile(t *testing.T) {
	for name, c := range map[string]struct {
		profile Profile
		want    func(x float64) float64
	}{
		"even":           {Profile{}, func(float64) float64 { return 20 }},
		"tapered":        {Profile{Start: Taper{Length: 0.5}}, func(x float64) float64 { return 20 * min(1, x/50) }},
		"at the end":     {Profile{End: Taper{Length: 0.5, Width: 0.5}}, func(x float64) float64 { return 20 * min(1, 0.5+(100-x)/100) }},
		"both ends":      {Profile{Start: Taper{Length: 1}, End: Taper{Length: 1}}, func(x float64) float64 { return 20 * x * (100 - x) / 1e4 }},
		"by pixels":      {Profile{Start: Taper{Length: 20}, Pixels: true}, func(x float64) float64 { return 20 * min(1, x/20) }},
		"eased":          {Profile{Start: Taper{Length: 1, Ease: 1}}, func(x float64) float64 { u := x / 100; return 20 * u * u * (3 - 2*u) }},
		"waved":          {Profile{Wave: 0.5, Wavelength: 50}, func(x float64) float64 { return 20 * (1 + 0.5*math.Sin(2*math.Pi*x/50)) }},
		"by cycles":      {Profile{Wave: 1, Wavelength: 4, Cycles: true, Phase: 90}, func(x float64) float64 { return 20 * (1 + math.Cos(2*math.Pi*x/25)) }},
		"without length": {Profile{Wave: 1}, func(float64) float64 { return 20 }},
	} {
		got := thickness(&c.profile, ButtCap)
		for x := range 100 {
			if want := c.want(float64(x) + 0.5); math.Abs(got[x]-want) > 0.25 {
				t.Errorf("%s: %g wide at %d, want %g", name, got[x], x, want)
				break
			}
		}
		if got[101] != 0 {
			t.Errorf("%s: %g wide beyond its end", name, got[101])
		}
	}
}

func TestTheCapOfAStrokeIsAsWideAsItsEnd(t *testing.T) {
	got := thickness(&Profile{End: Taper{Length: 0.5, Width: 0.5}}, RoundCap)
	sum := 0.0
	for _, v := range got[100:] {
		sum += v
	}
	if want := math.Pi * 25 / 2; math.Abs(sum-want) > 1 {
		t.Errorf("the cap covers %g, want half of a disc of 10: %g", sum, want)
	}
}
