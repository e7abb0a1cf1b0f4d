package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// compoundBlur is Compound Blur: the brighter another layer, the longer the blur.
type compoundBlur struct {
	layer                Chosen
	longest, fit, invert eval.Number
}

func newCompoundBlur(p Params) Effect {
	e := &compoundBlur{longest: p.Number("0002", 20), fit: p.Number("0003", 1), invert: p.Number("0004", 0)}
	e.layer, _ = p.Layer("0001")
	return e
}

// Timed implements Timed: the blur is another layer's.
func (e *compoundBlur) Timed() bool { return true }

func (e *compoundBlur) of(f *Frame, share float64) raster.Blurring {
	s := f.Number(&e.longest) * BlurSigma * f.Scale() * share
	return raster.Gaussian(s, s)
}

func (e *compoundBlur) Reach(f *Frame) int { return e.of(f, 1).Reach() }

func (e *compoundBlur) Draw(f *Frame, img *raster.Image) error {
	by, release, err := f.other(e.layer, f.Choice(&e.fit) == fitStretch, img.Rect)
	if err != nil {
		return err
	}
	defer release()
	invert := f.Choice(&e.invert) != 0
	graded(f, img, func(share float64) raster.Blurring { return e.of(f, share) }, false, func(i int) uint32 {
		// What is transparent in the other layer is black, which its premultiplied channels already say.
		light := (299*uint32(by.Pix[i]) + 587*uint32(by.Pix[i+1]) + 114*uint32(by.Pix[i+2]) + 500) / 1000
		if invert {
			return 255 - light
		}
		return light
	})
	return nil
}

// gradedLevels are the blurs that graded mixes, from none to the longest.
const gradedLevels = 5

// graded blurs each pixel by a share of its own of the longest blur: of is the blur for a share, share what 255 parts of it the pixel at an index of Pix gets.
func graded(f *Frame, img *raster.Image, of func(share float64) raster.Blurring, repeat bool, share func(i int) uint32) {
	var levels [gradedLevels]*raster.Image
	for i := range levels {
		level, release := f.Host.Surface(img.Rect)
		defer release()
		copy(level.Pix, img.Pix)
		blurWithin(f, of(float64(i)/(gradedLevels-1)), repeat, level)
		levels[i] = level
	}
	for i := 0; i+3 < len(img.Pix); i += 4 {
		at := share(i) * (gradedLevels - 1)
		low := min(at/255, gradedLevels-2)
		upper := at - low*255
		for j := i; j < i+4; j++ {
			img.Pix[j] = uint8((uint32(levels[low].Pix[j])*(255-upper) + uint32(levels[low+1].Pix[j])*upper + 127) / 255)
		}
	}
}
