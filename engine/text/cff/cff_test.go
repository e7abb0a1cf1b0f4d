package cff_test

import (
	"errors"
	"slices"
	"testing"

	of "github.com/go-text/typesetting/font/cff"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/engine/text/cff"
	"overcrank/engine/text/program/programtest"
)

func TestGlyphsAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read       func([]byte) (*cff.Font, error)
		data       []byte
		limit, all int
		want       error
	}{
		"within its bound":   {cff.Read, programtest.CFF(false, false), 60, 120, nil},
		"beyond it":          {cff.Read, programtest.CFF(false, false), 10, 20, cff.ErrUnfolds},
		"subroutines":        {cff.Read, programtest.CFF(false, true), 1_000_000, 2000000, cff.ErrUnfolds},
		"of several parts":   {cff.Read, programtest.CFF(true, true), 1_000_000, 2000000, cff.ErrUnfolds},
		"of variations":      {cff.Read2, programtest.Variable(10, 5), 200, 400, nil},
		"of many variations": {cff.Read2, programtest.Variable(10, 50), 200, 400, cff.ErrUnfolds},
		"of more in all":     {cff.Read2, programtest.Variable(90, 0), 300, 185, cff.ErrUnfolds},
	} {
		f, err := c.read(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := f.Unfolds(c.limit, c.all); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestFontsThatReadersUnderstandDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	shifted := programtest.CFF(false, false)
	shifted[8] = 2 // where the first list begins
	lacking := slices.Clone(programtest.CFF(false, false))
	at := slices.Index(lacking, 17) // the place of the programs
	lacking[at-3], lacking[at-2], lacking[at-1] = 1, 1, 1
	for name, data := range map[string][]byte{"a list begins later": shifted, "an entry lacks its number": lacking, "nothing": nil} {
		if _, err := cff.Read(data); !errors.Is(err, cff.ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := cff.Read2(data); !errors.Is(err, cff.ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzUnfolds draws the glyphs of fonts that were found to be small with the reader that draws text layers: none may have more than was counted.
func FuzzUnfolds(f *testing.F) {
	f.Add(programtest.CFF(false, false), false)
	f.Add(programtest.CFF(true, true), false)
	f.Add(programtest.Parts(3, 4), false)
	f.Add(programtest.Variable(3, 2), true)
	f.Fuzz(func(t *testing.T, data []byte, two bool) {
		const most = 5000
		read := cff.Read
		if two {
			read = cff.Read2
		}
		font, err := read(data)
		if err != nil || font.Unfolds(most, most) != nil {
			return
		}
		for glyph := range min(len(font.Glyphs), 50) {
			if n := segments(data, two, glyph); n > 2*most {
				t.Errorf("glyph %d has %d segments", glyph, n)
			}
		}
	})
}

// segments draws a glyph; none if the font is broken.
func segments(data []byte, two bool, glyph int) (n int) {
	defer func() { _ = recover() }() // where text is set, broken fonts are caught likewise
	if two {
		if font, err := of.ParseCFF2(data); err == nil {
			drawn, _, _ := font.LoadGlyph(tables.GlyphID(glyph), nil)
			n = len(drawn)
		}
	} else if font, err := of.Parse(data); err == nil {
		drawn, _, _ := font.LoadGlyph(tables.GlyphID(glyph))
		n = len(drawn)
	}
	return n
}
