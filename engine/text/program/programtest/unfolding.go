package programtest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/go-text/typesetting/font/opentype"
)

// Parts is a CFF font keyed by characters with so many parts, all of which name one list of so many subroutines.
func Parts(parts, subrs int) []byte {
	head := []byte{1, 0, 4, 2}
	names, strings, global := index([]byte("T")), index(), index()
	private := entry([]byte{19}, 6)
	local := slices.Concat(private, []byte{11, 11}, index(slices.Repeat([][]byte{{11}}, subrs)...))
	glyphs := index([]byte{14})
	top := func(at int) []byte {
		return index(slices.Concat(entry([]byte{12, 30}, 391, 391, 0), entry([]byte{17}, at+len(local)), entry([]byte{12, 36}, at+len(local)+len(glyphs))))
	}
	at := len(head) + len(names) + len(top(0)) + len(strings) + len(global)
	part := entry([]byte{18}, len(private), at)
	return slices.Concat(head, names, top(at), strings, global, local, glyphs, index(slices.Repeat([][]byte{part}, parts)...))
}

// Unfolding is a TrueType font with so many glyphs of 65,535 points, each of which is described by half a kilobyte. What else it needs is that of another font.
func Unfolding(t testing.TB, of []byte, glyphs int) []byte {
	t.Helper()
	ld, err := opentype.NewLoader(bytes.NewReader(of))
	if err != nil {
		t.Fatal(err)
	}
	table := func(name string) []byte {
		raw, err := ld.RawTable(opentype.MustNewTag(name))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(raw)
	}
	const again = 0x39 // a flag: on the curve, at the same place, and the same as many times as the next byte says
	glyph := slices.Concat([]byte{0, 1}, make([]byte, 8), []byte{0xff, 0xfe, 0, 0}, bytes.Repeat([]byte{again, 255}, 255), []byte{again, 254})
	head, maxp := table("head"), table("maxp")
	binary.BigEndian.PutUint16(head[50:], 1) // places of four bytes
	binary.BigEndian.PutUint16(maxp[4:], uint16(glyphs))
	var loca []byte
	for i := range glyphs + 1 {
		loca = binary.BigEndian.AppendUint32(loca, uint32(i*len(glyph)))
	}
	return opentype.WriteTTF([]opentype.Table{
		{Tag: opentype.MustNewTag("glyf"), Content: bytes.Repeat(glyph, glyphs)}, {Tag: opentype.MustNewTag("head"), Content: head},
		{Tag: opentype.MustNewTag("loca"), Content: loca}, {Tag: opentype.MustNewTag("maxp"), Content: maxp},
	})
}
