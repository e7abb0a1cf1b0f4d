package raster_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// area is the covered area of what r holds, in pixels.
func area(r *raster.Rasterizer, evenOdd bool) float64 {
	sum := 0.0
	r.Spans(evenOdd, func(_, _ int, cov []uint8) {
		for _, k := range cov {
			sum += float64(k) / 255
		}
	})
	return sum
}

func TestCoverageIsTheAreaInsideTheClip(t *testing.T) {
	clip := image.Rect(10, 20, 60, 50)
	var r raster.Rasterizer
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string) float64 { return rapid.Float64Range(-80, 160).Draw(t, name) }
		x0, y0, x1, y1 := f("x0"), f("y0"), f("x1"), f("y1")
		var o geom.Outline
		o.Move(x0, y0)
		o.Line(x1, y0)
		o.Line(x1, y1)
		o.Line(x0, y1)
		o.Close()
		r.Reset(clip)
		r.Fill(o, geom.Identity)
		got := area(&r, false)
		w := math.Max(0, math.Min(60, math.Max(x0, x1))-math.Max(10, math.Min(x0, x1)))
		h := math.Max(0, math.Min(50, math.Max(y0, y1))-math.Max(20, math.Min(y0, y1)))
		if math.Abs(got-w*h) > 0.02*(w+h)+0.1 {
			t.Fatalf("covered %g, want %g", got, w*h)
		}
	})
}

func TestSlantedEdgesThatCrossTheClipCoverWhatLiesInside(t *testing.T) {
	// A half-plane's border through the middle of the clip covers half of it, whatever its slope and however far away
	// its corners are.
	clip := image.Rect(0, 0, 64, 64)
	var r raster.Rasterizer
	for turn := 1.0; turn < 360; turn += 7 {
		m := geom.Translate(32, 32).Mul(geom.Rotate(turn))
		r.Reset(clip)
		r.Fill(geom.RectOutline(500, 0, 1000, 2000, 0), m)
		if got := area(&r, false); math.Abs(got-32*64) > 4 {
			t.Errorf("turned by %g: covered %g, want %d", turn, got, 32*64)
		}
	}
}

func TestFillRules(t *testing.T) {
	o := geom.RectOutline(20, 20, 20, 20, 0)
	o.Append(geom.RectOutline(20, 20, 10, 10, 0))
	for _, c := range []struct {
		evenOdd bool
		want    float64
	}{{false, 400}, {true, 300}} {
		var r raster.Rasterizer
		r.Reset(image.Rect(0, 0, 40, 40))
		r.Fill(o, geom.Identity)
		if got := area(&r, c.evenOdd); math.Abs(got-c.want) > 0.5 {
			t.Errorf("even-odd %v covers %g, want %g", c.evenOdd, got, c.want)
		}
	}
}

func TestStrokesCoverTheirArea(t *testing.T) {
	line := geom.Outline{}
	line.Move(20, 50)
	line.Line(80, 50)
	corner := geom.Outline{}
	corner.Move(20, 80)
	corner.Line(20, 20)
	corner.Line(80, 20)
	for _, c := range []struct {
		name    string
		outline geom.Outline
		style   raster.StrokeStyle
		m       geom.Matrix
		want    float64
	}{
		{"butt", line, raster.StrokeStyle{Width: 10, Cap: raster.ButtCap}, geom.Identity, 600},
		{"square", line, raster.StrokeStyle{Width: 10, Cap: raster.SquareCap}, geom.Identity, 700},
		{"round", line, raster.StrokeStyle{Width: 10, Cap: raster.RoundCap}, geom.Identity, 600 + 25*math.Pi},
		{"dashed", line, raster.StrokeStyle{Width: 10, Dashes: []float64{10, 5}}, geom.Identity, 400},
		{"dashed from the middle of a dash", line, raster.StrokeStyle{Width: 10, Dashes: []float64{10}, DashOffset: 5}, geom.Identity, 300},
		{"mitred", corner, raster.StrokeStyle{Width: 10, Join: raster.MiterJoin, MiterLimit: 4}, geom.Identity, 1200},
		{"bevelled", corner, raster.StrokeStyle{Width: 10, Join: raster.BevelJoin}, geom.Identity, 1200 - 12.5},
		{"over the miter limit", corner, raster.StrokeStyle{Width: 10, Join: raster.MiterJoin, MiterLimit: 1.1}, geom.Identity, 1200 - 12.5},
		{"rounded", corner, raster.StrokeStyle{Width: 10, Join: raster.RoundJoin}, geom.Identity, 1200 - 25 + 25*math.Pi/4},
		{"closed", geom.RectOutline(50, 50, 40, 40, 0), raster.StrokeStyle{Width: 4, Join: raster.MiterJoin, MiterLimit: 4}, geom.Identity, 44*44 - 36*36},
		{"circle", geom.EllipseOutline(50, 50, 60, 60), raster.StrokeStyle{Width: 6}, geom.Identity, math.Pi * (33*33 - 27*27)},
		{"stretched unevenly", line, raster.StrokeStyle{Width: 10}, geom.Scale(1, 0.5), 300},
		{"mirrored", corner, raster.StrokeStyle{Width: 10, Join: raster.MiterJoin, MiterLimit: 4}, geom.Translate(100, 0).Mul(geom.Scale(-1, 1)), 1200},
		{"without width", line, raster.StrokeStyle{}, geom.Identity, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r raster.Rasterizer
			r.Reset(image.Rect(0, 0, 100, 100))
			r.Stroke(c.outline, c.style, c.m)
			if got := area(&r, false); math.Abs(got-c.want) > 0.01*c.want+1 {
				t.Errorf("covered %g, want %g", got, c.want)
			}
		})
	}
}

func TestAStrokeStaysWithinItsBounds(t *testing.T) {
	sharp := geom.Outline{}
	sharp.Move(30, 20)
	sharp.Line(50, 70)
	sharp.Line(70, 20)
	for name, style := range map[string]raster.StrokeStyle{
		"mitred":                {Width: 10, Join: raster.MiterJoin, MiterLimit: 4},
		"mitred by default":     {Width: 10},
		"bevelled":              {Width: 10, Join: raster.BevelJoin, Cap: raster.SquareCap},
		"rounded":               {Width: 10, Join: raster.RoundJoin, Cap: raster.RoundCap},
		"of a join not known":   {Width: 10, Join: 9},
		"mitred without limits": {Width: 10, Join: raster.MiterJoin, MiterLimit: 100},
	} {
		shape := raster.Shape{Outline: sharp, Stroke: &style}
		covered := func(clip image.Rectangle) float64 {
			var r raster.Rasterizer
			r.Reset(clip)
			r.Add(&shape, geom.Identity)
			return area(&r, false)
		}
		all, within := covered(image.Rect(-100, -100, 200, 200)), covered(raster.PixelRect(shape.Bounds()))
		if all < 100 || math.Abs(all-within) > 0.01 {
			t.Errorf("%s: covers %g, within its bounds %g", name, all, within)
		}
	}
}

func TestADotIsDrawnUnderARoundCapOnly(t *testing.T) {
	var dot geom.Outline
	dot.Move(20, 20)
	dot.Line(20, 20)
	for lineCap, want := range map[int]float64{raster.ButtCap: 0, raster.RoundCap: 25 * math.Pi, raster.SquareCap: 100} {
		var r raster.Rasterizer
		r.Reset(image.Rect(0, 0, 40, 40))
		r.Stroke(dot, raster.StrokeStyle{Width: 10, Cap: lineCap}, geom.Identity)
		if got := area(&r, false); math.Abs(got-want) > 1.5 {
			t.Errorf("cap %d covered %g, want %g", lineCap, got, want)
		}
	}
}

func TestBlendsOfOpaqueColours(t *testing.T) {
	for _, c := range []struct {
		name      string
		blend     raster.Blend
		dst, src  uint8
		want, off int
	}{
		{"normal", raster.Normal, 100, 200, 200, 0},
		{"add", raster.Add, 100, 200, 255, 0},
		{"multiply", raster.Multiply, 100, 200, 78, 1},
		{"screen", raster.Screen, 100, 200, 222, 1},
		{"overlay on dark", raster.Overlay, 100, 200, 157, 1},
		{"overlay on light", raster.Overlay, 200, 100, 188, 1},
		{"hard light", raster.HardLight, 100, 200, 188, 1},
		{"darken", raster.Darken, 100, 200, 100, 0},
		{"lighten", raster.Lighten, 100, 200, 200, 0},
		{"difference", raster.Difference, 100, 220, 120, 0},
		{"exclusion", raster.Exclusion, 100, 200, 143, 1},
		{"color dodge", raster.ColorDodge, 50, 100, 82, 1},
		{"color dodge to white", raster.ColorDodge, 100, 200, 255, 0},
		{"color dodge of black", raster.ColorDodge, 0, 255, 0, 0},
		{"color burn", raster.ColorBurn, 100, 200, 57, 1},
		{"color burn of white", raster.ColorBurn, 255, 0, 255, 0},
		{"linear burn", raster.LinearBurn, 100, 200, 45, 1},
		{"soft light of light", raster.SoftLight, 100, 200, 134, 1},
		{"soft light of dark", raster.SoftLight, 200, 100, 191, 1},
		{"linear light", raster.LinearLight, 100, 200, 245, 1},
		{"vivid light", raster.VividLight, 100, 200, 232, 1},
		{"pin light", raster.PinLight, 100, 200, 145, 1},
		{"hard mix", raster.HardMix, 100, 200, 255, 0},
		{"hard mix of dark", raster.HardMix, 100, 100, 0, 0},
		{"subtract", raster.Subtract, 200, 100, 100, 1},
		{"divide", raster.Divide, 100, 200, 128, 1},
		{"divide by black", raster.Divide, 100, 0, 255, 0},
		{"luminosity", raster.Luminosity, 100, 200, 200, 1},
		{"lighter color", raster.LighterColor, 100, 200, 200, 1},
		{"darker color", raster.DarkerColor, 100, 200, 100, 1},
	} {
		dst, src := []uint8{c.dst, c.dst, c.dst, 255}, []uint8{c.src, c.src, c.src, 255}
		c.blend(dst, src, raster.Span{Opacity: 1})
		if d := int(dst[0]) - c.want; d > c.off || d < -c.off || dst[3] != 255 {
			t.Errorf("%s of %d over %d is %v, want %d", c.name, c.src, c.dst, dst, c.want)
		}
	}
}

func TestBlendsOfWholeColours(t *testing.T) {
	red, blue := [3]uint8{255, 0, 0}, [3]uint8{100, 150, 200}
	for name, c := range map[string]struct {
		blend          raster.Blend
		dst, src, want [3]uint8
	}{
		"hue":                {raster.Hue, blue, red, [3]uint8{211, 111, 111}},
		"saturation of grey": {raster.Saturation, blue, [3]uint8{90, 90, 90}, [3]uint8{141, 141, 141}},
		"color":              {raster.Chroma, [3]uint8{100, 100, 100}, red, [3]uint8{255, 34, 34}},
		"luminosity":         {raster.Luminosity, red, [3]uint8{76, 77, 76}, red},
		"lighter color":      {raster.LighterColor, red, blue, blue},
		"darker color":       {raster.DarkerColor, red, blue, red},
	} {
		dst := []uint8{c.dst[0], c.dst[1], c.dst[2], 255}
		c.blend(dst, []uint8{c.src[0], c.src[1], c.src[2], 255}, raster.Span{Opacity: 1})
		for i, want := range c.want {
			if d := int(dst[i]) - int(want); d > 2 || d < -2 {
				t.Errorf("%s of %v over %v is %v, want %v", name, c.src, c.dst, dst, c.want)
				break
			}
		}
	}
}

func TestBlendsKeepColoursWithinTheirAlpha(t *testing.T) {
	pixel := func(t *rapid.T, name string) []uint8 {
		a := rapid.IntRange(0, 255).Draw(t, name)
		c := rapid.IntRange(0, a).Draw(t, name+" colour")
		return []uint8{uint8(c), 0, uint8(a), uint8(a)}
	}
	rapid.Check(t, func(t *rapid.T) {
		src, back := pixel(t, "src"), pixel(t, "dst")
		for _, mode := range aep.BlendModes() {
			name := mode.String()
			blend, ok := raster.Mode(name)
			if !ok {
				t.Fatalf("there is no %s", name)
			}
			dst := append([]uint8(nil), back...)
			blend(dst, src, raster.Span{Opacity: 1})
			for c := range 3 {
				if dst[c] > dst[3] {
					t.Fatalf("%s of %v over %v is %v", name, src, back, dst)
				}
			}
			if mode >= aep.BlendStencilAlpha && mode <= aep.BlendSilhouetteLuma {
				continue // these only take away
			}
			if src[3] == 0 && (dst[0] != back[0] || dst[3] != back[3]) {
				t.Fatalf("%s: nothing over %v is %v", name, back, dst)
			}
			dissolves := mode == aep.BlendDissolve || mode == aep.BlendDancingDissolve
			if back[3] == 0 && src[3] > 0 && dst[3] != src[3] && !dissolves {
				t.Fatalf("%s of %v over nothing is %v", name, src, dst)
			}
		}
	})
}

func plain(w, h int, c color.RGBA) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	raster.FillRect(img, img.Rect, raster.Color{c.R, c.G, c.B, c.A})
	return img
}

func TestDrawnImagesLieWhereTheMatrixPutsThem(t *testing.T) {
	red := color.RGBA{255, 0, 0, 255}
	src := plain(20, 10, red)
	for _, c := range []struct {
		name    string
		m       geom.Matrix
		in, out image.Point
	}{
		{"moved", geom.Translate(30, 40), image.Pt(31, 41), image.Pt(29, 39)},
		{"moved by half a pixel", geom.Translate(30.5, 40.5), image.Pt(32, 42), image.Pt(29, 39)},
		{"enlarged", geom.Translate(10, 10).Mul(geom.Scale(3, 3)), image.Pt(68, 38), image.Pt(72, 38)},
		{"turned", geom.Translate(50, 50).Mul(geom.Rotate(90)), image.Pt(45, 65), image.Pt(55, 55)},
		{"mirrored", geom.Translate(50, 50).Mul(geom.Scale(-1, 1)), image.Pt(35, 55), image.Pt(55, 55)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, how := range []raster.Sampling{raster.Bilinear, raster.Nearest} {
				dst := image.NewRGBA(image.Rect(0, 0, 100, 100))
				raster.Draw(dst, src, c.m, dst.Rect, 1, raster.Normal, how)
				if got := dst.RGBAAt(c.in.X, c.in.Y); got != red {
					t.Errorf("inside, at %v: %v", c.in, got)
				}
				if got := dst.RGBAAt(c.out.X, c.out.Y); got.A != 0 {
					t.Errorf("outside, at %v: %v", c.out, got)
				}
			}
		})
	}
}

func TestAnImageKeepsItsAmountOfLightWhenItIsTurned(t *testing.T) {
	src := plain(40, 30, color.RGBA{200, 200, 200, 255})
	for turn := 0.0; turn < 90; turn += 11 {
		dst := image.NewRGBA(image.Rect(0, 0, 100, 100))
		raster.Draw(dst, src, geom.Translate(50, 50).Mul(geom.Rotate(turn)).Mul(geom.Translate(-20, -15)), dst.Rect, 0.5, raster.Normal, raster.Bilinear)
		sum := 0
		for i := 3; i < len(dst.Pix); i += 4 {
			sum += int(dst.Pix[i])
		}
		if want := 40.0 * 30 * 127.5; math.Abs(float64(sum)-want) > 0.03*want {
			t.Errorf("turned by %g: %d, want %g", turn, sum, want)
		}
	}
}

func TestDrawingIntoAPartTouchesNothingElse(t *testing.T) {
	dst := image.NewRGBA(image.Rect(0, 0, 50, 50))
	clip := image.Rect(10, 10, 20, 20)
	raster.Draw(dst, plain(100, 100, color.RGBA{9, 9, 9, 255}), geom.Scale(0.7, 0.7), clip, 1, raster.Normal, raster.Bilinear)
	for y := range 50 {
		for x := range 50 {
			if got := dst.RGBAAt(x, y).A != 0; got != image.Pt(x, y).In(clip) {
				t.Fatalf("at %d, %d: drawn %v", x, y, got)
			}
		}
	}
}

func TestABlurKeepsTheAmountAndStaysWithinItsReach(t *testing.T) {
	for _, sigma := range []float64{0.5, 1, 3, 8} {
		reach := raster.BlurReach(sigma)
		m := image.NewAlpha(image.Rect(0, 0, 4*reach+9, 4*reach+9))
		c := 2*reach + 4
		sum := 0
		for y := c - 1; y <= c+1; y++ {
			for x := c - 1; x <= c+1; x++ {
				m.SetAlpha(x, y, color.Alpha{255})
				sum += 255
			}
		}
		raster.BlurAlpha(m, sigma, 0)
		got := 0
		for x := range m.Rect.Dx() {
			for y := range m.Rect.Dy() {
				k := int(m.AlphaAt(x, y).A)
				got += k
				if k > 0 && (x < c-1-reach || x > c+1+reach) {
					t.Errorf("deviation %g reaches %d, over %d", sigma, x-c, reach)
				}
			}
		}
		if math.Abs(float64(got-sum)) > 0.1*float64(sum) {
			t.Errorf("deviation %g: %d became %d", sigma, sum, got)
		}
	}
}

func TestGradientsMixAtTheirMidpoint(t *testing.T) {
	g := &raster.Gradient{
		Start: geom.Point{X: 0}, End: geom.Point{X: 100},
		Colors: []raster.ColorStop{{Offset: 0, Midpoint: 0.25, RGB: [3]float64{0, 0, 0}}, {Offset: 1, Midpoint: 0.5, RGB: [3]float64{1, 1, 1}}},
	}
	dst := image.NewRGBA(image.Rect(0, 0, 100, 3))
	var r raster.Rasterizer
	r.Reset(dst.Rect)
	r.Fill(geom.RectOutline(50, 1.5, 100, 3, 0), geom.Identity)
	r.PaintGradient(dst, false, g, geom.Identity)
	for x, want := range map[int]int{0: 0, 25: 128, 99: 255} {
		got := dst.RGBAAt(x, 1)
		if math.Abs(float64(int(got.R)-want)) > 4 || got.A != 255 {
			t.Errorf("at %d: %v, want %d", x, got, want)
		}
	}
	r.Reset(dst.Rect)
	r.Fill(geom.RectOutline(50, 1.5, 100, 3, 0), geom.Identity)
	clear := image.NewRGBA(dst.Rect)
	r.PaintGradient(clear, false, g.Faded(0), geom.Identity)
	if clear.RGBAAt(50, 1).A != 0 {
		t.Error("a faded gradient was drawn")
	}
}

func TestMonstersAreNotDrawn(t *testing.T) {
	var r raster.Rasterizer
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300} {
		var o geom.Outline
		o.Move(v, 0)
		o.Cubic(10, v, v, 10, 5, 5)
		o.Line(0, v)
		o.Close()
		r.Reset(image.Rect(0, 0, 30, 30))
		r.Fill(o, geom.Identity)
		r.Stroke(o, raster.StrokeStyle{Width: 3, Cap: raster.RoundCap, Join: raster.RoundJoin, Dashes: []float64{1, v}}, geom.Identity)
		if got := area(&r, false); math.IsNaN(got) || got > 900 {
			t.Errorf("%g covers %g", v, got)
		}
	}
}
