package text

import (
	"unicode"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// Glyph is one shape of a text that is laid out glyph by glyph.
type Glyph struct {
	Rune    rune // the first character that it stands for, in the case in which it is drawn
	Style   *aep.CharacterStyle
	Outline geom.Outline // pixels of the layer, about the pen; it must not be changed
	X, Y    float64      // the pen, on the baseline: pixels of the layer
	Advance float64      // without tracking, in pixels
	Weight  float64      // of the stroke that thickens its fill, in pixels; mostly 0

	Line  int // from the top, from 0
	Word  int // in the order of the text, from 0; the space after a word belongs to it
	Char  int // in the order of the text, from 0, counting spaces but not the ends of lines
	Solid int // likewise, not counting spaces; a space has the number of the character after it

	small bool
}

// Space tells whether the glyph stands for a space.
func (g *Glyph) Space() bool { return unicode.IsSpace(g.Rune) }

// Counts are the numbers of characters, characters without spaces, and words of a text that is laid out.
type Counts struct{ Chars, Solids, Words int }

// Glyphs is Layout with each glyph by itself, in Glyphs instead of Shapes.
func (b *Book) Glyphs(doc *aep.TextDocument) (*Layout, error) { return b.lay(doc, true) }

// place is where a character stands in the text.
type place struct{ char, solid, word int }

// counter numbers the characters of a text in their order.
type counter struct {
	Counts
	between bool // the last character ended a word
}

// next is the place of a character.
func (c *counter) next(r rune) place {
	space := unicode.IsSpace(r)
	if !space && c.between && c.Solids > 0 {
		c.Words++
	}
	c.between = space
	at := place{c.Chars, c.Solids, c.Words}
	c.Chars++
	if !space {
		c.Solids++
	}
	return at
}

// apart adds a line's glyphs one by one.
func (c *composer) apart(l *line, x, stretch float64) {
	places := make([]place, l.to-l.from)
	for i, ch := range l.chars[l.from:l.to] {
		places[i] = c.count.next(ch.r)
	}
	c.count.between = c.count.Chars > 0
	number := len(c.out.Lines) - 1
	for _, run := range l.runs {
		for i := range run {
			g := &run[i]
			r := l.chars[g.first].r
			at := places[g.first-l.from]
			out := c.set.single(g, r)
			out.X, out.Y, out.Line = x, c.baseline, number
			if c.down {
				out.turn()
			}
			out.Char, out.Solid, out.Word = at.char, at.solid, at.word
			for _, p := range out.Outline.Points {
				c.ink.add(geom.Point{X: out.X + p.X, Y: out.Y + p.Y})
			}
			c.out.Glyphs = append(c.out.Glyphs, out)
			x += g.advance + g.track
			if isGap(r) {
				x += stretch
			}
		}
	}
}

// turn makes a glyph of a vertical line one of the layer.
func (g *Glyph) turn() {
	pen := turned(geom.Point{X: g.X, Y: g.Y})
	g.X, g.Y = pen.X, pen.Y
	for i, p := range g.Outline.Points {
		g.Outline.Points[i] = turned(p)
	}
}

// single is a glyph by itself, not yet placed.
func (s *setter) single(g *glyph, r rune) Glyph {
	out := Glyph{Rune: r, Style: g.style, Advance: g.advance, small: g.small}
	if g.style.FauxBold {
		out.Weight = g.style.Size * fauxWeight
	}
	s.draw(&out.Outline, g, r, geom.Point{})
	return out
}

// maxReplaced limits the replacements that are kept.
const maxReplaced = 4096

// replacement identifies a character in a style.
type replacement struct {
	style aep.CharacterStyle
	small bool
	r     rune
}

// Replace is g with another character in its place. What can't be drawn leaves the glyph as it is.
func (b *Book) Replace(g *Glyph, r rune) Glyph {
	out := *g
	if r == g.Rune {
		return out
	}
	if found, ok := b.replaced(replacement{*g.Style, g.small, r}); ok {
		out.Rune, out.Outline, out.Advance = r, found.Outline, found.Advance
	}
	return out
}

func (b *Book) replaced(key replacement) (g Glyph, ok bool) {
	b.mu.Lock()
	known := b.replacements[key]
	b.mu.Unlock()
	if known != nil {
		return *known, true
	}
	defer func() {
		if recover() != nil { // a broken font; the text without the replacement was set with it
			ok = false
		}
	}()
	s := b.setters.Get().(*setter)
	s.down = false
	runs, err := s.shape([]char{{r: key.r, style: &key.style, small: key.small}})
	if err != nil || len(runs) == 0 || len(runs[0]) == 0 {
		return Glyph{}, false
	}
	g = s.single(&runs[0][0], key.r)
	b.setters.Put(s) // not after a panic, which may leave it inconsistent
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.replacements == nil || len(b.replacements) >= maxReplaced {
		b.replacements = make(map[replacement]*Glyph)
	}
	b.replacements[key] = &g
	return g, true
}
