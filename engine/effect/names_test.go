package effect

import (
	"bytes"
	"image"
	"math"
	"testing"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// TestOlderNamesDrawTheSame compares effects of older versions with those that took their places, whose parameters have the same numbers.
func TestOlderNamesDrawTheSame(t *testing.T) {
	for older, c := range map[string]struct {
		newer  string
		values params
		refs   map[string]uint32
	}{
		"ADBE Box Blur":     {"ADBE Box Blur2", params{"0001": one(3), "0002": one(2), "0003": one(2)}, nil},
		"ADBE Easy Levels":  {"ADBE Easy Levels2", params{"0001": one(1), "0003": one(0.1), "0004": one(0.8), "0005": one(1.5), "0006": one(0.1), "0007": one(0.9)}, nil},
		"ADBE Pro Levels":   {"ADBE Pro Levels2", params{"0002": one(0.1), "0003": one(0.1), "0004": one(0.8), "0005": one(1.5), "0006": one(0.1), "0007": one(0.9)}, nil},
		"ADBE Exposure":     {"ADBE Exposure2", params{"0001": one(1), "0003": one(1)}, nil},
		"ADBE Geometry":     {"ADBE Geometry2", params{"0002": one(30, 20), "0003": one(50), "0007": one(30), "0008": one(80), "0011": one(1)}, nil},
		"ADBE Noise":        {"ADBE Noise2", params{"0001": one(40)}, nil},
		"ADBE Set Matte2":   {"ADBE Set Matte3", nil, map[string]uint32{"0001": 7}},
		"ADBE Unsharp Mask": {"ADBE Unsharp Mask2", params{"0001": one(100), "0002": one(2)}, nil},
		"CS CrossBlur":      {"CC Cross Blur", params{"0001": one(10), "0002": one(20), "0003": one(1)}, nil},
	} {
		draw := func(match string) *raster.Image {
			img, matte := slope(80, 60), white(80, 60)
			raster.FillRect(img, image.Rect(30, 20, 50, 40), raster.Color{200, 150, 100, 255})
			clear(matte.Pix[:len(matte.Pix)/2])
			(&rig{T: t, layers: map[uint32]*raster.Image{7: matte}}).drawRef(match, c.values, c.refs, img)
			return img
		}
		is, was := draw(older), draw(c.newer)
		if !bytes.Equal(is.Pix, was.Pix) {
			t.Errorf("%s is not drawn as %s", older, c.newer)
		}
		if plain := slope(80, 60); bytes.Equal(is.Pix[:40], plain.Pix[:40]) && bytes.Equal(is.Pix[4*80*30:4*80*31], plain.Pix[4*80*30:4*80*31]) {
			t.Errorf("%s changes nothing", older)
		}
	}
	// The first version of Transform has a height and a width of its own unless it says otherwise.
	moves(t, "ADBE Geometry", params{"0003": one(50)}, map[image.Point]geom.Point{{140, 60}: {X: 140.5, Y: 71}, {100, 80}: {}})
}

func TestPowerPinIsACornerPin(t *testing.T) {
	trapezium := params{"0002": one(50, 0), "0003": one(150, 0), "0004": one(0, 99), "0005": one(200, 99)}
	moves(t, "CC Power Pin", trapezium, map[image.Point]geom.Point{{100, 33}: {X: 100.5, Y: 50}, {10, 10}: {}, {190, 10}: {}, {100, 97}: {X: 100.5, Y: 99.2}})
	moves(t, "CC Power Pin", nil, map[image.Point]geom.Point{{17, 33}: {X: 17.5, Y: 33.5}})
}

// TestALensMagnifiesWithinItsCircle has a lens of which the circle is as wide as the layer: a pixel at a distance of r of its radius comes from r times
// 1 - √(1-r²)·power/2.
func TestALensMagnifiesWithinItsCircle(t *testing.T) {
	from := func(x, power float64) geom.Point {
		r := (x - 100) / 100
		if r *= 1 - power/2*math.Sqrt(1-r*r); math.Abs(r) > 1 {
			return geom.Point{} // beyond the layer
		}
		return geom.Point{X: 100 + 100*r, Y: 50}
	}
	for _, power := range []float64{100, 50, 0, -100} {
		want := map[image.Point]geom.Point{}
		for _, x := range []int{20, 70, 130, 160, 190} {
			want[image.Point{X: x, Y: 50}] = from(float64(x)+0.5, power/100)
		}
		moves(t, "CC Lens", params{"0001": one(100, 50), "0002": one(50), "0003": one(power)}, want)
	}
	// Outside of it nothing is seen.
	moves(t, "CC Lens", params{"0001": one(100, 50), "0002": one(20), "0003": one(0)}, map[image.Point]geom.Point{{137, 50}: {X: 137.5, Y: 50.5}, {143, 50}: {}, {100, 5}: {}})
}

func TestColorBalanceTurnsHuesAndMovesLightness(t *testing.T) {
	red, grey := [4]uint8{255, 0, 0, 255}, [4]uint8{100, 100, 100, 255}
	for name, c := range map[string]struct {
		values   params
		from, to [4]uint8
	}{
		"as it is":              {nil, red, red},
		"a third of a turn":     {params{"0001": one(120)}, red, [4]uint8{0, 255, 0, 255}},
		"two thirds":            {params{"0001": one(-120)}, red, [4]uint8{0, 0, 255, 255}},
		"lighter":               {params{"0002": one(50)}, grey, [4]uint8{178, 178, 178, 255}},
		"darker":                {params{"0002": one(-50)}, grey, [4]uint8{50, 50, 50, 255}},
		"no saturation":         {params{"0003": one(-100)}, red, [4]uint8{128, 128, 128, 255}},
		"half of it":            {params{"0003": one(-50)}, red, [4]uint8{191, 64, 64, 255}},
		"transparent":           {params{"0001": one(120)}, [4]uint8{100, 0, 0, 100}, [4]uint8{0, 100, 0, 100}},
		"black stays as it was": {params{"0001": one(90), "0003": one(50)}, [4]uint8{0, 0, 0, 255}, [4]uint8{0, 0, 0, 255}},
	} {
		if got := pixel(t, "ADBE Color Balance (HLS)", c.values, c.from); !near(got, c.to) {
			t.Errorf("%s: %v becomes %v, want %v", name, c.from, got, c.to)
		}
	}
}
