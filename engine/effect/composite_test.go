package effect

import (
	"image"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// plain is a picture of one colour, premultiplied.
func plain(c raster.Color) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = c[i%4]
	}
	return img
}

// TestCCCompositeLaysTheOriginalOverItsEffects mixes one colour with another by formulas that anybody can check.
func TestCCCompositeLaysTheOriginalOverItsEffects(t *testing.T) {
	for name, c := range map[string]struct {
		values       params
		was, is, got raster.Color
	}{
		"in front":                 {params{"0003": one(0)}, raster.Color{200, 0, 0, 255}, raster.Color{0, 100, 0, 255}, raster.Color{200, 0, 0, 255}},
		"half":                     {params{"0001": one(50), "0003": one(0)}, raster.Color{200, 0, 0, 255}, raster.Color{0, 100, 0, 255}, raster.Color{100, 50, 0, 255}},
		"behind what is whole":     {params{"0002": one(2), "0003": one(0)}, raster.Color{200, 0, 0, 255}, raster.Color{0, 100, 0, 255}, raster.Color{0, 100, 0, 255}},
		"behind what is not there": {params{"0002": one(2), "0003": one(0)}, raster.Color{200, 0, 0, 255}, raster.Color{}, raster.Color{200, 0, 0, 255}},
		"colours only":             {params{}, raster.Color{200, 0, 0, 255}, raster.Color{0, 50, 0, 128}, raster.Color{100, 0, 0, 128}},
	} {
		r, img := &rig{T: t, first: plain(c.was)}, plain(c.is)
		r.draw("CC Composite", c.values, img)
		for i, v := range img.Pix {
			if d := int(v) - int(c.got[i%4]); d < -1 || d > 1 {
				t.Errorf("%s: %v, want %v", name, img.Pix[:4], c.got)
				break
			}
		}
	}
}

// TestRoughEdgesEatTheLayerFromItsEdge looks at a disc's square: whole inside of the border, eaten at its edge, and never more than it was.
func TestRoughEdgesEatTheLayerFromItsEdge(t *testing.T) {
	const size = 100
	square := func() *raster.Image {
		img := image.NewRGBA(image.Rect(0, 0, size, size))
		for y := 20; y < 80; y++ {
			for x := 20; x < 80; x++ {
				copy(img.Pix[img.PixOffset(x, y):], []uint8{200, 100, 0, 255})
			}
		}
		return img
	}
	sum := func(img *raster.Image) (n int) {
		for i := 3; i < len(img.Pix); i += 4 {
			n += int(img.Pix[i])
		}
		return n
	}
	whole, last := square(), 0
	for i, border := range []float64{0, 4, 12} {
		img := square()
		(&rig{T: t}).draw("ADBE Roughen Edges", params{"0002": one(border), "0005": one(60)}, img)
		for i, v := range img.Pix {
			if v > whole.Pix[i] {
				t.Fatalf("with a border of %g a pixel is more than it was", border)
			}
		}
		if c := img.RGBAAt(size/2, size/2); c.A != 255 || c.R != 200 {
			t.Errorf("with a border of %g the middle is %v", border, c)
		}
		if got := sum(img); i == 0 && got != sum(whole) || i > 0 && (got >= last || got < sum(whole)/3) {
			t.Errorf("with a border of %g %d of %d are left, before that %d", border, got, sum(whole), last)
		}
		last = sum(img)
	}
	img := square()
	(&rig{T: t}).draw("ADBE Roughen Edges", params{"0001": one(2), "0002": one(12), "0010": aep.Numbers{0, 0, 1, 1}}, img)
	if sum(img) != sum(whole) || img.RGBAAt(20, 50).B < 100 || img.RGBAAt(50, 50).B != 0 {
		t.Errorf("a coloured edge is %v and the middle %v", img.RGBAAt(20, 50), img.RGBAAt(50, 50))
	}
}

// TestAScribbleFillsItsMask counts what lines of a width and a distance cover: their share of the mask, and nothing beyond it but half of a line.
func TestAScribbleFillsItsMask(t *testing.T) {
	const size = 100
	mask := &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 20, Y: 20}, {X: 80, Y: 20}, {X: 80, Y: 80}, {X: 20, Y: 80}}}
	covered := func(values params, seconds float64) (share float64, img *raster.Image) {
		img = image.NewRGBA(image.Rect(0, 0, size, size))
		values["0002"], values["0026"] = one(1), one(1)
		(&rig{T: t, masks: []*aep.Path{mask}, time: seconds}).draw("ADBE Scribble Fill", values, img)
		for y := range size {
			for x := range size {
				a := img.RGBAAt(x, y).A
				share += float64(a) / 255 / 3600
				if a > 0 && (x < 12 || y < 12 || x > 88 || y > 88) {
					t.Fatalf("it paints at %d, %d", x, y)
				}
			}
		}
		return share, img
	}
	thin, _ := covered(params{"0008": one(1), "0060": one(10)}, 0)
	thick, first := covered(params{"0008": one(4), "0060": one(10)}, 0)
	if thin < 0.08 || thin > 0.3 || thick < 2*thin || thick > 0.8 {
		t.Errorf("lines of 1 and 4 pixels at a distance of 10 cover %.2f and %.2f", thin, thick)
	}
	if half, _ := covered(params{"0008": one(4), "0060": one(10), "0032": one(50)}, 0); half < 0.4*thick || half > 0.6*thick {
		t.Errorf("half of a line covers %.2f of %.2f", half, thick)
	}
	same := func(a, b *raster.Image) bool { return string(a.Pix) == string(b.Pix) }
	if _, later := covered(params{"0008": one(4), "0060": one(10)}, 3); !same(first, later) {
		t.Error("a line that does not wiggle changes")
	}
	jagged := params{"0008": one(4), "0060": one(10), "0048": one(2), "0044": one(5)}
	_, a := covered(jagged, 0.01)
	_, b := covered(jagged, 0.19)
	_, c := covered(jagged, 0.21)
	if !same(a, b) || same(b, c) {
		t.Error("a line that is another one five times a second is not")
	}
}
