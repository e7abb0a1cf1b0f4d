package program_test

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/text"
	"overcrank/engine/text/program"
	"overcrank/engine/text/program/programtest"
)

func read(t *testing.T, data []byte) *program.Font {
	t.Helper()
	f, err := program.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGlyphsOfCFFAreDrawn(t *testing.T) {
	t.Parallel()
	square := geom.Rect{MinY: -programtest.Square / 1000.0, MaxX: programtest.Square / 1000.0}
	check := func(f *program.Font, glyph int) {
		t.Helper()
		o, err := f.Outline(glyph)
		if err != nil {
			t.Fatal(err)
		}
		b := o.Bounds()
		if math.Abs(b.MinX-square.MinX)+math.Abs(b.MaxX-square.MaxX)+math.Abs(b.MinY-square.MinY)+math.Abs(b.MaxY-square.MaxY) > 1e-6 {
			t.Errorf("glyph %d lies in %+v", glyph, b)
		}
	}
	named := read(t, programtest.CFF(false, false))
	if named.Glyphs != 3 || named.Names["A"] != 1 || named.Names["box"] != 2 || named.Codes['A'] != 1 || named.Codes['B'] != 2 || named.CIDs != nil {
		t.Errorf("the font is %+v", named)
	}
	keyed := read(t, programtest.CFF(true, false))
	if keyed.CIDs[10] != 1 || keyed.CIDs[2000] != 2 || keyed.Names != nil {
		t.Errorf("the font is %+v", keyed)
	}
	for _, f := range []*program.Font{named, keyed} {
		check(f, 1)
		check(f, 2)
		if o, err := f.Outline(0); err != nil || len(o.Verbs) > 0 {
			t.Errorf("%v, %v", o, err)
		}
		if _, err := f.Outline(3); err == nil {
			t.Error("a fourth glyph is drawn")
		}
	}
}

func TestAGlyphThatNeverEndsIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := read(t, programtest.CFF(false, true)).Outline(2); err == nil || !strings.Contains(err.Error(), "too complex") {
		t.Errorf("got %v", err)
	}
}

func TestASmallFontThatUnfoldsToGigabytesIsRefused(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"its lists are too long": programtest.Parts(2000, 1000), "too complex": programtest.Unfolding(t, goregular.TTF, 200),
	} {
		if _, err := program.Read(data); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a font of %d bytes: %v, want %q", len(data), err, name)
		}
	}
}

func TestGlyphsOfType1AreDrawn(t *testing.T) {
	t.Parallel()
	for _, hexadecimal := range []bool{false, true} {
		f := read(t, programtest.Type1(hexadecimal))
		if f.Glyphs != 4 || f.Codes['A'] != f.Names["A"] || f.Codes['B'] != f.Names["Aacute"] || f.Names["A"] == 0 {
			t.Fatalf("the font is %+v", f)
		}
		for name, want := range map[string][]geom.Rect{
			".notdef": nil,
			"A":       {{MinY: -0.5, MaxX: 0.5}},
			"acute":   {{MinX: 0.1, MinY: -0.1, MaxX: 0.2}},
			"Aacute":  {{MinY: -0.5, MaxX: 0.5}, {MinX: 0.3, MinY: -0.3, MaxX: 0.4, MaxY: -0.2}},
		} {
			o, err := f.Outline(f.Names[name])
			if err != nil {
				t.Fatal(err)
			}
			parts := o.Flatten(geom.Identity, 1e-4)
			if len(parts) != len(want) {
				t.Errorf("%s has %d parts", name, len(parts))
				continue
			}
			for i, p := range parts {
				var got geom.Outline
				for _, at := range p.Points {
					got.Line(at.X, at.Y)
				}
				b := got.Bounds()
				if math.Abs(b.MinX-want[i].MinX)+math.Abs(b.MaxX-want[i].MaxX)+math.Abs(b.MinY-want[i].MinY)+math.Abs(b.MaxY-want[i].MaxY) > 1e-6 {
					t.Errorf("part %d of %s lies in %+v", i, name, b)
				}
			}
		}
	}
	if _, err := program.Read([]byte("%!PS-AdobeFont-1.0\ncurrentfile eexec\nnothing at all")); err == nil {
		t.Error("a font without glyphs is read")
	}
}

func TestGlyphsOfTrueTypeAreThoseOfTextLayers(t *testing.T) {
	t.Parallel()
	f := read(t, goregular.TTF)
	book, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range "AgÄ€" { // Ä is made of two others
		glyph, ok := f.Mapped(program.Microsoft, program.Unicode, r)
		if !ok {
			t.Fatalf("%c has no glyph", r)
		}
		got, err := f.Outline(glyph)
		if err != nil {
			t.Fatal(err)
		}
		l, err := book.Glyphs(&aep.TextDocument{Text: string(r), Runs: []aep.TextRun{{Length: 1, Style: aep.CharacterStyle{Font: "GoRegular", Size: 1}}}})
		if err != nil || len(l.Glyphs) != 1 {
			t.Fatal(err)
		}
		want := l.Glyphs[0].Outline
		if len(got.Points) != len(want.Points) {
			t.Fatalf("%c has %d points, want %d", r, len(got.Points), len(want.Points))
		}
		for i, p := range got.Points {
			if p.Sub(want.Points[i]).Len() > 1e-6 {
				t.Errorf("%c: point %d is %v, want %v", r, i, p, want.Points[i])
			}
		}
	}
	if f.Names["A"] == 0 || f.Names["Adieresis"] == 0 {
		t.Error("its glyphs have no names")
	}
}

func TestNamesStandForTheirCharacters(t *testing.T) {
	t.Parallel()
	if len(program.Latin) != 229 {
		t.Fatalf("%d names", len(program.Latin))
	}
	for id, want := range map[int]program.Character{1: {"space", ' '}, 34: {"A", 'A'}, 95: {"asciitilde", '~'}, 149: {"germandbls", 'ß'}, 150: {"onesuperior", '¹'}, 228: {"zcaron", 'ž'}} {
		if program.Latin[id] != want {
			t.Errorf("%d is %+v", id, program.Latin[id])
		}
	}
	for code, want := range map[byte]string{'A': "A", '\'': "quoteright", 0xae: "fi", 0xd0: "emdash", 0xfb: "germandbls", 0x80: ""} {
		if got := program.StandardName(code); got != want {
			t.Errorf("%x is %q", code, got)
		}
	}
	for _, c := range program.Further {
		if c.Rune == 0 || c.Name == "" {
			t.Errorf("%+v", c)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(programtest.CFF(false, false))
	f.Add(programtest.CFF(true, false))
	f.Add(programtest.CFF(false, true))
	f.Add(programtest.Type1(false))
	f.Add(programtest.Type1(true))
	f.Add(goregular.TTF)
	f.Fuzz(func(t *testing.T, data []byte) {
		font, err := program.Read(data)
		if err != nil {
			return
		}
		for g := range min(font.Glyphs, 20) {
			if o, err := font.Outline(g); err == nil && len(o.Points) > 400_000 {
				t.Errorf("a glyph has %d points", len(o.Points))
			}
		}
		font.Mapped(program.Microsoft, program.Unicode, 'A')
	})
}
