package style

import (
	"image"
	"math"

	"overcrank/engine/effect"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of the popups of Bevel and Emboss.
const (
	bevelOuter = iota + 1 // Style
	bevelInner
	bevelEmboss
	bevelPillow
	bevelStroke

	bevelSmooth = 1 // Technique; the others are chisels

	bevelDown = 2 // Direction
)

// bevel is Bevel and Emboss: the layer is lit as if its edges were a slope.
type bevel struct {
	light
	highlight, shadow                                          ink
	bright, dark                                               eval.Vector
	kind, technique, depth, direction, size, soften, elevation eval.Number
	shared                                                     eval.Number // elevation of the light of all styles
}

func newBevel(p Params) Style {
	p.lack("the exact relief")
	s := &bevel{
		light:     p.light(120),
		highlight: ink{mode: p.number("highlightMode", screen), opacity: p.number("highlightOpacity", 75)},
		shadow:    ink{mode: p.number("shadowMode", multiply), opacity: p.number("shadowOpacity", 75)},
		bright:    p.color("highlightColor", 1, 1, 1), dark: p.color("shadowColor", 0, 0, 0),
		kind: p.number("bevelStyle", bevelInner), technique: p.number("bevelTechnique", bevelSmooth), depth: p.number("strengthRatio", 100),
		direction: p.number("bevelDirection", 1), size: p.number("blur", 5), soften: p.number("softness", 0), elevation: p.number("localLightingAltitude", 30),
	}
	s.shared = eval.NumberOf(eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: p.options.Prop.Child("ADBE Global Altitude2")}, 30)
	if s.kind.First() == bevelStroke {
		p.lack("the bevel of the stroke, which is drawn as that of the layer,")
	}
	return s
}

func (s *bevel) Reach(f *Frame) int {
	return int(math.Ceil(f.length(&s.size))) + 2 + raster.BlurReach(f.length(&s.soften)*effect.BlurSigma)
}

func (s *bevel) Paint(f *Frame, c *Canvas) {
	highlights, shadows := s.relief(f, c.Shape)
	bright, dark := f.color(&s.bright), f.color(&s.dark)
	kind := f.choice(&s.kind)
	lay := func(dst *raster.Image) {
		s.highlight.lay(f, dst, highlights, bright)
		s.shadow.lay(f, dst, shadows, dark)
	}
	if kind != bevelInner && kind != bevelStroke {
		lay(c.Around)
	}
	if kind != bevelOuter {
		lay(c.Inside)
	}
}

// relief is where light falls on the slope, and where it does not: Lambert's law, in proportion to what falls on a plain.
func (s *bevel) relief(f *Frame, shape *image.Alpha) (highlights, shadows *image.Alpha) {
	height := s.height(f, shape)
	w, h := shape.Rect.Dx(), shape.Rect.Dy()
	steep := f.number(&s.depth) / 100
	if f.choice(&s.direction) == bevelDown {
		steep = -steep
	}
	elevation := f.number(&s.elevation)
	if f.choice(&s.light.shared) != 0 {
		elevation = f.number(&s.shared)
	}
	up, flat := math.Sincos(math.Max(1, math.Min(90, elevation)) * math.Pi / 180)
	sin, cos := math.Sincos(s.at(f) * math.Pi / 180)
	lx, ly, lz := cos*flat, -sin*flat, up
	plain := lz
	highlights, shadows = image.NewAlpha(shape.Rect), image.NewAlpha(shape.Rect)
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			i := y*w + x
			dx, dy := float64(height[i+1]-height[i-1])/2*steep, float64(height[i+w]-height[i-w])/2*steep
			lit := (lz - dx*lx - dy*ly) / math.Sqrt(dx*dx+dy*dy+1)
			switch lit = max(0, lit); {
			case lit > plain && plain < 1:
				highlights.Pix[i] = uint8((lit-plain)/(1-plain)*255 + 0.5)
			case lit < plain:
				shadows.Pix[i] = uint8((plain-lit)/plain*255 + 0.5)
			}
		}
	}
	for _, m := range []*image.Alpha{highlights, shadows} {
		raster.BlurAlpha(m, f.length(&s.soften)*effect.BlurSigma, f.length(&s.soften)*effect.BlurSigma)
	}
	return highlights, shadows
}

// height is the height of the slope at each pixel, in pixels: as high as it is wide.
func (s *bevel) height(f *Frame, shape *image.Alpha) []float32 {
	size := float32(f.length(&s.size))
	kind := f.choice(&s.kind)
	out := make([]float32, len(shape.Pix))
	if f.choice(&s.technique) == bevelSmooth {
		soft := make([]float32, len(shape.Pix))
		for i, k := range shape.Pix {
			soft[i] = float32(k) / 255
		}
		raster.BlurValues(soft, shape.Rect.Dx(), float64(size)*effect.BlurSigma)
		for i, v := range soft {
			out[i] = slope(kind, (v-0.5)*2*size, size)
		}
		return out
	}
	in, around := raster.Distance(inverted(shape)), raster.Distance(shape)
	for i := range out {
		d := in[i] // how deep within the shape
		if around[i] > 0 {
			d = -around[i]
		}
		out[i] = slope(kind, d, size)
	}
	return out
}

// slope is the height of a place that lies so deep within the shape, or outside if that is negative.
func slope(kind int, depth, size float32) float32 {
	switch kind {
	case bevelOuter:
		return max(-size, min(0, depth))
	case bevelEmboss:
		return max(-size/2, min(size/2, depth))
	case bevelPillow:
		return min(size/2, max(depth, -depth))
	}
	return max(0, min(size, depth))
}
