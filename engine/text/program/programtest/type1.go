package programtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
)

// enciphered is the cipher in which Type 1 fonts are written.
func enciphered(plain []byte, key uint16) []byte {
	out := make([]byte, len(plain))
	for i, b := range plain {
		out[i] = b ^ byte(key>>8)
		key = (uint16(out[i])+key)*52845 + 22719
	}
	return out
}

// small is a number of one or two bytes in the program of a glyph.
func small(n int) []byte {
	switch {
	case n >= -107 && n <= 107:
		return []byte{byte(n + 139)}
	case n > 0:
		return []byte{byte((n-108)/256 + 247), byte((n - 108) % 256)}
	}
	return []byte{byte((-n-108)/256 + 251), byte((-n - 108) % 256)}
}

// code makes the program of a glyph of numbers and, above a thousand, operators: those with two bytes above two thousand.
func code(words ...int) (out []byte) {
	for _, w := range words {
		switch {
		case w >= 2000:
			out = append(out, 12, byte(w-2000))
		case w >= 1000:
			out = append(out, byte(w-1000))
		default:
			out = append(out, small(w)...)
		}
	}
	return out
}

// Type1 is a font with the squares "A", of which a subroutine draws the sides, and "acute", which lies 100 to the right of its beginning and is described by flat curves,
// and "Aacute", which is made of both with the second one 200 higher. The codes of "A" and "Aacute" are 65 and 66. Its hidden part is written in hexadecimal numbers if text is true.
func Type1(text bool) []byte {
	const (
		rmove, hline, vline, shut, call, back, begin, end = 1021, 1006, 1007, 1009, 1010, 1011, 1013, 1014
		compose, procedure, take, place, divide           = 2006, 2016, 2017, 2033, 2012
	)
	point := func(x, y int) []int { return []int{x, y, rmove, 0, 2, procedure} }
	flat := []int{0, 1, procedure}
	for _, p := range [][2]int{{50, 0}, {-50, 0}, {0, 0}, {50, 0}, {0, 0}, {0, 0}, {50, 0}} { // to 100, 0 in all
		flat = append(flat, point(p[0], p[1])...)
	}
	flat = append(flat, 50, 200, 0, 3, 0, procedure, take, take, place)
	acute := append([]int{100, 600, begin, 0, 0, rmove}, flat...)
	acute = append(acute, 100, vline, -100, hline, shut, end)
	glyphs := map[string][]byte{
		".notdef": code(0, 500, begin, end),
		"A":       code(0, 600, begin, 0, 0, rmove, 0, call, shut, end),
		"acute":   code(acute...),
		"Aacute":  code(0, 600, begin, 100, 300, 200, 65, 194, compose),
	}
	var b bytes.Buffer
	b.WriteString("xxxxdup /Private 8 dict dup begin /lenIV 4 def /Subrs 1 array\n")
	put := func(words string, program []byte) {
		hidden := enciphered(append([]byte("xxxx"), program...), 4330)
		fmt.Fprintf(&b, "%s %d RD %s NP\n", words, len(hidden), hidden)
	}
	put("dup 0", code(500, 1, divide, hline, 500, vline, -500, hline, back))
	fmt.Fprintf(&b, "/CharStrings %d dict dup begin\n", len(glyphs))
	for _, name := range []string{".notdef", "A", "acute", "Aacute"} {
		put("/"+name, glyphs[name])
	}
	hidden := enciphered(b.Bytes(), 55665)
	if text {
		hidden = []byte(hex.EncodeToString(hidden))
	}
	head := "%!PS-AdobeFont-1.0: T\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n/Encoding 256 array dup 65 /A put dup 66 /Aacute put readonly def\ncurrentfile eexec\n"
	return append(append([]byte(head), hidden...), "\n"+string(bytes.Repeat([]byte("0"), 64))+"\ncleartomark\n"...)
}
