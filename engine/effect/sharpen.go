package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// sharpen is Sharpen: the difference to the mean of the eight pixels around, per cent.
type sharpen struct{ amount eval.Number }

func newSharpen(p Params) Effect {
	p.Lack("the exact strength")
	return &sharpen{p.Number("0001", 0)}
}

func (e *sharpen) Draw(f *Frame, img *raster.Image) error {
	// Amounts are 1/256 of the sum of eight differences.
	k := int(math.Round(max(-1e4, min(1e4, f.Number(&e.amount))) / 100 / 8 * 256))
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if k == 0 || w == 0 || h == 0 {
		return nil
	}
	before, release := f.Host.Surface(img.Rect)
	defer release()
	copy(before.Pix, img.Pix)
	rows := func(y int) []uint8 { y = max(0, min(h-1, y)); return before.Pix[y*before.Stride:][:4*w] }
	for y := range h {
		above, here, below, out := rows(y-1), rows(y), rows(y+1), img.Pix[y*img.Stride:][:4*w]
		for x := range w {
			l, m, r := 4*max(x-1, 0), 4*x, 4*min(x+1, w-1)
			a := int(here[m+3])
			for c := range 3 {
				around := int(above[l+c]) + int(above[m+c]) + int(above[r+c]) + int(here[l+c]) + int(here[r+c]) +
					int(below[l+c]) + int(below[m+c]) + int(below[r+c])
				v := int(here[m+c]) + ((8*int(here[m+c])-around)*k+128)>>8
				out[m+c] = uint8(max(0, min(a, v)))
			}
		}
	}
	return nil
}

// unsharpMask is Unsharp Mask: the difference to a blurred picture where it exceeds a threshold.
type unsharpMask struct{ amount, radius, threshold eval.Number }

func newUnsharpMask(p Params) Effect {
	p.Lack("the exact strength")
	return &unsharpMask{p.Number("0001", 50), p.Number("0002", 1), p.Number("0003", 0)}
}

func (e *unsharpMask) blurring(f *Frame) raster.Blurring {
	// Its radius is the standard deviation, as Photoshop's.
	s := f.Number(&e.radius) * f.Scale()
	return raster.Gaussian(s, s)
}

func (e *unsharpMask) Draw(f *Frame, img *raster.Image) error {
	blurred, release := f.Host.Surface(img.Rect)
	defer release()
	copy(blurred.Pix, img.Pix)
	blurWithin(f, e.blurring(f), true, blurred)
	amount, threshold := max(-1e4, min(1e4, f.Number(&e.amount)))/100, f.Number(&e.threshold)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		a := float64(px[3])
		for c := range 3 {
			if d := float64(px[c]) - float64(blurred.Pix[i+c]); math.Abs(d) > threshold {
				px[c] = channel(float64(px[c])+d*amount, a)
			}
		}
	}
	return nil
}
