package effect

import (
	"image"
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// held are keyframes that hold one value for a second, and then another.
func held(before, after float64) []aep.Keyframe {
	return []aep.Keyframe{{Value: one(before), In: aep.Hold, Out: aep.Hold}, {Time: 1, Value: one(after), In: aep.Hold, Out: aep.Hold}}
}

// TestWhatIsDrawnOtherwiseIsSaid holds effects to what they say, by their parameters; a keyframe counts as the value does.
func TestWhatIsDrawnOtherwiseIsSaid(t *testing.T) {
	for _, c := range []struct {
		match, number string
		usual, set    float64 // values of the parameter without the lack, and with it
		want          string
	}{
		{"ADBE Radial Shadow", "0006", 1, 2, "the glass edge"},
		{"ADBE Blend", "0002", 1, 2, "the blending of colour or tint alone"},
		{"ADBE Fractal Noise", "0001", 1, 5, "the fractal type"},
		{"ADBE Bulge", "0007", 0, 1, "the pinning"},
		{"ADBE Optics Compensation", "0006", 1, 2, "the resizing"},
		{"ADBE Numbers2", "0001", 1, 2, "the number type"},
		{"CC Radial Blur", "0001", 4, 2, "the fading"},
		{"ADBE Glo2", "0007", 1, 3, "the arbitrary map"},
		{"CC Slant", "0002", 1, 0, "slanting without stretching"},
		{"ADBE Scribble Fill", "0064", 2, 3, "masks by their modes"},
		{"ADBE Roughen Edges", "0001", 3, 4, "the edge type"},
		{"ADBE Turbulent Displace", "0001", 8, 9, "the displacement"},
		{"ADBE Turbulent Displace", "0012", 3, 4, "the pinning"},
		{"ADBE Block Dissolve", "0005", 0, 1, "the soft edges"},
		{"ADBE Wave Warp", "0001", 7, 8, "the random values"},
		{"ADBE Ramp", "0006", 0, 5, "the random values"},
		{"ADBE Strobe", "0005", 0, 10, "the random values"},
		{"APC Vegas", "0052", 2, 1, "the contours of the image"},
	} {
		make, known := Find(c.match)
		if !known {
			t.Errorf("%s is not drawn", c.match)
			continue
		}
		says := func(value float64, keys []aep.Keyframe) bool {
			p := ofValues(c.match, params{c.number: one(value)}, nil)
			p.at(c.number).Prop.Keys = keys
			make(p)
			return slices.Contains(p.Lacks(), c.want)
		}
		if says(c.usual, nil) || says(c.usual, held(c.usual, c.usual)) {
			t.Errorf("%s says %q of what it draws", c.match, c.want)
		}
		if !says(c.set, nil) || !says(c.usual, held(c.usual, c.set)) {
			t.Errorf("%s does not say %q", c.match, c.want)
		}
	}
}

// TestWhatIsDrawnInItsLikenessIsSaid names effects whose formula nobody has published.
func TestWhatIsDrawnInItsLikenessIsSaid(t *testing.T) {
	for _, match := range []string{
		"ADBE Black&White", "ADBE Photo Filter", "ADBE Color Balance 2", "ADBE Matte Choker", "ADBE Sharpen", "ADBE Unsharp Mask2", "ADBE Leave Color", "ADBE Change Color",
		"ADBE Change To Color", "ADBE Emboss", "ADBE Color Emboss", "ADBE Bevel Alpha", "ADBE Bevel Edges", "ADBE Find Edges", "ADBE Optics Compensation", "ADBE Spherize",
		"ADBE Laser", "ADBE ELLIPSE", "CC Slant", "ADBE Spill2",
	} {
		make, known := Find(match)
		if !known {
			t.Errorf("%s is not drawn", match)
			continue
		}
		p := ofValues(match, nil, nil)
		if make(p); len(p.Lacks()) == 0 {
			t.Errorf("%s is said to be drawn exactly", match)
		}
	}
}

func TestCurvesOfAnotherKindAreSaid(t *testing.T) {
	short, whole := aep.Opaque("curves"), aep.Opaque(make([]byte, curvesHead+curvesChannels*256))
	for name, c := range map[string]struct {
		data aep.Opaque
		keys []aep.Keyframe
		want []string
	}{
		"whole": {whole, nil, nil},
		"short": {short, nil, []string{"the curves, whose data are of a kind that is not read,"}},
		"moved": {whole, []aep.Keyframe{{Value: whole}, {Time: 1, Value: whole}}, []string{"the exact curve"}},
	} {
		p := ofValues("ADBE CurvesCustom", params{"0001": c.data}, nil)
		p.at("0001").Prop.Keys = c.keys
		if newCurves(p); !slices.Equal(p.Lacks(), c.want) {
			t.Errorf("%s: lacks %q, want %q", name, p.Lacks(), c.want)
		}
	}
}

func TestTheMotionBlurOfTransformIsSaid(t *testing.T) {
	lacks := func(of bool, keys []aep.Keyframe) []string {
		p := ofValues("ADBE Geometry2", params{"0007": one(0)}, nil)
		p.ref.Layer.MotionBlur, p.ref.Comp.Comp.MotionBlur = of, true
		p.at("0007").Prop.Keys = keys
		newTransform(p)
		return p.Lacks()
	}
	if got := lacks(true, held(0, 90)); !slices.Equal(got, []string{"the motion blur"}) {
		t.Errorf("lacks %q", got)
	}
	if got := append(lacks(false, held(0, 90)), lacks(true, nil)...); len(got) != 0 {
		t.Errorf("what does not move, or is not blurred, lacks %q", got)
	}
}

// TestMenusAreReadAtTheTimeOfTheFrame draws effects whose popup has another value after a second as they are drawn with that value.
func TestMenusAreReadAtTheTimeOfTheFrame(t *testing.T) {
	for _, c := range []struct {
		match, number string
		before, after float64
		with          params
	}{
		{"ADBE Radial Blur", "0003", 1, 2, params{"0001": one(40)}},
		{"CC Radial Blur", "0001", 4, 1, params{"0002": one(40)}},
		{"CC Toner", "0005", 2, 4, params{"0001": aep.Numbers{0, 0, 1, 1}, "0002": aep.Numbers{1, 0, 0, 1}}},
		{"ADBE Glo2", "0006", 3, 2, params{"0002": one(0), "0003": one(2), "0004": one(0.5)}},
	} {
		shown := func(at, value float64, keys []aep.Keyframe) string {
			img := flat(20, 20, [4]uint8{60, 90, 120, 255})
			raster.FillRect(img, image.Rect(3, 5, 9, 14), raster.Color{200, 180, 40, 255})
			values := params{c.number: one(value)}
			for number, v := range c.with {
				values[number] = v
			}
			r := &rig{T: t, time: at}
			if keys != nil {
				r.keys = map[string][]aep.Keyframe{c.number: keys}
			}
			r.draw(c.match, values, img)
			return string(img.Pix)
		}
		before, after, keys := shown(0, c.before, nil), shown(0, c.after, nil), held(c.before, c.after)
		if before == after {
			t.Fatalf("%s looks the same with both values", c.match)
		}
		if shown(0.5, c.before, keys) != before || shown(1.5, c.before, keys) != after {
			t.Errorf("%s does not change with its popup", c.match)
		}
	}
}

func TestTheMaskOfAnEffectIsThatOfTheTime(t *testing.T) {
	left, right := rectPath(2, 2, 8, 18), rectPath(12, 2, 18, 18)
	r := &rig{T: t, time: 1.5, masks: []*aep.Path{left, right}, keys: map[string][]aep.Keyframe{"0001": held(1, 2)}}
	img := image.NewRGBA(image.Rect(0, 0, 20, 20))
	r.draw("ADBE Stroke", params{"0001": one(1), "0003": one(2)}, img)
	if at, not := img.RGBAAt(12, 10).A, img.RGBAAt(2, 10).A; at == 0 || not != 0 {
		t.Errorf("an alpha of %d on the mask of the time, %d on the one before", at, not)
	}
}

func TestVegasLiesUnderTheLayerOrCutsIt(t *testing.T) {
	for mode, want := range map[float64][2][4]uint8{ // on the light over the layer, and beside both
		3: {{0, 0, 255, 255}, {255, 255, 255, 255}},
		4: {{0, 0, 255, 255}, {0, 0, 0, 0}},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 40, 40))
		raster.FillRect(img, image.Rect(0, 0, 20, 40), raster.Color{0, 0, 255, 255})
		r := &rig{T: t, masks: []*aep.Path{rectPath(10, 10, 30, 30)}}
		r.draw("APC Vegas", params{"0050": one(1), "0052": one(2), "0028": one(1), "0008": one(mode), "0018": aep.Numbers{1, 1, 1, 1},
			"0020": one(6), "0022": one(1), "0036": one(1), "0038": one(1), "0042": one(1)}, img)
		for i, x := range [2]int{10, 30} {
			c := img.RGBAAt(x, 20)
			if got := ([4]uint8{c.R, c.G, c.B, c.A}); got != want[i] {
				t.Errorf("mode %g: %v at %d, want %v", mode, got, x, want[i])
			}
		}
		if c := img.RGBAAt(5, 5); mode == 4 && c.A != 0 {
			t.Errorf("beside the light the layer is %v", c)
		}
	}
}

func TestASimpleChokerMovesByPartsOfPixels(t *testing.T) {
	for choke, want := range map[float64]uint8{0.4: 153, -0.4: 102, 2.5: 128} {
		img := image.NewRGBA(image.Rect(0, 0, 40, 40))
		raster.FillRect(img, image.Rect(10, 10, 30, 30), raster.Color{255, 255, 255, 255})
		(&rig{T: t}).draw("ADBE Simple Choker", params{"0002": one(choke)}, img)
		x := map[float64]int{0.4: 10, -0.4: 9, 2.5: 12}[choke]
		if got := img.RGBAAt(x, 20).A; max(got, want)-min(got, want) > 2 {
			t.Errorf("a choke of %g leaves an alpha of %d at column %d, want %d", choke, got, x, want)
		}
	}
}

// rectPath is the outline of a rectangle.
func rectPath(left, top, right, bottom float64) *aep.Path {
	return &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}}
}
