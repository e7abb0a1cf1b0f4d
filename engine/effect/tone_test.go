package effect

import (
	"encoding/binary"
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// greys draws an effect on the 256 greys.
func greys(t *testing.T, match string, values params) *raster.Image {
	t.Helper()
	img := ramp256()
	(&rig{T: t}).draw(match, values, img)
	return img
}

// pixel draws an effect on one premultiplied pixel.
func pixel(t *testing.T, match string, values params, px [4]uint8) [4]uint8 {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	copy(img.Pix, px[:])
	(&rig{T: t}).draw(match, values, img)
	return [4]uint8(img.Pix)
}

// near tells whether two pixels differ by no more than a rounding.
func near(a, b [4]uint8) bool {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// curvesData are the data of Curves with tables for all colours, red, green, blue and alpha.
func curvesData(tables [5]func(v int) int) aep.Opaque {
	data := make([]byte, curvesHead+curvesChannels*(256+72))
	for c, of := range tables {
		for v := range 256 {
			data[curvesHead+256*c+v] = uint8(of(v))
		}
	}
	return data
}

func TestCurvesMapEachColourAndThenAllOfThem(t *testing.T) {
	same := func(v int) int { return v }
	data := curvesData([5]func(v int) int{func(v int) int { return 255 - v }, func(v int) int { return v / 2 }, same, same, func(v int) int { return v / 4 }})
	if got, want := pixel(t, "ADBE CurvesCustom", params{"0001": data}, [4]uint8{200, 100, 0, 255}), [4]uint8{38, 38, 63, 63}; !near(got, want) {
		t.Errorf("%v, want %v", got, want) // 255-100, 255-100 and 255-0 with an alpha of 63
	}
	for _, broken := range []aep.Opaque{nil, data[:100]} {
		if got := pixel(t, "ADBE CurvesCustom", params{"0001": broken}, [4]uint8{200, 100, 0, 255}); got != [4]uint8{200, 100, 0, 255} {
			t.Errorf("%d bytes of data make %v", len(broken), got)
		}
	}
}

// levelsData are the data of Levels.
func levelsData(channels [5][5]float32) aep.Opaque {
	data := []byte{0, 15, 16, 167, 0, 0, 0, 1}
	for _, c := range channels {
		for _, v := range c {
			data = binary.BigEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	return data
}

func TestLevelsFollowTheirFormula(t *testing.T) {
	same := [5]float32{0, 1, 1, 0, 1}
	formula := func(v float64) float64 { return 0.1 + 0.8*math.Pow(unit((v-0.2)/(0.7-0.2)), 1/1.5) }
	for name, values := range map[string]params{
		"stored":     {"0002": levelsData([5][5]float32{{0.2, 0.7, 1.5, 0.1, 0.9}, same, same, same, same}), "0003": aep.Numbers{0.9}},
		"numbers":    {"0003": aep.Numbers{0.2}, "0004": aep.Numbers{0.7}, "0005": aep.Numbers{1.5}, "0006": aep.Numbers{0.1}, "0007": aep.Numbers{0.9}},
		"one by one": {"0004": aep.Numbers{0.2}, "0005": aep.Numbers{0.7}, "0006": aep.Numbers{1.5}, "0007": aep.Numbers{0.1}, "0008": aep.Numbers{0.9}},
	} {
		match := "ADBE Easy Levels2"
		if name == "one by one" {
			match = "ADBE Pro Levels2"
		}
		img := greys(t, match, values)
		for x := range 256 {
			want := uint8(formula(float64(x)/255)*255 + 0.5)
			if got := [4]uint8(img.Pix[4*x:]); !near(got, [4]uint8{want, want, want, 255}) {
				t.Errorf("%s: grey %d becomes %v, want %d", name, x, got, want)
			}
		}
	}
}

func TestLevelsOfAChannelLeaveTheOthers(t *testing.T) {
	half := aep.Numbers{0.5}
	if got, want := pixel(t, "ADBE Easy Levels2", params{"0001": aep.Numbers{3}, "0007": half}, [4]uint8{255, 255, 255, 255}), [4]uint8{255, 128, 255, 255}; got != want {
		t.Errorf("green: %v, want %v", got, want)
	}
	if got, want := pixel(t, "ADBE Easy Levels2", params{"0001": aep.Numbers{5}, "0007": half}, [4]uint8{200, 100, 0, 255}), [4]uint8{100, 50, 0, 128}; !near(got, want) {
		t.Errorf("alpha: %v, want %v", got, want)
	}
	for match, white := range map[string]float64{"ADBE Alpha Levels3": 0.5, "ADBE Alpha Levels2": 127.5} {
		if got, want := pixel(t, match, params{"0005": aep.Numbers{white}}, [4]uint8{200, 100, 0, 255}), [4]uint8{100, 50, 0, 128}; !near(got, want) {
			t.Errorf("%s: %v, want %v", match, got, want)
		}
	}
	if got := pixel(t, "ADBE Easy Levels2", params{"0004": aep.Numbers{math.NaN()}, "0005": aep.Numbers{math.Inf(1)}}, [4]uint8{9, 9, 9, 255}); got[3] != 255 {
		t.Errorf("of levels that are no numbers: %v", got)
	}
}

// huesData are the data of Hue/Saturation.
func huesData(all [3]int32, reds [3]int32) aep.Opaque {
	var data []byte
	put := func(v ...int32) {
		for _, v := range v {
			data = binary.BigEndian.AppendUint32(data, uint32(v))
		}
	}
	put(all[:]...)
	put(315, 345, 15, 45)
	put(reds[:]...)
	for i := range int32(5) {
		put(15+60*i, 45+60*i, 75+60*i, 105+60*i, 0, 0, 0)
	}
	return data
}

func TestHueSaturation(t *testing.T) {
	red, blue, grey := [4]uint8{255, 0, 0, 255}, [4]uint8{0, 0, 255, 255}, [4]uint8{100, 100, 100, 255}
	n := func(v float64) aep.Numbers { return aep.Numbers{v} }
	for name, c := range map[string]struct {
		values   params
		from, to [4]uint8
	}{
		"a third of a turn":                 {params{"0004": n(120)}, red, [4]uint8{0, 255, 0, 255}},
		"stored":                            {params{"0003": huesData([3]int32{120, 0, 0}, [3]int32{}), "0004": n(7)}, red, [4]uint8{0, 255, 0, 255}},
		"no saturation is the middle":       {params{"0005": n(-100)}, red, [4]uint8{128, 128, 128, 255}},
		"half":                              {params{"0005": n(-50)}, red, [4]uint8{191, 64, 64, 255}},
		"more doubles the distance to grey": {params{"0005": n(50)}, [4]uint8{150, 100, 100, 255}, [4]uint8{175, 75, 75, 255}},
		"as far as it goes":                 {params{"0005": n(100)}, [4]uint8{150, 100, 100, 255}, [4]uint8{250, 0, 0, 255}},
		"grey has none":                     {params{"0005": n(100)}, grey, grey},
		"lighter":                           {params{"0006": n(50)}, grey, [4]uint8{178, 178, 178, 255}},
		"darker":                            {params{"0006": n(-50)}, grey, [4]uint8{50, 50, 50, 255}},
		"reds":                              {params{"0003": huesData([3]int32{}, [3]int32{0, -100, 0})}, red, [4]uint8{128, 128, 128, 255}},
		"not blues":                         {params{"0003": huesData([3]int32{}, [3]int32{0, -100, 0})}, blue, blue},
		"orange is half a red":              {params{"0003": huesData([3]int32{}, [3]int32{0, -100, 0})}, [4]uint8{255, 128, 0, 255}, [4]uint8{191, 128, 64, 255}},
		"one colour":                        {params{"0007": n(1), "0008": n(240), "0009": n(100)}, [4]uint8{128, 128, 128, 255}, [4]uint8{1, 1, 255, 255}},
		"transparent":                       {params{"0004": n(120)}, [4]uint8{100, 0, 0, 100}, [4]uint8{0, 100, 0, 100}},
	} {
		if got := pixel(t, "ADBE HUE SATURATION", c.values, c.from); !near(got, c.to) {
			t.Errorf("%s: %v becomes %v, want %v", name, c.from, got, c.to)
		}
	}
}

func TestBrightnessAndContrastKeepBlackAndWhiteUnlessLegacy(t *testing.T) {
	n := func(v float64) aep.Numbers { return aep.Numbers{v} }
	img := greys(t, "ADBE Brightness & Contrast 2", params{"0001": n(75), "0002": n(50)})
	if img.Pix[0] != 0 || img.Pix[4*255] != 255 || img.Pix[4*128] <= 128 {
		t.Errorf("black, middle and white become %d, %d and %d", img.Pix[0], img.Pix[4*128], img.Pix[4*255])
	}
	img = greys(t, "ADBE Brightness & Contrast 2", params{"0001": n(20), "0003": n(1)})
	if img.Pix[0] != 20 || img.Pix[4*100] != 120 || img.Pix[4*250] != 255 {
		t.Errorf("legacy: 0, 100 and 250 become %d, %d and %d", img.Pix[0], img.Pix[4*100], img.Pix[4*250])
	}
	img = greys(t, "ADBE Brightness & Contrast", params{"0002": n(50)})
	if img.Pix[4*32] != 0 || img.Pix[4*100] != 73 {
		t.Errorf("contrast: 32 and 100 become %d and %d", img.Pix[4*32], img.Pix[4*100]) // twice the distance to 127.5
	}
}

func TestEachGivesTheSameWhateverCameBefore(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i >> 7)
	}
	want := make([]uint8, len(img.Pix))
	of := func(px [4]uint8) [4]uint8 { return [4]uint8{px[3], px[0] ^ 7, px[1], 255 - px[2]} }
	for i := 0; i < len(want); i += 4 {
		px := of([4]uint8(img.Pix[i:]))
		copy(want[i:], px[:])
	}
	each(img, of)
	if string(img.Pix) != string(want) {
		t.Error("a pixel depends on those before it")
	}
}

func TestDataOfEffectsChangeBetweenKeyframes(t *testing.T) {
	to := func(v int) func(int) int { return func(int) int { return v } }
	same := func(v int) int { return v }
	keyed := func(a, b aep.Opaque) []aep.Keyframe {
		return []aep.Keyframe{{Time: 0, In: aep.Linear, Out: aep.Linear, Value: a}, {Time: 2, In: aep.Linear, Out: aep.Linear, Value: b}}
	}
	plain := [5]float32{0, 1, 1, 0, 1}
	for match, c := range map[string]struct {
		number string
		a, b   aep.Opaque
		want   [3]uint8 // of the grey 100, at 0, 1 and 2 seconds
	}{
		"ADBE CurvesCustom":   {"0001", curvesData([5]func(int) int{to(40), same, same, same, same}), curvesData([5]func(int) int{to(80), same, same, same, same}), [3]uint8{40, 60, 80}},
		"ADBE Easy Levels2":   {"0002", levelsData([5][5]float32{plain, plain, plain, plain, plain}), levelsData([5][5]float32{{0, 1, 1, 0, 0}, plain, plain, plain, plain}), [3]uint8{100, 50, 0}},
		"ADBE HUE SATURATION": {"0003", huesData([3]int32{}, [3]int32{}), huesData([3]int32{0, 0, -100}, [3]int32{}), [3]uint8{100, 50, 0}},
	} {
		for second, want := range c.want {
			img := flat(1, 1, [4]uint8{100, 100, 100, 255})
			r := &rig{T: t, time: float64(second), keys: map[string][]aep.Keyframe{c.number: keyed(c.a, c.b)}}
			r.draw(match, params{c.number: c.a}, img)
			if got := img.RGBAAt(0, 0).R; got != want {
				t.Errorf("%s after %d s: %d, want %d", match, second, got, want)
			}
		}
	}
}
