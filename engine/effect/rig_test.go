package effect

import (
	"image"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// rig draws one effect without a project: the layer is the picture, a pixel of one a pixel of the other.
type rig struct {
	*testing.T
	time   float64
	keys   map[string][]aep.Keyframe           // of parameters, by their numbers
	layers map[uint32]*raster.Image            // what Host.Layer gives
	refs   map[string]uint32                   // the layers that parameters choose
	at     func(seconds float64) *raster.Image // what Host.At gives
	first  *raster.Image                       // what Host.Original gives
	masks  []*aep.Path
	wrote  []string                // what Host.Text was asked for
	heard  func(t float64) float64 // what Host.Sound gives
	pen    raster.Rasterizer
}

// params are the values of an effect, by the numbers at the end of their match names.
type params map[string]aep.Value

// draw draws the effect on img.
func (r *rig) draw(match string, values params, img *raster.Image) {
	r.Helper()
	make, known := Find(match)
	if !known {
		r.Fatalf("effect %q is not drawn", match)
	}
	size := img.Rect.Size()
	f := &Frame{
		Time: r.time, Rate: 25, Eval: &eval.Evaluator{Project: &aep.Project{}}, Size: geom.Point{X: float64(size.X), Y: float64(size.Y)},
		Matrix: geom.Identity, Host: r,
	}
	found := ofValues(match, values, r.refs)
	for number, keys := range r.keys {
		found.at(number).Prop.Keys = keys
	}
	found.ref.Layer.Props = &aep.Property{Group: true, Children: []*aep.Property{{Match: "ADBE Mask Parade", Group: true, Children: r.maskGroups()}}}
	e := make(found)
	if err := e.Draw(f, img); err != nil {
		r.Fatalf("%s: %v", match, err)
	}
}

func (r *rig) maskGroups() (out []*aep.Property) {
	for _, path := range r.masks {
		out = append(out, &aep.Property{Match: "ADBE Mask Atom", Group: true, Enabled: true, Mask: &aep.MaskInfo{}, Children: []*aep.Property{
			{Match: "ADBE Mask Shape", Enabled: true, Value: path},
		}})
	}
	return out
}

// drawRef is draw for an effect with parameters that choose layers, by their numbers.
func (r *rig) drawRef(match string, values params, layers map[string]uint32, img *raster.Image) {
	r.Helper()
	r.refs = layers
	r.draw(match, values, img)
}

// ofValues are the parameters of an effect with these values, some of which choose a layer.
func ofValues(match string, values params, refs map[string]uint32) Params {
	group := &aep.Property{Match: match, Enabled: true, Group: true}
	for number, v := range values {
		group.Children = append(group.Children, &aep.Property{Match: match + "-" + number, Enabled: true, Value: v, LayerRef: refs[number]})
	}
	for number, id := range refs {
		if _, has := values[number]; !has {
			group.Children = append(group.Children, &aep.Property{Match: match + "-" + number, Enabled: true, LayerRef: id})
		}
	}
	return Of(eval.Ref{Comp: &aep.Item{Comp: &aep.Composition{}}, Layer: &aep.Layer{}, Prop: group})
}

// benchmark1080p draws an effect on 1920×1080 opaque pixels. One operation is one frame.
func benchmark1080p(b *testing.B, e Effect) {
	b.Helper()
	img := white(1920, 1080)
	r := &rig{layers: map[uint32]*raster.Image{7: white(1920, 1080)}}
	f := &Frame{
		Rate: 25, Eval: &eval.Evaluator{Project: &aep.Project{}}, Size: geom.Point{X: 1920, Y: 1080}, Matrix: geom.Identity, Host: r,
	}
	for b.Loop() {
		if err := e.Draw(f, img); err != nil {
			b.Fatal(err)
		}
	}
}

// Surface implements Host.
func (r *rig) Surface(bounds image.Rectangle) (*raster.Image, func()) {
	return image.NewRGBA(bounds), func() {}
}

// Paint implements Host.
func (r *rig) Paint(dst *raster.Image, s *raster.Shape, m geom.Matrix) {
	r.pen.Reset(dst.Rect)
	r.pen.Add(s, m)
	r.pen.Paint(dst, s.EvenOdd && s.Stroke == nil, raster.Premultiply(s.Color))
}

// Layer implements Host.
func (r *rig) Layer(other Chosen, _ float64) (*raster.Image, func(), error) {
	return r.layers[other.ID], func() {}, nil
}

// Text implements Host: each character is a square with half of the size for its side, above the baseline.
func (r *rig) Text(size, _ float64, line string) (geom.Outline, float64, error) {
	r.wrote = append(r.wrote, line)
	var o geom.Outline
	for i := range line {
		o.Append(geom.RectOutline((float64(i)+0.5)*size/2, -size/4, size/2, size/2, 0))
	}
	return o, float64(len(line)) * size / 2, nil
}

// Sound implements Host.
func (r *rig) Sound(_ uint32, from, length float64) ([]float32, float64, error) {
	if r.heard == nil {
		return nil, 8000, nil
	}
	out := make([]float32, int(length*8000))
	for i := range out {
		out[i] = float32(r.heard(from + float64(i)/8000))
	}
	return out, 8000, nil
}

// Original implements Host.
func (r *rig) Original(bounds image.Rectangle) (*raster.Image, func(), error) {
	if r.first == nil {
		return image.NewRGBA(bounds), func() {}, nil
	}
	return r.first, func() {}, nil
}

// At implements Host.
func (r *rig) At(seconds float64, _ image.Rectangle) (*raster.Image, func(), error) {
	return r.at(seconds), func() {}, nil
}

// ramp256 is a row of the 256 greys, opaque.
func ramp256() *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, 256, 1))
	for x := range 256 {
		img.Pix[4*x], img.Pix[4*x+1], img.Pix[4*x+2], img.Pix[4*x+3] = uint8(x), uint8(x), uint8(x), 255
	}
	return img
}

func TestTintMapsTheGreysToTheColoursBetweenTwo(t *testing.T) {
	img := ramp256()
	(&rig{T: t}).draw("ADBE Tint", params{"0001": aep.Numbers{1, 0, 0, 1}, "0002": aep.Numbers{0, 0, 1, 1}}, img)
	for x := range 256 {
		if got, want := [4]uint8(img.Pix[4*x:]), [4]uint8{uint8(255 - x), 0, uint8(x), 255}; got != want {
			t.Errorf("grey %d becomes %v, want %v", x, got, want)
		}
	}
}
