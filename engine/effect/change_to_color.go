package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// hls is a colour as hue (0–1, circular), lightness and saturation.
type hls struct{ h, l, s float64 }

// The values of Change to Color's popup "Change"; the last one changes all three.
const (
	changeHue = iota + 1
	changeHueLightness
	changeHueSaturation
)

// changeToColor changes pixels that are similar to one colour into another colour.
type changeToColor struct {
	from, to                                       eval.Vector
	what, by, hue, lightness, saturation, softness eval.Number
}

func newChangeToColor(p Params) Effect {
	p.Lack("the exact similarity of colours")
	return &changeToColor{
		from: p.Color("0001", [4]float64{1, 0, 0, 1}), to: p.Color("0002", [4]float64{0, 0, 1, 1}),
		what: p.Number("0003", changeHue), by: p.Number("0004", 1),
		hue: p.Number("0005", 0.05), lightness: p.Number("0006", 0.5), saturation: p.Number("0007", 0.5), softness: p.Number("0008", 0.5),
	}
}

func (e *changeToColor) Draw(f *Frame, img *raster.Image) error {
	c := colorChange{
		from: toHLS(f.Color(&e.from)), to: toHLS(f.Color(&e.to)), what: f.Choice(&e.what), set: f.Choice(&e.by) == 1,
		hue: f.Number(&e.hue), lightness: f.Number(&e.lightness), saturation: f.Number(&e.saturation), softness: f.Number(&e.softness),
	}
	var before, after [4]uint8
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := [4]uint8(img.Pix[i : i+4])
		if px != before {
			before, after = px, c.apply(px)
		}
		copy(img.Pix[i:i+4], after[:])
	}
	return nil
}

type colorChange struct {
	from, to                             hls
	what                                 int
	set                                  bool // set to the colour, rather than moved by the difference
	hue, lightness, saturation, softness float64
}

func (c *colorChange) apply(px [4]uint8) [4]uint8 {
	if px[3] == 0 {
		return px
	}
	a := float64(px[3])
	rgb := [4]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a, 1}
	was := toHLS(rgb)
	k := c.likeness(was)
	if k == 0 {
		return px
	}
	is := c.to
	if !c.set {
		is = hls{was.h + c.to.h - c.from.h, was.l + c.to.l - c.from.l, was.s + c.to.s - c.from.s}
	}
	if c.what == changeHue || c.what == changeHueSaturation {
		is.l = was.l
	}
	if c.what == changeHue || c.what == changeHueLightness {
		is.s = was.s
	}
	now := is.rgb()
	for i := range 3 {
		v := rgb[i] + (now[i]-rgb[i])*k
		px[i] = channel(v*a, a)
	}
	return px
}

// likeness is 1 within the tolerances and falls to 0 over the softness beyond them.
func (c *colorChange) likeness(v hls) float64 {
	dh := math.Abs(v.h - c.from.h)
	dh = math.Min(dh, 1-dh)
	if v.s == 0 && c.from.s > 0 && c.hue < 0.5 {
		dh = 0.5 // grey has no hue
	}
	over := math.Max(dh-c.hue, math.Max(math.Abs(v.l-c.from.l)-c.lightness, math.Abs(v.s-c.from.s)-c.saturation))
	if over <= 0 {
		return 1
	}
	// The fade at full softness is as wide as the tolerance of the hue.
	width := c.softness * math.Max(c.hue, 0.01)
	if width <= 0 || over >= width {
		return 0
	}
	return 1 - over/width
}

func toHLS(c [4]float64) hls {
	hi, lo := math.Max(c[0], math.Max(c[1], c[2])), math.Min(c[0], math.Min(c[1], c[2]))
	v := hls{l: (hi + lo) / 2}
	d := hi - lo
	if d < 1e-9 {
		return v
	}
	v.s = d / (1 - math.Abs(2*v.l-1))
	switch hi {
	case c[0]:
		v.h = (c[1] - c[2]) / d / 6
	case c[1]:
		v.h = (c[2]-c[0])/d/6 + 1.0/3
	default:
		v.h = (c[0]-c[1])/d/6 + 2.0/3
	}
	v.h -= math.Floor(v.h)
	return v
}

func (v hls) rgb() [3]float64 {
	l, s := math.Max(0, math.Min(1, v.l)), math.Max(0, math.Min(1, v.s))
	chroma := (1 - math.Abs(2*l-1)) * s
	var out [3]float64
	for i, shift := range [3]float64{0, -1.0 / 3, -2.0 / 3} {
		h := v.h + shift
		h -= math.Floor(h)
		// A channel is full within a sixth of its own hue, and empty beyond a third.
		away := math.Min(h, 1-h) * 6
		out[i] = l + chroma*(math.Max(0, math.Min(1, 2-away))-0.5)
	}
	return out
}
