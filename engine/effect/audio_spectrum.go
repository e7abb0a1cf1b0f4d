package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxBands limits the dots of a spectrum.
const maxBands = 4096

// audioSpectrum is Audio Spectrum for silence: a dot for each band.
type audioSpectrum struct {
	start, end, color      eval.Vector
	bands, thickness, over eval.Number
}

func newAudioSpectrum(p Params) Effect {
	if _, chosen := p.Layer("0001"); chosen {
		p.Lack("how it moves to the sound")
	}
	return &audioSpectrum{
		start: p.Point("0002"), end: p.Point("0003"), bands: p.Number("0008", 64), thickness: p.Number("0012", 3),
		color: p.Color("0014", [4]float64{1, 1, 1, 1}), over: p.Number("0023", 0),
	}
}

func (e *audioSpectrum) Draw(f *Frame, img *raster.Image) error {
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	start, end := f.Point(&e.start), f.Point(&e.end)
	bands := int(math.Max(1, math.Min(maxBands, f.Number(&e.bands))))
	size := f.Number(&e.thickness)
	dots := raster.Shape{Color: f.Color(&e.color)}
	for i := range bands {
		at := start
		if bands > 1 {
			at = start.Lerp(end, float64(i)/float64(bands-1))
		}
		dots.Outline.Append(geom.EllipseOutline(at.X, at.Y, size, size))
	}
	f.Host.Paint(img, &dots, f.Matrix)
	return nil
}
