package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

func TestEffectsOnOnePixel(t *testing.T) {
	red, grey := [4]uint8{255, 0, 0, 255}, [4]uint8{100, 100, 100, 255}
	orange := [4]uint8{200, 100, 0, 255}
	for name, c := range map[string]struct {
		match    string
		values   params
		from, to [4]uint8
	}{
		"tritone: the middle":          {"ADBE Tritone", params{"0002": aep.Numbers{0, 1, 0, 1}}, [4]uint8{128, 128, 128, 255}, [4]uint8{1, 255, 1, 255}},
		"tritone: with the original":   {"ADBE Tritone", params{"0001": aep.Numbers{0, 0, 1, 1}, "0004": one(0.5)}, [4]uint8{255, 255, 255, 255}, [4]uint8{128, 128, 255, 255}},
		"toner: two tones":             {"CC Toner", params{"0005": one(1), "0001": aep.Numbers{1, 0, 0, 1}}, grey, [4]uint8{100, 0, 0, 255}},
		"toner: five tones":            {"CC Toner", params{"0005": one(3), "0007": aep.Numbers{0, 0, 1, 1}}, [4]uint8{64, 64, 64, 255}, [4]uint8{0, 0, 255, 255}},
		"photo filter of one's own":    {"ADBE Photo Filter", params{"0001": one(21), "0002": aep.Numbers{1, 0, 0, 1}, "0003": one(50), "0004": one(0)}, grey, [4]uint8{100, 50, 50, 255}},
		"exposure: a stop is twice":    {"ADBE Exposure2", params{"0003": one(1), "0022": one(1)}, grey, [4]uint8{200, 200, 200, 255}},
		"exposure: of green alone":     {"ADBE Exposure2", params{"0001": one(2), "0013": one(1), "0022": one(1)}, grey, [4]uint8{100, 200, 100, 255}},
		"exposure: offset":             {"ADBE Exposure2", params{"0004": one(0.1), "0022": one(1)}, grey, [4]uint8{126, 126, 126, 255}},
		"gamma, pedestal and gain":     {"ADBE Gamma/Pedestal/Gain2", params{"0003": one(0.2), "0007": one(0.5)}, [4]uint8{0, 255, 255, 255}, [4]uint8{51, 128, 255, 255}},
		"no vibrance for full colours": {"ADBE Vibrance", params{"0001": one(100)}, red, red},
		"no saturation":                {"ADBE Vibrance", params{"0002": one(-100)}, red, [4]uint8{76, 76, 76, 255}},
		"black & white":                {"ADBE Black&White", nil, red, [4]uint8{102, 102, 102, 255}},
		"black & white: yellows":       {"ADBE Black&White", params{"0002": one(100)}, [4]uint8{255, 255, 0, 255}, [4]uint8{255, 255, 255, 255}},
		"channel mixer":                {"ADBE CHANNEL MIXER", params{"0001": one(0), "0002": one(100), "0012": one(20)}, orange, [4]uint8{100, 100, 51, 255}},
		"channel mixer: monochrome":    {"ADBE CHANNEL MIXER", params{"0013": one(1)}, orange, [4]uint8{200, 200, 200, 255}},
		"color balance of middles":     {"ADBE Color Balance 2", params{"0004": one(100)}, [4]uint8{128, 128, 128, 255}, [4]uint8{255, 128, 128, 255}},
		"color balance: shadows alone": {"ADBE Color Balance 2", params{"0001": one(100)}, [4]uint8{250, 250, 250, 255}, [4]uint8{250, 250, 250, 255}},
		"the first color balance":      {"ADBE Color Balance", params{"0001": one(-50)}, grey, [4]uint8{50, 100, 100, 255}},
		"posterize":                    {"ADBE Posterize", params{"0001": one(2)}, orange, [4]uint8{255, 0, 0, 255}},
		"threshold":                    {"ADBE Threshold2", params{"0001": one(0.3)}, grey, [4]uint8{255, 255, 255, 255}},
		"threshold of 255":             {"ADBE Threshold", params{"0001": one(101)}, grey, [4]uint8{0, 0, 0, 255}},
		"arithmetic: and":              {"ADBE Arithmetic", params{"0001": one(1), "0002": one(15)}, [4]uint8{37, 7, 7, 255}, [4]uint8{5, 0, 0, 255}},
		"arithmetic: add":              {"ADBE Arithmetic", params{"0001": one(4), "0002": one(100)}, orange, [4]uint8{255, 100, 0, 255}},
		"arithmetic: around":           {"ADBE Arithmetic", params{"0001": one(4), "0002": one(100), "0005": one(0)}, orange, [4]uint8{44, 100, 0, 255}},
		"leave color":                  {"ADBE Leave Color", params{"0001": one(100), "0002": aep.Numbers{1, 0, 0, 1}}, red, red},
		"leave no other color":         {"ADBE Leave Color", params{"0001": one(100), "0002": aep.Numbers{1, 0, 0, 1}}, [4]uint8{0, 0, 255, 255}, [4]uint8{29, 29, 29, 255}},
		"change color":                 {"ADBE Change Color", params{"0002": one(120), "0005": aep.Numbers{1, 0, 0, 1}, "0008": one(2)}, red, [4]uint8{0, 255, 0, 255}},
		"change no other color":        {"ADBE Change Color", params{"0002": one(120), "0005": aep.Numbers{1, 0, 0, 1}, "0008": one(2)}, [4]uint8{0, 255, 0, 255}, [4]uint8{0, 255, 0, 255}},
		"shift channels":               {"ADBE Shift Channels", params{"0002": one(4), "0004": one(10)}, [4]uint8{10, 20, 30, 255}, [4]uint8{30, 20, 0, 255}},
		"alpha from luminance":         {"ADBE Shift Channels", params{"0001": one(5)}, [4]uint8{255, 255, 255, 255}, [4]uint8{255, 255, 255, 255}},
		"alpha from black":             {"ADBE Shift Channels", params{"0001": one(5)}, [4]uint8{0, 0, 0, 255}, [4]uint8{}},
		"invert":                       {"ADBE Invert", nil, [4]uint8{10, 20, 30, 255}, [4]uint8{245, 235, 225, 255}},
		"invert the hue":               {"ADBE Invert", params{"0001": one(7)}, red, [4]uint8{0, 255, 255, 255}},
		"invert the lightness":         {"ADBE Invert", params{"0001": one(8)}, grey, [4]uint8{155, 155, 155, 255}},
		"invert the luminance":         {"ADBE Invert", params{"0001": one(12)}, grey, [4]uint8{155, 155, 155, 255}},
		"invert the alpha":             {"ADBE Invert", params{"0001": one(16)}, [4]uint8{50, 0, 0, 50}, [4]uint8{205, 0, 0, 205}},
		"solid behind":                 {"ADBE Solid Composite", params{"0002": aep.Numbers{0, 0, 1, 1}}, [4]uint8{100, 0, 0, 100}, [4]uint8{100, 0, 155, 255}},
		"black matting":                {"ADBE Remove Color Matting", nil, [4]uint8{50, 0, 0, 128}, [4]uint8{100, 0, 0, 128}},
		"lumetri changes nothing":      {"ADBE Lumetri", nil, orange, orange},
		"lumetri: no saturation":       {"ADBE Lumetri", params{"0020": one(0)}, red, [4]uint8{76, 76, 76, 255}},
	} {
		if got := pixel(t, c.match, c.values, c.from); !near(got, c.to) {
			t.Errorf("%s: %v becomes %v, want %v", name, c.from, got, c.to)
		}
	}
}

func TestExposureIsOfLight(t *testing.T) {
	img := greys(t, "ADBE Exposure2", params{"0003": one(-1)})
	// Half the light of white is 188 in sRGB.
	if got := img.Pix[4*255]; got != 188 {
		t.Errorf("white becomes %d", got)
	}
}

func TestLumetriMovesAsItsSlidersSay(t *testing.T) {
	for _, c := range []struct {
		number    string
		value     float64
		grey      uint8
		direction int
	}{
		{"0011", 1, 100, 1}, {"0012", 100, 60, -1}, {"0012", 100, 200, 1}, {"0013", 100, 200, 1}, {"0014", -100, 60, -1}, {"0015", 100, 240, 1}, {"0016", -100, 20, -1},
	} {
		got := pixel(t, "ADBE Lumetri", params{c.number: one(c.value)}, [4]uint8{c.grey, c.grey, c.grey, 255})
		if d := int(got[0]) - int(c.grey); d*c.direction <= 0 {
			t.Errorf("parameter %s at %v: %d becomes %d", c.number, c.value, c.grey, got[0])
		}
	}
	if got := pixel(t, "ADBE Lumetri", params{"0007": one(50)}, [4]uint8{100, 100, 100, 255}); got[0] <= 100 || got[2] >= 100 {
		t.Errorf("a warmer grey is %v", got)
	}
}

// TestMinimaxIsTheExtremeOfItsWindow compares it with the definition, for radii below and above the picture's size.
func TestMinimaxIsTheExtremeOfItsWindow(t *testing.T) {
	value := func(x, y int) int { return (x*37 + y*91 + x*y*13) % 251 }
	const w, h = 17, 9
	for _, r := range []int{1, 2, 5, 30} {
		for _, highest := range []bool{false, true} {
			img := image.NewRGBA(image.Rect(0, 0, w, h))
			for y := range h {
				for x := range w {
					v := uint8(value(x, y))
					copy(img.Pix[img.PixOffset(x, y):], []uint8{v, v, v, 255})
				}
			}
			operation := 1.0
			if highest {
				operation = 2
			}
			(&rig{T: t}).draw("ADBE Minimax", params{"0001": one(operation), "0002": one(float64(r)), "0005": one(1)}, img)
			for y := range h {
				for x := range w {
					want := value(x, y)
					for j := max(0, y-r); j <= min(h-1, y+r); j++ {
						for i := max(0, x-r); i <= min(w-1, x+r); i++ {
							if highest {
								want = max(want, value(i, j))
							} else {
								want = min(want, value(i, j))
							}
						}
					}
					if got := img.RGBAAt(x, y).R; int(got) != want {
						t.Fatalf("radius %d, highest %v: (%d, %d) is %d, want %d", r, highest, x, y, got, want)
					}
				}
			}
		}
	}
}

// flat is a picture of one premultiplied colour.
func flat(w, h int, px [4]uint8) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], px[:])
	}
	return img
}

func TestOtherLayersGiveMattesAndChannels(t *testing.T) {
	other := flat(4, 4, [4]uint8{0, 128, 0, 255})
	for i := range 8 { // its upper half is empty
		copy(other.Pix[4*i:], []uint8{0, 0, 0, 0})
	}
	r := &rig{T: t, layers: map[uint32]*raster.Image{7: other}}
	img := flat(4, 4, [4]uint8{255, 255, 255, 255})
	r.drawRef("ADBE Set Matte3", params{"0002": one(4)}, map[string]uint32{"0001": 7}, img)
	if up, down := img.RGBAAt(1, 0).A, img.RGBAAt(1, 3).A; up != 0 || down != 255 {
		t.Errorf("the alpha of the matte: %d above, %d below", up, down)
	}
	img = flat(4, 4, [4]uint8{255, 255, 255, 255})
	r.drawRef("ADBE Set Matte3", params{"0002": one(5), "0003": one(1)}, map[string]uint32{"0001": 7}, img)
	if up, down := img.RGBAAt(1, 0).A, img.RGBAAt(1, 3).A; up != 255 || math.Abs(float64(down)-180) > 1 {
		t.Errorf("its luminance, inverted: %d above, %d below", up, down) // 255-0.587×128
	}
	img = flat(8, 8, [4]uint8{255, 255, 255, 255})
	r.drawRef("ADBE Set Channels", params{"0002": one(2)}, map[string]uint32{"0001": 7}, img)
	if up, down := img.RGBAAt(3, 1), img.RGBAAt(3, 6); up.R != 0 || up.G != 255 || down.R != 128 {
		t.Errorf("red of the other's green, stretched: %v above, %v below", up, down)
	}
}
