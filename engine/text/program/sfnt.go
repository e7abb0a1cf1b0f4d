package program

import (
	"bytes"
	"fmt"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// charmap is a table that maps codes to glyphs.
type charmap struct {
	platform, encoding int
	of                 font.Cmap
}

// The platforms and encodings of tables that map codes to glyphs.
const (
	Macintosh = 1
	Microsoft = 3
	Symbol    = 0 // of Microsoft
	Unicode   = 1 // of Microsoft
	Roman     = 0 // of Macintosh
)

// Mapped is the glyph of a code by the table of a platform and an encoding, as TrueType fonts have them.
func (f *Font) Mapped(platform, encoding int, code rune) (glyph int, ok bool) {
	for _, m := range f.maps {
		if m.platform == platform && m.encoding == encoding {
			if g, ok := m.of.Lookup(code); ok && g != 0 {
				return int(g), true
			}
		}
	}
	return 0, false
}

// bare is a table that maps nothing: without one the reader refuses a font.
var bare = []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, 6, 0, 12, 0, 0, 0, 32, 0, 1, 0, 0}

// readSFNT reads a TrueType or OpenType font.
func readSFNT(data []byte) (*Font, error) {
	ld, err := opentype.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	if raw, err := ld.RawTable(opentype.MustNewTag("CFF ")); err == nil {
		f, err := readCFF(raw)
		if err == nil {
			f.maps = charmaps(ld)
		}
		return f, err
	}
	var kept []opentype.Table
	for _, name := range []string{"cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "post"} { // in this order
		raw, err := ld.RawTable(opentype.MustNewTag(name))
		switch {
		case name == "cmap":
			raw = bare
		case err != nil && (name == "glyf" || name == "head" || name == "loca" || name == "maxp"):
			return nil, fmt.Errorf("%w: it has no table %s", errBroken, name)
		case err != nil:
			continue
		}
		kept = append(kept, opentype.Table{Tag: opentype.MustNewTag(name), Content: raw})
	}
	glyf, err := glyphs(ld)
	if err != nil {
		return nil, err
	}
	face, err := font.ParseTTF(bytes.NewReader(opentype.WriteTTF(kept)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	upem := float64(face.Upem())
	if upem <= 0 {
		upem = 1000
	}
	w := &weigher{glyf: glyf, known: map[int]int{}}
	f := &Font{Glyphs: len(glyf), matrix: geom.Scale(1/upem, 1/upem), maps: charmaps(ld)}
	f.segments = func(glyph int) ([]opentype.Segment, error) {
		if w.weight(glyph, 0) > maxPoints {
			return nil, errComplex
		}
		data, ok := face.GlyphDataOutline(font.GID(glyph))
		if !ok {
			return nil, errBroken
		}
		return data.Segments, nil
	}
	if ld.HasTable(opentype.MustNewTag("post")) {
		f.Names = map[string]int{}
		for g := range f.Glyphs {
			if name := face.GlyphName(font.GID(g)); name != "" {
				f.Names[name] = g
			}
		}
	}
	return f, nil
}

func glyphs(ld *opentype.Loader) (tables.Glyf, error) {
	raw := func(name string) []byte { b, _ := ld.RawTable(opentype.MustNewTag(name)); return b }
	head, _, err := tables.ParseHead(raw("head"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	maxp, _, err := tables.ParseMaxp(raw("maxp"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	loca, err := tables.ParseLoca(raw("loca"), int(maxp.NumGlyphs), head.IndexToLocFormat == 1)
	if err != nil || len(loca) == 0 {
		return nil, fmt.Errorf("%w: its table of places is", errBroken)
	}
	described := raw("glyf")
	if text.Points(described, loca) > text.MaxFontPoints {
		return nil, errComplex
	}
	glyf, err := tables.ParseGlyf(described, loca)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return glyf, nil
}

// charmaps are the tables of a font that map codes; none where they cannot be read.
func charmaps(ld *opentype.Loader) (out []charmap) {
	raw, err := ld.RawTable(opentype.MustNewTag("cmap"))
	if err != nil {
		return nil
	}
	all, _, err := tables.ParseCmap(raw)
	if err != nil {
		return nil
	}
	for _, r := range all.Records {
		m := charmap{platform: int(r.PlatformID), encoding: int(r.EncodingID)}
		r.PlatformID, r.EncodingID = tables.PlatformUnicode, tables.PEUnicodeFull // so that its codes are taken as they are
		if m.of, _, err = font.ProcessCmap(tables.Cmap{Records: []tables.EncodingRecord{r}}, tables.FPNone); err == nil && m.of != nil {
			out = append(out, m)
		}
	}
	return out
}

// weigher finds how many points glyphs have, with those of the glyphs that they are made of.
type weigher struct {
	glyf  tables.Glyf
	known map[int]int
}

// maxParts limits how deep glyphs are made of others.
const maxParts = 20

func (w *weigher) weight(glyph, depth int) int {
	if glyph < 0 || glyph >= len(w.glyf) {
		return 0
	}
	if n, ok := w.known[glyph]; ok {
		return n
	}
	n := 1
	switch g := w.glyf[glyph].Data.(type) {
	case tables.SimpleGlyph:
		n += len(g.Points)
	case tables.CompositeGlyph:
		if depth > maxParts {
			return maxPoints + 1
		}
		for _, part := range g.Glyphs {
			n = min(maxPoints+1, n+w.weight(int(part.GlyphIndex), depth+1))
		}
	}
	w.known[glyph] = n
	return n
}
