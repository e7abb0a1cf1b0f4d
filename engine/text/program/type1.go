package program

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-text/typesetting/font/opentype"
)

// type1 is a Type 1 font that is read.
type type1 struct {
	subrs  [][]byte
	glyphs [][]byte
	names  map[string]int
}

// The bounds of a Type 1 font.
const (
	maxGlyphs = 65_535
	maxSubrs  = 65_535
)

// The keys of the ciphers in which such fonts are written, and how many bytes at the beginning mean nothing.
const (
	fileKey  = 55665
	glyphKey = 4330
	idle     = 4
)

func deciphered(b []byte, key uint16, skip int) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c ^ byte(key>>8)
		key = (uint16(c)+key)*52845 + 22719
	}
	return out[min(skip, len(out)):]
}

// joined is a font without the marks between its parts that files of Windows have.
func joined(data []byte) (out []byte) {
	if data[0] != 0x80 {
		return data
	}
	for len(data) > 6 && data[0] == 0x80 && data[1] != 3 {
		n := int(data[2]) | int(data[3])<<8 | int(data[4])<<16 | int(data[5])<<24
		n = min(n, len(data)-6)
		out = append(out, data[6:6+n]...)
		data = data[6+n:]
	}
	return out
}

func readType1(data []byte) (*Font, error) {
	data = joined(data)
	head, body, found := bytes.Cut(data, []byte("eexec"))
	if !found {
		return nil, errBroken
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if _, err := hex.DecodeString(string(body[:8])); err == nil {
		plain := bytes.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n", r) {
				return -1
			}
			return r
		}, body)
		n, _ := hex.Decode(plain, plain) // what follows the font is not a number
		body = plain[:n]
	}
	t := &type1{names: map[string]int{}}
	t.read(deciphered(body, fileKey, idle))
	if len(t.glyphs) == 0 {
		return nil, errBroken
	}
	f := &Font{Glyphs: len(t.glyphs), Names: t.names, Codes: map[byte]int{}, segments: t.segments, matrix: matrixOf(nil)}
	t.front(head, f)
	return f, nil
}

// front reads the part of the font that is no cipher: its matrix and its encoding.
func (t *type1) front(head []byte, f *Font) {
	words := strings.FieldsFunc(string(head), func(r rune) bool { return r <= ' ' || r == '[' || r == ']' })
	for i, word := range words {
		switch rest := words[i+1:]; {
		case word == "/FontMatrix" && len(rest) >= 6:
			var v []float64
			for _, one := range rest[:6] {
				n, _ := strconv.ParseFloat(one, 64)
				v = append(v, n)
			}
			f.matrix = matrixOf(v)
		case word == "StandardEncoding":
			for code := range 256 {
				t.code(f, code, StandardName(byte(code)))
			}
		case word == "dup" && len(rest) >= 3 && rest[2] == "put":
			if code, err := strconv.Atoi(rest[0]); err == nil {
				t.code(f, code, strings.TrimPrefix(rest[1], "/"))
			}
		}
	}
}

func (t *type1) code(f *Font, code int, name string) {
	if g, ok := t.names[name]; ok && code >= 0 && code < 256 {
		f.Codes[byte(code)] = g
	}
}

// read reads the part of the font that is in a cipher: pieces of code, each after a name or a number, its length and a word.
func (t *type1) read(b []byte) {
	skip := idle
	var before [3]string
	for len(b) > 0 {
		b = bytes.TrimLeft(b, " \t\r\n")
		end := bytes.IndexAny(b, " \t\r\n")
		if end < 0 {
			return
		}
		word := string(b[:min(end, maxWord)])
		b = b[end+1:]
		n, err := strconv.Atoi(before[2])
		switch {
		case err != nil:
		case before[1] == "/lenIV":
			skip = max(0, n)
		case (word == "RD" || word == "-|") && n >= 0 && n <= len(b):
			t.add(before[1], deciphered(b[:n], glyphKey, skip))
			b = b[n:]
		}
		before = [3]string{before[1], before[2], word}
	}
}

// maxWord is how many bytes of a word are read.
const maxWord = 200

// add adds the code of a glyph, by its name, or of a subroutine, by its number.
func (t *type1) add(of string, code []byte) {
	if name, ok := strings.CutPrefix(of, "/"); ok {
		if len(t.glyphs) < maxGlyphs {
			t.names[name] = len(t.glyphs)
			t.glyphs = append(t.glyphs, code)
		}
		return
	}
	n, err := strconv.Atoi(of)
	if err != nil || n < 0 || n >= maxSubrs {
		return
	}
	for len(t.subrs) <= n {
		t.subrs = append(t.subrs, nil)
	}
	t.subrs[n] = code
}

func (t *type1) segments(glyph int) ([]opentype.Segment, error) {
	r := type1Glyph{font: t}
	err := r.run(t.glyphs[glyph])
	return r.drawn(), err
}
