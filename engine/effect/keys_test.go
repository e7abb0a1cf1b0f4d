package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

func TestKeysOnOnePixel(t *testing.T) {
	red, green, grey := [4]uint8{255, 0, 0, 255}, [4]uint8{0, 255, 0, 255}, [4]uint8{100, 100, 100, 255}
	isGreen, isRed := aep.Numbers{0, 1, 0, 1}, aep.Numbers{1, 0, 0, 1}
	none := [4]uint8{}
	for name, c := range map[string]struct {
		match    string
		values   params
		from, to [4]uint8
	}{
		"linear key":                {"ADBE Linear Color Key2", params{"0003": isGreen, "0005": one(10)}, green, none},
		"linear key: another":       {"ADBE Linear Color Key2", params{"0003": isGreen, "0005": one(10)}, red, red},
		"linear key: halfway":       {"ADBE Linear Color Key2", params{"0003": aep.Numbers{0, 0, 0, 1}, "0005": one(0), "0006": one(100)}, [4]uint8{128, 128, 128, 255}, [4]uint8{64, 64, 64, 128}},
		"linear key: keeps":         {"ADBE Linear Color Key2", params{"0003": isGreen, "0005": one(10), "0007": one(2)}, red, none},
		"linear key: its matte":     {"ADBE Linear Color Key2", params{"0002": one(3), "0003": isGreen, "0005": one(10)}, green, [4]uint8{0, 0, 0, 255}},
		"linear key by hue":         {"ADBE Linear Color Key2", params{"0003": isGreen, "0004": one(2), "0005": one(10)}, [4]uint8{0, 100, 0, 255}, none},
		"color key":                 {"ADBE Color Key", params{"0001": isRed, "0002": one(20)}, [4]uint8{245, 10, 10, 255}, none},
		"color key: another":        {"ADBE Color Key", params{"0001": isRed, "0002": one(20)}, grey, grey},
		"luma key: brighter":        {"ADBE Luma Key", params{"0001": one(1), "0002": one(99)}, grey, none},
		"luma key: darker":          {"ADBE Luma Key", params{"0001": one(2), "0002": one(99)}, grey, grey},
		"luma key: similar":         {"ADBE Luma Key", params{"0001": one(3), "0002": one(90), "0003": one(15)}, grey, none},
		"luma key: dissimilar":      {"ADBE Luma Key", params{"0001": one(4), "0002": one(90), "0003": one(15)}, grey, grey},
		"extract: below":            {"ADBE Extract", params{"0003": one(120)}, grey, none},
		"extract: softly":           {"ADBE Extract", params{"0003": one(120), "0005": one(40)}, grey, [4]uint8{50, 50, 50, 128}},
		"extract: inverted":         {"ADBE Extract", params{"0003": one(120), "0007": one(1)}, grey, grey},
		"extract by green":          {"ADBE Extract", params{"0002": one(3), "0004": one(120)}, green, none},
		"spill":                     {"ADBE Spill Suppressor", params{"0001": isGreen}, [4]uint8{100, 200, 50, 255}, [4]uint8{100, 100, 50, 255}},
		"half the spill":            {"ADBE Spill Suppressor", params{"0001": isGreen, "0003": one(50)}, [4]uint8{100, 200, 50, 255}, [4]uint8{100, 150, 50, 255}},
		"spill of the advanced one": {"ADBE Spill2", nil, [4]uint8{100, 200, 50, 255}, [4]uint8{100, 100, 50, 255}},
		"keylight: the screen":      {"Keylight 906", params{"0004": aep.Numbers{0.1, 0.8, 0.2, 1}}, [4]uint8{26, 204, 51, 255}, none},
		"keylight: skin":            {"Keylight 906", params{"0004": aep.Numbers{0.1, 0.8, 0.2, 1}}, [4]uint8{200, 150, 120, 255}, [4]uint8{200, 150, 120, 255}},
		"keylight: a grey screen":   {"Keylight 906", params{"0004": aep.Numbers{0.5, 0.5, 0.5, 1}}, green, green},
		"keylight: half of it":      {"Keylight 906", params{"0004": isGreen}, [4]uint8{128, 255, 128, 255}, [4]uint8{128, 128, 128, 128}},
		"keylight: clipped black":   {"Keylight 906", params{"0004": isGreen, "0012": one(60)}, [4]uint8{128, 255, 128, 255}, none},
		"keylight: its matte":       {"Keylight 906", params{"0002": one(5), "0004": isGreen}, [4]uint8{128, 255, 128, 255}, [4]uint8{128, 128, 128, 255}},
	} {
		if got := pixel(t, c.match, c.values, c.from); !near(got, c.to) {
			t.Errorf("%s: %v becomes %v, want %v", name, c.from, got, c.to)
		}
	}
}

func TestChokersMoveTheEdge(t *testing.T) {
	for _, c := range []struct {
		match  string
		values params
		first  int // opaque column
	}{
		{"ADBE Simple Choker", params{"0002": one(3)}, 13}, {"ADBE Simple Choker", params{"0002": one(-3)}, 7},
		{"ADBE Luma Key", params{"0001": one(1), "0002": one(255), "0004": one(3)}, 13},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 40, 40))
		raster.FillRect(img, image.Rect(10, 10, 30, 30), raster.Color{255, 255, 255, 255})
		(&rig{T: t}).draw(c.match, c.values, img)
		if a, b := img.RGBAAt(c.first-1, 20), img.RGBAAt(c.first, 20); a.A != 0 || b.A != 255 || b.R != 255 {
			t.Errorf("%s %v: %v before column %d, %v there", c.match, c.values, a, c.first, b)
		}
	}
}

func TestAGlowShinesBeyondWhatIsBright(t *testing.T) {
	img := dot(41)
	(&rig{T: t}).draw("ADBE Glo2", params{"0003": one(10), "0004": one(20)}, img)
	if c := img.RGBAAt(20, 20); c.R != 255 || c.A != 255 {
		t.Errorf("the middle is %v", c)
	}
	if near, far := img.RGBAAt(22, 20).A, img.RGBAAt(40, 20).A; near < 20 || far > near {
		t.Errorf("beside it an alpha of %d, far away of %d", near, far)
	}
	dark := flat(9, 9, [4]uint8{100, 100, 100, 255})
	(&rig{T: t}).draw("ADBE Glo2", params{"0003": one(10)}, dark)
	if string(dark.Pix) != string(flat(9, 9, [4]uint8{100, 100, 100, 255}).Pix) {
		t.Error("what is darker than the threshold shines")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1} {
		(&rig{T: t}).draw("ADBE Glo2", params{"0002": one(v), "0003": one(v), "0004": one(v)}, dot(9))
	}
}

func TestAMatteChokerMovesASoftEdge(t *testing.T) {
	for choke, opaque := range map[float64]bool{100: false, -100: true} {
		img := image.NewRGBA(image.Rect(0, 0, 40, 40))
		raster.FillRect(img, image.Rect(0, 0, 20, 40), raster.Color{255, 255, 255, 255})
		(&rig{T: t}).draw("ADBE Matte Choker", params{"0001": one(4), "0002": one(choke)}, img)
		if a := img.RGBAAt(18, 20).A; (a > 128) != opaque {
			t.Errorf("choke %v: beside the edge an alpha of %d", choke, a)
		}
		if a, b := img.RGBAAt(10, 20).A, img.RGBAAt(30, 20).A; a != 255 || b != 0 {
			t.Errorf("choke %v: alphas of %d within and %d beyond", choke, a, b)
		}
	}
}

func TestBlendMixesTwoLayers(t *testing.T) {
	r := &rig{T: t, layers: map[uint32]*raster.Image{3: flat(4, 4, [4]uint8{0, 0, 255, 255})}}
	for mode, want := range map[float64][4]uint8{1: {128, 0, 128, 255}, 4: {128, 0, 0, 255}, 5: {255, 0, 128, 255}} {
		img := flat(4, 4, [4]uint8{255, 0, 0, 255})
		r.drawRef("ADBE Blend", params{"0002": one(mode), "0003": one(0.5)}, map[string]uint32{"0001": 3}, img)
		if got := [4]uint8(img.Pix[40:44]); !near(got, want) {
			t.Errorf("mode %v: %v, want %v", mode, got, want)
		}
	}
}
