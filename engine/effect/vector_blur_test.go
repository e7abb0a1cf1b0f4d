package effect

import (
	"math"
	"testing"

	"overcrank/engine/raster"
)

// rising is a map that rises evenly by step levels per pixel to the right.
func rising(w, h, step int) *raster.Image {
	img := flat(w, h, [4]uint8{0, 0, 0, 255})
	for y := range h {
		for x := range w {
			v := uint8(min(255, step*x))
			copy(img.Pix[img.PixOffset(x, y):], []uint8{v, v, v})
		}
	}
	return img
}

// An even slope blurs everything along itself: a step becomes a ramp as long as the blur, and one along the slope stays.
func TestAVectorBlurFollowsTheSlopeOfItsMap(t *testing.T) {
	const length = 16
	draw := func(kind, offset float64, img *raster.Image) *raster.Image {
		r := &rig{T: t, layers: map[uint32]*raster.Image{7: rising(64, 64, 4)}}
		r.drawRef("CC Vector Blur", params{"0001": one(kind), "0002": one(length), "0003": one(offset), "0006": one(1)}, map[string]uint32{"0005": 7}, img)
		return img
	}
	ramp := func(x int) float64 { return 255 * max(0, min(1, 0.5-(float64(x)+0.5-32)/length)) }
	for _, c := range []struct {
		kind, offset float64
		blurs        bool
	}{{vectorConstant, 0, true}, {vectorConstant, 180, true}, {vectorConstant, 90, false}, {vectorPerpendicular, 0, false}, {vectorPerpendicular, 90, true}} {
		img := draw(c.kind, c.offset, halves(64, 64))
		for x := 8; x < 56; x++ {
			want := 255.0
			if x >= 32 {
				want = 0
			}
			if c.blurs && c.kind == vectorConstant {
				want = ramp(x)
			}
			got := float64(img.RGBAAt(x, 32).R)
			if c.blurs && c.kind != vectorConstant { // shorter, as far as the slope is not steep
				if x == 31 && got > 250 || x == 32 && got < 5 {
					t.Errorf("type %v, offset %v: nothing is blurred", c.kind, c.offset)
				}
				continue
			}
			if math.Abs(got-want) > 6 {
				t.Errorf("type %v, offset %v: %v at %d, want %v", c.kind, c.offset, got, x, want)
			}
		}
	}
}

// A map of one colour says one direction: white a whole turn, upwards, and half of it downwards.
func TestAVectorBlurTakesDirectionsOfItsMap(t *testing.T) {
	for _, c := range []struct {
		kind         float64
		level        uint8
		across, down bool
	}{{vectorDirectionCenter, 0, false, true}, {vectorDirectionCenter, 64, true, false}, {vectorDirectionFading, 255, false, true}} {
		r := &rig{T: t, layers: map[uint32]*raster.Image{7: flat(61, 61, [4]uint8{c.level, c.level, c.level, 255})}}
		img := dot(61)
		r.drawRef("CC Vector Blur", params{"0001": one(c.kind), "0002": one(12), "0006": one(5)}, map[string]uint32{"0005": 7}, img)
		_, across, down := moments(img)
		if (across > 4) != c.across || (down > 4) != c.down {
			t.Errorf("type %v at level %d: spread by %.1f across and %.1f down", c.kind, c.level, across, down)
		}
	}
}

func TestAVectorBlurWithoutAMapLeavesWhatIsFlat(t *testing.T) {
	img := flat(40, 40, [4]uint8{90, 60, 30, 255})
	(&rig{T: t}).draw("CC Vector Blur", params{"0002": one(30)}, img)
	if c := img.RGBAAt(20, 20); c.R != 90 || c.G != 60 || c.B != 30 {
		t.Errorf("got %v", c)
	}
}
