// Package cff reads the Compact Font Format, in which OpenType and PDF keep the programs of glyphs, in both of its versions. It refuses what another reader could
// take for something else, so that what it counts of a font holds for whoever draws it.
package cff

import (
	"encoding/binary"
	"errors"
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
)

// ErrBroken is the error of a font that does not follow the format.
var ErrBroken = errors.New("the font is broken")

// Font is a font that was read.
type Font struct {
	Top     Values
	Strings [][]byte
	Glyphs  [][]byte // their programs

	global [][]byte
	parts  []part
	partOf []byte // of each glyph, nil when there is one
	two    bool   // it has the second version of the format
	shares
}

// part is what some of a font's glyphs have in common.
type part struct {
	subrs  [][]byte
	shares int // which list of shares its glyphs begin with
}

// Subroutines are those that a glyph may call.
func (f *Font) Subroutines(glyph int) (local, global [][]byte) { return f.part(glyph).subrs, f.global }

func (f *Font) part(glyph int) part {
	if f.partOf == nil {
		return f.parts[0]
	}
	return f.parts[f.partOf[glyph]]
}

// Keyed tells whether the font's glyphs have numbers of characters instead of names.
func (f *Font) Keyed() bool { return f.Top.has(entryROS) }

// Values are the entries of a dictionary by their operators; those with two bytes from Escaped on.
type Values map[int][]float64

// Escaped is added to operators of two bytes.
const Escaped = 256

// The entries of dictionaries that count here.
const (
	EntryCharset     = 15
	EntryEncoding    = 16
	EntryMatrix      = Escaped + 7
	entryCharStrings = 17
	entryPrivate     = 18
	entrySubrs       = 19
	entryShares      = 22 // which list of shares programs begin with
	entryStore       = 24
	entryROS         = Escaped + 30
	entryFDArray     = Escaped + 36
	entryFDSelect    = Escaped + 37
)

// needed is how many numbers an entry must have. Some readers take what is missing from the entry before.
var needed = map[int]int32{
	EntryCharset: 1, entryCharStrings: 1, entryPrivate: 2, entrySubrs: 1, entryShares: 1, entryStore: 1, entryROS: 3, entryFDArray: 1, entryFDSelect: 1,
}

// Context implements ps.OperatorHandler.
func (Values) Context() ps.Context { return ps.TopDict }

// Apply implements ps.OperatorHandler.
func (v Values) Apply(m *ps.Machine, op ps.Operator) error {
	key := int(op.Operator)
	if op.IsEscaped {
		key += Escaped
	}
	if m.ArgStack.Top < needed[key] {
		return fmt.Errorf("%w: an entry of its dictionary lacks numbers", ErrBroken)
	}
	v[key] = append([]float64(nil), m.ArgStack.Vals[:m.ArgStack.Top]...)
	m.ArgStack.Clear()
	return nil
}

func (v Values) has(key int) bool {
	_, ok := v[key]
	return ok
}

// At is an entry that is an offset; 0 when it is missing.
func (v Values) At(key int) int {
	if n := v[key]; len(n) > 0 {
		return int(n[len(n)-1])
	}
	return 0
}

// reader reads a font. Whatever reaches beyond its bytes panics, which Read catches.
type reader struct {
	b      []byte
	pieces int // of all lists that were read
	two    bool
}

// maxPieces limits the pieces of all lists of a font together: many parts can name the same list.
const maxPieces = 1 << 20

func dictionary(b []byte) Values {
	v := Values{}
	var m ps.Machine
	if err := m.Run(b, nil, nil, v); err != nil {
		panic(err)
	}
	return v
}

// index reads a list of pieces of bytes at an offset, and where it ends.
func (r *reader) index(at int) (list [][]byte, end int) {
	n := int(binary.BigEndian.Uint16(r.b[at:]))
	if r.two {
		n = int(binary.BigEndian.Uint32(r.b[at:]))
		at += 2
	}
	if n == 0 {
		return nil, at + 2
	}
	if r.pieces += n; r.pieces > maxPieces {
		panic("its lists are too long")
	}
	size := int(r.b[at+2])
	offset := func(i int) (v int) {
		for _, b := range r.b[at+3+i*size:][:size] {
			v = v<<8 | int(b)
		}
		return v
	}
	if offset(0) != 1 {
		panic("a list does not begin where lists do")
	}
	first := at + 3 + (n+1)*size - 1
	list = make([][]byte, n)
	for i := range list {
		list[i] = r.b[first+offset(i) : first+offset(i+1)]
	}
	return list, first + offset(n)
}

// Read reads a font of the first version.
func Read(data []byte) (f *Font, err error) {
	defer guard(&err)
	r := &reader{b: data}
	_, at := r.index(int(data[2]))
	tops, at := r.index(at)
	f = &Font{Top: dictionary(tops[0])}
	f.Strings, at = r.index(at)
	f.global, _ = r.index(at)
	f.Glyphs, _ = r.index(f.Top.At(entryCharStrings))
	if !f.Keyed() {
		f.parts = []part{r.part(f.Top)}
		return f, nil
	}
	r.read(f)
	f.partOf = r.selection(f.Top.At(entryFDSelect), len(f.Glyphs))
	return f, f.checkParts()
}

// guard makes an error of a panic about a broken font.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrBroken, r)
	}
}

// read reads the parts of a font.
func (r *reader) read(f *Font) {
	dicts, _ := r.index(f.Top.At(entryFDArray))
	for _, raw := range dicts {
		f.parts = append(f.parts, r.part(dictionary(raw)))
	}
}

func (f *Font) checkParts() error {
	for _, part := range f.partOf {
		if int(part) >= len(f.parts) {
			return fmt.Errorf("%w: it lacks parts", ErrBroken)
		}
	}
	return nil
}

// part is what the private dictionary that a dictionary names tells.
func (r *reader) part(of Values) part {
	v := of[entryPrivate]
	if len(v) < 2 {
		return part{}
	}
	at := int(v[len(v)-1])
	private := dictionary(r.b[at : at+int(v[len(v)-2])])
	out := part{shares: private.At(entryShares)}
	if own := private.At(entrySubrs); own != 0 {
		out.subrs, _ = r.index(at + own)
	}
	return out
}

// selection is the part of each glyph.
func (r *reader) selection(at, glyphs int) []byte {
	out := make([]byte, glyphs)
	kind, b := r.b[at], r.b[at+1:]
	switch {
	case kind == 0:
		copy(out, b[:glyphs])
	case kind == 3:
		ranges(out, b[2:], int(binary.BigEndian.Uint16(b)), 2, 1)
	case kind == 4 && r.two:
		ranges(out, b[4:], int(binary.BigEndian.Uint32(b)), 4, 2)
	default:
		panic("its parts are told in a way that is not known")
	}
	return out
}

// ranges fills in the parts of n ranges of glyphs, each told by its first glyph and its part in so many bytes; behind the last one is where it ends.
func ranges(out, b []byte, n, first, part int) {
	number := func(i int) (v int) {
		for _, b := range b[i*(first+part):][:first] {
			v = v<<8 | int(b)
		}
		return v
	}
	for i := range n {
		from, to := number(i), number(i+1)
		if from > to {
			panic("its parts are in no order")
		}
		for g := from; g < min(to, len(out)); g++ {
			out[g] = b[(i+1)*(first+part)-1]
		}
	}
}
