package effect

import (
	"image"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// photo is an opaque picture of the size of a film, with the gradients and the grain of a photograph.
func photo() *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	for y := range 1080 {
		for x := range 1920 {
			grain := uint8(scatter(uint64(y*1920+x)) & 7)
			copy(img.Pix[img.PixOffset(x, y):], []uint8{uint8(x/8) + grain, uint8(y/5) + grain, uint8((x+y)/12) + grain, 255})
		}
	}
	return img
}

// BenchmarkEffects draws one effect of each family on a frame of 1920 by 1080.
func BenchmarkEffects(b *testing.B) {
	for _, c := range []struct {
		name, match string
		values      params
	}{
		{"table", "ADBE Pro Levels2", params{"0006": one(1.4)}},
		{"colour", "ADBE HUE SATURATION", params{"0004": one(40)}},
		{"lumetri", "ADBE Lumetri", params{"0011": one(0.4), "0020": one(120)}},
		{"key", "Keylight 906", params{"0004": aep.Numbers{0.1, 0.8, 0.2, 1}}},
		{"box blur", "ADBE Box Blur2", params{"0001": one(10)}},
		{"directional blur", "ADBE Motion Blur", params{"0001": one(30), "0002": one(40)}},
		{"radial blur", "ADBE Radial Blur", params{"0001": one(10), "0002": aep.Numbers{960, 540}}},
		{"sharpen", "ADBE Sharpen", params{"0001": one(40)}},
		{"minimax", "ADBE Minimax", params{"0002": one(10)}},
		{"glow", "ADBE Glo2", params{"0003": one(40)}},
		{"strengthened glow", "ADBE Glo2", params{"0003": one(40), "0004": one(2)}},
		{"emboss", "ADBE Emboss", nil},
		{"find edges", "ADBE Find Edges", nil},
		{"noise", "ADBE Noise2", params{"0001": one(20)}},
		{"mosaic", "ADBE Mosaic", params{"0001": one(100), "0002": one(60)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := photo()
			img := image.NewRGBA(before.Rect)
			f := &Frame{
				Rate: 25, Eval: &eval.Evaluator{Project: &aep.Project{}}, Size: geom.Point{X: 1920, Y: 1080}, Matrix: geom.Identity, Host: &rig{},
			}
			e := effectOf(c.match, c.values)
			for b.Loop() {
				copy(img.Pix, before.Pix)
				if err := e.Draw(f, img); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// effectOf makes an effect with values.
func effectOf(match string, values params) Effect {
	group := &aep.Property{Match: match, Enabled: true, Group: true}
	for number, v := range values {
		group.Children = append(group.Children, &aep.Property{Match: match + "-" + number, Enabled: true, Value: v})
	}
	make, _ := Find(match)
	return make(Of(eval.Ref{Comp: &aep.Item{Comp: &aep.Composition{}}, Layer: &aep.Layer{}, Prop: group}))
}
