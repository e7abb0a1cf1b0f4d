package effect

import (
	"math"
	"math/cmplx"
	"testing"

	"overcrank/aep"
	"overcrank/engine/random"
)

func TestTheFourierTransformIsItsSum(t *testing.T) {
	v := make([]complex128, 16)
	for i := range v {
		v[i] = complex(random.At(1, i, 0, 0), random.At(2, i, 0, 0))
	}
	got := append([]complex128(nil), v...)
	transformFourier(got)
	for k := range v {
		var want complex128
		for i, x := range v {
			want += x * cmplx.Rect(1, -2*math.Pi*float64(i*k)/16)
		}
		if cmplx.Abs(got[k]-want) > 1e-12 {
			t.Errorf("term %d is %v, want %v", k, got[k], want)
		}
	}
}

// tone600 is a sine of 600 Hz at half of the full level.
func tone600(t float64) float64 { return 0.5 * math.Sin(2*math.Pi*600*t) }

func TestASpectrumIsHighWhereASoundIs(t *testing.T) {
	r := &rig{T: t, time: 1, heard: tone600, refs: map[string]uint32{"0001": 5}}
	img := white(100, 100)
	// Ten bands of 100 Hz from 0 to 1000, one each 10 pixels; that of 600 Hz is the seventh.
	r.draw("ADBE AudSpect", params{
		"0001": one(1), "0002": one(5, 80), "0003": one(95, 80), "0006": one(0), "0007": one(1000), "0008": one(10), "0009": one(100),
		"0012": one(4), "0021": one(1), "0014": one(1, 1, 1, 1),
	}, img)
	for i, want := range map[int]int{1: 80, 3: 80, 6: 30, 8: 80} {
		top := 100
		for y := 99; y >= 0; y-- {
			if img.RGBAAt(5+10*i, y).A > 127 {
				top = y
			}
		}
		if top < want-6 || top > want+3 {
			t.Errorf("band %d is seen up to %d, want %d", i, top, want)
		}
	}
}

func TestSilenceIsARowOfDots(t *testing.T) {
	img := white(100, 20)
	(&rig{T: t}).draw("ADBE AudSpect", params{"0002": one(10, 10), "0003": one(90, 10), "0008": one(5), "0012": one(6), "0014": one(1, 0, 0, 1), "0017": one(0)}, img)
	for x, want := range map[int]uint8{10: 255, 30: 255, 50: 255, 90: 255, 20: 0, 40: 0} {
		if got := img.RGBAAt(x, 10).A; got != want {
			t.Errorf("at %d: %d, want %d", x, got, want)
		}
	}
}

func TestAWaveformIsTheSound(t *testing.T) {
	// A quarter of a second of a sine of 4 Hz is one wave.
	r := &rig{T: t, time: 0.125, heard: func(t float64) float64 { return math.Sin(2 * math.Pi * 4 * t) }, refs: map[string]uint32{"0001": 5}}
	img := white(100, 100)
	r.draw("ADBE AudWave", params{
		"0001": one(1), "0002": one(0, 50), "0003": one(100, 50), "0005": one(101), "0006": one(40), "0007": one(250), "0009": one(4),
	}, img)
	for x, y := range map[int]int{25: 10, 50: 50, 75: 89} {
		if img.RGBAAt(x, y).A < 100 {
			t.Errorf("the line is not at %d, %d", x, y)
		}
	}
	if img.RGBAAt(25, 50).A != 0 {
		t.Error("the line is in the middle where it is high")
	}
}

// TestASpectrumTurnsTheHueOfItsBands has five silent bands from red on, whose hue turns by a third of the circle.
func TestASpectrumTurnsTheHueOfItsBands(t *testing.T) {
	for symmetry, want := range map[float64][3][3]uint8{
		0: {{255, 0, 0}, {255, 255, 0}, {0, 255, 0}},
		1: {{255, 0, 0}, {0, 255, 0}, {255, 0, 0}},
	} {
		img := white(100, 20)
		(&rig{T: t}).draw("ADBE AudSpect", params{
			"0002": one(10, 10), "0003": one(90, 10), "0008": one(5), "0012": one(6), "0014": one(1, 0, 0, 1), "0017": one(120), "0018": one(0), "0019": one(symmetry),
		}, img)
		for i, c := range want {
			if got := img.RGBAAt(10+40*i, 10); [3]uint8{got.R, got.G, got.B} != c {
				t.Errorf("symmetry %g: band %d is %v, want %v", symmetry, 2*i, got, c)
			}
		}
	}
}

// TestASpectrumFollowsAMask has a band at each corner of a square, whose sides are as long as the way between them.
func TestASpectrumFollowsAMask(t *testing.T) {
	square := &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 20, Y: 20}, {X: 80, Y: 20}, {X: 80, Y: 80}, {X: 20, Y: 80}}}
	img := white(100, 100)
	(&rig{T: t, masks: []*aep.Path{square}}).draw("ADBE AudSpect", params{"0004": one(1), "0008": one(4), "0012": one(8)}, img)
	for at, want := range map[[2]int]uint8{{20, 20}: 255, {80, 20}: 255, {80, 80}: 255, {20, 80}: 255, {50, 20}: 0, {50, 50}: 0} {
		if got := img.RGBAAt(at[0], at[1]).A; got != want {
			t.Errorf("at %v: %d, want %d", at, got, want)
		}
	}
}
