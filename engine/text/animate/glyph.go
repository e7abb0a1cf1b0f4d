package animate

import (
	"math"
	"unicode"

	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// glyph is a glyph with what animators have made of it.
type glyph struct {
	*text.Glyph

	anchor, position, scale geom.Point
	skew, skewAxis          float64 // degrees
	turn                    float64 // degrees
	tilt                    geom.Point
	back                    back
	opacity                 float64
	fill, stroke            [4]float64
	strokeWidth             float64
	blur                    geom.Point

	before, after float64 // tracking
	align         float64 // of its line, as animators say
	anchored      bool    // whether any says
	spacing       geom.Point
	code, offset  float64 // of its character

	// The manner of the animator that is being applied.
	tracking, alignment, characters int

	x, y  float64    // the pen, once lines are spaced
	pivot geom.Point // what it turns about
}

// back is what animators have made of a glyph along the z axis.
type back struct{ anchor, position, scale float64 }

func newGlyph(g *text.Glyph) glyph {
	out := glyph{
		Glyph: g, scale: geom.Point{X: 1, Y: 1}, opacity: 1, fill: g.Style.Fill, stroke: g.Style.Stroke, code: float64(g.Rune),
		back: back{scale: 1},
	}
	if g.Style.ApplyStroke {
		out.strokeWidth = g.Style.StrokeWidth
	}
	return out
}

// circles are the groups of characters within which characters are offset when case and digits are preserved. Others stay.
var circles = [][2]rune{{'A', 'Z'}, {'a', 'z'}, {'0', '9'}, {'ぁ', 'ゖ'}, {'ァ', 'ヺ'}}

// character is the character that the glyph shows. Spaces stay spaces.
func (g *glyph) character() rune {
	if g.Space() || g.code == float64(g.Rune) && g.offset == 0 {
		return g.Rune
	}
	r := rune(max(0, min(math.Round(g.code), unicode.MaxRune)))
	offset := rune(max(-unicode.MaxRune, min(math.Round(g.offset), unicode.MaxRune)))
	if g.characters == fullUnicode {
		r = max(0, min(r+offset, unicode.MaxRune))
	} else {
		r = around(r, offset)
	}
	if !unicode.IsGraphic(r) {
		return g.Rune
	}
	return r
}

// around is the character an offset further in its group.
func around(r, offset rune) rune {
	for _, c := range circles {
		if r >= c[0] && r <= c[1] {
			n := c[1] - c[0] + 1
			return c[0] + ((r-c[0]+offset)%n+n)%n
		}
	}
	return r
}

// replace puts other characters in the place of those that animators changed.
func (s *setting) replace(fonts Fonts) {
	for i := range s.glyphs {
		g := &s.glyphs[i]
		r := g.character()
		if r == g.Rune || fonts == nil {
			continue
		}
		was := g.Advance
		other := fonts.Replace(g.Glyph, r)
		g.Glyph = &other
		switch wider := other.Advance - was; g.alignment {
		case alignKern:
			g.after += wider
		case alignCenter:
			other.X -= wider / 2
		case alignRight:
			other.X -= wider
		}
	}
}

// matrix maps pixels of the glyph, about its pen, to those around its pivot.
func (g *glyph) matrix() geom.Matrix {
	m := geom.Identity
	if g.tilt != (geom.Point{}) {
		// Seen from straight ahead, what is turned out of the plane is narrower.
		m = geom.Scale(math.Cos(g.tilt.Y*math.Pi/180), math.Cos(g.tilt.X*math.Pi/180))
	}
	if g.turn != 0 {
		m = m.Mul(geom.Rotate(g.turn))
	}
	m = m.Mul(g.skewed()).Mul(geom.Scale(g.scale.X, g.scale.Y))
	return m.Mul(geom.Translate(g.x-g.pivot.X-g.anchor.X, g.y-g.pivot.Y-g.anchor.Y))
}

func (g *glyph) skewed() geom.Matrix {
	if g.skew == 0 {
		return geom.Identity
	}
	return geom.Skew(g.skew, g.skewAxis)
}

// space is the matrix of a glyph in a text in space. It turns as a 3D layer does: about z first, then about y and x.
func (g *glyph) space() geom.Space {
	turned := geom.TurnX(g.tilt.X).Mul(geom.TurnY(g.tilt.Y)).Mul(geom.TurnZ(g.turn))
	sized := geom.InSpace(g.skewed()).Mul(geom.Stretch(geom.Vec{X: g.scale.X, Y: g.scale.Y, Z: g.back.scale}))
	return turned.Mul(sized).Mul(geom.MoveBy(geom.Vec{X: g.x - g.pivot.X - g.anchor.X, Y: g.y - g.pivot.Y - g.anchor.Y, Z: -g.back.anchor}))
}
