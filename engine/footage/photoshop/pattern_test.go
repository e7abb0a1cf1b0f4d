package photoshop_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"os"
	"testing"
	"unicode/utf16"
)

var update = flag.Bool("update", false, "write the files of testdata")

// text is a text of a descriptor: its length, and then UTF-16 with a zero.
func text(b *bytes.Buffer, s string) {
	units := append(utf16.Encode([]rune(s)), 0)
	be(b, uint32(len(units)), units)
}

// laid are the effects of a layer over which a pattern lies, among values of all other types.
func laid(pattern string) []byte {
	var b bytes.Buffer
	be(&b, uint32(0), uint32(16))
	id := func(k string) {
		n := uint32(len(k))
		if n == 4 {
			n = 0
		}
		be(&b, n, []byte(k))
	}
	object := func(items int, class string) {
		text(&b, "")
		id(class)
		be(&b, uint32(items))
	}
	key := func(k, kind string) {
		id(k)
		b.WriteString(kind)
	}
	object(3, "null")
	key("Scl ", "UntF")
	be(&b, []byte("#Prc"), float64(100))
	key("list", "VlLs")
	be(&b, uint32(3), []byte("long"), int32(7), []byte("doub"), float64(1), []byte("tdta"), uint32(3), []byte("abc"))
	key("patternFill", "Objc")
	object(5, "patternFill")
	key("enab", "bool")
	be(&b, true)
	key("Md  ", "enum")
	be(&b, uint32(0), []byte("BlnM"), uint32(6), []byte("normal"))
	key("kind", "type")
	text(&b, "class")
	be(&b, uint32(0), []byte("clss"))
	key("Ptrn", "Objc")
	object(2, "Ptrn")
	key("Nm  ", "TEXT")
	text(&b, "Stripes")
	key("Idnt", "TEXT")
	text(&b, pattern)
	key("Scl2", "UnFl")
	be(&b, []byte("#Prc"), uint32(1), float64(1))
	return b.Bytes()
}

// pattern is an entry of patterns: a tile of RGB with transparency, all of one colour.
func (f written) pattern(id string, w, h int, c color.NRGBA) []byte {
	var b bytes.Buffer
	be(&b, uint32(1), uint32(3), uint16(h), uint16(w))
	text(&b, "a name")
	be(&b, uint8(len(id)), []byte(id), uint32(3), uint32(0), int32(0), int32(0), int32(h), int32(w), uint32(24))
	for i := range 24 + 2 {
		v, written := map[int]uint8{0: c.R, 1: c.G, 2: c.B, 25: c.A}[i]
		if !written {
			be(&b, uint32(0))
			continue
		}
		data := f.channel(v, w, h, i < 3) // which begins with how it is packed
		be(&b, uint32(1), uint32(4+16+2+1+len(data)-2), uint32(f.depth), int32(0), int32(0), int32(h), int32(w), uint16(f.depth), data[1:])
	}
	var out bytes.Buffer
	be(&out, uint32(b.Len()), b.Bytes(), make([]byte, (4-b.Len()%4)%4))
	return out.Bytes()
}

// patterned is a file whose layer has a pattern over it, which stands behind another one.
func patterned(depth, packed int) written {
	f := written{depth: depth, packed: packed, size: image.Pt(20, 10), merged: &orange}
	l := layer("card", image.Rect(0, 0, 20, 10), orange)
	l.effects = laid("the-right-one")
	f.layers = []drawn{l}
	f.patterns = append(f.pattern("another", 3, 3, glass), f.pattern("the-right-one", 5, 4, glass)...)
	return f
}

func TestThePatternOfALayerIsFound(t *testing.T) {
	for _, depth := range []int{8, 16, 32} {
		for packed := range 4 {
			file := open(t, patterned(depth, packed).file())
			tile := file.Pattern(&file.Layers[0])
			if tile == nil || tile.Rect != image.Rect(0, 0, 5, 4) {
				t.Fatalf("%d bits, packed %d: %+v", depth, packed, tile)
			}
			want := color.RGBAModel.Convert(glass).(color.RGBA)
			for y := range 4 {
				for x := range 5 {
					if got := tile.RGBAAt(x, y); !near(got, want) {
						t.Fatalf("%d bits, packed %d: %v at %d, %d, want %v", depth, packed, got, x, y, want)
					}
				}
			}
		}
	}
}

func TestAPatternThatIsNotThereIsNone(t *testing.T) {
	f := patterned(8, 0)
	f.layers[0].effects = laid("missing")
	for name, data := range map[string][]byte{
		"another":                 f.file(),
		"a broken descriptor":     bytes.Replace(patterned(8, 0).file(), []byte("UntF"), []byte("Unt?"), 1),
		"colours of another kind": bytes.ReplaceAll(patterned(8, 0).file(), []byte{0, 0, 0, 1, 0, 0, 0, 3, 0, 4}, []byte{0, 0, 0, 1, 0, 0, 0, 9, 0, 4}),
	} {
		file := open(t, data)
		if tile := file.Pattern(&file.Layers[0]); tile != nil {
			t.Errorf("%s: %v", name, tile.Rect)
		}
		if _, err := file.Picture(&file.Layers[0]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Tests of other rooms draw this file.
func TestThePatternedFileIsOneOfThese(t *testing.T) {
	const path = "testdata/patterned.psd"
	want := patterned(8, 1).file()
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("it is another one; -update writes it: %v", err)
	}
}
