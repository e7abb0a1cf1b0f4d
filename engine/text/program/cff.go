package program

import (
	"encoding/binary"
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
	"github.com/go-text/typesetting/font/opentype"

	"overcrank/engine/geom"
	"overcrank/engine/text/cff"
)

// compact is a CFF font that is read. Whatever reaches beyond its bytes panics, which Read catches.
type compact struct {
	b []byte
	*cff.Font
}

func readCFF(data []byte) (*Font, error) {
	read, err := cff.Read(data)
	if err != nil {
		return nil, err
	}
	c := compact{data, read}
	f := &Font{Glyphs: len(c.Glyphs), segments: c.segments, matrix: matrixOf(c.Top[cff.EntryMatrix])}
	charset := c.charset(c.Top.At(cff.EntryCharset))
	if !c.Keyed() {
		f.Names, f.Codes = c.names(charset), c.codes(c.Top.At(cff.EntryEncoding), charset)
		return f, nil
	}
	f.CIDs = make(map[int]int, len(charset))
	for glyph, cid := range charset {
		f.CIDs[cid] = glyph
	}
	return f, nil
}

// matrixOf is the matrix of a font, a thousandth when it has none.
func matrixOf(v []float64) geom.Matrix {
	if len(v) < 6 || v[0] == 0 {
		return geom.Scale(0.001, 0.001)
	}
	return geom.Matrix{A: v[0], B: v[1], C: v[2], D: v[3], E: v[4], F: v[5]}
}

func (c compact) segments(glyph int) ([]opentype.Segment, error) {
	var h charstring
	var m ps.Machine
	local, global := c.Subroutines(glyph)
	if err := m.Run(c.Glyphs[glyph], local, global, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return h.out.Segments, nil
}

// charset is the name, by its number, or the character of each glyph. The sets that the format knows by heart begin as the numbers do.
func (c compact) charset(at int) []int {
	out := make([]int, len(c.Glyphs))
	if at <= 2 {
		for i := range out {
			out[i] = i
		}
		return out
	}
	kind := c.b[at]
	at++
	for i := 1; i < len(out); {
		first, more := int(binary.BigEndian.Uint16(c.b[at:])), 0
		at += 2
		switch kind {
		case 1:
			more = int(c.b[at])
			at++
		case 2:
			more = int(binary.BigEndian.Uint16(c.b[at:]))
			at += 2
		}
		for k := 0; k <= more && i < len(out); k++ {
			out[i] = first + k
			i++
		}
	}
	return out
}

// standardStrings is how many names the format itself has.
const standardStrings = 391

func (c compact) names(charset []int) map[string]int {
	out := make(map[string]int, len(charset))
	for glyph, id := range charset {
		switch {
		case id < len(Latin):
			out[Latin[id].Name] = glyph
		case id >= standardStrings && id-standardStrings < len(c.Strings):
			out[string(c.Strings[id-standardStrings])] = glyph
		}
	}
	return out
}

// codes is the encoding of the font.
func (c compact) codes(at int, charset []int) map[byte]int {
	out := map[byte]int{}
	if at <= 1 {
		byID := make(map[int]int, len(charset))
		for glyph, id := range charset {
			byID[id] = glyph
		}
		for code, id := range standard {
			if glyph, ok := byID[int(id)]; ok && id != 0 {
				out[byte(code)] = glyph
			}
		}
		return out
	}
	kind, n := c.b[at]&0x7f, int(c.b[at+1])
	for i, glyph := 0, 1; i < n; i++ {
		if kind == 0 {
			out[c.b[at+2+i]] = glyph
			glyph++
			continue
		}
		first, more := int(c.b[at+2+2*i]), int(c.b[at+3+2*i])
		for k := 0; k <= more && first+k < 256; k++ {
			out[byte(first+k)] = glyph
			glyph++
		}
	}
	return out
}
