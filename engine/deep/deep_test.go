package deep_test

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// noise is a picture of random premultiplied pixels, in bytes and in numbers.
func noise(seed uint64, r image.Rectangle) (*raster.Image, *deep.Image) {
	g := rand.New(rand.NewPCG(seed, 1))
	img := image.NewRGBA(r)
	for i := 0; i < len(img.Pix); i += 4 {
		a := g.IntN(256)
		switch g.IntN(4) {
		case 0:
			a = 255
		case 1:
			a = 0
		}
		for c := range 3 {
			img.Pix[i+c] = uint8(g.IntN(a + 1))
		}
		img.Pix[i+3] = uint8(a)
	}
	out := deep.New(r)
	deep.FromBytes(out, img)
	return img, out
}

// worst is by how much, of 255, a picture of numbers differs from one of bytes.
func worst(got *deep.Image, want *raster.Image) float64 {
	most := 0.0
	for i, v := range got.Pix {
		most = max(most, math.Abs(float64(max(0, min(1, v)))*255-float64(want.Pix[i])))
	}
	return most
}

// Each mode makes of numbers what it makes of bytes, but for their rounding, which modes that divide enlarge.
func TestBlendModesAreThoseOfBytes(t *testing.T) {
	r := image.Rect(0, 0, 64, 64)
	for _, name := range []string{"Normal", "Darken", "Multiply", "Linear Burn", "Add", "Lighten", "Screen", "Linear Dodge", "Overlay", "Hard Light",
		"Soft Light", "Linear Light", "Pin Light", "Difference", "Exclusion", "Subtract", "Hue", "Saturation", "Color", "Luminosity",
		"Stencil Alpha", "Stencil Luma", "Silhouette Alpha", "Silhouette Luma", "Alpha Add", "Dissolve"} {
		bytes, ok := raster.Mode(name)
		numbers, known := deep.Mode(name, 0, false)
		if !ok || !known {
			t.Errorf("%s is not known", name)
			continue
		}
		below, deepBelow := noise(1, r)
		above, deepAbove := noise(2, r)
		raster.Composite(below, above, 1, bytes)
		deep.Composite(deepBelow, deepAbove, 1, numbers)
		deep.Limit(deepBelow)
		if d := worst(deepBelow, below); d > 3 {
			t.Errorf("%s differs by %.1f", name, d)
		}
	}
}

func TestPicturesAreSampledAsBytesAre(t *testing.T) {
	src, deepSrc := noise(3, image.Rect(-4, 2, 40, 37))
	for name, m := range map[string]geom.Matrix{
		"moved": geom.Translate(7, -3), "moved between pixels": geom.Translate(0.25, 0.75), "turned": geom.Rotate(25).Mul(geom.Scale(1.3, 0.8)),
		"mirrored": geom.Scale(-1, 1).Mul(geom.Translate(-50, 0)),
	} {
		bytes, numbers := image.NewRGBA(image.Rect(0, 0, 60, 60)), deep.New(image.Rect(0, 0, 60, 60))
		raster.Draw(bytes, src, m, bytes.Rect, 0.8, raster.Normal, raster.Bilinear)
		deep.Draw(numbers, deepSrc, m, numbers.Rect, 0.8, deep.Normal, raster.Bilinear)
		if d := worst(numbers, bytes); d > 4 {
			t.Errorf("%s: differs by %.1f", name, d)
		}
	}
}

func TestBlursAreThoseOfBytes(t *testing.T) {
	for name, b := range map[string]raster.Blurring{
		"gaussian": raster.Gaussian(3, 2), "boxes": raster.Boxes(2.5, 0, 2), "wide": raster.Gaussian(40, 40),
		"repeated": {Across: []float64{4}, Down: []float64{1.25}, Repeat: true},
	} {
		bytes, numbers := noise(4, image.Rect(0, 0, 50, 30))
		b.Image(bytes)
		deep.Blur(numbers, b)
		if d := worst(numbers, bytes); d > 4 {
			t.Errorf("%s: differs by %.1f", name, d)
		}
	}
}

// A blur of boxes spreads a point over the boxes' width, and keeps its light even where that exceeds white.
func TestABlurKeepsLightBeyondWhite(t *testing.T) {
	p := deep.New(image.Rect(0, 0, 41, 1))
	copy(p.Row(20, 21, 0), []float32{40, 0, 0, 1})
	deep.Blur(p, raster.Boxes(4, 0, 1))
	sum := float32(0)
	for x := range 41 {
		sum += p.Row(x, x+1, 0)[0]
	}
	if middle := p.Row(20, 21, 0)[0]; math.Abs(float64(middle)-40.0/9) > 1e-4 || math.Abs(float64(sum)-40) > 1e-3 {
		t.Errorf("the middle is %g, all together %g", middle, sum)
	}
}

func TestNumbersBecomeTheNearestBytes(t *testing.T) {
	p := deep.New(image.Rect(0, 0, 1, 1))
	copy(p.Pix, []float32{2, -1, 0.5, 1})
	out := image.NewRGBA(p.Rect)
	deep.ToBytes(out, p)
	if got := out.RGBAAt(0, 0); got != (color.RGBA{255, 0, 128, 255}) {
		t.Errorf("got %v", got)
	}
	nan := float32(math.NaN())
	copy(p.Pix, []float32{nan, float32(math.Inf(1)), 0, 1})
	deep.Finite(p)
	if p.Pix[0] != 0 || math.IsInf(float64(p.Pix[1]), 0) {
		t.Errorf("got %v", p.Pix)
	}
}

// TestABlurIsTheMeanOfItsBoxes compares with the means themselves, also where a box is wider than the picture, and beside nothing.
func TestABlurIsTheMeanOfItsBoxes(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, b := range []raster.Blurring{
		{Across: []float64{2}}, {Down: []float64{3}}, {Across: []float64{1.5, 2.25}, Down: []float64{0.3}}, {Across: []float64{40}, Down: []float64{30.75}},
		{Across: []float64{2, 3}, Down: []float64{1, 1}},
	} {
		for _, b.Repeat = range []bool{false, true} {
			p := deep.New(image.Rect(3, 2, 24, 19))
			for i := range p.Pix {
				if i%p.Stride > 28 { // what is left of it stays empty
					p.Pix[i] = float32(g.Float64()*3 - 1)
				}
			}
			want := slices.Clone(p.Pix)
			for _, r := range b.Across {
				want = means(want, p.Stride, p.Rect.Dy(), 4, p.Rect.Dx(), r, b.Repeat)
			}
			for _, r := range b.Down {
				want = means(want, 4, p.Rect.Dx(), p.Stride, p.Rect.Dy(), r, b.Repeat)
			}
			deep.Blur(p, b)
			for i, v := range p.Pix {
				if d := float64(v - want[i]); math.Abs(d) > 1e-6 || (v == 0) != (want[i] == 0) {
					t.Fatalf("%+v: number %d is %g, want %g", b, i, v, want[i])
				}
			}
		}
	}
}

// means are the means along lines of n pixels, step numbers apart, of which there are so many, apart numbers from each other.
func means(in []float32, apart, lines, step, n int, r float64, repeat bool) []float32 {
	out := slices.Clone(in)
	at := func(line, i, c int) float64 {
		if i < 0 || i >= n {
			if !repeat {
				return 0
			}
			i = max(0, min(n-1, i))
		}
		return float64(in[line*apart+i*step+c])
	}
	whole := int(r)
	for line := range lines {
		for i := range n {
			for c := range 4 {
				sum := (r - float64(whole)) * (at(line, i-whole-1, c) + at(line, i+whole+1, c))
				for j := i - whole; j <= i+whole; j++ {
					sum += at(line, j, c)
				}
				out[line*apart+i*step+c] = float32(sum / (2*r + 1))
			}
		}
	}
	return out
}
