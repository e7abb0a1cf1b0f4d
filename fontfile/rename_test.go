package fontfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"overcrank/farm"
	"overcrank/fontfile"
)

func rename(content []byte, number int, name string) ([]byte, error) {
	return fontfile.Rename(bytes.NewReader(content), int64(len(content)), number, name)
}

// content is a table of a font that stands alone in its file.
func content(font []byte, tag string) []byte {
	entry := table(font, tag)
	if entry == nil {
		return nil
	}
	from, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
	return font[from : from+length]
}

func sum(content []byte) (sum uint32) {
	padded := append(bytes.Clone(content), make([]byte, -len(content)&3)...)
	for ; len(padded) > 0; padded = padded[4:] {
		sum += binary.BigEndian.Uint32(padded)
	}
	return sum
}

// wantSound checks what the format asks of a file: tables in the order of their tags, at places that four divides, and checksums.
func wantSound(t *testing.T, font []byte) {
	t.Helper()
	if total := sum(font); total != 0xB1B0AFBA {
		t.Errorf("the sum of the file is %08X", total)
	}
	count := int(binary.BigEndian.Uint16(font[4:]))
	var tags []string
	for i := range count {
		entry := font[12+16*i:]
		tag, from := string(entry[:4]), binary.BigEndian.Uint32(entry[8:])
		tags = append(tags, tag)
		table := bytes.Clone(content(font, tag))
		if tag == "head" {
			clear(table[8:12])
		}
		if got := binary.BigEndian.Uint32(entry[4:]); got != sum(table) || from%4 != 0 {
			t.Errorf("the table %q, at %d, has the checksum %08X", tag, from, got)
		}
	}
	if !slices.IsSorted(tags) {
		t.Errorf("the tables are %v", tags)
	}
	log := 0
	for 2<<log <= count {
		log++
	}
	for i, want := range []int{16 << log, log, 16*count - 16<<log} {
		if got := int(binary.BigEndian.Uint16(font[6+2*i:])); got != want {
			t.Errorf("the header's number %d is %d, want %d", i, got, want)
		}
	}
}

// said are the names of a font by their IDs, as another reader has them.
func said(t *testing.T, font []byte) map[int]string {
	t.Helper()
	f, err := sfnt.Parse(font)
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	for id := range 26 {
		if name, err := f.Name(nil, sfnt.NameID(id)); err == nil {
			names[id] = name
		}
	}
	return names
}

func TestAFaceIsFoundUnderAnotherName(t *testing.T) {
	was := said(t, gobold.TTF)
	for name, want := range map[string]struct {
		family, style, linkedFamily, linkedStyle string
		selection, mac                           uint16
	}{
		"Gotham-Bold":          {"Gotham", "Bold", "Gotham", "Bold", 1 << 5, 1},
		"Gotham":               {"Gotham", "Regular", "Gotham", "Regular", 1 << 6, 0},
		"Gotham-Black":         {"Gotham", "Black", "Gotham Black", "Regular", 1 << 6, 0},
		"Gotham-BoldItalic":    {"Gotham", "Bold Italic", "Gotham", "Bold Italic", 1<<5 | 1, 3},
		"MyriadPro-It":         {"MyriadPro", "It", "MyriadPro", "Italic", 1, 2},
		"A-OTF-GothicMB-Light": {"A-OTF-GothicMB", "Light", "A-OTF-GothicMB Light", "Regular", 1 << 6, 0},
	} {
		got, err := rename(gobold.TTF, 0, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantSound(t, got)
		faces, err := read(got)
		if err != nil || len(faces) != 1 || faces[0] != (farm.FontUse{PostScript: name, Family: want.family, Style: want.style}) {
			t.Errorf("%s: the library reads %+v, %v", name, faces, err)
		}
		now := said(t, got)
		for id, text := range map[int]string{
			0: was[0], 1: want.linkedFamily, 2: want.linkedStyle, 3: name + ", a copy of Go-Bold", 4: want.family + " " + want.style, 5: was[5], 6: name, 7: was[7], 13: was[13], 14: was[14],
			16: want.family, 17: want.style,
		} {
			if now[id] != text {
				t.Errorf("%s: name %d is %q, want %q", name, id, now[id], text)
			}
		}
		if selection := binary.BigEndian.Uint16(content(got, "OS/2")[62:]); selection != want.selection {
			t.Errorf("%s: fsSelection is %b", name, selection)
		}
		if mac := binary.BigEndian.Uint16(content(got, "head")[44:]); mac != want.mac {
			t.Errorf("%s: macStyle is %b", name, mac)
		}
		for _, tag := range []string{"glyf", "loca", "cmap", "hmtx"} {
			if !bytes.Equal(content(got, tag), content(gobold.TTF, tag)) {
				t.Errorf("%s: the table %s has changed", name, tag)
			}
		}
	}
	if was[0] == "" || was[13] == "" {
		t.Errorf("the font says nothing of copyright and licence: %v", was)
	}
}

func TestARenamedFaceDrawsWhatItDrew(t *testing.T) {
	got, err := rename(collection(goregular.TTF, gobold.TTF), 1, "Gotham-Bold")
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, got)
	outline := func(content []byte) []opentype.Segment {
		t.Helper()
		face, err := font.ParseTTF(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		glyph, has := face.NominalGlyph('g')
		drawn, ok := face.GlyphDataOutline(glyph)
		if !has || !ok {
			t.Fatal("the face draws no g")
		}
		return drawn.Segments
	}
	if !slices.Equal(outline(got), outline(gobold.TTF)) {
		t.Error("the face of the collection is drawn otherwise than alone")
	}
	again, err := rename(got, 0, "Gotham-Bold")
	if err != nil {
		t.Fatal(err)
	}
	once, err := rename(gobold.TTF, 0, "Gotham-Bold")
	if err != nil || !bytes.Equal(once, got) || len(again) == 0 {
		t.Errorf("a face of a collection becomes another file than it does alone: %d and %d bytes, %v", len(got), len(once), err)
	}
	if names := said(t, again); names[3] != "Gotham-Bold, a copy of Gotham-Bold" {
		t.Errorf("a copy of a copy is %q", names[3])
	}
}

// assembled makes a font of tables.
func assembled(version string, list map[string][]byte) []byte {
	out := binary.BigEndian.AppendUint16([]byte(version), uint16(len(list)))
	out = append(out, make([]byte, 6+16*len(list))...)
	i := 0
	for tag, content := range list {
		entry := out[12+16*i:]
		copy(entry, tag)
		binary.BigEndian.PutUint32(entry[8:], uint32(len(out)))
		binary.BigEndian.PutUint32(entry[12:], uint32(len(content)))
		out, i = append(out, content...), i+1
	}
	return out
}

// tablesOf are the tables of a font by their tags.
func tablesOf(font []byte) map[string][]byte {
	list := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		tag := string(font[12+16*i:][:4])
		list[tag] = content(font, tag)
	}
	return list
}

func TestOtherOutlinesAndVariationsOfARenamedFace(t *testing.T) {
	list := tablesOf(goregular.TTF)
	list["fvar"], list["DSIG"], list["gvar"] = []byte("axes"), []byte("signed"), []byte("more")
	got, err := rename(assembled("true", list), 0, "Other")
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, got)
	if string(got[:4]) != "\x00\x01\x00\x00" || content(got, "fvar") != nil || content(got, "DSIG") != nil || content(got, "gvar") != nil {
		t.Errorf("the copy begins with %q and has the tables of instances or the signature of the font that it was", got[:4])
	}
	delete(list, "glyf")
	delete(list, "loca")
	list["CFF "] = []byte("outlines of another kind")
	got, err = rename(assembled("OTTO", list), 0, "Other")
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, got)
	if string(got[:4]) != "OTTO" || !bytes.Equal(content(got, "CFF "), list["CFF "]) {
		t.Errorf("the copy begins with %q, and its outlines are %q", got[:4], content(got, "CFF "))
	}
}

// nameTable makes a table of names of records: platform, encoding, language, id and the string.
func nameTable(records ...[5]any) []byte {
	var strings []byte
	out := binary.BigEndian.AppendUint16([]byte{0, 0}, uint16(len(records)))
	out = binary.BigEndian.AppendUint16(out, uint16(6+12*len(records)))
	for _, r := range records {
		text := r[4].(string)
		for _, n := range []int{r[0].(int), r[1].(int), r[2].(int), r[3].(int), len(text), len(strings)} {
			out = binary.BigEndian.AppendUint16(out, uint16(n))
		}
		strings = append(strings, text...)
	}
	return append(out, strings...)
}

func TestNamesThatAreKeptWhereThereIsNoRoomForAll(t *testing.T) {
	list := tablesOf(goregular.TTF)
	long := strings.Repeat("x", 45_450)
	list["name"] = nameTable([5]any{1, 0, 0, 1, "Go"}, [5]any{1, 0, 0, 6, "Go"}, [5]any{1, 0, 0, 10, long}, [5]any{1, 0, 0, 13, "y" + long[:20_000]}, [5]any{3, 0, 0x409, 1, "\x00G"},
		[5]any{3, 1, 0x8001, 13, "\x00L"}, [5]any{3, 1, 0x411, 4, "\x00J"}, [5]any{3, 1, 0x411, 14, "\x00h"}, [5]any{3, 1, 0x411, 14, "\x00i"})
	got, err := rename(assembled("\x00\x01\x00\x00", list), 0, "Gotham-Bold")
	if err != nil {
		t.Fatal(err)
	}
	names, _, err := tables.ParseName(content(got, "name"))
	if err != nil {
		t.Fatal(err)
	}
	if names.Name(6) != "Gotham-Bold" || names.Name(13) != "y"+long[:20_000] || names.Name(10) != "" || names.Name(14) != "h" {
		t.Errorf("the names are %q, %d and %d bytes, and %q", names.Name(6), len(names.Name(13)), len(names.Name(10)), names.Name(14))
	}
	if !bytes.Contains(content(got, "name"), []byte{0, 3, 0, 0, 4, 9, 0, 6}) {
		t.Error("a font of symbols has no name in the encoding of those")
	}
	if bytes.Contains(content(got, "name"), []byte{0, 3, 0, 1, 4, 0x11, 0, 4}) {
		t.Error("a name of the face in another language is left")
	}
}

func TestWhatIsNotRenamed(t *testing.T) {
	os2 := func(permissions uint16) []byte {
		list := tablesOf(goregular.TTF)
		list["OS/2"] = bytes.Clone(list["OS/2"])
		binary.BigEndian.PutUint16(list["OS/2"][8:], permissions)
		return assembled("\x00\x01\x00\x00", list)
	}
	for permissions, want := range map[uint16]error{0: nil, 2: fontfile.ErrRestricted, 0x102: fontfile.ErrRestricted, 4: nil, 6: nil, 8: nil} {
		if _, err := rename(os2(permissions), 0, "Other"); !errors.Is(err, want) {
			t.Errorf("a font with fsType %d: %v", permissions, err)
		}
	}
	list := tablesOf(goregular.TTF)
	list["head"] = list["head"][:20]
	overlapping := assembled("\x00\x01\x00\x00", tablesOf(goregular.TTF))
	for i := range int(binary.BigEndian.Uint16(overlapping[4:])) {
		binary.BigEndian.PutUint32(overlapping[12+16*i+8:], 0)
		binary.BigEndian.PutUint32(overlapping[12+16*i+12:], uint32(len(overlapping)))
	}
	for what, c := range map[string]struct {
		content []byte
		number  int
		name    string
		says    string
	}{
		"no name":           {goregular.TTF, 0, "", "no PostScript name"},
		"a space":           {goregular.TTF, 0, "Open Sans", "no PostScript name"},
		"a delimiter":       {goregular.TTF, 0, "Open/Sans", "no PostScript name"},
		"a long name":       {goregular.TTF, 0, strings.Repeat("x", 64), "no PostScript name"},
		"no such face":      {goregular.TTF, 1, "Other", "no font 2"},
		"a face before":     {goregular.TTF, -1, "Other", "no font 0"},
		"no font":           {[]byte("a line of text, and more of it"), 0, "Other", "no TrueType"},
		"half a font":       {goregular.TTF[:len(goregular.TTF)/2], 0, "Other", "truncated"},
		"a short head":      {assembled("\x00\x01\x00\x00", list), 0, "Other", `"head"`},
		"no outlines":       {without(goregular.TTF, "glyf"), 0, "Other", "outlines"},
		"overlapping":       {overlapping, 0, "Other", "overlap"},
		"collection within": {collection(collection(goregular.TTF)), 0, "Other", "no TrueType"},
	} {
		var no *fontfile.Refusal
		if got, err := rename(c.content, c.number, c.name); !errors.As(err, &no) || !strings.Contains(no.Reason, c.says) {
			t.Errorf("%s: got %d bytes, %v", what, len(got), err)
		}
	}
}

func TestFontsOfThisMachineAreRenamed(t *testing.T) {
	n := 0
	for _, pattern := range []string{"/usr/share/fonts/*/*/*.ttf", "/usr/share/fonts/*/*/*.otf", "/usr/share/fonts/*/*/*.ttc"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths[:min(len(paths), 12)] {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			faces, err := read(content)
			if err != nil {
				continue // fonts of pictures
			}
			got, err := rename(content, len(faces)-1, "Gotham-Bold")
			if errors.Is(err, fontfile.ErrRestricted) {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			n++
			wantSound(t, got)
			if faces, err := read(got); err != nil || len(faces) != 1 || faces[0].PostScript != "Gotham-Bold" {
				t.Errorf("%s: the copy is read as %+v, %v", path, faces, err)
			}
		}
	}
	t.Logf("%d fonts were renamed", n)
}

// FuzzRename renames whole fonts with changed bytes: what comes of it is a sound file that has the name.
func FuzzRename(f *testing.F) {
	f.Add(uint32(100), uint32(5), []byte{255}, "Gotham-Bold")
	f.Add(uint32(5), uint32(40000), []byte{0, 0, 1, 2}, "-")
	names := binary.BigEndian.Uint32(table(goregular.TTF, "name")[8:])
	f.Add(names, names+20, []byte{0, 1, 255, 255, 0, 6}, "A-B-C")
	f.Fuzz(func(t *testing.T, first, second uint32, put []byte, name string) {
		spoiled := bytes.Clone(goregular.TTF)
		for _, at := range []uint32{first, second} {
			copy(spoiled[int(at)%len(spoiled):], put)
		}
		got, err := rename(spoiled, 0, name)
		var no *fontfile.Refusal
		if err != nil {
			if !errors.As(err, &no) && !errors.Is(err, fontfile.ErrRestricted) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		wantSound(t, got)
		if faces := fontfile.Names(bytes.NewReader(got), int64(len(got))); len(faces) != 1 || farm.FontKey(faces[0].PostScript) != farm.FontKey(name) {
			t.Errorf("the copy under %q has the names %+v", name, faces)
		}
	})
}
