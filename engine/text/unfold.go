package text

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/engine/text/cff"
)

// MaxFontPoints is how many points the glyphs of a TrueType font may have together. Those of the largest fonts have half as many.
const MaxFontPoints = 1 << 23

// maxGlyphPoints is how many points a glyph may have, with those of the glyphs that it is made of.
const maxGlyphPoints = 100_000

// The steps of the programs of a CFF font, operators and numbers: of a glyph, and of all together. The largest fonts, of East Asia, have a third of the latter.
const (
	maxGlyphSteps = 4 * maxGlyphPoints
	maxFontSteps  = 1 << 26
)

var errUnfolds = cff.ErrUnfolds

// Of the descriptions of glyphs (OpenType, table glyf): the bytes before the ends of the contours, and those of the smallest part of a composite glyph.
const (
	glyphHead = 10
	leastPart = 6
)

// Points is how many points and parts all glyphs have together, as their descriptions say: a few bytes can describe thousands of points, which the
// reader of a font unfolds at once.
func Points(glyf []byte, loca []uint32) (n int) {
	for i := range max(0, len(loca)-1) {
		n += pointsOf(glyphAt(glyf, loca, i))
	}
	return n
}

// glyphAt is the description of a glyph; nil when it has none.
func glyphAt(glyf []byte, loca []uint32, i int) []byte {
	from, to := int(loca[i]), min(int(loca[i+1]), len(glyf))
	if to-from < glyphHead {
		return nil
	}
	return glyf[from:to]
}

func pointsOf(g []byte) int {
	if g == nil {
		return 0
	}
	contours := int(int16(binary.BigEndian.Uint16(g)))
	last := glyphHead + 2*(contours-1)
	switch {
	case contours < 0:
		return len(g) / leastPart
	case contours > 0 && last+2 <= len(g):
		return int(binary.BigEndian.Uint16(g[last:])) + 1
	}
	return 0
}

// bounded refuses a font whose glyphs unfold to more than any font needs.
func bounded(ld *opentype.Loader) error {
	return errors.Join(boundedSteps(ld, "CFF ", cff.Read), boundedSteps(ld, "CFF2", cff.Read2), boundedPoints(ld))
}

// boundedSteps looks at the programs of a table of glyphs.
func boundedSteps(ld *opentype.Loader, table string, read func([]byte) (*cff.Font, error)) error {
	tag := opentype.MustNewTag(table)
	if !ld.HasTable(tag) {
		return nil
	}
	raw, err := ld.RawTable(tag)
	if err != nil {
		return fmt.Errorf("its glyphs: %w", err)
	}
	f, err := read(raw)
	if err != nil {
		return err
	}
	return f.Unfolds(maxGlyphSteps, maxFontSteps)
}

// boundedPoints looks at a TrueType font: at the points of its glyphs, and at glyphs made of glyphs that are made of others.
func boundedPoints(ld *opentype.Loader) error {
	if !ld.HasTable(opentype.MustNewTag("glyf")) {
		return nil
	}
	raw := func(name string) []byte { b, _ := ld.RawTable(opentype.MustNewTag(name)); return b } // what is missing cannot be parsed
	head, _, err := tables.ParseHead(raw("head"))
	if err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	most, _, err := tables.ParseMaxp(raw("maxp"))
	if err != nil {
		return fmt.Errorf("the number of its glyphs: %w", err)
	}
	loca, err := tables.ParseLoca(raw("loca"), int(most.NumGlyphs), head.IndexToLocFormat == 1)
	if err != nil {
		return fmt.Errorf("the places of its glyphs: %w", err)
	}
	glyf := raw("glyf")
	if Points(glyf, loca) > MaxFontPoints {
		return errUnfolds
	}
	u := unfolding{glyf, loca, make([]int, max(0, len(loca)-1))}
	for i := range u.known {
		if u.points(i) > maxGlyphPoints {
			return errUnfolds
		}
	}
	return nil
}

// unfolding counts the points of glyphs with those of their parts.
type unfolding struct {
	glyf  []byte
	loca  []uint32
	known []int // by glyph; 0 is not known yet, and counting while it is counted
}

const counting = -1

func (u *unfolding) points(glyph int) int {
	if glyph >= len(u.known) {
		return 0
	}
	switch n := u.known[glyph]; n {
	case 0:
	case counting: // it is made of itself
		return maxGlyphPoints + 1
	default:
		return n
	}
	u.known[glyph] = counting
	g := glyphAt(u.glyf, u.loca, glyph)
	n := 1 + pointsOf(g)
	if g != nil && int16(binary.BigEndian.Uint16(g)) < 0 {
		for _, part := range partsOf(g) {
			n = min(maxGlyphPoints+1, n+u.points(part))
		}
	}
	u.known[glyph] = n
	return n
}

// The flags of a part of a composite glyph that tell how long it is, and whether another follows.
const (
	partWords  = 1 << 0
	partScale  = 1 << 3
	partMore   = 1 << 5
	partScales = 1 << 6
	partMatrix = 1 << 7
)

// partsOf are the glyphs that a composite glyph is made of.
func partsOf(g []byte) (out []int) {
	for g = g[glyphHead:]; len(g) >= leastPart; {
		flags := binary.BigEndian.Uint16(g)
		out = append(out, int(binary.BigEndian.Uint16(g[2:])))
		size := leastPart
		if flags&partWords != 0 {
			size += 2
		}
		switch {
		case flags&partScale != 0:
			size += 2
		case flags&partScales != 0:
			size += 4
		case flags&partMatrix != 0:
			size += 8
		}
		if flags&partMore == 0 || size > len(g) {
			break
		}
		g = g[size:]
	}
	return out
}
