package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// posterizeTime shows the layer at a lower frame rate.
type posterizeTime struct{ rate eval.Number }

func newPosterizeTime(p Params) Effect { return &posterizeTime{p.Number("0001", 24)} }

// Timed implements Timed.
func (e *posterizeTime) Timed() bool { return true }

func (e *posterizeTime) Draw(f *Frame, img *raster.Image) error {
	rate := f.Number(&e.rate)
	if !(rate > 0) {
		return nil
	}
	// A hundredth of a frame, since times that are whole frames are not exact.
	at := math.Floor(f.Time*rate+0.01) / rate
	if math.Abs(at-f.Time) < 1e-6 {
		return nil
	}
	then, release, err := f.Host.At(at, img.Rect)
	if err != nil {
		return err
	}
	defer release()
	copy(img.Pix, then.Pix)
	return nil
}
