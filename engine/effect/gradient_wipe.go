package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// gradientWipe hides the layer where another is dark, then where it is bright.
type gradientWipe struct {
	done, soft, placement, invert eval.Number
	by                            Chosen
	chosen                        bool
}

func newGradientWipe(p Params) Effect {
	e := &gradientWipe{
		done: p.Number("0001", 0), soft: p.Number("0002", 0), placement: p.Number("0004", 3), invert: p.Number("0005", 0),
	}
	e.by, e.chosen = p.Layer("0003")
	return e
}

// Timed implements Timed.
func (e *gradientWipe) Timed() bool { return e.chosen }

func (e *gradientWipe) placed(f *Frame) placement {
	switch f.Choice(&e.placement) {
	case 1:
		return placeTile
	case 2:
		return placeCenter
	}
	return placeStretch
}

func (e *gradientWipe) Draw(f *Frame, img *raster.Image) error {
	done := completion(f, &e.done)
	if done == 0 {
		return nil
	}
	by, release, err := steer(f, e.by, e.placed(f))
	defer release()
	if err != nil || by == nil {
		return err
	}
	soft := max(unit(f.Number(&e.soft)/100), 1.0/255)
	at := -soft/2 + done*(1+soft)
	invert := f.Choice(&e.invert) != 0
	reveal(f, img, func(p geom.Point) float64 {
		v := grey(by.at(p))
		if invert {
			v = 1 - v
		}
		return 0.5 + (v-at)/soft
	})
	return nil
}
