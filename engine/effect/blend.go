package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Blend's popup "Mode".
const (
	blendCrossfade = iota + 1
	blendColorOnly
	blendTintOnly
	blendDarkenOnly
	blendLightenOnly
)

// blendLayer is Blend: the layer mixed with another one.
type blendLayer struct {
	layer           Chosen
	mode, keep, fit eval.Number
}

func newBlend(p Params) Effect {
	e := &blendLayer{mode: p.Number("0002", blendCrossfade), keep: p.Number("0003", 1), fit: p.Number("0004", 1)}
	e.layer, _ = p.Layer("0001")
	p.LackIf(&e.mode, func(v float64) bool { return whole(v) == blendColorOnly || whole(v) == blendTintOnly }, "the blending of colour or tint alone")
	return e
}

// Timed implements Timed: the other layer may be another in each frame.
func (e *blendLayer) Timed() bool { return e.layer.ID != 0 }

func (e *blendLayer) Draw(f *Frame, img *raster.Image) error {
	if e.layer.ID == 0 {
		return nil
	}
	// "If Layer Sizes Differ" begins with Center.
	with, release, err := f.other(e.layer, f.Choice(&e.fit) != 1, img.Rect)
	if err != nil {
		return err
	}
	defer release()
	before, done := f.Host.Surface(img.Rect)
	defer done()
	copy(before.Pix, img.Pix)
	switch f.Choice(&e.mode) {
	case blendDarkenOnly:
		for i, v := range with.Pix {
			img.Pix[i] = min(img.Pix[i], v)
		}
	case blendLightenOnly:
		for i, v := range with.Pix {
			img.Pix[i] = max(img.Pix[i], v)
		}
	case blendCrossfade:
		copy(img.Pix, with.Pix)
	}
	clampColors(img)
	fade(img, before, f.Share(&e.keep))
	return nil
}
