package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
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
	} {
		_, err := (&entry{data: c.data}).open()
		if got := errors.Is(err, errUnfolds); got != c.refused || !c.refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
