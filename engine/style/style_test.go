package style_test

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/style"
)

func value(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Group: true, Children: children}
}

// area is the picture of all tests; beyond is as much as styles read around it.
var area, beyond = image.Rect(0, 0, 80, 80), image.Rect(-80, -80, 160, 160)

// rectangle is a shape that covers a rectangle.
func rectangle(r geom.Rect) *image.Alpha {
	var pen raster.Rasterizer
	out := image.NewAlpha(beyond)
	pen.Reset(beyond)
	pen.Fill(geom.RectOutline((r.MinX+r.MaxX)/2, (r.MinY+r.MaxY)/2, r.MaxX-r.MinX, r.MaxY-r.MinY, 0), geom.Identity)
	pen.Spans(false, func(x, y int, row []uint8) { copy(out.Pix[out.PixOffset(x, y):], row) })
	return out
}

var square = geom.Rect{MinX: 20, MinY: 20, MaxX: 60, MaxY: 60}

// painted are the pictures that a style paints over white, around the square and inside of it.
func painted(t *testing.T, shape *image.Alpha, one *aep.Property, options ...*aep.Property) (around, inside *raster.Image) {
	t.Helper()
	set := style.Compile(eval.Ref{Prop: group("ADBE Layer Styles", append(options, one)...)})
	if set == nil || len(set.Below)+len(set.Above) != 1 {
		t.Fatalf("%s makes %+v", one.Match, set)
	}
	around, inside = image.NewRGBA(area), image.NewRGBA(area)
	raster.FillRect(around, area, raster.Color{255, 255, 255, 255})
	raster.FillRect(inside, area, raster.Color{255, 255, 255, 255})
	f := &style.Frame{
		Eval: &eval.Evaluator{}, Scale: 1, Whole: geom.Rect{MaxX: 80, MaxY: 80}, Layer: square,
		Surface: func(r image.Rectangle) (*raster.Image, func()) { return image.NewRGBA(r), func() {} },
	}
	c := &style.Canvas{Shape: shape, Around: around, Inside: inside}
	for _, s := range append(set.Below, set.Above...) {
		s.Paint(f, c)
	}
	return around, inside
}

// near checks the red of a pixel.
func near(t *testing.T, what string, img *raster.Image, x, y int, want, slack float64) {
	t.Helper()
	if got := float64(img.RGBAAt(x, y).R); math.Abs(got-want) > slack {
		t.Errorf("%s: red at %d, %d is %v, want %v", what, x, y, got, want)
	}
}

// hard is a black style without blur, noise and transparency.
func hard(prefix string, more ...*aep.Property) *aep.Property {
	return group(prefix+"enabled", append(more, value(prefix+"mode2", 1), value(prefix+"opacity", 100), value(prefix+"color", 0, 0, 0, 1), value(prefix+"blur", 0))...)
}

func TestAShadowFallsAwayFromTheLight(t *testing.T) {
	for _, c := range []struct{ angle, dx, dy float64 }{{0, -10, 0}, {90, 0, 10}, {180, 10, 0}, {270, 0, -10}, {math.Atan2(4, 3) * 180 / math.Pi, -6, 8}} {
		around, _ := painted(t, rectangle(square), hard("dropShadow/", value("dropShadow/localLightingAngle", c.angle), value("dropShadow/distance", 10)))
		for y := range 80 {
			for x := range 80 {
				want := 255.0
				if px, py := float64(x)+0.5-c.dx, float64(y)+0.5-c.dy; px > 20 && px < 60 && py > 20 && py < 60 {
					want = 0
				}
				near(t, "shadow", around, x, y, want, 1)
			}
		}
	}
}

func TestTheGlobalLightIsThatOfTheBlendingOptions(t *testing.T) {
	shadow := hard("dropShadow/", value("dropShadow/localLightingAngle", 0), value("dropShadow/distance", 10), value("dropShadow/useGlobalAngle", 1))
	around, _ := painted(t, rectangle(square), shadow, group("ADBE Blend Options Group", value("ADBE Global Angle2", 180)))
	near(t, "to the right", around, 65, 40, 0, 1)
	near(t, "on the left", around, 15, 40, 255, 1)
}

// The blur of a step is the Gaussian integral.
func TestASoftShadowIsTheBlurOfAStep(t *testing.T) {
	around, _ := painted(t, rectangle(geom.Rect{MinX: -80, MinY: -80, MaxX: 40, MaxY: 160}), group("dropShadow/enabled",
		value("dropShadow/mode2", 1), value("dropShadow/opacity", 100), value("dropShadow/color", 0, 0, 0, 1), value("dropShadow/distance", 0), value("dropShadow/blur", 20)))
	const sigma = 20 * 0.3
	for x := 20; x < 60; x++ {
		k := 0.5 * math.Erfc((float64(x)+0.5-40)/(sigma*math.Sqrt2))
		near(t, "blur", around, x, 40, 255*(1-k), 4)
	}
}

func TestSpreadWidensAShadowWithRoundCorners(t *testing.T) {
	shadow := hard("dropShadow/", value("dropShadow/distance", 0), value("dropShadow/chokeMatte", 100))
	shadow.Children[len(shadow.Children)-1] = value("dropShadow/blur", 10)
	around, _ := painted(t, rectangle(square), shadow)
	rounded(t, around, 10)
}

// rounded checks that img is black within a distance of the square.
func rounded(t *testing.T, img *raster.Image, by float64) {
	t.Helper()
	for y := range 80 {
		for x := range 80 {
			px, py := float64(x)+0.5, float64(y)+0.5
			d := math.Hypot(max(0, 20-px, px-60), max(0, 20-py, py-60))
			switch {
			case d < by-0.7:
				near(t, "within", img, x, y, 0, 1)
			case d > by+0.7:
				near(t, "beyond", img, x, y, 255, 1)
			}
		}
	}
}

func TestAStrokeLiesOutsideInsideOrOnTheEdge(t *testing.T) {
	paint := func(side float64) (around, inside *raster.Image) {
		return painted(t, rectangle(square), group("frameFX/enabled", value("frameFX/color", 0, 0, 0, 1), value("frameFX/size", 8), value("frameFX/style", side)))
	}
	around, inside := paint(1)
	rounded(t, around, 8)
	near(t, "an outer stroke", inside, 21, 40, 255, 1)
	around, inside = paint(2)
	near(t, "an inner stroke", around, 18, 40, 255, 1)
	for x := 20; x < 60; x++ {
		want := 255.0
		if x < 28 || x >= 52 {
			want = 0
		}
		near(t, "an inner stroke", inside, x, 40, want, 1)
	}
	near(t, "the corner of an inner stroke", inside, 29, 29, 255, 1) // is not round
	around, inside = paint(3)
	rounded(t, around, 4)
	near(t, "a stroke on the edge", inside, 23, 40, 0, 1)
	near(t, "a stroke on the edge", inside, 25, 40, 255, 1)
}

// A stroke along an edge between pixels covers what the shape does not, and no more.
func TestAStrokeLeavesNoGapAtAnEdgeBetweenPixels(t *testing.T) {
	shape := rectangle(geom.Rect{MinX: 20.25, MinY: 20, MaxX: 60, MaxY: 60})
	around, _ := painted(t, shape, group("frameFX/enabled", value("frameFX/color", 0, 0, 0, 1), value("frameFX/size", 4)))
	near(t, "the pixel of the edge", around, 20, 40, 0, 1)
	near(t, "the last pixel", around, 16, 40, 255*0.25, 3)
	near(t, "beyond", around, 15, 40, 255, 1)
}

func TestAnInnerShadowIsThatOfTheSurroundings(t *testing.T) {
	around, inside := painted(t, rectangle(square), hard("innerShadow/", value("innerShadow/localLightingAngle", 180), value("innerShadow/distance", 6)))
	near(t, "around", around, 18, 40, 255, 0)
	for x := 20; x < 60; x++ {
		want := 255.0
		if x < 26 {
			want = 0
		}
		near(t, "inside", inside, x, 40, want, 1)
	}
}

// A glow is full at the edge and as the Gaussian integral beyond: the common range of 50 per cent doubles what the blur leaves there.
func TestAGlowIsFullAtTheEdge(t *testing.T) {
	half := rectangle(geom.Rect{MinX: -80, MinY: -80, MaxX: 40, MaxY: 160})
	glow := func(prefix string, more ...*aep.Property) *aep.Property {
		return group(prefix+"enabled", append(more, value(prefix+"mode2", 1), value(prefix+"opacity", 100), value(prefix+"color", 0, 0, 0, 1), value(prefix+"blur", 20))...)
	}
	around, _ := painted(t, half, glow("outerGlow/"))
	_, inside := painted(t, half, glow("innerGlow/"))
	_, center := painted(t, half, glow("innerGlow/", value("innerGlow/innerGlowSource", 2)))
	const sigma = 20 * 0.3
	for d := 0; d < 20; d++ {
		k := math.Erfc((float64(d) + 0.5) / (sigma * math.Sqrt2))
		near(t, "outer glow", around, 40+d, 40, 255*(1-k), 8)
		near(t, "inner glow", inside, 39-d, 40, 255*(1-k), 8)
		near(t, "inner glow of the middle", center, 39-d, 40, 255*k, 8)
	}
}

func TestAPreciseGlowFadesEvenly(t *testing.T) {
	half := rectangle(geom.Rect{MinX: -80, MinY: -80, MaxX: 40, MaxY: 160})
	around, _ := painted(t, half, group("outerGlow/enabled", value("outerGlow/mode2", 1), value("outerGlow/opacity", 100), value("outerGlow/color", 0, 0, 0, 1),
		value("outerGlow/blur", 20), value("outerGlow/glowTechnique", 2)))
	for d := range 30 {
		near(t, "glow", around, 40+d, 40, 255*min(1, (float64(d)+0.5)/20), 2)
	}
}

func TestOverlaysAreLaidByTheirBlendMode(t *testing.T) {
	_, inside := painted(t, rectangle(square), group("solidFill/enabled", value("solidFill/color", 0.5, 0, 0, 1), value("solidFill/opacity", 50)))
	near(t, "normal", inside, 40, 40, 191, 1) // the middle of 255 and 127.5
	_, inside = painted(t, rectangle(square), group("solidFill/enabled", value("solidFill/color", 0.25, 0, 0, 1), value("solidFill/mode2", 24)))
	near(t, "difference", inside, 40, 40, 191, 1)
}

func TestAGradientIsAsLongAsTheLayer(t *testing.T) {
	ramp := &aep.Property{Match: "gradientFill/gradient", Enabled: true, Value: &aep.Gradient{
		Colors: []aep.ColorStop{{Offset: 0, Midpoint: 0.5, RGB: [3]float64{0, 0, 0}}, {Offset: 1, Midpoint: 0.5, RGB: [3]float64{1, 1, 1}}},
		Alphas: []aep.AlphaStop{{Offset: 0, Midpoint: 0.5, Alpha: 1}, {Offset: 1, Midpoint: 0.5, Alpha: 1}},
	}}
	for _, c := range []struct {
		name string
		more []*aep.Property
		want func(x, y float64) float64
	}{
		{"upwards", nil, func(_, y float64) float64 { return (60 - y) / 40 }},
		{"to the right", []*aep.Property{value("gradientFill/angle", 0)}, func(x, _ float64) float64 { return (x - 20) / 40 }},
		{"reversed", []*aep.Property{value("gradientFill/angle", 0), value("gradientFill/reverse", 1)}, func(x, _ float64) float64 { return (60 - x) / 40 }},
		{"of the composition", []*aep.Property{value("gradientFill/angle", 0), value("gradientFill/align", 0)}, func(x, _ float64) float64 { return x / 80 }},
		{"half as long", []*aep.Property{value("gradientFill/angle", 0), value("gradientFill/scale", 50)}, func(x, _ float64) float64 { return (x - 30) / 20 }},
		{"radial", []*aep.Property{value("gradientFill/type", 2)}, func(x, y float64) float64 { return math.Hypot(x-40, y-40) / 20 }},
		{"reflected", []*aep.Property{value("gradientFill/type", 4)}, func(_, y float64) float64 { return math.Abs(y-40) / 20 }},
		{"diamond", []*aep.Property{value("gradientFill/type", 5)}, func(x, y float64) float64 { return (math.Abs(x-40) + math.Abs(y-40)) / 20 }},
		{"moved", []*aep.Property{value("gradientFill/angle", 0), value("gradientFill/offset", 25, 0)}, func(x, _ float64) float64 { return (x - 30) / 40 }},
	} {
		_, inside := painted(t, rectangle(square), group("gradientFill/enabled", append(c.more, ramp)...))
		for y := 20; y < 60; y += 3 {
			for x := 20; x < 60; x += 3 {
				near(t, c.name, inside, x, y, 255*max(0, min(1, c.want(float64(x)+0.5, float64(y)+0.5))), 2)
			}
		}
	}
	_, inside := painted(t, rectangle(square), group("gradientFill/enabled", value("gradientFill/type", 3), value("gradientFill/angle", 0), ramp))
	near(t, "angle, up", inside, 40, 22, 255*0.25, 6)
	near(t, "angle, left", inside, 22, 39, 255*0.5, 6)
	near(t, "angle, down", inside, 39, 58, 255*0.75, 6)
}

// Half a turn apart, the copies of a plain's edge differ by the difference of two Gaussian integrals.
func TestSatinIsTheDifferenceOfTwoCopies(t *testing.T) {
	half := rectangle(geom.Rect{MinX: -80, MinY: -80, MaxX: 40, MaxY: 160})
	_, inside := painted(t, half, group("chromeFX/enabled", value("chromeFX/mode2", 1), value("chromeFX/opacity", 100), value("chromeFX/color", 0, 0, 0, 1),
		value("chromeFX/localLightingAngle", 0), value("chromeFX/distance", 10), value("chromeFX/blur", 10), value("chromeFX/invert", 0)))
	step := func(d float64) float64 { return 0.5 * math.Erfc(d/(3*math.Sqrt2)) }
	for x := range 40 {
		d := float64(x) + 0.5 - 40
		near(t, "satin", inside, x, 40, 255*(1-(step(d-10)-step(d+10))), 5)
	}
}

// A chisel makes plains: their light is Lambert's law.
func TestABevelIsLitFromItsAngle(t *testing.T) {
	around, inside := painted(t, rectangle(square), group("bevelEmboss/enabled", value("bevelEmboss/bevelTechnique", 2), value("bevelEmboss/blur", 8),
		value("bevelEmboss/localLightingAngle", 180), value("bevelEmboss/localLightingAltitude", 30), value("bevelEmboss/shadowOpacity", 100),
		value("bevelEmboss/highlightOpacity", 100), value("bevelEmboss/highlightMode", 1), value("bevelEmboss/highlightColor", 0, 0, 0, 1), value("bevelEmboss/shadowMode", 1),
		value("bevelEmboss/shadowColor", 0, 0, 0, 1)))
	plain := 0.5
	lit := (0.5 + math.Cos(math.Pi/6)) / math.Sqrt2 // the left slope: its normal is (-1, 0, 1) / sqrt 2
	near(t, "the left slope", inside, 23, 40, 255*(1-(lit-plain)/(1-plain)), 3)
	near(t, "the right slope, which is turned away", inside, 56, 40, 0, 3)
	near(t, "the middle", inside, 40, 40, 255, 0)
	unlit := 0.5 / math.Sqrt2 // the upper slope
	near(t, "the upper slope", inside, 40, 23, 255*(1-(plain-unlit)/plain), 3)
	near(t, "around", around, 18, 40, 255, 0)
}

func TestAnEmbossIsSeenOnBothSidesOfTheEdge(t *testing.T) {
	for kind, want := range map[float64][2]bool{1: {true, false}, 2: {false, true}, 3: {true, true}, 4: {true, true}} {
		around, inside := painted(t, rectangle(square), group("bevelEmboss/enabled", value("bevelEmboss/bevelStyle", kind), value("bevelEmboss/bevelTechnique", 2),
			value("bevelEmboss/blur", 8), value("bevelEmboss/localLightingAngle", 180)))
		changed := func(img *raster.Image, from, to int) bool {
			for x := from; x < to; x++ {
				if img.RGBAAt(x, 40).R < 250 {
					return true
				}
			}
			return false
		}
		if got := [2]bool{changed(around, 60, 70) || changed(around, 10, 20), changed(inside, 50, 60) || changed(inside, 20, 30)}; got != want {
			t.Errorf("style %v is seen around and inside: %v, want %v", kind, got, want)
		}
	}
}

func TestNoiseKeepsTheMeanAndBringsSpecks(t *testing.T) {
	shadow := hard("dropShadow/", value("dropShadow/distance", 0), value("dropShadow/noise", 100))
	shape := image.NewAlpha(beyond)
	for i := range shape.Pix {
		shape.Pix[i] = 64
	}
	around, _ := painted(t, shape, shadow)
	sum, n := 0.0, 0.0
	for y := range 80 {
		for x := range 80 {
			r := around.RGBAAt(x, y).R
			if r != 0 && r != 255 {
				t.Fatalf("%d, %d is %d", x, y, r)
			}
			sum, n = sum+float64(r), n+1
		}
	}
	if want := 255.0 - 64; math.Abs(sum/n-want) > 5 {
		t.Errorf("the mean is %v, want %v", sum/n, want)
	}
}

func TestHostileNumbersPaintSomethingAndEnd(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 1e300} {
		for _, prefix := range []string{"dropShadow/", "innerShadow/", "outerGlow/", "innerGlow/", "bevelEmboss/", "chromeFX/", "solidFill/", "gradientFill/", "frameFX/"} {
			var all []*aep.Property
			for _, name := range []string{"mode2", "opacity", "color", "localLightingAngle", "distance", "chokeMatte", "blur", "noise", "inputRange", "size", "angle", "scale", "strengthRatio", "softness", "localLightingAltitude"} {
				all = append(all, value(prefix+name, v, v, v, v))
			}
			painted(t, rectangle(square), group(prefix+"enabled", all...))
		}
	}
}
