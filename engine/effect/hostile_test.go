package effect

import (
	"fmt"
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// TestHostileValuesDoNoHarm draws each effect with values that no person would set: none may make it fail, loop or use memory without end.
func TestHostileValuesDoNoHarm(t *testing.T) {
	for _, match := range Drawn() {
		t.Run(match, func(t *testing.T) {
			for _, v := range []float64{math.NaN(), math.Inf(1), -1e300, 1e-300, 0, -1, 2, 3, 7, 1e6} {
				r := &rig{T: t, refs: map[string]uint32{}, layers: map[uint32]*raster.Image{7: ramp256()}}
				r.at = func(float64) *raster.Image { return white(16, 16) }
				values := params{}
				for n := range 128 {
					number := fmt.Sprintf("%04d", n)
					values[number] = aep.Numbers{v, v, v, v}
					r.refs[number] = 7
				}
				r.draw(match, values, image.NewRGBA(image.Rect(0, 0, 16, 16)))
				r.draw(match, values, white(16, 16))
			}
		})
	}
}

// TestBoundsOfHostileValues asks effects how far they paint.
func TestBoundsOfHostileValues(t *testing.T) {
	f := &Frame{Rate: 25, Eval: &eval.Evaluator{Project: &aep.Project{}}, Size: geom.Point{X: 16, Y: 16}, Matrix: geom.Identity}
	for _, match := range Drawn() {
		for _, v := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300} {
			values := params{}
			for n := range 32 {
				values[fmt.Sprintf("%04d", n)] = aep.Numbers{v, v, v, v}
			}
			make, _ := Find(match)
			switch e := make(ofValues(match, values, nil)).(type) {
			case Moving:
				if box := raster.PixelRect(e.Bounds(f, layerRect(f))); box.Dx() < 0 || box.Dx() > 1<<26 {
					t.Errorf("%s with %v paints %v", match, v, box)
				}
			case Spreading:
				e.Reach(f)
			}
		}
	}
}

// FuzzOwnData draws the effects whose parameters have data of their own kind, such as curves: whatever these hold, colours stay within their transparency.
func FuzzOwnData(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, 1<<11))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, match := range []string{"ADBE CurvesCustom", "ADBE HUE SATURATION", "ADBE Easy Levels2", "ADBE Pro Levels2", "ADBE Lumetri"} {
			values := params{}
			for n := range 5 {
				values[fmt.Sprintf("%04d", n)] = aep.Opaque(data)
			}
			img := flat(4, 4, [4]uint8{90, 60, 30, 120})
			(&rig{T: t}).draw(match, values, img)
			for i := 0; i < len(img.Pix); i += 4 {
				if a := img.Pix[i+3]; img.Pix[i] > a || img.Pix[i+1] > a || img.Pix[i+2] > a {
					t.Fatalf("%s: %v", match, img.Pix[i:i+4])
				}
			}
		}
	})
}
