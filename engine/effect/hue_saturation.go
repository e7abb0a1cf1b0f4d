package effect

import (
	"encoding/binary"
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The data of Hue/Saturation: hue, saturation and lightness of all colours; then for reds, yellows, greens, cyans, blues and magentas four
// angles, between which they fade in, are full, and fade out, and their own hue, saturation and lightness. All are whole numbers.
const (
	hueMaster = 3
	hueRanges = 6
	hueRange  = 7
	hueSize   = 4 * (hueMaster + hueRanges*hueRange)
)

// maxChroma limits how often a saturation multiplies the distance to grey, as in After Effects.
const maxChroma = 126

// hueSaturation is Hue/Saturation. The numbers beside its data drive it when they are animated.
type hueSaturation struct {
	channel, hue, saturation, lightness eval.Number
	data                                eval.Slot
	colorize, toHue, toSat, toLight     eval.Number
}

func newHueSaturation(p Params) Effect {
	return &hueSaturation{
		channel: p.Number("0002", 1), data: p.Data("0003"),
		hue: p.Number("0004", 0), saturation: p.Number("0005", 0), lightness: p.Number("0006", 0),
		colorize: p.Number("0007", 0), toHue: p.Number("0008", 0), toSat: p.Number("0009", 25), toLight: p.Number("0010", 0),
	}
}

// hueShift moves a hue (in turns) and the saturation and lightness (-1 to 1).
type hueShift struct{ hue, saturation, lightness float64 }

// hueBand is a hueShift for some hues.
type hueBand struct {
	from, full, fade, to float64 // turns
	hueShift
}

// share is how much a hue belongs to the band.
func (b *hueBand) share(hue float64) float64 {
	turn := func(v float64) float64 { return v - math.Floor(v) }
	at, full, fade, to := turn(hue-b.from), turn(b.full-b.from), turn(b.fade-b.from), turn(b.to-b.from)
	switch {
	case at < full:
		return at / full
	case at <= fade:
		return 1
	case at < to:
		return (to - at) / (to - fade)
	}
	return 0
}

// hueChange is a Hue/Saturation at a moment.
type hueChange struct {
	all   hueShift
	bands []hueBand
}

func (c *hueChange) of(v [3]float64) [3]float64 {
	by := c.all
	if len(c.bands) > 0 {
		if at := toHLS([4]float64{v[0], v[1], v[2], 1}); at.s > 0 {
			for i := range c.bands {
				share := c.bands[i].share(at.h)
				by.hue += c.bands[i].hue * share
				by.saturation += c.bands[i].saturation * share
				by.lightness += c.bands[i].lightness * share
			}
		}
	}
	if by.hue != 0 {
		at := toHLS([4]float64{v[0], v[1], v[2], 1})
		at.h += by.hue
		v = at.rgb()
	}
	return lighten(saturate(v, by.saturation), by.lightness)
}

// saturate moves the channels away from the middle between the highest and the lowest, by 1/(1-s), as far as all can; below 0 towards it, by
// 1+s. That is what After Effects was measured to do.
func saturate(v [3]float64, s float64) [3]float64 {
	if s == 0 {
		return v
	}
	s = max(-1, min(1, s))
	scale := 1 + s
	if s > 0 {
		scale = maxChroma
		if 1-s > 1.0/maxChroma {
			scale = 1 / (1 - s)
		}
	}
	lo, hi := min(v[0], v[1], v[2]), max(v[0], v[1], v[2])
	if hi-lo < 1e-4 {
		return v
	}
	middle := (lo + hi) / 2
	scale = min(scale, 2*min(middle, 1-middle)/(hi-lo))
	for i := range v {
		v[i] = middle + (v[i]-middle)*scale
	}
	return v
}

// lighten moves the channels to white, or below 0 to black.
func lighten(v [3]float64, l float64) [3]float64 {
	if l >= 0 {
		return towards(v, [3]float64{1, 1, 1}, min(l, 1))
	}
	return towards(v, [3]float64{}, min(-l, 1))
}

func (e *hueSaturation) Draw(f *Frame, img *raster.Image) error {
	recolor(img, e.of(f))
	return nil
}

// of is what the effect makes of a colour at a moment.
func (e *hueSaturation) of(f *Frame) func(v [3]float64) [3]float64 {
	if f.Choice(&e.colorize) != 0 {
		hue, saturation, light := f.Number(&e.toHue)/360, f.Number(&e.toSat)/100, f.Number(&e.toLight)/100
		return func(v [3]float64) [3]float64 {
			at := toHLS([4]float64{v[0], v[1], v[2], 1})
			return lighten(hls{h: hue, l: at.l, s: saturation}.rgb(), light)
		}
	}
	from, to, share := f.Data(&e.data)
	change, stored := storedHues(from, to, share)
	if animated := e.hue.Varies() || e.saturation.Varies() || e.lightness.Varies(); !stored || animated && f.Choice(&e.channel) <= 1 {
		change.all = hueShift{f.Number(&e.hue) / 360, f.Number(&e.saturation) / 100, f.Number(&e.lightness) / 100}
	}
	return change.of
}

// storedHues reads the data of Hue/Saturation a share of the way from one keyframe's to another's.
func storedHues(from, to aep.Opaque, share float64) (c hueChange, ok bool) {
	if len(from) != hueSize {
		return c, false
	}
	if len(to) != hueSize {
		to = from
	}
	at := func(i int) float64 {
		a, b := float64(int32(binary.BigEndian.Uint32(from[4*i:]))), float64(int32(binary.BigEndian.Uint32(to[4*i:])))
		return a + (b-a)*share
	}
	shift := func(i int) hueShift { return hueShift{at(i) / 360, at(i+1) / 100, at(i+2) / 100} }
	c.all = shift(0)
	for i := range hueRanges {
		first := hueMaster + i*hueRange
		if by := shift(first + 4); by != (hueShift{}) {
			c.bands = append(c.bands, hueBand{at(first) / 360, at(first+1) / 360, at(first+2) / 360, at(first+3) / 360, by})
		}
	}
	return c, true
}

// colorBalanceHLS is Color Balance (HLS).
type colorBalanceHLS struct{ hue, lightness, saturation eval.Number }

func newColorBalanceHLS(p Params) Effect {
	return &colorBalanceHLS{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 0)}
}

func (e *colorBalanceHLS) Draw(f *Frame, img *raster.Image) error {
	by := hueChange{all: hueShift{f.Number(&e.hue) / 360, f.Number(&e.saturation) / 100, f.Number(&e.lightness) / 100}}
	recolor(img, by.of)
	return nil
}
