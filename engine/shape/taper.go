package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// taperPixels is the value of the popup "Length Units" for pixels, waveCycles that of "Units" for waves of which the whole line has a number.
const (
	taperPixels = 1
	waveCycles  = 2
)

// profile are the parameters of a stroke whose width changes along its line.
type profile struct {
	start, end              taper
	units                   eval.Number
	amount, waves, of, turn eval.Number
}

type taper struct{ length, width, ease eval.Number }

// newProfile is nil for a stroke of the same width everywhere.
func newProfile(p params) *profile {
	tapering, waving := p.child("ADBE Vector Stroke Taper"), p.child("ADBE Vector Stroke Wave")
	tapers := tapering.used("ADBE Vector Taper Start Length") || tapering.used("ADBE Vector Taper End Length")
	waves := waving.used("ADBE Vector Taper Wave Amount")
	if !tapers && !waves {
		return nil
	}
	if tapers {
		p.detail("After Effects' own curve of the taper of '" + p.name() + "'")
	}
	if waves {
		p.detail("After Effects' own curve of the wave of '" + p.name() + "'")
	}
	end := func(which string) taper {
		return taper{tapering.number("ADBE Vector Taper "+which+" Length", 0), tapering.number("ADBE Vector Taper "+which+" Width", 0),
			tapering.number("ADBE Vector Taper "+which+" Ease", 0)}
	}
	return &profile{
		start: end("Start"), end: end("End"), units: tapering.number("ADBE Vector Taper Length Units", 2),
		amount: waving.number("ADBE Vector Taper Wave Amount", 0), waves: waving.number("ADBE Vector Taper Wavelength", 100),
		of: waving.number("ADBE Vector Taper Wave Units", 1), turn: waving.number("ADBE Vector Taper Wave Phase", 0),
	}
}

func (o *profile) at(m *moment) *raster.Profile {
	pixels := m.number(&o.units) == taperPixels
	end := func(t *taper) raster.Taper {
		length := limited(m.number(&t.length))
		if !pixels {
			length /= 100
		}
		return raster.Taper{Length: length, Width: limited(m.number(&t.width)) / 100, Ease: math.Min(1, limited(m.number(&t.ease))/100)}
	}
	return &raster.Profile{
		Start: end(&o.start), End: end(&o.end), Pixels: pixels,
		Wave: math.Min(1, limited(m.number(&o.amount))/100), Wavelength: limited(m.number(&o.waves)), Cycles: m.number(&o.of) == waveCycles,
		Phase: m.number(&o.turn),
	}
}

// limited is a number without sign and within what a stroke can use; 0 for one that is none.
func limited(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return math.Min(v, 1e5)
}
