package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// noise is Noise: a random number for each pixel and frame. After Effects' own are not public; these are the same on every machine.
type noise struct{ amount, color, clip eval.Number }

func newNoise(p Params) Effect {
	p.Lack("the random values")
	return &noise{p.Number("0001", 0), p.Number("0002", 1), p.Number("0003", 1)}
}

// Timed implements Timed: each frame has other numbers.
func (e *noise) Timed() bool { return e.amount.Varies() || e.amount.First() != 0 }

// scatter is a random number of 64 bits for a place: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
func scatter(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// frameNumber is the number of the frame of the composition.
func (f *Frame) frameNumber() uint64 {
	n := math.Round(f.Time * f.Rate)
	if !(math.Abs(n) < 1<<40) {
		return 0
	}
	return uint64(int64(n))
}

func (e *noise) Draw(f *Frame, img *raster.Image) error {
	amount := int32(unit(f.Number(&e.amount)/100)*256 + 0.5)
	if amount == 0 {
		return nil
	}
	colored, clip, seed := f.Choice(&e.color) != 0, f.Choice(&e.clip) != 0, scatter(f.frameNumber())
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		line := scatter(seed ^ uint64(int64(y)))
		for i := 0; i+4 <= len(row); i += 4 {
			px := row[i : i+4 : i+4]
			if px[3] == 0 {
				continue
			}
			dice, a := scatter(line^uint64(int64(img.Rect.Min.X+i/4))), int32(px[3])
			for c := range 3 {
				// A byte of it, from -255 to 255, of which the amount is added, as far as the pixel is opaque.
				d := (int32(dice&255)*2 - 255) * amount * a / (256 * 255)
				if colored {
					dice >>= 8
				}
				v := int32(px[c]) + d
				if clip {
					v = max(0, min(a, v))
				} else if v = v % (a + 1); v < 0 {
					v += a + 1
				}
				px[c] = uint8(v)
			}
		}
	}
	return nil
}
