package animate

import (
	"overcrank/engine/geom"
)

// change is what a property of an animator does to a glyph that has a full amount of it, or a part.
type change struct {
	initial [4]float64 // the value of a property without one
	apply   func(g *glyph, v [4]float64, k amount)
	deep    func(v [4]float64) bool // whether a value moves the glyph out of the plane; nil for none does
}

// changes are the properties of animators that can be drawn, by their match names.
var changes = map[string]change{
	"ADBE Text Anchor Point 3D": {apply: func(g *glyph, v [4]float64, k amount) {
		g.anchor, g.back.anchor = g.anchor.Add(plane(v, k)), g.back.anchor+v[2]*k[2]
	}, deep: third},
	"ADBE Text Position 3D": {apply: func(g *glyph, v [4]float64, k amount) {
		g.position, g.back.position = g.position.Add(plane(v, k)), g.back.position+v[2]*k[2]
	}, deep: third},
	"ADBE Text Scale 3D": {initial: [4]float64{100, 100, 100}, apply: func(g *glyph, v [4]float64, k amount) {
		g.scale.X *= mix(1, v[0]/100, k[0])
		g.scale.Y *= mix(1, v[1]/100, k[1])
		g.back.scale *= mix(1, v[2]/100, k[2])
	}},
	"ADBE Text Skew":       {apply: func(g *glyph, v [4]float64, k amount) { g.skew += v[0] * k[0] }},
	"ADBE Text Skew Axis":  {apply: func(g *glyph, v [4]float64, k amount) { g.skewAxis += v[0] * k[0] }},
	"ADBE Text Rotation":   {apply: func(g *glyph, v [4]float64, k amount) { g.turn += v[0] * k[2] }},
	"ADBE Text Rotation X": {apply: func(g *glyph, v [4]float64, k amount) { g.tilt.X += v[0] * k[0] }, deep: first},
	"ADBE Text Rotation Y": {apply: func(g *glyph, v [4]float64, k amount) { g.tilt.Y += v[0] * k[1] }, deep: first},
	"ADBE Text Opacity":    {initial: full, apply: func(g *glyph, v [4]float64, k amount) { g.opacity *= faded(v, k) }},

	"ADBE Text Fill Opacity":    {initial: full, apply: func(g *glyph, v [4]float64, k amount) { g.fill[3] *= faded(v, k) }},
	"ADBE Text Fill Color":      {initial: red, apply: func(g *glyph, v [4]float64, k amount) { g.fill = toward(g.fill, v, k) }},
	"ADBE Text Fill Hue":        {apply: func(g *glyph, v [4]float64, k amount) { g.fill = shifted(g.fill, v[0]/360*k[0], 0, 0) }},
	"ADBE Text Fill Saturation": {apply: func(g *glyph, v [4]float64, k amount) { g.fill = shifted(g.fill, 0, v[0]/100*k[0], 0) }},
	"ADBE Text Fill Brightness": {apply: func(g *glyph, v [4]float64, k amount) { g.fill = shifted(g.fill, 0, 0, v[0]/100*k[0]) }},

	"ADBE Text Stroke Opacity":    {initial: full, apply: func(g *glyph, v [4]float64, k amount) { g.stroke[3] *= faded(v, k) }},
	"ADBE Text Stroke Color":      {initial: red, apply: func(g *glyph, v [4]float64, k amount) { g.stroke = toward(g.stroke, v, k) }},
	"ADBE Text Stroke Hue":        {apply: func(g *glyph, v [4]float64, k amount) { g.stroke = shifted(g.stroke, v[0]/360*k[0], 0, 0) }},
	"ADBE Text Stroke Saturation": {apply: func(g *glyph, v [4]float64, k amount) { g.stroke = shifted(g.stroke, 0, v[0]/100*k[0], 0) }},
	"ADBE Text Stroke Brightness": {apply: func(g *glyph, v [4]float64, k amount) { g.stroke = shifted(g.stroke, 0, 0, v[0]/100*k[0]) }},
	// The width is added to that of the text, which is 0 without a stroke.
	"ADBE Text Stroke Width": {apply: func(g *glyph, v [4]float64, k amount) { g.strokeWidth += v[0] * k[0] }},

	"ADBE Text Tracking Amount": {apply: func(g *glyph, v [4]float64, k amount) { g.track(v[0] * k[0]) }},
	"ADBE Text Line Anchor":     {initial: [4]float64{50}, apply: func(g *glyph, v [4]float64, k amount) { g.align, g.anchored = g.align+v[0]/100*k[0], true }},
	"ADBE Text Line Spacing":    {apply: func(g *glyph, v [4]float64, k amount) { g.spacing = g.spacing.Add(plane(v, k)) }},
	"ADBE Text Character Replace": {apply: func(g *glyph, v [4]float64, k amount) {
		g.code = mix(g.code, v[0], k[0])
	}},
	"ADBE Text Character Offset": {apply: func(g *glyph, v [4]float64, k amount) { g.offset += v[0] * k[0] }},
	"ADBE Text Blur":             {apply: func(g *glyph, v [4]float64, k amount) { g.blur = g.blur.Add(plane(v, k)) }},
}

var (
	full = [4]float64{100}
	red  = [4]float64{1, 0, 0, 1}
)

// plane is a part of a vector.
func plane(v [4]float64, k amount) geom.Point { return geom.Point{X: v[0] * k[0], Y: v[1] * k[1]} }

func first(v [4]float64) bool { return v[0] != 0 }
func third(v [4]float64) bool { return v[2] != 0 }

// faded is the factor of an opacity in per cent; nothing is more than opaque.
func faded(v [4]float64, k amount) float64 {
	return max(0, min(mix(1, v[0]/100, max(0, k[0])), 1))
}

// track adds tracking, in pixels.
func (g *glyph) track(v float64) {
	switch g.tracking {
	case trackBefore:
		g.before += v
	case trackAfter:
		g.after += v
	default:
		g.before += v / 2
		g.after += v / 2
	}
}
