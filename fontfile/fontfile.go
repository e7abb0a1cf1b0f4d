// Package fontfile reads the names in font files, and recognises files that only claim to be fonts. Files are untrusted:
// none can cause a read beyond its end, or use more memory than a few times its size.
package fontfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/farm"
)

// MaxFaces is how many fonts a collection may hold.
const MaxFaces = 64

const (
	maxTables = 256       // of one font
	maxName   = 200       // bytes of a name
	maxDeep   = 256 << 20 // bytes of tables that are checked completely per file
)

// Refusal is why a file is not accepted as a font, worded for the person who uploaded it.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Read checks a font file of size bytes, TrueType, OpenType or a collection of them, and returns its faces. A file that
// is not a font gives a *Refusal.
func Read(r io.ReaderAt, size int64) (faces []farm.FontUse, err error) {
	defer func() {
		if p := recover(); p != nil {
			faces, err = nil, refuse("the font is damaged: %v", p)
		}
	}()
	f := file{r: r, size: size}
	places, err := f.places()
	if err != nil {
		return nil, err
	}
	var bytes int64
	for i, at := range places {
		n, err := f.check(at)
		if err != nil {
			return nil, inCollection(err, i, len(places))
		}
		bytes += n
	}
	loaders, err := opentype.NewLoaders(io.NewSectionReader(r, 0, size))
	if err != nil || len(loaders) != len(places) {
		return nil, refuse("the font is damaged: its directory cannot be read")
	}
	for i, l := range loaders {
		raw, err := f.nameTable(places[i])
		if err != nil {
			return nil, inCollection(err, i, len(loaders))
		}
		face, err := describe(raw)
		if err != nil {
			return nil, inCollection(err, i, len(loaders))
		}
		if bytes <= maxDeep || i == 0 {
			if _, err := font.NewFont(l); err != nil {
				return nil, inCollection(refuse("the font is damaged: %v", err), i, len(loaders))
			}
		}
		faces = append(faces, face)
	}
	return faces, nil
}

func inCollection(err error, i, of int) error {
	var no *Refusal
	if of > 1 && errors.As(err, &no) {
		return refuse("font %d of the collection: %s", i+1, no.Reason)
	}
	return err
}

// Names returns what it can of the faces of a font file of size bytes, TrueType, OpenType or a collection of them; a
// file that it cannot read has none. It reads only directories and names.
func Names(r io.ReaderAt, size int64) (faces []farm.FontUse) {
	defer func() {
		if recover() != nil { // a hostile file that crashes the parser
			faces = nil
		}
	}()
	f := file{r: r, size: size}
	places, err := f.places()
	if err != nil {
		return nil
	}
	for _, at := range places {
		raw, err := f.nameTable(at)
		if err != nil {
			continue
		}
		if face, err := describe(raw); err == nil {
			faces = append(faces, face)
		}
	}
	return faces
}

// maxNames is the largest name table, in bytes.
const maxNames = 1 << 20

// nameTable is the name table of the font at an offset.
func (f file) nameTable(at int64) ([]byte, error) {
	head, err := f.bytes(at, 12, "its header")
	if err != nil {
		return nil, err
	}
	count := int(binary.BigEndian.Uint16(head[4:]))
	if count > maxTables {
		return nil, refuse("the font is damaged: it says that it has %d tables", count)
	}
	directory, err := f.bytes(at+12, 16*count, "its directory")
	if err != nil {
		return nil, err
	}
	for i := range count {
		entry := directory[16*i:]
		if string(entry[:4]) != "name" {
			continue
		}
		length := binary.BigEndian.Uint32(entry[12:])
		if length > maxNames {
			return nil, refuse("the font's names take %d bytes", length)
		}
		return f.bytes(int64(binary.BigEndian.Uint32(entry[8:])), int(length), "its table of names")
	}
	return nil, refuse("the font has no names")
}

// file is an untrusted font file.
type file struct {
	r    io.ReaderAt
	size int64
}

func (f file) bytes(at int64, n int, what string) ([]byte, error) {
	if at < 0 || at+int64(n) > f.size {
		return nil, refuse("the font is truncated: %s lies beyond its end", what)
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("reading a font: %w", err)
	}
	return b, nil
}

// The first four bytes of files: https://learn.microsoft.com/typography/opentype/spec/otff and .../fontfile formats.
const (
	magicTrueType   = "\x00\x01\x00\x00"
	magicApple      = "true"
	magicOpenType   = "OTTO"
	magicCollection = "ttcf"
)

// otherFiles are files that people mistake for fonts, by their first bytes.
var otherFiles = []struct{ begins, is string }{
	{"wOFF", "a WOFF font for web pages; upload the TTF or OTF that it was made from"},
	{"wOF2", "a WOFF2 font for web pages; upload the TTF or OTF that it was made from"},
	{"PK\x03\x04", "a ZIP archive; unpack it and upload the fonts in it"},
	{"%!", "a PostScript font; After Effects no longer takes those: upload a TTF or OTF"},
	{"\x80\x01", "a PostScript font; After Effects no longer takes those: upload a TTF or OTF"},
	{"typ1", "a PostScript font; After Effects no longer takes those: upload a TTF or OTF"},
	{"<", "a web page or another text"},
	{"%PDF", "a PDF"},
	{"\x89PNG", "a picture"},
}

// places are the offsets of the fonts in the file.
func (f file) places() ([]int64, error) {
	if f.size == 0 {
		return nil, refuse("the file is empty")
	}
	head, err := f.bytes(0, int(min(12, f.size)), "its header")
	if err != nil {
		return nil, err
	}
	for _, o := range otherFiles {
		if strings.HasPrefix(string(head), o.begins) {
			return nil, refuse("the file is %s", o.is)
		}
	}
	if len(head) < 12 {
		return nil, refuse("the file is not a font: it has only %d bytes", f.size)
	}
	switch string(head[:4]) {
	case magicTrueType, magicApple, magicOpenType:
		return []int64{0}, nil
	case magicCollection:
	default:
		return nil, refuse("the file is no TrueType or OpenType font")
	}
	count := binary.BigEndian.Uint32(head[8:])
	if count == 0 || count > MaxFaces {
		return nil, refuse("the collection holds %d fonts; 1 to %d are allowed", count, MaxFaces)
	}
	list, err := f.bytes(12, 4*int(count), "the collection's list of fonts")
	if err != nil {
		return nil, err
	}
	places := make([]int64, count)
	for i := range places {
		places[i] = int64(binary.BigEndian.Uint32(list[4*i:]))
	}
	return places, nil
}

// check checks the directory of one font: each table is within the file, and the tables without which nothing can be
// drawn exist. It returns the size of all tables.
func (f file) check(at int64) (int64, error) {
	head, err := f.bytes(at, 12, "its header")
	if err != nil {
		return 0, err
	}
	switch string(head[:4]) {
	case magicTrueType, magicApple, magicOpenType:
	default:
		return 0, refuse("the file is no TrueType or OpenType font")
	}
	count := int(binary.BigEndian.Uint16(head[4:]))
	if count == 0 || count > maxTables {
		return 0, refuse("the font is damaged: it says that it has %d tables", count)
	}
	directory, err := f.bytes(at+12, 16*count, "its directory")
	if err != nil {
		return 0, err
	}
	has := map[string]int64{}
	var total int64
	for i := range count {
		entry := directory[16*i:]
		tag, from, length := string(entry[:4]), int64(binary.BigEndian.Uint32(entry[8:])), int64(binary.BigEndian.Uint32(entry[12:]))
		if from+length > f.size {
			return 0, refuse("the font is truncated: its table %q ends at byte %d of %d", tag, from+length, f.size)
		}
		if _, twice := has[tag]; twice {
			return 0, refuse("the font is damaged: it has the table %q twice", tag)
		}
		has[tag] = length
		total += length
	}
	for _, tag := range []string{"name", "cmap", "head", "hhea", "hmtx", "maxp"} {
		if has[tag] == 0 {
			return 0, refuse("the font is damaged: it has no table %q", tag)
		}
	}
	if has["CFF "] == 0 && has["CFF2"] == 0 && (has["glyf"] == 0 || has["loca"] == 0) {
		return 0, refuse("the font has no outlines")
	}
	return total, nil
}

// The entries of a font's name table that are used.
const (
	nameFamily       tables.NameID = 1
	nameStyle        tables.NameID = 2
	namePostScript   tables.NameID = 6
	nameTypoFamily   tables.NameID = 16
	nameTypoSubStyle tables.NameID = 17
)

// describe reads a font's names from its name table.
func describe(raw []byte) (farm.FontUse, error) {
	names, _, err := tables.ParseName(raw)
	if err != nil {
		return farm.FontUse{}, refuse("the font's names cannot be read: %v", err)
	}
	first := func(ids ...tables.NameID) string {
		for _, id := range ids {
			if name := clean(names.Name(id)); name != "" {
				return name
			}
		}
		return ""
	}
	face := farm.FontUse{PostScript: first(namePostScript), Family: first(nameTypoFamily, nameFamily), Style: first(nameTypoSubStyle, nameStyle)}
	switch {
	case farm.FontKey(face.PostScript) == "":
		return face, refuse("the font has no PostScript name, which text needs to refer to it")
	case face.Family == "":
		return face, refuse("the font has no family name")
	}
	return face, nil
}

// clean makes a name fit for display: no control or invalid characters, and not too long.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return strings.TrimSpace(name)
}
