package effect

import (
	"image"
	"image/draw"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// halves is a picture whose left half is white and whose right half is black.
func halves(w, h int) *raster.Image {
	img := flat(w, h, [4]uint8{0, 0, 0, 255})
	raster.FillRect(img, image.Rect(0, 0, w/2, h), raster.Color{255, 255, 255, 255})
	return img
}

// dot is a transparent picture with one opaque white pixel in its middle.
func dot(size int) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	raster.FillRect(img, image.Rect(size/2, size/2, size/2+1, size/2+1), raster.Color{255, 255, 255, 255})
	return img
}

// moments are the sum of alpha, and its variances across and down.
func moments(img *raster.Image) (sum, across, down float64) {
	var mx, my float64
	each := func(of func(x, y, a float64)) {
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				of(float64(x), float64(y), float64(img.Pix[y*img.Stride+4*x+3]))
			}
		}
	}
	each(func(x, y, a float64) { sum, mx, my = sum+a, mx+a*x, my+a*y })
	mx, my = mx/sum, my/sum
	each(func(x, y, a float64) { across, down = across+a*(x-mx)*(x-mx), down+a*(y-my)*(y-my) })
	return sum, across / sum, down / sum
}

func TestABoxBlurOnceIsTheMeanWithinItsRadius(t *testing.T) {
	img := halves(40, 4)
	(&rig{T: t}).draw("ADBE Box Blur2", params{"0001": one(3), "0002": one(1), "0004": one(1)}, img)
	for x := range 40 {
		white := max(0, min(7, 20-(x-3)))
		want := uint8(math.Round(255 * float64(white) / 7))
		if got := img.RGBAAt(x, 2); got.R != want || got.A != 255 {
			t.Errorf("at %d: %v, want %d", x, got, want)
		}
	}
}

func TestRepeatedEdgesStayOpaque(t *testing.T) {
	for match, number := range map[string]string{"ADBE Gaussian Blur 2": "0003", "ADBE Fast Blur": "0003", "ADBE Box Blur2": "0004"} {
		for repeat, corner := range map[float64]func(a uint8) bool{0: func(a uint8) bool { return a < 128 }, 1: func(a uint8) bool { return a == 255 }} {
			img := flat(20, 20, [4]uint8{255, 255, 255, 255})
			(&rig{T: t}).draw(match, params{"0001": one(10), number: one(repeat)}, img)
			if a := img.RGBAAt(0, 0).A; !corner(a) {
				t.Errorf("%s, repeat %v: a corner has the alpha %d", match, repeat, a)
			}
		}
	}
}

func TestABlurOfOneDimensionLeavesTheOther(t *testing.T) {
	for _, c := range []struct {
		match  string
		values params
		flat   string
	}{
		{"ADBE Box Blur2", params{"0001": one(3), "0003": one(2)}, "down"},
		{"ADBE Gaussian Blur 2", params{"0001": one(10), "0002": one(3)}, "across"},
		{"ADBE Motion Blur", params{"0002": one(10)}, "across"},
		{"ADBE Motion Blur", params{"0001": one(90), "0002": one(10)}, "down"},
	} {
		img := dot(61)
		(&rig{T: t}).draw(c.match, c.values, img)
		sum, across, down := moments(img)
		if c.flat == "across" {
			across, down = down, across
		}
		if sum == 0 || down != 0 || across < 1 {
			t.Errorf("%s: variances of %v and %v", c.match, across, down)
		}
	}
}

func TestADirectionalBlurFollowsItsDirection(t *testing.T) {
	img := dot(61)
	copy(img.Pix, dot(61).Pix)
	raster.FillRect(img, image.Rect(27, 27, 34, 34), raster.Color{255, 255, 255, 255})
	(&rig{T: t}).draw("ADBE Motion Blur", params{"0001": one(45), "0002": one(20)}, img)
	// 45 degrees point to the upper right.
	if along, aside := img.RGBAAt(38, 22).A, img.RGBAAt(38, 38).A; along < 30 || aside > 2 {
		t.Errorf("alpha %d along the direction, %d aside", along, aside)
	}
}

func TestRadialBlursMoveAroundTheirCentre(t *testing.T) {
	spot := func() *raster.Image {
		img := image.NewRGBA(image.Rect(0, 0, 101, 101))
		raster.FillRect(img, image.Rect(78, 48, 83, 53), raster.Color{255, 255, 255, 255})
		return img
	}
	for name, c := range map[string]struct {
		match  string
		values params
		turns  bool
	}{
		"spin":           {"ADBE Radial Blur", params{"0001": one(30), "0002": aep.Numbers{50.5, 50.5}}, true},
		"zoom":           {"ADBE Radial Blur", params{"0001": one(40), "0002": aep.Numbers{50.5, 50.5}, "0003": one(2)}, false},
		"cc, rotate":     {"CC Radial Blur", params{"0001": one(4), "0002": one(30), "0004": aep.Numbers{50.5, 50.5}}, true},
		"cc, zoom":       {"CC Radial Blur", params{"0001": one(3), "0002": one(40), "0004": aep.Numbers{50.5, 50.5}}, false},
		"cc fast, zooms": {"CC Radial Fast Blur", params{"0002": one(40), "0001": aep.Numbers{50.5, 50.5}}, false},
	} {
		img := spot()
		(&rig{T: t}).draw(c.match, c.values, img)
		_, across, down := moments(img)
		if c.turns != (down > 2*across) {
			t.Errorf("%s: variances of %v across and %v down", name, across, down)
		}
	}
}

func TestSharpeningIsTheDifferenceToItsSurroundings(t *testing.T) {
	img := flat(5, 5, [4]uint8{100, 100, 100, 255})
	raster.FillRect(img, image.Rect(2, 2, 3, 3), raster.Color{120, 120, 120, 255})
	(&rig{T: t}).draw("ADBE Sharpen", params{"0001": one(100)}, img)
	if got := img.RGBAAt(2, 2).R; got != 140 { // 20 more than the mean around it
		t.Errorf("the bright pixel is %d", got)
	}
	if got := img.RGBAAt(1, 1).R; got != 98 { // one of eight around it is 20 brighter: 100-20/8
		t.Errorf("the pixel beside it is %d", got)
	}
	edge := halves(40, 8)
	(&rig{T: t}).draw("ADBE Sharpen", params{"0001": one(50)}, edge)
	if edge.RGBAAt(0, 0).R != 255 || edge.RGBAAt(39, 7).R != 0 {
		t.Error("flat parts changed")
	}
}

func TestUnsharpMaskNeedsItsThreshold(t *testing.T) {
	step := func() *raster.Image {
		img := flat(40, 8, [4]uint8{100, 100, 100, 255})
		raster.FillRect(img, image.Rect(0, 0, 20, 8), raster.Color{120, 120, 120, 255})
		return img
	}
	img := step()
	(&rig{T: t}).draw("ADBE Unsharp Mask2", params{"0001": one(100), "0002": one(2)}, img)
	if bright, dark := img.RGBAAt(19, 4).R, img.RGBAAt(20, 4).R; bright <= 122 || dark >= 98 {
		t.Errorf("beside the step: %d and %d", bright, dark)
	}
	img = step()
	(&rig{T: t}).draw("ADBE Unsharp Mask2", params{"0001": one(100), "0002": one(2), "0003": one(30)}, img)
	if string(img.Pix) != string(step().Pix) {
		t.Error("differences below the threshold changed")
	}
}

func TestChannelAndCompoundBlurs(t *testing.T) {
	img := halves(40, 4)
	(&rig{T: t}).draw("ADBE Channel Blur", params{"0001": one(10), "0005": one(1)}, img)
	if c := img.RGBAAt(20, 2); c.R == 0 || c.G != 0 || c.A != 255 {
		t.Errorf("beside the edge: %v", c)
	}
	mask := halves(40, 4)
	img = flat(40, 4, [4]uint8{0, 0, 0, 255})
	for x := 0; x < 40; x += 2 { // stripes
		raster.FillRect(img, image.Rect(x, 0, x+1, 4), raster.Color{255, 255, 255, 255})
	}
	(&rig{T: t, layers: map[uint32]*raster.Image{3: mask}}).drawRef("ADBE Compound Blur", params{"0002": one(20)}, map[string]uint32{"0001": 3}, img)
	if a, b := img.RGBAAt(10, 2).R, img.RGBAAt(11, 2).R; a > b+8 {
		t.Errorf("stripes under white: %d and %d", a, b)
	}
	if a, b := img.RGBAAt(30, 2).R, img.RGBAAt(31, 2).R; a != 255 || b != 0 {
		t.Errorf("stripes under black: %d and %d", a, b)
	}
}

func TestBlursOfHostileLengthsEnd(t *testing.T) {
	for _, match := range []string{
		"ADBE Gaussian Blur 2", "ADBE Box Blur2", "ADBE Channel Blur", "ADBE Camera Lens Blur", "ADBE Motion Blur", "ADBE Radial Blur", "CC Radial Blur",
		"CC Radial Fast Blur", "ADBE Sharpen", "ADBE Unsharp Mask2", "ADBE Compound Blur", "ADBE Minimax",
	} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -5} {
			values := params{"0005": one(v)}
			for _, number := range []string{"0001", "0002", "0003", "0004"} {
				values[number] = aep.Numbers{v, v}
			}
			(&rig{T: t}).draw(match, values, halves(8, 8))
		}
	}
}

// TestBlursThatKeepEdgesBlurTheRest has two halves of which each is speckled: the specks go, the edge stays.
func TestBlursThatKeepEdgesBlurTheRest(t *testing.T) {
	for match, threshold := range map[string]float64{"ADBE Bilateral": 10, "ADBE Smart Blur": 25} {
		img := flat(64, 64, [4]uint8{})
		for i := 0; i < len(img.Pix); i += 4 {
			v := uint8(40)
			if i/4%64 >= 32 {
				v = 200
			}
			v += uint8(20 * ((i/4 + i/256) % 2)) // a chequered pattern
			copy(img.Pix[i:], []uint8{v, v / 2, v, 255})
		}
		(&rig{T: t}).draw(match, params{"0001": one(10), "0002": one(threshold)}, img)
		for x, want := range map[int]float64{4: 50, 30: 50, 33: 210, 60: 210} {
			for y := 30; y < 32; y++ { // one speck, and one between specks
				c := img.RGBAAt(x, y)
				if math.Abs(float64(c.R)-want) > 4 || math.Abs(float64(c.G)-want/2) > 4 || c.A != 255 {
					t.Errorf("%s: %v at %d, %d, want a red of %v", match, c, x, y, want)
				}
			}
		}
	}
}

func TestBilateralBlurWithoutColorsIsGrey(t *testing.T) {
	img := flat(16, 16, [4]uint8{200, 100, 0, 255})
	(&rig{T: t}).draw("ADBE Bilateral", params{"0001": one(3), "0003": one(0)}, img)
	if c := img.RGBAAt(8, 8); c.R != c.G || c.G != c.B || c.R < 90 || c.R > 140 {
		t.Errorf("got %v", c)
	}
}

func TestSmartBlurShowsEdges(t *testing.T) {
	for mode, around := range map[float64]uint8{2: 0, 3: 255} {
		img := halves(40, 8)
		(&rig{T: t}).draw("ADBE Smart Blur", params{"0001": one(3), "0002": one(25), "0003": one(mode)}, img)
		if at, left := img.RGBAAt(19, 4).G, img.RGBAAt(10, 4).G; at != 255 || left != around {
			t.Errorf("mode %v: %d at the edge, %d left of it", mode, at, left)
		}
		if right := img.RGBAAt(30, 4).G; right != 0 {
			t.Errorf("mode %v: %d right of the edge", mode, right)
		}
	}
}

// TestACrossBlurIsACross has a dot, which is spread across and down, and nowhere else.
func TestACrossBlurIsACross(t *testing.T) {
	for _, mode := range []float64{1, 3} {
		img := dot(61)
		(&rig{T: t}).draw("CC Cross Blur", params{"0001": one(10), "0002": one(20), "0003": one(mode)}, img)
		_, across, down := moments(img)
		if !(across > 1 && down > 2*across) {
			t.Errorf("mode %v: the dot is spread by %.1f across and %.1f down", mode, across, down)
		}
		if a := img.RGBAAt(33, 33).A; a != 0 {
			t.Errorf("mode %v: %d beside the cross", mode, a)
		}
	}
}

// TestReducedFlickerIsTheFilterOfLines has lines of one pixel, which flicker when every other line is shown: at a softness of a half they weigh 1, 2 and 1.
func TestReducedFlickerIsTheFilterOfLines(t *testing.T) {
	for softness, want := range map[float64][5]uint8{0: {0, 0, 255, 0, 0}, 0.5: {0, 64, 128, 64, 0}, 1: {0, 85, 85, 85, 0}} {
		img := flat(6, 9, [4]uint8{0, 0, 0, 255})
		raster.FillRect(img, image.Rect(0, 4, 6, 5), raster.Color{255, 255, 255, 255})
		raster.FillRect(img, image.Rect(0, 0, 2, 9), raster.Color{255, 255, 255, 255})
		(&rig{T: t}).draw("ADBE Reduce Interlace Flicker", params{"0001": one(softness)}, img)
		for i, v := range want {
			if got := img.RGBAAt(4, 2+i); got.R != v || got.A != 255 {
				t.Errorf("softness %v, line %d: %v, want %d", softness, 2+i, got, v)
			}
		}
		if edge := [2]uint8{img.RGBAAt(1, 2).R, img.RGBAAt(2, 2).R}; edge != [2]uint8{255, 0} {
			t.Errorf("softness %v: an edge that stands upright became %v", softness, edge)
		}
		if corner := img.RGBAAt(5, 0); corner.A != 255 {
			t.Errorf("softness %v: the border is transparent: %v", softness, corner)
		}
	}
}

// TestALensBlursByTheDistanceFromItsFocus has a map of three distances, each a third of the picture: what is in focus stays, and the squares
// elsewhere are spread by discs, whose variance along an axis is a quarter of their radius squared.
func TestALensBlursByTheDistanceFromItsFocus(t *testing.T) {
	const radius, third = 12, 60
	for _, c := range []struct {
		match  string
		values params
		layer  string
		radii  [3]float64 // of the squares at black, at half grey and at white
	}{
		{"ADBE Lens Blur", params{"0006": one(radius)}, "", [3]float64{radius, radius, radius}},
		{"ADBE Lens Blur", params{"0006": one(radius)}, "0001", [3]float64{0, radius * 128. / 255, radius}},
		{"ADBE Lens Blur", params{"0006": one(radius), "0004": one(128)}, "0001", [3]float64{radius * 128. / 255, 0, radius * 127. / 255}},
		{"ADBE Lens Blur", params{"0006": one(radius), "0003": one(1)}, "0001", [3]float64{radius, radius * 127. / 255, 0}},
		{"ADBE Camera Lens Blur", params{"0001": one(radius)}, "0010", [3]float64{0, radius * 128. / 255, radius}},
		{"ADBE Camera Lens Blur", params{"0001": one(radius), "0013": one(1)}, "0010", [3]float64{radius, radius * 127. / 255, 0}},
		{"ADBE Camera Lens Blur", params{"0001": one(radius), "0014": one(1)}, "0010", [3]float64{radius, radius * 127. / 255, 0}},
	} {
		depth := flat(3*third, third, [4]uint8{0, 0, 0, 255})
		raster.FillRect(depth, image.Rect(third, 0, 2*third, third), raster.Color{128, 128, 128, 255})
		raster.FillRect(depth, image.Rect(2*third, 0, 3*third, third), raster.Color{255, 255, 255, 255})
		img := image.NewRGBA(depth.Rect)
		for i := range 3 {
			raster.FillRect(img, image.Rect(i*third+20, 20, i*third+40, 40), raster.Color{255, 255, 255, 255})
		}
		refs := map[string]uint32{}
		if c.layer != "" {
			refs[c.layer] = 7
		}
		(&rig{T: t, layers: map[uint32]*raster.Image{7: depth}}).drawRef(c.match, c.values, refs, img)
		for i, r := range c.radii {
			square := image.NewRGBA(image.Rect(0, 0, third, third))
			draw.Draw(square, square.Rect, img, image.Pt(i*third, 0), draw.Src)
			_, across, down := moments(square)
			want := (20*20-1)/12. + r*r/4
			if math.Abs(across-want) > 0.5 || math.Abs(down-want) > 0.5 {
				t.Errorf("%s %v by %q: the variance of square %d is %.1f across and %.1f down, want %.1f", c.match, c.values, c.layer, i, across, down, want)
			}
		}
	}
}
