package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// BlurSigma is the standard deviation for one pixel of a blur, a shadow's softness or a mask's feather. After Effects
// does not document it; this value looks closest. Effects do not note it as a lack: every soft edge of every project has it, so the note would be on
// all of them, and hide what is seen to differ.
const BlurSigma = 0.3

// blur is an effect that is a raster.Blurring.
type blur struct {
	of     func(f *Frame) raster.Blurring
	repeat eval.Number
}

// dimensions are a length across and down, by the popup "Blur Dimensions".
func dimensions(f *Frame, n *eval.Number, length float64) (x, y float64) {
	switch f.Choice(n) {
	case dimensionHorizontal:
		return length, 0
	case dimensionVertical:
		return 0, length
	}
	return length, length
}

// newGaussianBlur is Gaussian Blur, in both versions that projects use, and Fast Blur, which became the same.
func newGaussianBlur(p Params) Effect {
	blurriness, both := p.Number("0001", 0), p.Number("0002", 1)
	return &blur{
		of: func(f *Frame) raster.Blurring {
			return raster.Gaussian(dimensions(f, &both, f.Number(&blurriness)*BlurSigma*f.Scale()))
		},
		repeat: p.Number("0003", 0),
	}
}

// maxBoxes limits how often a box blur is done; the value of the slider ends at 50.
const maxBoxes = 50

// newBoxBlur is Fast Box Blur, and Box Blur before it.
func newBoxBlur(p Params) Effect {
	radius, times, both := p.Number("0001", 0), p.Number("0002", 3), p.Number("0003", 1)
	return &blur{
		of: func(f *Frame) raster.Blurring {
			x, y := dimensions(f, &both, f.Number(&radius)*f.Scale())
			return raster.Boxes(x, y, max(1, min(maxBoxes, whole(f.Number(&times)))))
		},
		repeat: p.Number("0004", 0),
	}
}

// newInterlaceFlicker is Reduce Interlace Flicker: each line is mixed with those above and below it, and the layer grows no larger by it. A softness of 1 is
// the mean of three lines, a half the usual filter of one, two and one.
func newInterlaceFlicker(p Params) Effect {
	p.Lack("the exact strength")
	softness := p.Number("0001", 0)
	return &blur{
		of:     func(f *Frame) raster.Blurring { return raster.Boxes(0, f.Number(&softness)*f.Scale(), 1) },
		repeat: eval.NumberOf(eval.Ref{}, 1),
	}
}

func (e *blur) Reach(f *Frame) int { return e.of(f).Reach() }

func (e *blur) Draw(f *Frame, img *raster.Image) error {
	blurWithin(f, e.of(f), f.Choice(&e.repeat) != 0, img)
	return nil
}

// blurWithin blurs img. With repeat, what lies beyond the layer's border are its pixels again, and nothing is painted there.
func blurWithin(f *Frame, b raster.Blurring, repeat bool, img *raster.Image) {
	if b.Repeat = repeat; !repeat {
		b.Image(img)
		return
	}
	if within, ok := img.SubImage(f.layerRect(img.Rect)).(*raster.Image); ok && !within.Rect.Empty() {
		b.Image(within)
	}
}

// channelBlur is Channel Blur: each channel by its own length.
type channelBlur struct {
	lengths      [4]eval.Number
	repeat, both eval.Number
}

func newChannelBlur(p Params) Effect {
	return &channelBlur{
		lengths: [4]eval.Number{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 0), p.Number("0004", 0)},
		repeat:  p.Number("0005", 0), both: p.Number("0006", 1),
	}
}

func (e *channelBlur) of(f *Frame, channel int) raster.Blurring {
	return raster.Gaussian(dimensions(f, &e.both, f.Number(&e.lengths[channel])*BlurSigma*f.Scale()))
}

func (e *channelBlur) Reach(f *Frame) int {
	reach := 0
	for i := range e.lengths {
		reach = max(reach, e.of(f, i).Reach())
	}
	return reach
}

func (e *channelBlur) Draw(f *Frame, img *raster.Image) error {
	blurred, release := f.Host.Surface(img.Rect)
	defer release()
	for i := range e.lengths {
		b := e.of(f, i)
		if b.Reach() == 0 {
			continue
		}
		copy(blurred.Pix, img.Pix)
		blurWithin(f, b, f.Choice(&e.repeat) != 0, blurred)
		for j := i; j < len(img.Pix); j += 4 {
			img.Pix[j] = blurred.Pix[j]
		}
	}
	clampColors(img)
	return nil
}

// clampColors lowers the colours that are brighter than their transparency allows.
func clampColors(img *raster.Image) {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		px[0], px[1], px[2] = min(px[0], px[3]), min(px[1], px[3]), min(px[2], px[3])
	}
}
