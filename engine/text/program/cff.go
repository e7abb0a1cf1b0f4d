package program

import (
	"encoding/binary"
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
	"github.com/go-text/typesetting/font/opentype"

	"overcrank/engine/geom"
)

// values are the entries of a dictionary by their operators; those with two bytes from escaped on.
type values map[int][]float64

const escaped = 256

// The entries of dictionaries that count here.
const (
	entryCharset     = 15
	entryEncoding    = 16
	entryCharStrings = 17
	entryPrivate     = 18
	entrySubrs       = 19
	entryMatrix      = escaped + 7
	entryROS         = escaped + 30
	entryFDArray     = escaped + 36
	entryFDSelect    = escaped + 37
)

// Context implements ps.OperatorHandler.
func (values) Context() ps.Context { return ps.TopDict }

// Apply implements ps.OperatorHandler.
func (v values) Apply(m *ps.Machine, op ps.Operator) error {
	key := int(op.Operator)
	if op.IsEscaped {
		key += escaped
	}
	v[key] = append([]float64(nil), m.ArgStack.Vals[:m.ArgStack.Top]...)
	m.ArgStack.Clear()
	return nil
}

// at is an entry that is an offset; 0 when it is missing.
func (v values) at(key int) int {
	if n := v[key]; len(n) > 0 {
		return int(n[len(n)-1])
	}
	return 0
}

// cff is a CFF font that is read. Whatever reaches beyond its bytes panics, which Read catches.
type cff struct {
	b       []byte
	strings [][]byte
	global  [][]byte
	glyphs  [][]byte
	local   [][][]byte // subroutines of each of its parts
	parts   []byte     // the part of each glyph, nil when there is one
	pieces  int        // of all lists that were read
}

// maxPieces limits the pieces of all lists of a font together: many parts can name the same list.
const maxPieces = 1 << 20

func dictionary(b []byte) (values, error) {
	v := values{}
	var m ps.Machine
	if err := m.Run(b, nil, nil, v); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return v, nil
}

// index reads a list of pieces of bytes at an offset, and where it ends.
func (c *cff) index(at int) (list [][]byte, end int) {
	n := int(binary.BigEndian.Uint16(c.b[at:]))
	if n == 0 {
		return nil, at + 2
	}
	if c.pieces += n; c.pieces > maxPieces {
		panic("its lists are too long")
	}
	size := int(c.b[at+2])
	offset := func(i int) (v int) {
		for _, b := range c.b[at+3+i*size:][:size] {
			v = v<<8 | int(b)
		}
		return v
	}
	first := at + 3 + (n+1)*size - 1
	list = make([][]byte, n)
	for i := range list {
		list[i] = c.b[first+offset(i) : first+offset(i+1)]
	}
	return list, first + offset(n)
}

func readCFF(data []byte) (*Font, error) {
	c := &cff{b: data}
	_, at := c.index(int(data[2]))
	tops, at := c.index(at)
	if len(tops) == 0 {
		return nil, errBroken
	}
	top, err := dictionary(tops[0])
	if err != nil {
		return nil, err
	}
	c.strings, at = c.index(at)
	c.global, _ = c.index(at)
	c.glyphs, _ = c.index(top.at(entryCharStrings))
	f := &Font{Glyphs: len(c.glyphs), segments: c.segments, matrix: matrixOf(top[entryMatrix])}
	charset := c.charset(top.at(entryCharset))
	if top[entryROS] == nil {
		f.Names, f.Codes = c.names(charset), c.codes(top.at(entryEncoding), charset)
		own, err := c.subroutines(top)
		c.local = [][][]byte{own}
		return f, err
	}
	f.CIDs = make(map[int]int, len(charset))
	for glyph, cid := range charset {
		f.CIDs[cid] = glyph
	}
	dicts, _ := c.index(top.at(entryFDArray))
	for _, raw := range dicts {
		d, err := dictionary(raw)
		if err != nil {
			return nil, err
		}
		own, err := c.subroutines(d)
		if err != nil {
			return nil, err
		}
		c.local = append(c.local, own)
	}
	c.parts = c.selection(top.at(entryFDSelect))
	return f, nil
}

// matrixOf is the matrix of a font, a thousandth when it has none.
func matrixOf(v []float64) geom.Matrix {
	if len(v) < 6 || v[0] == 0 {
		return geom.Scale(0.001, 0.001)
	}
	return geom.Matrix{A: v[0], B: v[1], C: v[2], D: v[3], E: v[4], F: v[5]}
}

// subroutines are those of the private dictionary that a dictionary names.
func (c *cff) subroutines(of values) ([][]byte, error) {
	v := of[entryPrivate]
	if len(v) < 2 {
		return nil, nil
	}
	at := int(v[1])
	private, err := dictionary(c.b[at : at+int(v[0])])
	if err != nil || private.at(entrySubrs) == 0 {
		return nil, err
	}
	list, _ := c.index(at + private.at(entrySubrs))
	return list, nil
}

func (c *cff) segments(glyph int) ([]opentype.Segment, error) {
	part := 0
	if c.parts != nil {
		part = int(c.parts[glyph])
	}
	var h charstring
	var m ps.Machine
	if err := m.Run(c.glyphs[glyph], c.local[part], c.global, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	return h.out.Segments, nil
}

// charset is the name, by its number, or the character of each glyph. The sets that the format knows by heart begin as the numbers do.
func (c *cff) charset(at int) []int {
	out := make([]int, len(c.glyphs))
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

func (c *cff) names(charset []int) map[string]int {
	out := make(map[string]int, len(charset))
	for glyph, id := range charset {
		switch {
		case id < len(Latin):
			out[Latin[id].Name] = glyph
		case id >= standardStrings && id-standardStrings < len(c.strings):
			out[string(c.strings[id-standardStrings])] = glyph
		}
	}
	return out
}

// codes is the encoding of the font.
func (c *cff) codes(at int, charset []int) map[byte]int {
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

// selection is the part of each glyph.
func (c *cff) selection(at int) []byte {
	out := make([]byte, len(c.glyphs))
	if c.b[at] == 0 {
		copy(out, c.b[at+1:])
		return out
	}
	n := int(binary.BigEndian.Uint16(c.b[at+1:]))
	for i := range n {
		r := c.b[at+3+3*i:]
		from, to := int(binary.BigEndian.Uint16(r)), int(binary.BigEndian.Uint16(r[3:]))
		for g := from; g < to && g < len(out); g++ {
			out[g] = r[2]
		}
	}
	return out
}
