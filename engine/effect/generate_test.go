package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/engine/raster"
)

// ink is how many pixels an effect has painted on nothing, in all.
func ink(t *testing.T, match string, values params, w, h int) float64 {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	(&rig{T: t}).draw(match, values, img)
	sum := 0.0
	for i := 3; i < len(img.Pix); i += 4 {
		sum += float64(img.Pix[i]) / 255
	}
	return sum
}

func TestShapesHaveTheirAreas(t *testing.T) {
	for _, c := range []struct {
		what, match string
		values      params
		want, slack float64
	}{
		{"a disc", "ADBE Circle", params{"0002": one(30)}, math.Pi * 900, 5},
		{"a ring between two radii", "ADBE Circle", params{"0002": one(30), "0003": one(2), "0004": one(20)}, math.Pi * 500, 5},
		{"a ring of a thickness", "ADBE Circle", params{"0002": one(30), "0003": one(3), "0004": one(8)}, math.Pi * (34*34 - 26*26), 5},
		{"all but a disc", "ADBE Circle", params{"0002": one(30), "0009": one(1)}, 100*100 - math.Pi*900, 5},
		{"a soft disc, as large as a sharp one to first order", "ADBE Circle", params{"0002": one(30), "0006": one(10)}, math.Pi * (900 + 100.0/12), 10},
		{"a grid of 20 with lines of 4", "ADBE Grid", params{"0002": one(2), "0004": one(20), "0006": one(4)}, 100*100 - 5*5*16*16, 1},
		{"between its lines", "ADBE Grid", params{"0002": one(2), "0004": one(20), "0006": one(4), "0011": one(1)}, 5 * 5 * 16 * 16, 1},
		{"a grid from a corner", "ADBE Grid", params{"0001": one(0, 0), "0003": one(25, 50), "0006": one(5)}, 100*100 - 20*4*45*2, 3},
		{"a board of 10", "ADBE Checkerboard", params{"0004": one(10)}, 5000, 1},
		{"a board of 10 by 25", "ADBE Checkerboard", params{"0002": one(3), "0004": one(10), "0005": one(25)}, 5000, 1},
		{"a hard beam", "ADBE Laser", params{"0001": one(10, 50), "0002": one(90, 50), "0003": one(1), "0007": one(0)}, 80*8 + math.Pi*16, 12},
		{"a hard ring", "ADBE ELLIPSE", params{"0002": one(60), "0003": one(60), "0005": one(0)}, 2 * math.Pi * 30 * 8, 10},
	} {
		if got := ink(t, c.match, c.values, 100, 100); math.Abs(got-c.want) > c.slack {
			t.Errorf("%s covers %v pixels, want %v", c.what, got, c.want)
		}
	}
}

func TestBlendingModesJoinWhatIsPaintedWithTheLayer(t *testing.T) {
	for mode, want := range map[float64][4]uint8{
		1: {0, 200, 0, 255}, 2: {0, 200, 0, 255}, 5: {255, 255, 255, 255}, 6: {0, 200, 0, 255}, 18: {255, 55, 255, 255},
	} {
		img := white(8, 8)
		(&rig{T: t}).draw("ADBE Circle", params{"0002": one(3), "0010": one(0, 200.0/255, 0, 1), "0012": one(mode)}, img)
		if got := [4]uint8(img.Pix[img.PixOffset(4, 4):]); got != want {
			t.Errorf("mode %v gives %v, want %v", mode, got, want)
		}
		wantCorner := uint8(255)
		if mode == 1 {
			wantCorner = 0
		}
		if got := img.RGBAAt(0, 0).A; got != wantCorner {
			t.Errorf("mode %v leaves %d at the corner, want %d", mode, got, wantCorner)
		}
	}
}

func TestFourColoursAreThemselvesAtTheirPointsAndMeetInTheMiddle(t *testing.T) {
	img := white(101, 101)
	(&rig{T: t}).draw("ADBE 4ColorGradient", params{
		"0001": one(0.5, 0.5), "0003": one(100.5, 0.5), "0005": one(0.5, 100.5), "0007": one(100.5, 100.5),
	}, img)
	for at, want := range map[image.Point][4]uint8{
		{0, 0}: {255, 255, 0, 255}, {100, 0}: {0, 255, 0, 255}, {0, 100}: {255, 0, 255, 255}, {100, 100}: {0, 0, 255, 255},
		{50, 50}: {128, 128, 128, 255},
	} {
		if got := [4]uint8(img.Pix[img.PixOffset(at.X, at.Y):]); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
}

// meanGrey are the mean and the standard deviation of the red of a picture.
func meanGrey(img *raster.Image) (mean, deviation float64) {
	var sum, squares, n float64
	for i := 0; i < len(img.Pix); i += 4 {
		v := float64(img.Pix[i])
		sum, squares, n = sum+v, squares+v*v, n+1
	}
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean)
}

func TestNoiseIsGreyAroundTheMiddleAndFollowsItsControls(t *testing.T) {
	draw := func(match string, values params) *raster.Image {
		img := white(400, 400)
		values["0010"] = one(10)
		(&rig{T: t}).draw(match, values, img)
		return img
	}
	for _, match := range []string{"ADBE Fractal Noise", "ADBE AIF Perlin Noise 3D"} {
		mean, deviation := meanGrey(draw(match, params{}))
		if math.Abs(mean-127.5) > 10 || deviation < 20 || deviation > 80 {
			t.Errorf("%s is %v ± %v", match, mean, deviation)
		}
		if brighter, _ := meanGrey(draw(match, params{"0005": one(20)})); math.Abs(brighter-mean-51) > 8 {
			t.Errorf("%s 20 brighter is %v, from %v", match, brighter, mean)
		}
		if _, flat := meanGrey(draw(match, params{"0004": one(50)})); math.Abs(flat-deviation/2) > 4 {
			t.Errorf("%s of half the contrast deviates by %v, from %v", match, flat, deviation)
		}
		plain, inverted := draw(match, params{}), draw(match, params{"0003": one(1)})
		if a, b := plain.Pix[4000], inverted.Pix[4000]; a+b < 254 {
			t.Errorf("%s is %d, and inverted %d", match, a, b)
		}
	}
}

func TestNoiseKeepsTheTransparencyOfItsLayer(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 20, 20))
	for i := range img.Pix[:len(img.Pix)/2] {
		img.Pix[i] = 100
	}
	(&rig{T: t}).draw("ADBE Fractal Noise", nil, img)
	if a, b := img.RGBAAt(5, 5).A, img.RGBAAt(5, 15).A; a != 100 || b != 0 {
		t.Errorf("opacity %d and %d, want 100 and 0", a, b)
	}
}

func TestCellsAreFoundByTheirNearestPoint(t *testing.T) {
	cells := newCellPoints(0, 0, 0, layerRect(&Frame{}))
	first, second, _ := cells.near(0.5, 0.6)
	if math.Abs(first-0.1) > 1e-9 || math.Abs(second-0.9) > 1e-9 {
		t.Errorf("of a regular lattice the nearest points are %v and %v away, want 0.1 and 0.9", first, second)
	}
}

func TestEyedropperFillTakesTheMeanAroundAPoint(t *testing.T) {
	img := slope(100, 100)
	(&rig{T: t}).draw("ADBE Eyedropper Fill", params{"0001": one(40, 60), "0002": one(10)}, img)
	if got, want := [4]uint8(img.Pix), [4]uint8{40, 60, 0, 255}; got[0]-want[0]+1 > 2 || got[1]-want[1]+1 > 2 || got[3] != 255 {
		t.Errorf("filled with %v, want %v", got, want)
	}
}

func TestTheScatterOfARampKeepsItsMean(t *testing.T) {
	img := white(256, 100)
	values := params{"0001": one(0, 0), "0003": one(256, 0), "0006": one(50)}
	(&rig{T: t}).draw("ADBE Ramp", values, img)
	column := img.SubImage(image.Rect(120, 0, 136, 100)).(*image.RGBA)
	own := image.NewRGBA(column.Rect)
	for y := range 100 {
		copy(own.Pix[own.PixOffset(120, y):][:64], column.Pix[y*column.Stride:])
	}
	if mean, deviation := meanGrey(own); math.Abs(mean-127.5) > 4 || deviation < 5 {
		t.Errorf("the middle of a scattered ramp is %v ± %v", mean, deviation)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for match, values := range map[string]params{
		"ADBE Fractal Noise": nil, "ADBE Cell Pattern": nil, "ADBE 4ColorGradient": nil, "ADBE Grid": nil, "ADBE Circle": {"0002": one(300)},
	} {
		b.Run(match, func(b *testing.B) {
			make, _ := Find(match)
			benchmark1080p(b, make(ofValues(match, values, nil)))
		})
	}
}

func TestRadioWavesGrowFromTheirPoint(t *testing.T) {
	img := white(200, 200)
	// After a second and a half, at one wave a second, waves are half a second and one and a half old.
	(&rig{T: t, time: 1.5}).draw("APC Radio Waves", params{"0036": one(4), "0060": one(0), "0050": one(4), "0052": one(4)}, img)
	row := shown(img, 100)
	for x, want := range map[int]bool{100: false, 120: true, 140: false, 160: true, 180: false} {
		if got := row[x] > 127; got != want {
			t.Errorf("at %d a wave is seen: %v", x, got)
		}
	}
}
