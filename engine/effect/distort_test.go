package effect

import (
	"image"
	"image/color"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// slope is an opaque picture whose red is x and green y, so that a pixel tells where it came from.
func slope(w, h int) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 0, 255})
		}
	}
	return img
}

// cameFrom tells where the pixel at (x, y) of a slope came from.
func cameFrom(img *raster.Image, x, y int) geom.Point {
	c := img.RGBAAt(x, y)
	return geom.Point{X: float64(c.R) + 0.5, Y: float64(c.G) + 0.5}
}

// moves draws an effect on a slope of 200 by 100 and compares where some of its pixels came from, within a pixel. An empty want is nothing.
func moves(t *testing.T, match string, values params, want map[image.Point]geom.Point) {
	t.Helper()
	img := slope(200, 100)
	(&rig{T: t}).draw(match, values, img)
	for at, from := range want {
		visible := img.RGBAAt(at.X, at.Y).A > 127
		if visible != (from != geom.Point{}) {
			t.Errorf("%s %v: the pixel at %v shows something: %v", match, values, at, visible)
		} else if got := cameFrom(img, at.X, at.Y); visible && (math.Abs(got.X-from.X) > 1 || math.Abs(got.Y-from.Y) > 1) {
			t.Errorf("%s %v: the pixel at %v came from %v, want %v", match, values, at, got, from)
		}
	}
}

func one(v ...float64) aep.Numbers { return v }

func TestTransformMovesTurnsAndScalesAboutItsAnchor(t *testing.T) {
	moves(t, "ADBE Geometry2", params{"0002": one(120, 60)}, map[image.Point]geom.Point{{120, 60}: {X: 100.5, Y: 50.5}, {5, 50}: {}})
	moves(t, "ADBE Geometry2", params{"0003": one(50)}, map[image.Point]geom.Point{{100, 50}: {X: 101, Y: 51}, {140, 60}: {X: 181, Y: 71}, {40, 50}: {}})
	moves(t, "ADBE Geometry2", params{"0011": one(0), "0004": one(200)}, map[image.Point]geom.Point{{140, 20}: {X: 120.5, Y: 20.5}})
	moves(t, "ADBE Geometry2", params{"0007": one(90)}, map[image.Point]geom.Point{{100, 80}: {X: 130.5, Y: 49.5}})
	moves(t, "ADBE Geometry2", params{"0001": one(0, 0), "0002": one(0, 0), "0003": one(200)}, map[image.Point]geom.Point{{100, 50}: {X: 50.25, Y: 25.25}})
	img := white(4, 4)
	(&rig{T: t}).draw("ADBE Geometry2", params{"0008": one(50)}, img)
	if a := img.RGBAAt(2, 2).A; a < 127 || a > 128 {
		t.Errorf("half opacity gives %d", a)
	}
}

func TestTransformPaintsBeyondTheLayer(t *testing.T) {
	e, _ := newTransform(ofValues("ADBE Geometry2", params{"0003": one(200)}, nil)).(Moving)
	f := &Frame{Size: geom.Point{X: 100, Y: 50}, Matrix: geom.Scale(0.5, 0.5)}
	if got, want := e.Bounds(f, geom.Rect{MaxX: 50, MaxY: 25}), (geom.Rect{MinX: -25, MinY: -12.5, MaxX: 75, MaxY: 37.5}); got != want {
		t.Errorf("twice as large paints %v, want %v", got, want)
	}
}

func TestCornerPinKeepsStraightLinesStraight(t *testing.T) {
	// A trapezium whose upper side is half as long: the diagonals of the layer cross where those of the trapezium do, at a third of its height.
	trapezium := params{"0001": one(50, 0), "0002": one(150, 0), "0003": one(0, 99), "0004": one(200, 99)}
	moves(t, "ADBE Corner Pin", trapezium, map[image.Point]geom.Point{
		{100, 33}: {X: 100.5, Y: 50}, {10, 10}: {}, {190, 10}: {}, {100, 97}: {X: 100.5, Y: 99.2},
	})
	moves(t, "ADBE Corner Pin", nil, map[image.Point]geom.Point{{17, 33}: {X: 17.5, Y: 33.5}})
	moves(t, "ADBE Corner Pin", params{"0001": one(200, 0), "0002": one(0, 0), "0003": one(200, 100), "0004": one(0, 100)},
		map[image.Point]geom.Point{{17, 33}: {X: 182.5, Y: 33.5}})
	zero := one(5, 5)
	moves(t, "ADBE Corner Pin", params{"0001": zero, "0002": zero, "0003": zero, "0004": zero}, map[image.Point]geom.Point{{100, 50}: {}})
}

func TestMirrorReflectsAtALine(t *testing.T) {
	moves(t, "ADBE Mirror", params{"0001": one(100, 50)}, map[image.Point]geom.Point{{30, 10}: {X: 30.5, Y: 10.5}, {129, 10}: {X: 70.5, Y: 10.5}})
	moves(t, "ADBE Mirror", params{"0001": one(100, 50), "0002": one(90)}, map[image.Point]geom.Point{{30, 69}: {X: 30.5, Y: 30.5}})
	moves(t, "ADBE Mirror", params{"0001": one(100, 50), "0002": one(180)}, map[image.Point]geom.Point{{30, 69}: {X: 169.5, Y: 69.5}})
}

func TestTilesRepeatTheLayer(t *testing.T) {
	moves(t, "ADBE Tile", params{"0001": one(150, 50)}, map[image.Point]geom.Point{{150, 50}: {X: 100.5, Y: 50.5}, {20, 50}: {X: 170.5, Y: 50.5}})
	moves(t, "ADBE Tile", params{"0002": one(50), "0003": one(50)}, map[image.Point]geom.Point{{100, 50}: {X: 101, Y: 51}, {10, 50}: {X: 121, Y: 51}})
	moves(t, "ADBE Tile", params{"0002": one(50), "0006": one(1)}, map[image.Point]geom.Point{{40, 50}: {X: 19, Y: 50.5}, {60, 50}: {X: 21, Y: 50.5}})
	moves(t, "ADBE Tile", params{"0004": one(50)}, map[image.Point]geom.Point{{20, 50}: {}, {100, 50}: {X: 100.5, Y: 50.5}})
	moves(t, "ADBE Tile", params{"0002": one(50), "0007": one(180)}, map[image.Point]geom.Point{{100, 20}: {X: 101, Y: 20.5}, {20, 20}: {X: 141, Y: 70.5}})
	moves(t, "ADBE Offset", params{"0001": one(110, 60)}, map[image.Point]geom.Point{{110, 60}: {X: 100.5, Y: 50.5}, {4, 4}: {X: 194.5, Y: 94.5}})
	moves(t, "CC Tiler", params{"0001": one(50)}, map[image.Point]geom.Point{{100, 50}: {X: 101, Y: 51}, {10, 50}: {X: 121, Y: 51}})
}

func TestTilesPaintBeyondTheLayer(t *testing.T) {
	f := &Frame{Size: geom.Point{X: 200, Y: 100}, Matrix: geom.Identity}
	e, _ := newMotionTile(ofValues("ADBE Tile", params{"0004": one(300)}, nil)).(Moving)
	if got, want := e.Bounds(f, geom.Rect{}), (geom.Rect{MinX: -200, MaxX: 400, MaxY: 100}); got != want {
		t.Errorf("three times as wide paints %v, want %v", got, want)
	}
	e, _ = newRepeTile(ofValues("CC RepeTile", params{"0001": one(30), "0004": one(7)}, nil)).(Moving)
	if got, want := e.Bounds(f, geom.Rect{}), (geom.Rect{MinY: -7, MaxX: 230, MaxY: 100}); got != want {
		t.Errorf("with more to the right and above it paints %v, want %v", got, want)
	}
}

func TestPolarCoordinatesBendRowsToCircles(t *testing.T) {
	// A quarter turn clockwise from the top is a quarter of the width; half of the radius of 50 is half of the height.
	moves(t, "ADBE Polar Coordinates", params{"0001": one(1), "0002": one(1)}, map[image.Point]geom.Point{
		{125, 49}: {X: 49, Y: 51}, {100, 75}: {X: 100, Y: 51}, {75, 50}: {X: 149.4, Y: 49},
	})
	moves(t, "ADBE Polar Coordinates", params{"0001": one(1)}, map[image.Point]geom.Point{
		{50, 50}: {X: 125, Y: 50}, {100, 50}: {X: 100, Y: 75},
	})
	moves(t, "ADBE Polar Coordinates", nil, map[image.Point]geom.Point{{50, 50}: {X: 50.5, Y: 50.5}})
}

func TestWavesHaveTheirShapes(t *testing.T) {
	for kind, want := range map[int][4]float64{
		1:              {0, 1, 0, -1},
		waveSquare:     {1, 1, -1, -1},
		waveTriangle:   {0, 1, 0, -1},
		waveSawtooth:   {-1, -0.5, 0, 0.5},
		waveCircle:     {0, 1, 0, -1},
		waveSemicircle: {-1, 2*math.Sqrt(0.75) - 1, 1, 2*math.Sqrt(0.75) - 1},
		waveUncircle:   {1, 0, -1, 0},
	} {
		for i, w := range want {
			if got := wave(kind, 3+float64(i)/4); math.Abs(got-w) > 1e-9 {
				t.Errorf("wave %d at %d quarters: %v, want %v", kind, i, got, w)
			}
		}
	}
}

func TestWaveWarpMovesAcrossItsDirection(t *testing.T) {
	still := params{"0005": one(0), "0002": one(10), "0003": one(40)}
	moves(t, "ADBE Wave Warp", still, map[image.Point]geom.Point{{10, 50}: {X: 10.5, Y: 60.5}, {20, 50}: {X: 20.5, Y: 49.7}, {30, 50}: {X: 30.5, Y: 40.5}})
	e, _ := newWaveWarp(ofValues("ADBE Wave Warp", still, nil)).(Timed)
	if e.Timed() {
		t.Error("waves that stand still are timed")
	}
	img := slope(200, 100)
	(&rig{T: t, time: 0.25}).draw("ADBE Wave Warp", params{"0002": one(10), "0003": one(40)}, img)
	// After a quarter of a second the wave has gone a quarter of its length.
	if got := cameFrom(img, 20, 50); math.Abs(got.Y-60.5) > 1 {
		t.Errorf("after a quarter of a wave the pixel came from %v", got)
	}
}

func TestDisplacementMapMovesByAnotherLayer(t *testing.T) {
	by := white(200, 100)
	for i := 0; i < len(by.Pix); i += 4 {
		by.Pix[i], by.Pix[i+1] = 255, 0 // red moves to the right, no green moves up
	}
	img := slope(200, 100)
	r := &rig{T: t, layers: map[uint32]*raster.Image{7: by}, refs: map[string]uint32{"0001": 7}}
	r.draw("ADBE Displacement Map", params{"0001": one(1), "0003": one(20), "0005": one(10)}, img)
	if got, want := cameFrom(img, 100, 50), (geom.Point{X: 80.5, Y: 60.5}); got != want {
		t.Errorf("the pixel came from %v, want %v", got, want)
	}
	if got, want := mapped(raster.Color{}, mapRed), 0.5; got != want {
		t.Errorf("what is transparent says %v, want %v", got, want)
	}
}

func TestWhatIsRoundStaysAtItsCentreAndBorder(t *testing.T) {
	for match, values := range map[string]params{
		"ADBE Bulge":    {"0001": one(40), "0002": one(40)},
		"ADBE Spherize": {"0001": one(40)},
		"ADBE Twirl":    {"0001": one(90), "0002": one(20)},
		"ADBE Ripple":   {"0001": one(20), "0004": one(0), "0003": one(2)},
	} {
		moves(t, match, values, map[image.Point]geom.Point{{100, 5}: {X: 100.5, Y: 5.5}, {150, 50}: {X: 150.5, Y: 50.5}})
	}
	// On a ball of radius 40, 20 pixels from its pole on the picture are 30 degrees: a third of the way to its edge.
	moves(t, "ADBE Spherize", params{"0001": one(40)}, map[image.Point]geom.Point{{120, 50}: {X: 100 + 40*math.Asin(20.5/40)*2/math.Pi, Y: 50.5}})
	moves(t, "ADBE Magnify", params{"0003": one(200), "0002": one(30)}, map[image.Point]geom.Point{{120, 50}: {X: 110.25, Y: 50.25}, {150, 50}: {X: 150.5, Y: 50.5}})
}

func TestOpticsCompensationGoesBackAndForth(t *testing.T) {
	const view = 90.0 // f is 100 pixels for half a width of 100
	at := 40.5
	moves(t, "ADBE Optics Compensation", params{"0001": one(view)}, map[image.Point]geom.Point{{140, 50}: {X: 100 + 100*math.Tan(at/100), Y: 50.5}})
	moves(t, "ADBE Optics Compensation", params{"0001": one(view), "0002": one(1)}, map[image.Point]geom.Point{{140, 50}: {X: 100 + 100*math.Atan(at/100), Y: 50.5}})
}

func TestBendItKeepsLengths(t *testing.T) {
	// A stick from the left to the middle, bent by a right angle to the right, which is down: its end is where the arc ends.
	bent := params{"0001": one(100), "0002": one(60, 50), "0003": one(120, 50)}
	r := 60 / (math.Pi / 2)
	moves(t, "CC Bend It", bent, map[image.Point]geom.Point{
		{50, 50}: {X: 50.5, Y: 50.5}, {60 + int(r*math.Sqrt2/2), 50 + int(r*(1-math.Sqrt2/2))}: {X: 90, Y: 50},
	})
}

func TestSlantLeansOverItsFloor(t *testing.T) {
	moves(t, "CC Slant", params{"0001": one(50)}, map[image.Point]geom.Point{{100, 99}: {X: 100.5, Y: 99.5}, {150, 50}: {X: 125.75, Y: 50.5}})
}

func TestNoiseIsSmoothBoundedAndCycles(t *testing.T) {
	box := geom.Rect{MaxX: 20, MaxY: 20}
	for kind := noiseBlock; kind <= noiseSpline; kind++ {
		f, again := newField(kind, 3, 0.3, 4, box), newField(kind, 3, 4.3, 4, box)
		last := f.at(0, 7.3)
		for x := 0.0; x < 20; x += 0.01 {
			v := f.at(x, 7.3)
			if math.Abs(v) > 1 || v != again.at(x, 7.3) {
				t.Fatalf("type %d at %v: %v, a cycle later %v", kind, x, v, again.at(x, 7.3))
			}
			if kind != noiseBlock && math.Abs(v-last) > 0.05 {
				t.Fatalf("type %d jumps at %v from %v to %v", kind, x, last, v)
			}
			last = v
		}
	}
}

func TestTurbulentDisplaceMovesNoFurtherThanItReaches(t *testing.T) {
	values := params{"0002": one(40), "0003": one(30), "0012": one(1)}
	img := slope(200, 100)
	(&rig{T: t}).draw("ADBE Turbulent Displace", values, img)
	moved := 0.0
	for y := 20; y < 80; y++ {
		for x := 20; x < 180; x++ {
			d := cameFrom(img, x, y).Sub(geom.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
			moved = max(moved, math.Abs(d.X), math.Abs(d.Y))
		}
	}
	if moved < 2 || moved > 7 {
		t.Errorf("pixels moved by up to %v, want a few and at most 6", moved)
	}
}

func BenchmarkDistort(b *testing.B) {
	for match, values := range map[string]params{
		"ADBE Geometry2":           {"0007": one(10), "0003": one(80)},
		"ADBE Corner Pin":          {"0001": one(50, 80)},
		"ADBE Tile":                {"0002": one(50)},
		"ADBE Polar Coordinates":   {"0001": one(1), "0002": one(1)},
		"ADBE Turbulent Displace":  {"0005": one(3)},
		"ADBE Optics Compensation": {"0001": one(60)},
	} {
		b.Run(match, func(b *testing.B) {
			make, _ := Find(match)
			benchmark1080p(b, make(ofValues(match, values, nil)))
		})
	}
}

func TestUpscaleEnlargesAboutTheMiddle(t *testing.T) {
	moves(t, "ADBE Upscale", params{"0001": one(200)}, map[image.Point]geom.Point{{100, 50}: {X: 100.25, Y: 50.25}, {140, 70}: {X: 120.25, Y: 60.25}})
}
