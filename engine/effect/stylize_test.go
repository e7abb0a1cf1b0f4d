package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

func TestAMosaicIsTheMeanOfItsBlocks(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 12, 4))
	for x := range 12 {
		v := uint8(20 * x)
		raster.FillRect(img, image.Rect(x, 0, x+1, 4), raster.Color{v, v, v, 255})
	}
	sharp := image.NewRGBA(img.Rect)
	copy(sharp.Pix, img.Pix)
	(&rig{T: t}).draw("ADBE Mosaic", params{"0001": one(4), "0002": one(1)}, img)
	(&rig{T: t}).draw("ADBE Mosaic", params{"0001": one(4), "0002": one(1), "0003": one(1)}, sharp)
	for x := range 12 {
		// Of three columns the mean is the middle one.
		if want := uint8(20 * (x/3*3 + 1)); img.RGBAAt(x, 2).R != want || sharp.RGBAAt(x, 2).R != want {
			t.Errorf("column %d is %d and %d, want %d", x, img.RGBAAt(x, 2).R, sharp.RGBAAt(x, 2).R, want)
		}
	}
}

func TestFindEdgesIsDarkWhereThePictureIsSteep(t *testing.T) {
	for invert, flat := range map[float64]uint8{0: 255, 1: 0} {
		img := halves(20, 6)
		(&rig{T: t}).draw("ADBE Find Edges", params{"0001": one(invert)}, img)
		if here, there := img.RGBAAt(2, 3).R, img.RGBAAt(9, 3).R; here != flat || there != 255-flat {
			t.Errorf("inverted %v: %d where it is flat, %d at the edge", invert, here, there)
		}
	}
}

func TestEmbossLightsTheEdgesThatFaceTheLight(t *testing.T) {
	block := func() *raster.Image {
		img := flat(21, 21, [4]uint8{0, 0, 0, 255})
		raster.FillRect(img, image.Rect(5, 5, 16, 16), raster.Color{255, 255, 255, 255})
		return img
	}
	img := block()
	(&rig{T: t}).draw("ADBE Emboss", params{"0001": one(0), "0003": one(50)}, img)
	if top, bottom, plain := img.RGBAAt(10, 5).R, img.RGBAAt(10, 15).R, img.RGBAAt(10, 10).R; top < 200 || bottom > 50 || plain != 128 {
		t.Errorf("top %d, bottom %d, within %d", top, bottom, plain)
	}
	img = block()
	(&rig{T: t}).draw("ADBE Color Emboss", params{"0001": one(0)}, img)
	if plain, below := img.RGBAAt(10, 10).R, img.RGBAAt(10, 15).R; plain != 255 || below > 50 {
		t.Errorf("in colour: within %d, bottom %d", plain, below)
	}
	alpha := image.NewRGBA(image.Rect(0, 0, 21, 21))
	raster.FillRect(alpha, image.Rect(5, 5, 16, 16), raster.Color{100, 100, 100, 255})
	(&rig{T: t}).draw("ADBE Bevel Alpha", params{"0001": one(4), "0002": one(0)}, alpha)
	if top, bottom, plain := alpha.RGBAAt(10, 5).R, alpha.RGBAAt(10, 15).R, alpha.RGBAAt(10, 10).R; top <= 120 || bottom >= 90 || plain != 100 {
		t.Errorf("bevel: top %d, bottom %d, within %d", top, bottom, plain)
	}
	frame := flat(20, 20, [4]uint8{100, 100, 100, 255})
	(&rig{T: t}).draw("ADBE Bevel Edges", params{"0002": one(90)}, frame)
	if right, left, plain := frame.RGBAAt(19, 10).R, frame.RGBAAt(0, 10).R, frame.RGBAAt(10, 10).R; right != 202 || left != 60 || plain != 100 {
		t.Errorf("edges: right %d, left %d, within %d", right, left, plain) // 100+0.4×255, 100×0.6
	}
}

func TestNoiseIsAsLargeAsItsAmountAndNewInEachFrame(t *testing.T) {
	at := func(time float64, values params) *raster.Image {
		img := flat(200, 200, [4]uint8{128, 128, 128, 255})
		(&rig{T: t, time: time}).draw("ADBE Noise2", values, img)
		return img
	}
	a := at(0, params{"0001": one(20)})
	if string(a.Pix) != string(at(0, params{"0001": one(20)}).Pix) {
		t.Error("the same frame has other noise")
	}
	if string(a.Pix) == string(at(0.04, params{"0001": one(20)}).Pix) {
		t.Error("the next frame has the same noise")
	}
	// A uniform distribution of ±51 has a mean of 0 and a deviation of 51/√3.
	var sum, squares float64
	for i := 0; i < len(a.Pix); i += 4 {
		d := float64(a.Pix[i]) - 128
		sum, squares = sum+d, squares+d*d
	}
	n := float64(len(a.Pix) / 4)
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 1 || math.Abs(deviation-51/math.Sqrt(3)) > 1 {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
	grey := at(0, params{"0001": one(20), "0002": one(0)})
	if px := grey.Pix[:4]; px[0] != px[1] || px[1] != px[2] {
		t.Errorf("noise without colour: %v", px)
	}
}

func TestAStrobeLightsPartOfEachPeriod(t *testing.T) {
	for time, lit := range map[float64]bool{0: true, 0.48: true, 0.52: false, 0.96: false, 1: true, 3.4: true, 3.6: false} {
		img := flat(1, 1, [4]uint8{100, 0, 0, 255})
		(&rig{T: t, time: time}).draw("ADBE Strobe", nil, img)
		if got := img.RGBAAt(0, 0).G == 255; got != lit {
			t.Errorf("at %v s it is lit: %v", time, got)
		}
		img = flat(1, 1, [4]uint8{100, 0, 0, 255})
		(&rig{T: t, time: time}).draw("ADBE Strobe", params{"0006": one(2)}, img)
		if got := img.RGBAAt(0, 0).A == 0; got != lit {
			t.Errorf("at %v s it is transparent: %v", time, got)
		}
	}
}

func TestALightSweepIsBrightestInItsMiddle(t *testing.T) {
	img := flat(101, 21, [4]uint8{50, 50, 50, 255})
	(&rig{T: t}).draw("CC Light Sweep", params{"0001": aep.Numbers{50.5, 10}, "0002": one(0), "0004": one(20), "0005": one(40), "0006": one(0), "0008": aep.Numbers{1, 1, 1, 1}}, img)
	if middle, side, far := img.RGBAAt(50, 10).R, img.RGBAAt(60, 10).R, img.RGBAAt(80, 10).R; middle != 152 || side <= 50 || side >= middle || far != 50 {
		t.Errorf("middle %d, beside %d, far %d", middle, side, far) // 50+0.4×255
	}
}

func TestARadialShadowGrowsAwayFromItsLight(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 60, 60))
	raster.FillRect(img, image.Rect(20, 20, 30, 30), raster.Color{255, 0, 0, 255})
	(&rig{T: t}).draw("ADBE Radial Shadow", params{"0003": aep.Numbers{0, 0}, "0004": one(50)}, img)
	// The square from 20 to 30 casts a shadow from 30 to 45.
	if c := img.RGBAAt(40, 40); c.A != 128 || c.R != 0 {
		t.Errorf("the shadow is %v", c)
	}
	if here, before, after := img.RGBAAt(25, 25), img.RGBAAt(15, 15), img.RGBAAt(50, 50); here.R != 255 || before.A != 0 || after.A != 0 {
		t.Errorf("layer %v, before %v, beyond %v", here, before, after)
	}
}

func TestStylesOfHostileValuesEnd(t *testing.T) {
	for _, match := range []string{
		"ADBE Mosaic", "ADBE Emboss", "ADBE Color Emboss", "ADBE Find Edges", "ADBE Noise2", "ADBE Strobe", "ADBE Bevel Alpha", "ADBE Bevel Edges",
		"CC Light Sweep", "ADBE Radial Shadow", "Keylight 906", "ADBE Extract", "ADBE Luma Key", "ADBE Simple Choker", "ADBE Lumetri",
	} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -5} {
			values := params{}
			for _, number := range []string{"0001", "0002", "0003", "0004", "0005", "0006", "0007", "0012", "0013", "0014", "0016"} {
				values[number] = aep.Numbers{v, v, v, v}
			}
			(&rig{T: t, time: v}).draw(match, values, halves(8, 8))
		}
	}
}
