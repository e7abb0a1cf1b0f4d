package effect

import (
	"image"
	"math"
	"testing"

	"overcrank/engine/geom"
)

func TestWhatLiesBeyondTheBorder(t *testing.T) {
	cases := []struct {
		how       edge
		at, wants float64
	}{
		{edgeNothing, -3, -3}, {edgeNothing, 13, 13},
		{edgeRepeat, -3, 0.5}, {edgeRepeat, 13, 9.5}, {edgeRepeat, 4, 4},
		{edgeTile, -3, 7}, {edgeTile, 13, 3}, {edgeTile, 23, 3}, {edgeTile, 10.1, 0.5},
		{edgeMirror, -3, 3}, {edgeMirror, 13, 7}, {edgeMirror, 23, 3},
	}
	for _, c := range cases {
		if got := c.how.fold(c.at, 10, 0.5); math.Abs(got-c.wants) > 1e-12 {
			t.Errorf("%v of kind %d lies at %v, want %v", c.at, c.how, got, c.wants)
		}
	}
}

func TestMixKeepsAShareOfWhatWas(t *testing.T) {
	img, before := image.NewRGBA(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(0, 0, 1, 1))
	copy(img.Pix, []uint8{200, 0, 0, 255})
	copy(before.Pix, []uint8{0, 100, 0, 255})
	mix(img, before, 0.25)
	if got, want := [4]uint8(img.Pix), [4]uint8{150, 25, 0, 255}; got != want {
		t.Errorf("a quarter kept: %v, want %v", got, want)
	}
}

// BenchmarkWarp moves each pixel of 1080p by a curve.
func BenchmarkWarp(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	f := &Frame{Size: geom.Point{X: 1920, Y: 1080}, Matrix: geom.Identity, Host: &rig{}}
	for b.Loop() {
		warp(f, img, edgeMirror, func(p geom.Point) (geom.Point, bool) { return geom.Point{X: p.X + p.Y/10, Y: p.Y * 1.01}, true })
	}
}
