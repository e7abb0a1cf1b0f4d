package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// Pictures whose result can be reckoned: ramps, steps and flat ones.

// closeTo fails when a value is further from what is reckoned than roundings add up to.
func closeTo(t *testing.T, what string, got uint8, want, within float64) {
	t.Helper()
	if want = max(0, min(255, want)); math.Abs(float64(got)-want) > within {
		t.Errorf("%s: %d, reckoned %.1f", what, got, want)
	}
}

// Of a ramp that rises by g at each pixel, the colours at d to both sides of a pixel differ by 2·g·d, d being the part of the relief along the ramp.
func TestEmbossOfARampIsItsSlope(t *testing.T) {
	const slope = 3
	for _, c := range []struct{ direction, relief, contrast float64 }{
		{90, 1, 100}, {-90, 1, 100}, {90, 2.5, 100}, {45, 3, 100}, {210, 3, 50}, {0, 3, 100}, {90, 1, -100},
	} {
		for _, match := range []string{"ADBE Emboss", "ADBE Color Emboss"} {
			img := flat(61, 31, [4]uint8{0, 0, 0, 255})
			for y := range 31 {
				for x := range 61 {
					v := uint8(slope*x + 20)
					copy(img.Pix[img.PixOffset(x, y):], []uint8{v, v, v})
				}
			}
			(&rig{T: t}).draw(match, params{"0001": one(c.direction), "0002": one(c.relief), "0003": one(c.contrast)}, img)
			rise := -2 * slope * c.relief * math.Sin(c.direction*math.Pi/180) * c.contrast / 100
			for _, x := range []int{20, 30, 40} {
				ground := 127.5
				if match == "ADBE Color Emboss" {
					ground = float64(slope*x + 20)
				}
				closeTo(t, match, img.RGBAAt(x, 15).R, ground+rise, 1.5)
			}
		}
	}
}

// A mean over a width turns a step into a ramp as wide. A choke moves the place at which it passes the middle by its share of half of that, and the grey
// softness is the share of the width that stays.
func TestAMatteChokerOfAStepIsARamp(t *testing.T) {
	for _, c := range []struct{ softness, choke, grey float64 }{
		{8, 0, 1}, {8, 0, 0.5}, {8, 63.5, 0.5}, {8, -63.5, 0.5}, {4, 40, 0.25}, {12, -30, 0.3},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 81, 61))
		raster.FillRect(img, image.Rect(0, 0, 40, 61), raster.Color{255, 100, 0, 255})
		(&rig{T: t}).draw("ADBE Matte Choker", params{"0001": one(c.softness), "0002": one(c.choke), "0003": one(c.grey)}, img)
		width := 2*c.softness + 1
		for x := 26; x < 54; x++ {
			soft := unit(0.5 - (float64(x)+0.5-40)/width) // of the mean around the middle of the pixel
			want := 255 * unit((soft-(1+c.choke/127)/2)/c.grey+0.5)
			px := img.RGBAAt(x, 30)
			closeTo(t, "a choked step", px.A, want, 1+1/c.grey)
			closeTo(t, "its red", px.R, float64(px.A), 1)
			closeTo(t, "its green", px.G, float64(px.A)*100/255, 3)
		}
	}
}

// The light of a sweep falls with the distance from its line, by the shape: evenly, as 3s²-2s³, or as the square.
func TestALightSweepFallsByItsShape(t *testing.T) {
	shapes := map[float64]func(left float64) float64{
		1: func(s float64) float64 { return s },
		2: func(s float64) float64 { return s * s * (3 - 2*s) },
		3: func(s float64) float64 { return s * s },
	}
	for shape, curve := range shapes {
		for _, direction := range []float64{0, -30, 45, 90} {
			img := flat(101, 101, [4]uint8{50, 50, 50, 255})
			(&rig{T: t}).draw("CC Light Sweep", params{
				"0001": aep.Numbers{50.5, 50.5}, "0002": one(direction), "0003": one(shape), "0004": one(30), "0005": one(60), "0006": one(0),
				"0008": aep.Numbers{1, 1, 1, 1},
			}, img)
			sin, cos := math.Sincos(direction * math.Pi / 180)
			for _, at := range []image.Point{{50, 50}, {58, 50}, {50, 35}, {70, 60}, {40, 72}, {90, 50}} {
				// The line goes up, and with the direction clockwise.
				far := math.Abs(float64(at.X-50)*cos + float64(at.Y-50)*sin)
				closeTo(t, "the light", img.RGBAAt(at.X, at.Y).R, 50+0.6*255*curve(unit(1-far/30)), 1)
			}
		}
	}
}

// Beside a white half the light of a glow is the normal distribution of the distance, and within flat grey what exceeds the threshold, stretched.
func TestAGlowOfAStepIsTheNormalDistribution(t *testing.T) {
	const radius, strength = 40, 0.8
	img := flat(121, 61, [4]uint8{0, 0, 0, 255})
	raster.FillRect(img, image.Rect(0, 0, 60, 61), raster.Color{255, 255, 255, 255})
	(&rig{T: t}).draw("ADBE Glo2", params{"0002": one(102), "0003": one(radius), "0004": one(strength)}, img)
	for x := 60; x < 110; x++ {
		share := math.Erfc((float64(x)+0.5-60)/(radius*BlurSigma)/math.Sqrt2) / 2
		closeTo(t, "beside the step", img.RGBAAt(x, 30).R, 255*strength*share, 4)
	}
	grey := flat(61, 61, [4]uint8{150, 120, 90, 255})
	(&rig{T: t}).draw("ADBE Glo2", params{"0002": one(100), "0003": one(5), "0004": one(0.5)}, grey)
	for i, v := range []float64{150, 120, 90} {
		closeTo(t, "a flat picture", grey.Pix[grey.PixOffset(30, 30)+i], v+0.5*max(0, v-100)/155*255, 1.5)
	}
}

// Light that is weak before it is strengthened spreads evenly, and not in bands: each pixel differs from the next by no more than the slope of the normal distribution.
func TestAStrengthenedGlowHasNoBands(t *testing.T) {
	const radius, strength, grey, threshold = 60, 10, 60, 50
	light := 255.0 * (grey - threshold) / (255 - threshold) // rounded to 12
	img := flat(201, 31, [4]uint8{0, 0, 0, 255})
	raster.FillRect(img, image.Rect(0, 0, 100, 31), raster.Color{grey, grey, grey, 255})
	(&rig{T: t}).draw("ADBE Glo2", params{"0002": one(threshold), "0003": one(radius), "0004": one(strength), "0014": one(2)}, img)
	steepest := strength * math.Round(light) / (radius * BlurSigma * math.Sqrt(2*math.Pi))
	for x := 100; x < 200; x++ {
		if a, b := int(img.RGBAAt(x, 15).R), int(img.RGBAAt(x+1, 15).R); a < b || float64(a-b) > steepest+1.5 {
			t.Errorf("column %d is %d, the next %d", x, a, b)
		}
	}
	if c := img.RGBAAt(101, 15).R; c < 50 {
		t.Errorf("beside the step the light is %d", c)
	}
}

// Without fractal influence the border of Roughen Edges is the step, twice averaged, steepened about the middle between the edge and where it is whole.
func TestRoughEdgesWithoutNoiseAreASteepenedStep(t *testing.T) {
	for _, c := range []struct{ border, sharpness float64 }{{16, 0}, {16, 1}, {10, 0.5}} {
		img := image.NewRGBA(image.Rect(0, 0, 81, 61))
		raster.FillRect(img, image.Rect(0, 0, 40, 61), raster.Color{255, 255, 255, 255})
		(&rig{T: t}).draw("ADBE Roughen Edges", params{"0002": one(c.border), "0003": one(c.sharpness), "0004": one(0)}, img)
		width, steep := c.border+1, 1+3*c.sharpness
		for x := 22; x < 40; x++ {
			in := 1 - unit((40-float64(x)-0.5)/width)
			soft := 1 - in*in/2
			want := 255 * unit((soft-(1.5-0.5/steep)/2)*steep+0.5)
			closeTo(t, "a border without noise", img.RGBAAt(x, 30).A, want, 2+2*steep)
		}
		if a := img.RGBAAt(45, 30).A; a != 0 {
			t.Errorf("beyond the edge an alpha of %d", a)
		}
	}
}

// lightOf and valueOf are what IEC 61966-2-1 (sRGB) says of a value.
func lightOf(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func valueOf(light float64) float64 {
	if light <= 0.0031308 {
		return light * 12.92
	}
	return 1.055*math.Pow(min(1, light), 1/2.4) - 0.055
}

// A stop of Lumetri's exposure doubles the light.
func TestLumetrisExposureDoublesLight(t *testing.T) {
	for _, stops := range []float64{-3, -1, 0.5, 1, 2} {
		for _, grey := range []uint8{4, 40, 100, 180, 250} {
			got := pixel(t, "ADBE Lumetri", params{"0011": one(stops)}, [4]uint8{grey, grey, grey, 255})
			closeTo(t, "exposed grey", got[0], 255*valueOf(lightOf(float64(grey)/255)*math.Exp2(stops)), 1)
		}
	}
}

// A full turn of Lumetri's temperature gives red a quarter more light and blue a quarter less; one of its tint takes a quarter of green's, half of which red and
// blue have more.
func TestLumetrisWhiteBalanceIsOfLight(t *testing.T) {
	for _, c := range []struct {
		warm, tint float64
		gain       [3]float64
	}{
		{100, 0, [3]float64{1.25, 1, 0.75}}, {-100, 0, [3]float64{0.75, 1, 1.25}}, {40, 0, [3]float64{1.1, 1, 0.9}},
		{0, 100, [3]float64{1.125, 0.75, 1.125}}, {0, -60, [3]float64{0.925, 1.15, 0.925}}, {100, 100, [3]float64{1.375, 0.75, 0.875}},
	} {
		for _, grey := range []uint8{10, 90, 160, 250} {
			got := pixel(t, "ADBE Lumetri", params{"0007": one(c.warm), "0008": one(c.tint)}, [4]uint8{grey, grey, grey, 255})
			for i, k := range c.gain {
				closeTo(t, "balanced grey", got[i], 255*valueOf(lightOf(float64(grey)/255)*k), 1)
			}
		}
	}
}

// What Lumetri's sliders of light add to a grey, in shares of white, at a full turn. Black and white stay where they are but for whites and blacks, which move
// them by a quarter; highlights move most at two thirds (2/27 of white), shadows at one third.
func TestLumetrisSlidersOfLightAddTheirCurves(t *testing.T) {
	curves := map[string]func(v float64) float64{
		"0012": func(v float64) float64 { return -math.Sin(2*math.Pi*v) / (3 * math.Pi) },
		"0013": func(v float64) float64 { return v * v * (1 - v) / 2 },
		"0014": func(v float64) float64 { return (1 - v) * (1 - v) * v / 2 },
		"0015": func(v float64) float64 { return v * v * v / 4 },
		"0016": func(v float64) float64 { return (1 - v) * (1 - v) * (1 - v) / 4 },
	}
	for number, curve := range curves {
		for _, turn := range []float64{-100, -30, 50, 100} {
			for _, grey := range []uint8{0, 12, 85, 128, 170, 240, 255} {
				v := float64(grey) / 255
				got := pixel(t, "ADBE Lumetri", params{number: one(turn)}, [4]uint8{grey, grey, grey, 255})
				closeTo(t, "slider "+number, got[0], 255*(v+curve(v)*turn/100), 1)
			}
		}
	}
	for number, at := range map[string]uint8{"0013": 170, "0014": 85} {
		got := pixel(t, "ADBE Lumetri", params{number: one(100)}, [4]uint8{at, at, at, 255})
		closeTo(t, "where slider "+number+" moves most", got[0], float64(at)+255*2.0/27, 1)
	}
	for number, ends := range map[string][2]float64{"0015": {0, 191.25}, "0016": {0, 255}} { // turned back
		for i, v := range []uint8{0, 255} {
			got := pixel(t, "ADBE Lumetri", params{number: one(-100)}, [4]uint8{v, v, v, 255})
			closeTo(t, "an end of slider "+number, got[0], ends[i], 1)
		}
	}
}

// Lumetri's saturation multiplies the distance of a colour to its luma (BT.601); the saturation of its creative part multiplies that again; vibrance does so the
// less, the further channels lie apart; a faded film has black at a fifth and white at nine tenths.
func TestLumetrisColoursKeepTheirLuma(t *testing.T) {
	from := [4]uint8{150, 110, 90, 255}
	luma := 0.299*150 + 0.587*110 + 0.114*90
	apart := (150.0 - 90) / 255
	for name, c := range map[string]struct {
		values params
		times  float64
	}{
		"less":     {params{"0020": one(40)}, 0.4},
		"more":     {params{"0020": one(170)}, 1.7},
		"creative": {params{"0031": one(150)}, 1.5},
		"both":     {params{"0020": one(50), "0031": one(160)}, 0.8},
		"vibrant":  {params{"0030": one(80)}, 1 + 0.8*(1-apart)},
		"dull":     {params{"0030": one(-60)}, 1 - 0.6*(1-apart)},
	} {
		got := pixel(t, "ADBE Lumetri", c.values, from)
		for i := range 3 {
			closeTo(t, name, got[i], luma+(float64(from[i])-luma)*c.times, 1)
		}
	}
	for _, share := range []float64{30, 100} {
		got := pixel(t, "ADBE Lumetri", params{"0028": one(share)}, [4]uint8{0, 100, 255, 255})
		for i, v := range []float64{0, 100, 255} {
			closeTo(t, "faded", got[i], v+(51+0.7*v-v)*share/100, 1)
		}
	}
}

// Within the edge's width of where the layer ends, the light of a sweep is stronger by the edge's; what receives it takes it in one of three ways.
func TestALightSweepIsStrongerAlongEdges(t *testing.T) {
	const width, sweep, rim = 6, 0.2, 0.5
	for receive, of := range map[float64]func(v, light float64) float64{
		1: func(v, light float64) float64 { return v + 255*light },
		2: func(v, light float64) float64 { return v + (255-v)*min(1, light) },
		3: func(v, light float64) float64 { return v * min(1, light) },
	} {
		img := image.NewRGBA(image.Rect(0, 0, 101, 101))
		raster.FillRect(img, image.Rect(20, 20, 81, 81), raster.Color{100, 100, 100, 255})
		(&rig{T: t}).draw("CC Light Sweep", params{
			"0001": aep.Numbers{50.5, 50.5}, "0002": one(90), "0003": one(1), "0004": one(1e6), "0005": one(100 * sweep), "0006": one(100 * rim), "0007": one(width),
			"0008": aep.Numbers{1, 1, 1, 1}, "0009": one(receive),
		}, img)
		for _, c := range []struct {
			x     int
			light float64
		}{{20, sweep + rim}, {25, sweep + rim}, {26, sweep}, {50, sweep}, {74, sweep}, {75, sweep + rim}, {80, sweep + rim}} {
			closeTo(t, "the light", img.RGBAAt(c.x, 50).R, of(100, c.light), 1)
		}
		if px := img.RGBAAt(19, 50); px.A != 0 || px.R != 0 {
			t.Errorf("beyond the layer lies %v", px)
		}
	}
}
