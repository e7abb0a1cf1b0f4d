package text

import (
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"overcrank/aep"
)

// How After Effects draws characters for which a font has no glyphs of their own.
const (
	smallCapsScale = 0.70
	scriptScale    = 0.583 // of superscript and subscript
	scriptShift    = 0.333 // of the size, up or down
	fauxSlant      = 0.2126
	fauxWeight     = 0.034 // stroke that thickens, in sizes
)

// char is one character of a document with its styles.
type char struct {
	r     rune
	style *aep.CharacterStyle
	small bool // drawn as a small capital
}

// glyph is one shape of a line, in pixels.
type glyph struct {
	tf      *typeface
	face    *font.Face
	id      font.GID
	style   *aep.CharacterStyle
	small   bool
	first   int     // of the characters it stands for
	chars   int     // how many characters that are
	dx, dy  float64 // from the pen, y downwards
	advance float64 // without tracking
	track   float64 // that follows it
	rtl     bool
	upright bool    // in a vertical line, with dx and dy in the directions of the layer; others lie on their side
	fit     float64 // horizontal scale of a stand-in
}

// size is the size of the glyph's em across and along the line.
func (g *glyph) size() (across, along float64) {
	s := effectiveSize(g.style, g.small)
	return s * percent(g.style.VScale), s * percent(g.style.HScale) * g.fit
}

// rise is the glyph's height above the baseline.
func (g *glyph) rise() float64 {
	switch {
	case g.style.Superscript:
		return g.style.BaselineShift + g.style.Size*scriptShift
	case g.style.Subscript:
		return g.style.BaselineShift - g.style.Size*scriptShift
	}
	return g.style.BaselineShift
}

func effectiveSize(s *aep.CharacterStyle, small bool) float64 {
	size := s.Size
	if small {
		size *= smallCapsScale
	}
	if s.Superscript || s.Subscript {
		size *= scriptScale
	}
	return size
}

// percent converts a scale in percent to a factor; zero means that the document does not say.
func percent(p float64) float64 {
	if p == 0 {
		return 1
	}
	return p / 100
}

// setter shapes text. It is not safe for concurrent use; a Book keeps a pool of them.
type setter struct {
	book   *Book
	shaper shaping.HarfbuzzShaper
	split  shaping.Segmenter
	faces  map[*typeface]*font.Face
	owners map[*font.Face]*typeface
	down   bool // the lines are vertical
}

func newSetter(b *Book) *setter {
	return &setter{book: b, faces: map[*typeface]*font.Face{}, owners: map[*font.Face]*typeface{}}
}

func (s *setter) face(tf *typeface) *font.Face {
	f := s.faces[tf]
	if f == nil {
		f = tf.face()
		s.faces[tf], s.owners[f] = f, tf
	}
	return f
}

// chooser gives each character the requested font, or one that has the character.
type chooser struct {
	set  *setter
	want *typeface
}

// ResolveFace implements shaping.Fontmap.
func (c chooser) ResolveFace(r rune) *font.Face {
	if c.want.has(r) || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
		return c.set.face(c.want)
	}
	return c.set.face(c.set.book.cover(c.want, r))
}

// shape converts characters without line ends to glyphs: runs in the order of the text, glyphs within a run from left to
// right.
func (s *setter) shape(chars []char) ([][]glyph, error) {
	text := make([]rune, len(chars))
	for i, c := range chars {
		text[i] = c.r
	}
	base := baseDirection(text)
	var upright []bool
	if s.down {
		upright = stands(text)
	}
	var runs [][]glyph
	for start := 0; start < len(chars); {
		end := start + 1
		for end < len(chars) && chars[end].style == chars[start].style && chars[end].small == chars[start].small && (!s.down || upright[end] == upright[start]) {
			end++
		}
		want, err := s.book.match(chars[start].style.Font)
		if err != nil {
			return nil, err
		}
		along := base
		if s.down {
			along = di.DirectionLTR // on its side
			if upright[start] {
				along = di.DirectionTTB
				along.SetSideways(false)
			}
		}
		in := shaping.Input{
			Text: text, RunStart: start, RunEnd: end, Direction: along, Face: s.face(want.typeface), Size: fixed.I(1000),
			Language: language.DefaultLanguage(), FontFeatures: features(chars[start].style),
		}
		for _, part := range s.split.Split(in, chooser{s, want.typeface}) {
			out := s.shaper.Shape(part)
			runs = append(runs, s.place(out, chars, part, want))
		}
		start = end
	}
	return runs, nil
}

// features disables what a style goes without, and ligatures where tracking would separate their parts.
func features(style *aep.CharacterStyle) (off []shaping.FontFeature) {
	if style.Tracking != 0 || style.Unligated {
		off = append(off, shaping.FontFeature{Tag: opentype.MustNewTag("liga")}, shaping.FontFeature{Tag: opentype.MustNewTag("clig")})
	}
	if style.Unkerned {
		off = append(off, shaping.FontFeature{Tag: opentype.MustNewTag("kern")})
	}
	return off
}

func (s *setter) place(out shaping.Output, chars []char, part shaping.Input, want match) []glyph {
	tf := s.owners[part.Face]
	fit := 1.0
	if tf == want.typeface {
		fit = want.fit
	}
	rtl := part.Direction.Progression() == di.TowardTopLeft
	upright := part.Direction.IsVertical()
	gs := make([]glyph, len(out.Glyphs))
	for i, og := range out.Glyphs {
		c := chars[og.TextIndex()]
		g := glyph{
			tf: tf, face: part.Face, id: og.GlyphID, style: c.style, small: c.small,
			first: og.TextIndex(), chars: og.RunesCount(), rtl: rtl, fit: fit,
		}
		across, along := g.size()
		g.advance = em(og.Advance) * along
		g.dx, g.dy = em(og.XOffset)*along, -em(og.YOffset)*across
		switch {
		case upright:
			g.stand(&og)
		case s.down:
			g.dy += romanCenter * across
		}
		if c.style.Tsume > 0 && !upright {
			g.squeeze(along)
		}
		if lastOfCluster(out.Glyphs, i) {
			g.track = c.style.Tracking / 1000 * along / fit
			if upright {
				g.track = c.style.Tracking / 1000 * across
			}
		}
		gs[i] = g
	}
	return gs
}

// Where the characters of vertical lines stand, in sizes: their middles on the middle of the line, which is that of the square that East Asian fonts are
// designed in. It reaches from 0.12 below the baseline of Latin letters to 0.88 above it.
const (
	romanCenter = 0.38
	squareTop   = 0.88
)

// stand places a glyph that stands upright in a vertical line: as its font says, or in the middle of its square.
func (g *glyph) stand(og *shaping.Glyph) {
	g.upright = true
	across, along := g.size() // the height and the width of the glyph
	g.advance, g.dx, g.dy = -em(og.Advance)*across, em(og.XOffset)*along, -em(og.YOffset)*across
	if !g.face.HasVerticalMetrics() {
		g.advance, g.dy = across, squareTop*across
	}
}

// squeeze takes away a part of the space at both sides of the glyph, as Tsume says: all of it at 1. What reaches beyond its advance stays.
func (g *glyph) squeeze(along float64) {
	ext, ok := g.face.GlyphExtents(g.id)
	if !ok || ext.Width == 0 {
		return
	}
	left := float64(ext.XBearing) / g.tf.upem * along
	right := g.advance - left - float64(ext.Width)/g.tf.upem*along
	k := min(g.style.Tsume, 1)
	before, after := k*max(0, left), k*max(0, right)
	g.dx -= before
	g.advance -= before + after
}

func lastOfCluster(gs []shaping.Glyph, i int) bool {
	return i+1 == len(gs) || gs[i+1].TextIndex() != gs[i].TextIndex()
}

// em is a length in ems; text is shaped at a size of 1000 pixels, in 64ths.
func em(v fixed.Int26_6) float64 { return float64(v) / 64000 }

// baseDirection is the direction of a paragraph's first strong character.
func baseDirection(text []rune) di.Direction {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
			return di.DirectionRTL
		case unicode.IsLetter(r):
			return di.DirectionLTR
		}
	}
	return di.DirectionLTR
}
