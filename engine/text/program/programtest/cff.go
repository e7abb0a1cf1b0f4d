// Package programtest makes fonts for tests of what reads them.
package programtest

import (
	"encoding/binary"
	"slices"
)

func index(list ...[]byte) []byte {
	if len(list) == 0 {
		return []byte{0, 0}
	}
	out := binary.BigEndian.AppendUint16(nil, uint16(len(list)))
	out = append(out, 2)
	at := uint16(1)
	out = binary.BigEndian.AppendUint16(out, at)
	for _, b := range list {
		at += uint16(len(b))
		out = binary.BigEndian.AppendUint16(out, at)
	}
	return append(out, slices.Concat(list...)...)
}

func number(n int) []byte { return []byte{28, byte(n >> 8), byte(n)} }

// entry is an operator of a dictionary with its numbers, each of which takes as many bytes whatever it is.
func entry(op []byte, numbers ...int) (out []byte) {
	for _, n := range numbers {
		out = append(out, number(n)...)
	}
	return append(out, op...)
}

// Square is the side of the squares that the glyphs of CFF are, in thousandths of an em.
const Square = 500

// CFF is a font without a container that has three glyphs: an empty one, and two squares named "A" and "box", whose own codes are those of "A" and "B". Keyed, the squares
// have the numbers 10 and 2000 instead of names. bomb makes the subroutines of the second square call each other without end.
func CFF(keyed, bomb bool) []byte {
	side := number(Square)
	square := slices.Concat(number(0), number(0), []byte{21}, side, []byte{6}, side, []byte{7}, number(-Square), []byte{6, 14})
	call := slices.Concat(number(-107), []byte{10})
	second := slices.Concat(number(-106), []byte{10, 14})
	subrs := [][]byte{square}
	for i := range 9 { // each calls the next many times
		next := slices.Concat(number(-107+i+2), []byte{10})
		if i == 8 || !bomb {
			next = call
		}
		subrs = append(subrs, append(slices.Concat(slices.Repeat([][]byte{next}, map[bool]int{true: 200, false: 1}[bomb])...), 11))
	}
	if bomb {
		subrs[9] = append(slices.Concat(slices.Repeat([][]byte{slices.Concat(number(0), number(0), []byte{21})}, 200)...), 11)
	}
	private := entry([]byte{19}, 6) // the subroutines follow
	local := slices.Concat(private, []byte{11, 11}, index(subrs...))
	glyphs := index([]byte{14}, call, second)
	charset, encoding := []byte{0, 0, 34, 1, 391 - 256}, []byte{0, 2, 'A', 'B'}
	if keyed {
		charset, encoding = []byte{0, 0, 10, 2000 >> 8, 2000 & 255}, []byte{0, 0, 0, 0} // the latter is the part of each glyph
	}
	top := func(at int) []byte {
		charsetAt, encodingAt := at, at+len(charset)
		glyphsAt := encodingAt + len(encoding)
		localAt := glyphsAt + len(glyphs)
		if !keyed {
			return slices.Concat(entry([]byte{15}, charsetAt), entry([]byte{16}, encodingAt), entry([]byte{17}, glyphsAt), entry([]byte{18}, len(private), localAt))
		}
		return slices.Concat(entry([]byte{12, 30}, 391, 391, 0), entry([]byte{15}, charsetAt), entry([]byte{17}, glyphsAt),
			entry([]byte{12, 36}, localAt+len(local)), entry([]byte{12, 37}, encodingAt))
	}
	head := slices.Concat([]byte{1, 0, 4, 2}, index([]byte("T")))
	strings := slices.Concat(index([]byte("box")), index())
	at := len(head) + len(index(top(0))) + len(strings)
	out := slices.Concat(head, index(top(at)), strings, charset, encoding, glyphs)
	part := entry([]byte{18}, len(private), len(out))
	return slices.Concat(out, local, index(part))
}

// Variable is the second version of a font, with a line and a glyph that takes a list of shares times times, each of which has so many regions.
func Variable(times, regions int) []byte {
	line := slices.Concat(number(0), number(0), []byte{21}, number(Square), []byte{6})
	takes := append(slices.Repeat(slices.Concat(number(0), []byte{15}), times), line...)
	store := []byte{0, 1, 0, 0, 0, 12, 0, 1, 0, 0, 0, 22, 0, 1, 0, 1, 0xc0, 0, 0, 0, 0x40, 0} // one region of one axis
	store = append(store, 0, 0, 0, 0, byte(regions>>8), byte(regions))
	store = append(store, make([]byte, 2*regions)...)
	store = append([]byte{byte(len(store) >> 8), byte(len(store))}, store...)
	index2 := func(list ...[]byte) []byte { return append([]byte{0, 0}, index(list...)...) }
	glyphs, none := index2(nil, line, takes), []byte{0, 0, 0, 0}
	top := func(at int) []byte {
		return slices.Concat(entry([]byte{17}, at), entry([]byte{12, 36}, at+len(glyphs)+len(store)), entry([]byte{24}, at+len(glyphs)))
	}
	head := []byte{2, 0, 5, 0, byte(len(top(0)))}
	at := len(head) + len(top(0)) + len(none)
	return slices.Concat(head, top(at), none, glyphs, store, index2(entry([]byte{18}, 0, 0)))
}
