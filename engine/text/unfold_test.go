package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/engine/text/program/programtest"
)

// nested is a font whose first glyphs are each made of eight of the next: unfolded, the first has more points than any memory.
func nested(t *testing.T, levels int, last uint16) []byte {
	t.Helper()
	ld, err := opentype.NewLoader(bytes.NewReader(goregular.TTF))
	if err != nil {
		t.Fatal(err)
	}
	var glyf, loca []byte
	var kept []opentype.Table
	put := func(v ...uint16) {
		for _, v := range v {
			glyf = binary.BigEndian.AppendUint16(glyf, v)
		}
	}
	for level := range levels {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		put(0xffff, 0, 0, 100, 100)
		for part := range 8 {
			next := uint16(level + 1)
			if level == levels-1 {
				next = last
			}
			flags := uint16(partMore)
			if part == 7 {
				flags = 0
			}
			put(flags, next, 0)
		}
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	put(1, 0, 0, 100, 100, 2, 0) // a triangle
	glyf = append(glyf, 1, 1, 1, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 100)
	end := binary.BigEndian.AppendUint32(nil, uint32(len(glyf)))
	loca = append(loca, bytes.Repeat(end, 4000)...) // the other glyphs are empty
	for _, table := range []string{"cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"} {
		raw, err := ld.RawTable(opentype.MustNewTag(table))
		if err != nil {
			t.Fatal(err)
		}
		switch table {
		case "glyf":
			raw = glyf
		case "head":
			raw = slices.Clone(raw)
			raw[51] = 1 // places of four bytes
		case "loca":
			raw = loca
		}
		kept = append(kept, opentype.Table{Tag: opentype.MustNewTag(table), Content: raw})
	}
	return opentype.WriteTTF(kept)
}

// outlined is a font whose three glyphs are those of a table, and else like another.
func outlined(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	ld, err := opentype.NewLoader(bytes.NewReader(goregular.TTF))
	if err != nil {
		t.Fatal(err)
	}
	kept := []opentype.Table{{Tag: opentype.MustNewTag(name), Content: content}}
	for _, table := range []string{"cmap", "head", "hhea", "hmtx", "maxp", "name", "post"} {
		raw, err := ld.RawTable(opentype.MustNewTag(table))
		if err != nil {
			t.Fatal(err)
		}
		raw = slices.Clone(raw)
		switch table {
		case "maxp":
			raw[4], raw[5] = 0, 3
		case "hhea": // the glyphs that have an advance
			raw[34], raw[35] = 0, 3
		}
		kept = append(kept, opentype.Table{Tag: opentype.MustNewTag(table), Content: raw})
	}
	return opentype.WriteTTF(kept)
}

// TestFontsThatUnfoldAreRefused opens fonts of a few kilobytes that describe millions of points.
func TestFontsThatUnfoldAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		data    []byte
		refused bool
	}{
		"as it is":              {goregular.TTF, false},
		"many points":           {programtest.Unfolding(t, goregular.TTF, 200), true},
		"three levels of eight": {nested(t, 3, 3), false},
		"twenty":                {nested(t, 20, 20), true},
		"made of itself":        {nested(t, 2, 0), true},
		"subroutines":           {outlined(t, "CFF ", programtest.CFF(false, false)), false},
		"that call each other":  {outlined(t, "CFF ", programtest.CFF(false, true)), true},
		"keyed":                 {outlined(t, "CFF ", programtest.CFF(true, true)), true},
		"variable":              {outlined(t, "CFF2", programtest.Variable(1, 2)), false},
		"with many shares":      {outlined(t, "CFF2", programtest.Variable(2000, 1000)), true},
	} {
		_, err := (&entry{data: c.data}).open()
		if got := errors.Is(err, errUnfolds); got != c.refused || !c.refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAHostileFontIsNamed has a text in a font that would take hours to draw: another stands in for it, and the warning says why.
func TestAHostileFontIsNamed(t *testing.T) {
	t.Parallel()
	data := outlined(t, "CFF ", programtest.CFF(false, true))
	b, err := openBook([]string{jobFonts(t, map[string][]byte{"hostile.otf": data})}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	set(t, b, plain("AB", func(s style, _ para, _ doc) { s.Font = b.own.entries[0].postScript }))
	if notes := strings.Join(b.Substitutes(), "; "); !strings.Contains(notes, "font 'Go Regular' can't be read: its glyphs are too complex") {
		t.Errorf("warned of %q", notes)
	}
}
