package fontfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/farm"
	"overcrank/fontfile"
)

func read(content []byte) ([]farm.FontUse, error) {
	return fontfile.Read(bytes.NewReader(content), int64(len(content)))
}

// collection puts fonts into one file, as a TTC holds them.
func collection(fonts ...[]byte) []byte {
	head := append([]byte("ttcf"), 0, 1, 0, 0)
	head = binary.BigEndian.AppendUint32(head, uint32(len(fonts)))
	at := len(head) + 4*len(fonts)
	var body []byte
	for _, font := range fonts {
		head = binary.BigEndian.AppendUint32(head, uint32(at+len(body)))
		moved := bytes.Clone(font)
		for i := range int(binary.BigEndian.Uint16(moved[4:])) {
			offset := moved[12+16*i+8:]
			binary.BigEndian.PutUint32(offset, binary.BigEndian.Uint32(offset)+uint32(at+len(body)))
		}
		body = append(body, moved...)
	}
	return append(head, body...)
}

// table finds a table's entry in the directory of a font.
func table(font []byte, tag string) []byte {
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		if entry := font[12+16*i:]; string(entry[:4]) == tag {
			return entry[:16]
		}
	}
	return nil
}

// without hides a table of a font under another name.
func without(font []byte, tag string) []byte {
	spoiled := bytes.Clone(font)
	copy(table(spoiled, tag), "none")
	return spoiled
}

func TestNamesOfFontsAndOfCollections(t *testing.T) {
	regular := farm.FontUse{PostScript: "GoRegular", Family: "Go", Style: "Regular"}
	bold := farm.FontUse{PostScript: "Go-Bold", Family: "Go", Style: "Bold"}
	faces, err := read(goregular.TTF)
	if err != nil || len(faces) != 1 || faces[0] != regular {
		t.Errorf("the font is %+v, %v", faces, err)
	}
	faces, err = read(collection(goregular.TTF, gobold.TTF))
	if err != nil || len(faces) != 2 || faces[0] != regular || faces[1] != bold {
		t.Errorf("the collection is %+v, %v", faces, err)
	}
	if names := fontfile.Names(bytes.NewReader(gobold.TTF), int64(len(gobold.TTF))); len(names) != 1 || names[0] != bold {
		t.Errorf("the names are %+v", names)
	}
}

func TestFontsOfThisMachineAreTaken(t *testing.T) {
	n := 0
	for _, pattern := range []string{"/usr/share/fonts/*/*/*.ttf", "/usr/share/fonts/*/*/*.otf", "/usr/share/fonts/*/*/*.ttc"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if faces, err := read(content); err != nil || len(faces) == 0 {
				var no *fontfile.Refusal
				if errors.As(err, &no) && strings.Contains(no.Reason, "no outlines") {
					continue // fonts of pictures
				}
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	t.Logf("%d fonts were read", n)
}

func TestWhatIsNoFontIsRefused(t *testing.T) {
	longTable := bytes.Clone(goregular.TTF)
	binary.BigEndian.PutUint32(table(longTable, "glyf")[12:], 1<<31)
	nameless := bytes.Clone(goregular.TTF)
	entry := table(nameless, "name")
	from := binary.BigEndian.Uint32(entry[8:])
	binary.BigEndian.PutUint16(nameless[from+2:], 0) // no records
	for name, tc := range map[string]struct {
		content []byte
		reason  string
	}{
		"empty":             {nil, "empty"},
		"tiny":              {[]byte("ab"), "2 bytes"},
		"text":              {[]byte("a line of text, and more of it"), "no TrueType or OpenType font"},
		"woff":              {append([]byte("wOFF"), goregular.TTF...), "WOFF"},
		"half":              {goregular.TTF[:len(goregular.TTF)/2], "truncated"},
		"directory cut":     {goregular.TTF[:40], "directory"},
		"table too long":    {longTable, `table "glyf"`},
		"no names":          {nameless, "PostScript"},
		"no outlines":       {without(goregular.TTF, "glyf"), "outlines"},
		"no characters":     {without(goregular.TTF, "cmap"), `"cmap"`},
		"no fonts":          {append([]byte("ttcf"), 0, 1, 0, 0, 0, 0, 0, 0), "0 fonts"},
		"many fonts":        {append([]byte("ttcf"), 0, 1, 0, 0, 255, 255, 255, 255), "fonts"},
		"in collection":     {collection(goregular.TTF, without(gobold.TTF, "name")), "font 2 of the collection"},
		"collection within": {collection(collection(goregular.TTF)), "no TrueType or OpenType font"},
	} {
		faces, err := read(tc.content)
		var no *fontfile.Refusal
		if !errors.As(err, &no) || !strings.Contains(no.Reason, tc.reason) {
			t.Errorf("%s: got %v, %v; want a refusal that says %q", name, faces, err, tc.reason)
		}
	}
}

func FuzzRead(f *testing.F) {
	// Small fonts keep the fuzzer quick: the directory and the names of a whole one, with all outlines gone.
	small := bytes.Clone(goregular.TTF)
	f.Add(small[:600])
	f.Add([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00\x14\x00\x00\x00\x14"))
	f.Add([]byte("OTTO\x00\x01\x00\x10\x00\x00\x00\x00name\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x06\x00\x00\x00\x00\x00\x06"))
	f.Fuzz(func(t *testing.T, content []byte) {
		faces, err := read(content)
		var no *fontfile.Refusal
		if err != nil && !errors.As(err, &no) {
			t.Errorf("an error of another kind: %v", err)
		}
		for _, face := range faces {
			if face.PostScript == "" || face.Family == "" || len(face.Family) > 255 {
				t.Errorf("a face is %+v", face)
			}
		}
		fontfile.Names(bytes.NewReader(content), int64(len(content)))
	})
}

// FuzzDamagedFont changes bytes of a whole font: parsers of all its tables see them.
func FuzzDamagedFont(f *testing.F) {
	f.Add(uint32(100), uint32(5), []byte{255})
	f.Add(uint32(5), uint32(40000), []byte{0, 0, 1, 2})
	f.Fuzz(func(t *testing.T, first, second uint32, put []byte) {
		spoiled := bytes.Clone(goregular.TTF)
		for _, at := range []uint32{first, second} {
			copy(spoiled[int(at)%len(spoiled):], put)
		}
		_, err := read(spoiled)
		var no *fontfile.Refusal
		if err != nil && !errors.As(err, &no) {
			t.Errorf("an error of another kind: %v", err)
		}
	})
}
