package style

import (
	"image"

	"overcrank/engine/eval"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of the popups of glows.
const (
	glowGradient = 2 // Color Type
	glowPrecise  = 2 // Technique
	glowCenter   = 2 // Source
)

// glow is Outer Glow and Inner Glow: light on both sides of the edges of the layer.
type glow struct {
	ink
	inner                                              bool
	color                                              eval.Vector
	colors                                             eval.Slot
	colorType, technique, source, spread, size, within eval.Number
}

func newOuterGlow(p Params) Style { return glowOf(p, false) }

func newInnerGlow(p Params) Style { return glowOf(p, true) }

func glowOf(p Params, inner bool) *glow {
	s := &glow{
		ink: p.ink(screen, 75), inner: inner, color: p.color("color", 1, 1, 190.0/255), colors: eval.SlotOf(p.at("gradient")),
		colorType: p.number("AEColorChoice", 1), technique: p.number("glowTechnique", 1), source: p.number("innerGlowSource", 1),
		spread: p.number("chokeMatte", 0), size: p.number("blur", 5), within: p.number("inputRange", 50),
	}
	if s.colorType.Varies() || s.colorType.First() == glowGradient {
		p.smoothness()
		if jitter := p.number("shadingNoise", 0); jitter.Varies() || jitter.First() > 0 {
			p.lack("the jitter of the gradient")
		}
	}
	return s
}

func (s *glow) soft(f *Frame) softening { return softened(f.length(&s.size), f.share(&s.spread)) }

func (s *glow) Reach(f *Frame) int { return max(s.soft(f).reach(), int(f.length(&s.size))+1) }

func (s *glow) Paint(f *Frame, c *Canvas) {
	light, on := copied(c.Shape), c.Around
	if s.inner {
		light, on = inverted(c.Shape), c.Inside
	}
	if f.choice(&s.technique) == glowPrecise {
		light = s.precise(f, light)
	} else {
		s.soft(f).apply(light)
		// Half of the blurred mask is at the edge, so the common range of 50 per cent is a glow that is full there.
		amplify(light, 1/max(0.01, f.share(&s.within)))
	}
	if s.inner && f.choice(&s.source) == glowCenter {
		light = inverted(light)
	}
	if f.choice(&s.colorType) == glowGradient {
		s.layGradient(f, on, light)
		return
	}
	s.lay(f, on, light, f.color(&s.color))
}

// precise is a glow that fades evenly with the distance from the edge.
func (s *glow) precise(f *Frame, from *image.Alpha) *image.Alpha {
	size, spread := f.length(&s.size), f.share(&s.spread)
	out := image.NewAlpha(from.Rect)
	for i, d := range raster.Distance(from) {
		t := (size - float64(d)) / max(size*(1-spread), 1)
		out.Pix[i] = uint8(max(0, min(1, t/max(0.01, 2*f.share(&s.within))))*255 + 0.5)
	}
	return out
}

// layGradient lays the gradient over dst: its beginning where the light is full, its end where it ends.
func (s *glow) layGradient(f *Frame, dst *raster.Image, light *image.Alpha) {
	g := gradient(f, &s.colors)
	if g == nil {
		s.lay(f, dst, light, f.color(&s.color))
		return
	}
	ramp, noise := g.Ramp(), f.share(&s.noise)
	s.paint(f, dst, func(img *raster.Image) {
		covered(img, light, func(px []uint8, k uint8, x, y int) {
			c := ramp[255-k]
			if noise > 0 && random.At(0, x, y, 0) < noise*(1-float64(c[3])/255) {
				return
			}
			copy(px, c[:])
		})
	})
}
