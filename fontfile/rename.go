package fontfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"slices"
	"strings"

	"overcrank/farm"
)

// MaxPostScriptName is how long a PostScript name may be, in bytes: https://learn.microsoft.com/typography/opentype/spec/name, name ID 6.
const MaxPostScriptName = 63

// ErrRestricted is the error of a face that must not be copied: its field fsType says that its licence forbids embedding.
var ErrRestricted = errors.New("the font's licence forbids embedding")

// InPostScriptName tells whether a PostScript name may hold a character: visible ASCII but for ten delimiters, as name ID 6 has them.
func InPostScriptName(r rune) bool {
	return r > ' ' && r < 0x7F && !strings.ContainsRune("[](){}<>/%", r)
}

// IsOpenType tells whether a font file has outlines as PostScript describes them, and is called .otf.
func IsOpenType(content []byte) bool { return bytes.HasPrefix(content, []byte(magicOpenType)) }

// Rename gives one face of a font file of size bytes, by its number within a collection, from 0, as a font file of its own under another PostScript
// name, with the family and the style that the name says. Outlines and what the licence says stay as they are; of a variable font it is the default
// instance. What is not much larger than the file is what it takes in memory, some times. A file that is no font gives a *Refusal, and one whose licence
// forbids it ErrRestricted.
func Rename(r io.ReaderAt, size int64, number int, postScript string) (renamed []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			renamed, err = nil, refuse("the font is damaged: %v", p)
		}
	}()
	if farm.FontKey(postScript) == "" || len(postScript) > MaxPostScriptName || strings.ContainsFunc(postScript, func(r rune) bool { return !InPostScriptName(r) }) {
		return nil, refuse("%.200q is no PostScript name", postScript)
	}
	f := file{r: r, size: size}
	places, err := f.places()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(places) {
		return nil, refuse("the file has no font %d", number+1)
	}
	list, err := f.tables(places[number])
	if err != nil {
		return nil, err
	}
	return list.renamed(callIt(postScript))
}

// table is one table of a font.
type table struct {
	tag     string // four characters
	content []byte
}

type tableList []table

// leftOut are the tables that a renamed face does not have: the signature of the file that it was, and what makes other instances of it, which have
// names of their own.
var leftOut = []string{"DSIG", "STAT", "avar", "cvar", "fvar", "gvar", "HVAR", "MVAR", "VVAR"}

// tables reads the tables of the font at an offset that a renamed face has.
func (f file) tables(at int64) (list tableList, err error) {
	total, err := f.check(at)
	if err != nil {
		return nil, err
	}
	if total > f.size {
		return nil, refuse("the font is damaged: its tables overlap")
	}
	head, err := f.bytes(at, 12, "its header")
	if err != nil {
		return nil, err
	}
	directory, err := f.bytes(at+12, 16*int(binary.BigEndian.Uint16(head[4:])), "its directory")
	if err != nil {
		return nil, err
	}
	for ; len(directory) > 0; directory = directory[16:] {
		tag := string(directory[:4])
		if slices.Contains(leftOut, tag) {
			continue
		}
		content, err := f.bytes(int64(binary.BigEndian.Uint32(directory[8:])), int(binary.BigEndian.Uint32(directory[12:])), "its table "+tag)
		if err != nil {
			return nil, err
		}
		list = append(list, table{tag, content})
	}
	slices.SortFunc(list, func(a, b table) int { return strings.Compare(a.tag, b.tag) })
	return list, nil
}

// content is a table's, nil where there is none.
func (l tableList) content(tag string) []byte {
	for _, t := range l {
		if t.tag == tag {
			return t.content
		}
	}
	return nil
}

// Where fields of tables are, in bytes: https://learn.microsoft.com/typography/opentype/spec/os2 and .../spec/head.
const (
	os2Permissions = 8 // fsType
	os2Selection   = 62
	headAdjustment = 8 // checkSumAdjustment
	headMacStyle   = 44
	headSize       = 54
)

// The bits of those fields that are used.
const (
	usagePermissions = 0x000F // of fsType; of several the least restrictive counts
	restricted       = 0x0002
	selectItalic     = 1 << 0 // of fsSelection
	selectBold       = 1 << 5
	selectRegular    = 1 << 6
	selectWWS        = 1 << 8 // the names 16 and 17 tell apart by weight, width and slope alone
	macBold          = 1 << 0 // of macStyle
	macItalic        = 1 << 1
)

// renamed writes the face under a name.
//
// The Name INDEX of the table "CFF " keeps what it says: it need not be the same as name ID 6, and programs have to go by the latter
// (https://learn.microsoft.com/typography/opentype/spec/cff).
func (l tableList) renamed(as naming) ([]byte, error) {
	head, os2, was := l.content("head"), l.content("OS/2"), l.content("name")
	if len(head) < headSize {
		return nil, refuse("the font is damaged: its table \"head\" has only %d bytes", len(head))
	}
	if len(was) > maxNames {
		return nil, refuse("the font's names take %d bytes", len(was))
	}
	if len(os2) >= os2Permissions+2 && binary.BigEndian.Uint16(os2[os2Permissions:])&usagePermissions == restricted {
		return nil, ErrRestricted
	}
	face, err := describe(was)
	if err != nil {
		return nil, err
	}
	// What styles are linked by agrees with name ID 2. How heavy the face is (usWeightClass) stays true.
	style := as.linked()
	if len(os2) >= os2Selection+2 {
		selection := binary.BigEndian.Uint16(os2[os2Selection:]) &^ (selectItalic | selectBold | selectRegular | selectWWS)
		binary.BigEndian.PutUint16(os2[os2Selection:], selection|style.selection)
	}
	binary.BigEndian.PutUint16(head[headMacStyle:], binary.BigEndian.Uint16(head[headMacStyle:])&^(macBold|macItalic)|style.mac)
	for i := range l {
		if l[i].tag == "name" {
			l[i].content = renameIn(was, as.records(face.PostScript))
		}
	}
	return l.write(), nil
}

const (
	tableAlignment = 4
	// wholeSum is what the checksum of a whole file comes to, see https://learn.microsoft.com/typography/opentype/spec/otff.
	wholeSum = 0xB1B0AFBA
)

// write puts the tables, in the order of their tags, into a file, with its checksums.
func (l tableList) write() []byte {
	version := magicTrueType
	if l.content("CFF ") != nil || l.content("CFF2") != nil {
		version = magicOpenType
	}
	count := len(l)
	log := bits.Len(uint(count)) - 1
	out := append([]byte(version), make([]byte, 8+16*count)...)
	for i, n := range []int{count, 16 << log, log, 16*count - 16<<log} {
		binary.BigEndian.PutUint16(out[4+2*i:], uint16(n))
	}
	adjustment := 0
	for i, t := range l {
		if t.tag == "head" {
			adjustment = len(out) + headAdjustment
			clear(t.content[headAdjustment : headAdjustment+4])
		}
		entry := out[12+16*i:]
		copy(entry, t.tag)
		binary.BigEndian.PutUint32(entry[4:], checksum(t.content))
		binary.BigEndian.PutUint32(entry[8:], uint32(len(out)))
		binary.BigEndian.PutUint32(entry[12:], uint32(len(t.content)))
		out = append(out, t.content...)
		out = append(out, make([]byte, -len(out)&(tableAlignment-1))...)
	}
	binary.BigEndian.PutUint32(out[adjustment:], wholeSum-checksum(out))
	return out
}

// checksum is the sum of a table's 32-bit numbers, zeros behind its end.
func checksum(content []byte) (sum uint32) {
	for ; len(content) >= tableAlignment; content = content[tableAlignment:] {
		sum += binary.BigEndian.Uint32(content)
	}
	var last [tableAlignment]byte
	copy(last[:], content)
	return sum + binary.BigEndian.Uint32(last[:])
}
