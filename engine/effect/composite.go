package effect

import (
	"strings"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// composite is CC Composite: the layer as it was before its effects, laid over what they made of it, or behind that.
type composite struct {
	opacity, rgb eval.Number
	behind       bool
	mode         raster.Blend
}

// compositeBehind is the value of CC Composite's popup "Composite Original" that lays the original behind.
const compositeBehind = 2

func newComposite(p Params) Effect {
	e := &composite{opacity: p.Number("0001", 100), rgb: p.Number("0003", 1), mode: raster.Normal}
	how := p.Number("0002", 1)
	label, known := "", false
	if prop := p.at("0002").Prop; prop != nil {
		if i := whole(how.First()) - 1; i >= 0 && i < len(prop.Choices) {
			label = strings.ToLower(strings.TrimSpace(prop.Choices[i]))
		}
		e.mode, known = labelled(prop, how.First())
	}
	switch choice := whole(how.First()); {
	case how.Varies():
	case label == "behind" || label == "" && choice == compositeBehind:
		e.behind, known = true, true
	case label == "in front" || label == "" && choice == 1:
		known = true
	}
	if !known || e.mode == nil {
		e.mode = raster.Normal
	}
	if !known {
		p.Lack("the blending mode")
	}
	return e
}

func (e *composite) Draw(f *Frame, img *raster.Image) error {
	original, release, err := f.Host.Original(img.Rect)
	if err != nil {
		return err
	}
	defer release()
	shape := raster.AlphaOf(img, img.Rect)
	keeps := f.Choice(&e.rgb) != 0
	if keeps {
		raster.Solidify(img)
	}
	opacity := unit(f.Number(&e.opacity) / 100)
	if e.behind {
		below, done := f.Host.Surface(img.Rect)
		defer done()
		raster.Composite(below, original, opacity, raster.Normal)
		raster.Composite(below, img, 1, raster.Normal)
		copy(img.Pix, below.Pix)
	} else {
		raster.Composite(img, original, opacity, e.mode)
	}
	if keeps {
		raster.MultiplyAlpha(img, shape)
	}
	return nil
}
