package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// white is an opaque white picture.
func white(w, h int) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	return img
}

// shown are the opacities of a row of pixels, 0–255.
func shown(img *raster.Image, y int) []int {
	var out []int
	for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
		out = append(out, int(img.RGBAAt(x, y).A))
	}
	return out
}

func wantRow(t *testing.T, what string, got, want []int) {
	t.Helper()
	for i := range want {
		if i >= len(got) || got[i]-want[i] > 1 || want[i]-got[i] > 1 {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

func TestLinearWipeHidesFromOneSide(t *testing.T) {
	for _, c := range []struct {
		what                 string
		done, angle, feather float64
		row                  []int
	}{
		{"nothing yet", 0, 90, 0, []int{255, 255, 255, 255, 255, 255, 255, 255}},
		{"half, to the right", 50, 90, 0, []int{0, 0, 0, 0, 255, 255, 255, 255}},
		{"half, to the left", 50, -90, 0, []int{255, 255, 255, 255, 0, 0, 0, 0}},
		{"all", 100, 90, 0, []int{0, 0, 0, 0, 0, 0, 0, 0}},
		// The feather of 4 pixels lies around the middle: 1/8, 3/8, 5/8, 7/8 of it at the centres of its pixels.
		{"soft", 50, 90, 4, []int{0, 0, 32, 96, 159, 223, 255, 255}},
	} {
		img := white(8, 2)
		(&rig{T: t}).draw("ADBE Linear Wipe", params{
			"0001": aep.Numbers{c.done}, "0002": aep.Numbers{c.angle}, "0003": aep.Numbers{c.feather},
		}, img)
		wantRow(t, c.what, shown(img, 0), c.row)
	}
}

func TestRadialWipeHidesASector(t *testing.T) {
	for _, c := range []struct {
		way               float64
		topRight, topLeft int
	}{{1, 0, 255}, {2, 255, 0}} {
		img := white(40, 40)
		(&rig{T: t}).draw("ADBE Radial Wipe", params{"0001": aep.Numbers{25}, "0004": aep.Numbers{c.way}}, img)
		if r, l := int(img.RGBAAt(30, 10).A), int(img.RGBAAt(10, 10).A); r != c.topRight || l != c.topLeft {
			t.Errorf("a quarter, direction %v: %d at the top right and %d at the top left", c.way, r, l)
		}
		if img.RGBAAt(10, 30).A != 255 || img.RGBAAt(30, 30).A != 255 {
			t.Errorf("a quarter, direction %v: the lower half is not whole", c.way)
		}
	}
	img := white(40, 40)
	(&rig{T: t}).draw("ADBE Radial Wipe", params{"0001": aep.Numbers{50}, "0004": aep.Numbers{3}}, img)
	if img.RGBAAt(5, 10).A != 0 || img.RGBAAt(35, 10).A != 0 || img.RGBAAt(5, 30).A != 255 || img.RGBAAt(35, 30).A != 255 {
		t.Error("half, both ways, does not hide the upper half")
	}
}

func TestVenetianBlindsHideStripes(t *testing.T) {
	img := white(8, 2)
	(&rig{T: t}).draw("ADBE Venetian Blinds", params{"0001": aep.Numbers{50}, "0003": aep.Numbers{4}}, img)
	wantRow(t, "half of stripes of 4", shown(img, 0), []int{0, 0, 255, 255, 0, 0, 255, 255})
	img = white(4, 4)
	(&rig{T: t}).draw("ADBE Venetian Blinds", params{"0001": aep.Numbers{37.5}, "0002": aep.Numbers{90}, "0003": aep.Numbers{4}}, img)
	wantRow(t, "the second row, half hidden", shown(img, 1), []int{128, 128, 128, 128})
}

func TestBlockDissolveHidesItsShareOfBlocks(t *testing.T) {
	img := white(200, 200)
	(&rig{T: t}).draw("ADBE Block Dissolve", params{"0001": aep.Numbers{30}, "0002": aep.Numbers{4}, "0003": aep.Numbers{2}}, img)
	hidden := 0
	for y := range 200 {
		for x := range 200 {
			a := img.RGBAAt(x, y).A
			if a != img.RGBAAt(x/4*4, y/2*2).A {
				t.Fatalf("the block at %d, %d is not whole", x, y)
			}
			if a == 0 {
				hidden++
			}
		}
	}
	// 5000 blocks: six standard deviations.
	if share := float64(hidden) / 40000; math.Abs(share-0.3) > 0.04 {
		t.Errorf("%v of the blocks are hidden, want 0.3", share)
	}
}

func TestGradientWipeFollowsAnotherLayer(t *testing.T) {
	img := white(256, 1)
	r := &rig{T: t, layers: map[uint32]*raster.Image{7: ramp256()}}
	group := params{"0001": aep.Numbers{25}, "0003": aep.Numbers{1}}
	r.refs = map[string]uint32{"0003": 7}
	r.draw("ADBE Gradient Wipe", group, img)
	row := shown(img, 0)
	if row[60] != 0 || row[68] != 255 {
		t.Errorf("a quarter ends between %v", row[55:75])
	}
}

func TestIrisWipeCutsAPolygon(t *testing.T) {
	img := white(100, 100)
	(&rig{T: t}).draw("ADBE IRIS_WIPE", params{"0003": aep.Numbers{30}}, img)
	var hole float64
	for i := 3; i < len(img.Pix); i += 4 {
		hole += 1 - float64(img.Pix[i])/255
	}
	if want := 3 * math.Sqrt(3) / 2 * 30 * 30; math.Abs(hole-want) > 10 {
		t.Errorf("the hexagon has %v pixels, want %v", hole, want)
	}
}

func TestJawsOpenAlongALine(t *testing.T) {
	img := white(20, 40)
	(&rig{T: t}).draw("CC Jaws", params{"0001": aep.Numbers{50}, "0004": aep.Numbers{0}}, img)
	if img.RGBAAt(10, 20).A != 0 || img.RGBAAt(10, 2).A != 255 || img.RGBAAt(10, 37).A != 255 {
		t.Error("half open: the middle is not hidden, or the borders are")
	}
	(&rig{T: t}).draw("CC Jaws", params{"0001": aep.Numbers{100}}, img)
	if a := img.RGBAAt(0, 0).A; a != 0 {
		t.Errorf("open: %d at a corner", a)
	}
}

func BenchmarkRadialWipe(b *testing.B) {
	e := newRadialWipe(ofValues("ADBE Radial Wipe", params{"0001": aep.Numbers{40}}, nil))
	benchmark1080p(b, e)
}
