package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// lumetri is the basic correction of Lumetri Color, the saturation and vibrance of its creative part, without its vignette. Adobe publishes
// none of its formulas: directions and ranges are right, the exact curves are not.
type lumetri struct {
	active, temperature, tint, saturation                   eval.Number
	exposure, contrast, highlights, shadows, whites, blacks eval.Number
	creative, faded, vibrance, moreSaturation               eval.Number
}

func newLumetri(p Params) Effect {
	p.Lack("the exact response")
	for _, part := range []struct {
		number, what string
		def          float64
	}{
		{"0005", "the input LUT", 1}, {"0127", "the input LUT", 1}, {"0025", "the look", 1}, {"0128", "the look", 1},
		{"0029", "the sharpening", 0}, {"0051", "the vignette", 0}, {"0033", "the tint balance", 0},
	} {
		p.Unless(part.number, part.def, part.what)
	}
	for _, part := range []struct{ number, what string }{{"0039", "the RGB curves"}, {"0042", "the hue curves"}, {"0047", "the colour wheels"}, {"0073", "the secondary correction"}} {
		if d := p.Data(part.number); d.Has() && (d.Varies() || d.First() != nil) {
			p.Lack(part.what)
		}
	}
	n := p.Number
	return &lumetri{
		active: n("0003", 1), temperature: n("0007", 0), tint: n("0008", 0), saturation: n("0020", 100),
		exposure: n("0011", 0), contrast: n("0012", 0), highlights: n("0013", 0), shadows: n("0014", 0), whites: n("0015", 0), blacks: n("0016", 0),
		creative: n("0023", 1), faded: n("0028", 0), vibrance: n("0030", 0), moreSaturation: n("0031", 100),
	}
}

func (e *lumetri) Draw(f *Frame, img *raster.Image) error {
	part := func(n *eval.Number) float64 { return max(-2, min(2, f.Number(n)/100)) }
	saturation, vibrance := 1.0, 0.0
	tables := [3]*mapping{identity(), identity(), identity()}
	if f.Choice(&e.active) != 0 {
		t := tone{math.Exp2(max(-20, min(20, f.Number(&e.exposure)))), part(&e.contrast), part(&e.highlights), part(&e.shadows), part(&e.whites), part(&e.blacks)}
		warm, tint := part(&e.temperature), part(&e.tint)
		// A full turn of a slider moves a channel by a quarter of its light.
		for i, gain := range [3]float64{1 + (warm+tint/2)/4, 1 - tint/4, 1 + (tint/2-warm)/4} {
			tables[i] = mappingOf(func(v float64) float64 { return t.of(v, gain) })
		}
		saturation = part(&e.saturation)
	}
	if f.Choice(&e.creative) != 0 {
		fade := unit(f.Number(&e.faded) / 100)
		faded := mappingOf(func(v float64) float64 { return v + (0.2+0.7*v-v)*fade })
		for i := range tables {
			tables[i] = faded.after(tables[i])
		}
		saturation, vibrance = saturation*part(&e.moreSaturation), part(&e.vibrance)
	}
	lookUp(img, tables)
	if saturation != 1 || vibrance != 0 {
		recolor(img, func(c [3]float64) [3]float64 { return vivid(c, vibrance, saturation-1) })
	}
	return nil
}

// tone is what the sliders of light make of a value.
type tone struct{ gain, contrast, highlights, shadows, whites, blacks float64 }

func (t tone) of(v, gain float64) float64 {
	v = unit(encoded(linear(v) * t.gain * max(gain, 0)))
	v += t.contrast * -math.Sin(2*math.Pi*v) / (3 * math.Pi) // as Brightness & Contrast
	v = unit(v)
	dark, bright := 1-v, v
	// Highlights and shadows move the upper and the lower half, whites and blacks their ends.
	v += 0.5 * (t.highlights*bright*bright*dark + t.shadows*dark*dark*bright)
	v += 0.25 * (t.whites*bright*bright*bright + t.blacks*dark*dark*dark)
	return v
}
