package text

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
)

func glyphs(t *testing.T, b *Book, doc *aep.TextDocument) *Layout {
	t.Helper()
	l, err := b.Glyphs(doc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestGlyphsKnowTheirPlaceInTheText(t *testing.T) {
	l := glyphs(t, goFonts(t), plain("ab  c\rd e\r\rf", nil))
	type at struct{ line, word, char, solid int }
	want := map[rune]at{'a': {0, 0, 0, 0}, 'b': {0, 0, 1, 1}, 'c': {0, 1, 4, 2}, 'd': {1, 2, 5, 3}, 'e': {1, 3, 7, 4}, 'f': {3, 4, 8, 5}}
	for _, g := range l.Glyphs {
		if w, ok := want[g.Rune]; ok && w != (at{g.Line, g.Word, g.Char, g.Solid}) {
			t.Errorf("%c is at %+v, want %+v", g.Rune, at{g.Line, g.Word, g.Char, g.Solid}, w)
		}
	}
	if l.Counts != (Counts{Chars: 9, Solids: 6, Words: 5}) || len(l.Lines) != 4 || len(l.Glyphs) != 9 || l.Shapes != nil {
		t.Errorf("counted %+v, %d lines, %d glyphs", l.Counts, len(l.Lines), len(l.Glyphs))
	}
}

func TestGlyphsApartAreTheTextTogether(t *testing.T) {
	b := goFonts(t)
	doc := plain("Fine text\rin two lines", func(s style, p para, d doc) {
		p.Justification = aep.JustifyCenter
		s.FauxItalic, s.BaselineShift, s.HScale = true, 7, 80
	})
	whole, apart := set(t, b, doc), glyphs(t, b, doc)
	var points []geom.Point
	for _, g := range apart.Glyphs {
		for _, p := range g.Outline.Points {
			points = append(points, geom.Point{X: g.X + p.X, Y: g.Y + p.Y})
		}
	}
	n := 0
	for _, s := range whole.Shapes {
		for _, p := range s.Outline.Points {
			if n < len(points) && points[n].Sub(p).Len() > 1e-9 {
				t.Fatalf("point %d is at %v, want %v", n, points[n], p)
			}
			n++
		}
	}
	if n != len(points) || math.Abs(whole.Width-apart.Width) > 1e-9 {
		t.Errorf("%d points of %d, width %g of %g", len(points), n, apart.Width, whole.Width)
	}
	if a := apart.Lines[1].Align; a != 0.5 {
		t.Errorf("a centred line has %g of its room before it", a)
	}
}

func TestAReplacedGlyphIsAnotherCharacterInItsPlace(t *testing.T) {
	b := goFonts(t)
	l := glyphs(t, b, plain("iW", nil))
	i, w := l.Glyphs[0], l.Glyphs[1]
	for range 2 {
		got := b.Replace(&i, 'W')
		if got.Rune != 'W' || got.Advance != w.Advance || got.X != i.X || got.Char != 0 || len(got.Outline.Points) != len(w.Outline.Points) {
			t.Errorf("the replacement is %c at %g, %g wide", got.Rune, got.X, got.Advance)
		}
	}
}

func TestTsumeTakesTheSpaceBesideCharacters(t *testing.T) {
	b := goFonts(t)
	ends := func(tsume float64) (l *Layout, ink []float64) {
		l = glyphs(t, b, plain("HH", func(s style, _ para, _ doc) { s.Tsume = tsume }))
		for _, g := range l.Glyphs {
			box := g.Outline.Bounds()
			ink = append(ink, g.X+box.MinX, g.X+box.MaxX)
		}
		return l, ink
	}
	_, loose := ends(0)
	half, some := ends(0.5)
	tight, none := ends(1)
	near(t, "space between without tsume", loose[2]-loose[1], 2*loose[0], 2) // Go's H has about the same space on both sides
	near(t, "space between at 50 %", some[2]-some[1], (loose[2]-loose[1])/2, 0.2)
	near(t, "space between at 100 %", none[2]-none[1], 0, 0.2)
	near(t, "start at 100 %", none[0], 0, 0.2)
	near(t, "width at 100 %", tight.Lines[0].Width, none[3], 0.2)
	if half.Lines[0].Width <= tight.Lines[0].Width {
		t.Error("half of it is not wider than all of it")
	}
}
