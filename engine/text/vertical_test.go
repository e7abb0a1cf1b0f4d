package text

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// columns makes a document vertical.
func columns(change func(style, para, doc)) func(style, para, doc) {
	return func(s style, p para, d doc) {
		d.Lines = aep.VerticalRightToLeft
		if change != nil {
			change(s, p, d)
		}
	}
}

// points are those of all outlines of a layout.
func points(l *Layout) (out []geom.Point) {
	for i := range l.Shapes {
		out = append(out, l.Shapes[i].Outline.Points...)
	}
	return out
}

// Latin letters lie on their side, a quarter turn clockwise, about the middle of the line: 0.38 of their size above their baseline.
func TestVerticalLatinIsHorizontalLatinTurned(t *testing.T) {
	b := goFonts(t)
	for name, change := range map[string]func(style, para, doc){
		"plain":     nil,
		"centred":   func(_ style, p para, _ doc) { p.Justification = aep.JustifyCenter },
		"tracked":   func(s style, _ para, _ doc) { s.Tracking = 120 },
		"stroked":   func(s style, _ para, _ doc) { s.ApplyStroke, s.StrokeWidth = true, 4 },
		"stretched": func(s style, _ para, _ doc) { s.HScale = 150 },
	} {
		flat, upended := points(set(t, b, plain("Hamburg", change))), points(set(t, b, plain("Hamburg", columns(change))))
		if len(flat) == 0 || len(flat) != len(upended) {
			t.Fatalf("%s: %d points became %d", name, len(flat), len(upended))
		}
		for i, p := range flat {
			want := geom.Point{X: -(p.Y + 38), Y: p.X}
			if d := upended[i].Sub(want).Len(); d > 1e-6 {
				t.Fatalf("%s: point %d is at %v, want %v", name, i, upended[i], want)
			}
		}
	}
}

// The paragraph sign and the sign of plus and minus stand upright, as Unicode's annex 50 says, each in the middle of a square.
func TestUprightCharactersStandInTheMiddleOfTheirSquares(t *testing.T) {
	b := goFonts(t)
	flat, upended := set(t, b, plain("§±", nil)), set(t, b, plain("§±", columns(nil)))
	from, to := flat.Shapes[0].Outline, upended.Shapes[0].Outline
	if len(from.Points) != len(to.Points) {
		t.Fatal("other glyphs are drawn")
	}
	widths := []float64{glyphWidth(t, b, "§"), glyphWidth(t, b, "±")}
	first := len(set(t, b, plain("§", nil)).Shapes[0].Outline.Points)
	for i, p := range from.Points {
		want := geom.Point{X: p.X - widths[0]/2, Y: p.Y + 88}
		if i >= first {
			want = geom.Point{X: p.X - widths[0] - widths[1]/2, Y: p.Y + 188}
		}
		if d := to.Points[i].Sub(want).Len(); d > 0.2 { // shaping rounds to 64ths of a thousandth
			t.Fatalf("point %d is at %v, want %v", i, to.Points[i], want)
		}
	}
}

// glyphWidth is how far the pen moves for a character.
func glyphWidth(t *testing.T, b *Book, text string) float64 {
	t.Helper()
	return set(t, b, plain(text, nil)).Lines[0].Width
}

func middle(l *Layout) float64 { return l.Left + l.Width/2 }

func TestColumnsFollowEachOtherByTheirLeading(t *testing.T) {
	b := goFonts(t)
	one := set(t, b, plain("H", columns(nil)))
	for lines, way := range map[aep.LineOrientation]float64{aep.VerticalRightToLeft: -1, aep.VerticalLeftToRight: 1} {
		l := set(t, b, plain("\rH", func(s style, _ para, d doc) { d.Lines, s.AutoLeading, s.Leading = lines, false, 130 }))
		near(t, "the second column", middle(l), middle(one)+130*way, 1e-6)
		near(t, "its top", l.Top, one.Top, 1e-6)
	}
}

func TestVerticalTextFillsItsBox(t *testing.T) {
	b := goFonts(t)
	box := func(_ style, _ para, d doc) {
		d.Box, d.BoxPos, d.BoxSize = true, [2]float64{-50, 20}, [2]float64{250, 500}
	}
	one := set(t, b, plain("H", columns(nil)))
	l := set(t, b, plain("HHHH HHHH HHHH HHHH", columns(box)))
	if len(l.Lines) != 2 || l.Lines[0].Text != "HHHH " {
		t.Fatalf("the lines are %+v, want two of one word", l.Lines)
	}
	// The middle of the first column is half a size from the right edge of the box, that of the second another 120 further.
	near(t, "right", l.Left+l.Width, 200-50+one.Left+one.Width, 1e-6)
	near(t, "left", l.Left, 200-50-120+one.Left, 1e-6)
	near(t, "top", l.Top, 20+one.Top, 1e-6)
	if l.Top+l.Height > 520 {
		t.Errorf("the text ends at %v, below its box", l.Top+l.Height)
	}
	right := set(t, b, plain("HHHH", columns(func(s style, p para, d doc) {
		box(s, p, d)
		d.Lines = aep.VerticalLeftToRight
		p.Justification = aep.JustifyRight
	})))
	near(t, "the first column from the left", middle(right), -50+50+middle(one), 1e-6)
	if bottom := right.Top + right.Height; math.Abs(bottom-520) > 20 {
		t.Errorf("the text ends at %v, want it at the end of its box", bottom)
	}
}

func TestVerticalGlyphsAreThoseOfTheWholeText(t *testing.T) {
	b := goFonts(t)
	doc := plain("Ab§\rc", columns(nil))
	whole, single := set(t, b, doc), (*Layout)(nil)
	single, err := b.Glyphs(doc)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "left", single.Left, whole.Left, 1e-6)
	near(t, "top", single.Top, whole.Top, 1e-6)
	near(t, "width", single.Width, whole.Width, 1e-6)
	near(t, "height", single.Height, whole.Height, 1e-6)
	if g := single.Glyphs; len(g) != 4 || !(g[1].Y > g[0].Y) || g[1].X != g[0].X || !(g[3].X < g[0].X) {
		t.Errorf("the pens are at %+v", g)
	}
	// What was set before does not stay vertical.
	flat := set(t, b, plain("Hamburg", nil))
	if flat.Width < flat.Height {
		t.Error("a horizontal text is vertical")
	}
}
