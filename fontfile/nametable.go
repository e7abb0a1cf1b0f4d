package fontfile

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"

	"overcrank/farm"
)

// naming is what a face is called: a family and a style, as its PostScript name tells them.
type naming struct{ postScript, family, style string }

// callIt reads a PostScript name: behind its last hyphen stands the style.
func callIt(postScript string) naming {
	n := naming{postScript, postScript, "Regular"}
	if at := strings.LastIndexByte(postScript, '-'); at > 0 && at < len(postScript)-1 {
		n.family, n.style = postScript[:at], postScript[at+1:]
	}
	if l := n.linked(); farm.FontKey(l.name) == farm.FontKey(n.style) {
		n.style = l.name
	}
	return n
}

// linkedStyle is one of the four styles that programs link to a family of name ID 1, with the bits that say it elsewhere.
type linkedStyle struct {
	name           string
	selection, mac uint16
}

// linked is the style of name ID 2.
func (n naming) linked() linkedStyle {
	switch farm.FontKey(n.style) {
	case "bold":
		return linkedStyle{"Bold", selectBold, macBold}
	case "italic", "it", "oblique":
		return linkedStyle{"Italic", selectItalic, macItalic}
	case "bolditalic", "boldit", "boldoblique":
		return linkedStyle{"Bold Italic", selectBold | selectItalic, macBold | macItalic}
	}
	return linkedStyle{"Regular", selectRegular, 0}
}

// linkedFamily is the family of name ID 1: one of its own for each style that is none of the four.
func (n naming) linkedFamily() string {
	if n.linked().name != "Regular" || farm.FontKey(n.style) == "regular" {
		return n.family
	}
	return n.family + " " + n.style
}

// nameRecord is one string of a name table.
type nameRecord struct {
	platform, encoding, language, id uint16
	content                          []byte
}

func (r nameRecord) compare(other nameRecord) int {
	return cmp.Or(cmp.Compare(r.platform, other.platform), cmp.Compare(r.encoding, other.encoding), cmp.Compare(r.language, other.language), cmp.Compare(r.id, other.id))
}

// What records of a name table are for: https://learn.microsoft.com/typography/opentype/spec/name.
const (
	platformMacintosh = 1
	platformWindows   = 3
	encodingSymbol    = 0 // of Windows
	encodingUnicode   = 1 // of Windows
	englishWindows    = 0x409
	languageTags      = 0x8000 // from here on languages are numbers of tags, which stand in tables of version 1
)

// records are the names by their IDs, for a face that was called otherwise.
func (n naming) records(was string) (list []nameRecord) {
	full := n.family + " " + n.style
	for _, name := range []struct {
		id   uint16
		text string
	}{
		{1, n.linkedFamily()}, {2, n.linked().name}, {3, n.postScript + ", a copy of " + ascii(was)}, {4, full}, {6, n.postScript}, {16, n.family}, {17, n.style},
	} {
		list = append(list, nameRecord{platformMacintosh, 0, 0, name.id, []byte(name.text)}, nameRecord{platformWindows, encodingUnicode, englishWindows, name.id, wide(name.text)})
	}
	return list
}

// ascii is text in what all encodings of names have.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// wide is text as strings for Windows are encoded.
func wide(text string) (out []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return out
}

// namesOfFace are the IDs of what a face is called. All else, such as the licence, stays as it is.
var namesOfFace = []uint16{1, 2, 3, 4, 6, 16, 17, 18, 20, 21, 22, 25}

// lawful are the IDs of what has to stay where there is no room for all: copyright, trademark and licence.
var lawful = []uint16{0, 7, 13, 14}

const (
	nameHead   = 6
	nameEntry  = 12
	maxStrings = 1<<16 - 1 // bytes of all strings: where one is takes two bytes to say
)

// nameRecords are those of a name table that can be read. Those whose language is a tag are left out: tables of version 0 have none.
func nameRecords(raw []byte) (list []nameRecord) {
	if len(raw) < nameHead {
		return nil
	}
	count, strings := int(binary.BigEndian.Uint16(raw[2:])), int(binary.BigEndian.Uint16(raw[4:]))
	for at := nameHead; count > 0 && at+nameEntry <= len(raw); at, count = at+nameEntry, count-1 {
		field := func(i int) uint16 { return binary.BigEndian.Uint16(raw[at+2*i:]) }
		from := strings + int(field(5))
		if to := from + int(field(4)); to <= len(raw) && field(2) < languageTags {
			list = append(list, nameRecord{field(0), field(1), field(2), field(3), raw[from:to]})
		}
	}
	return list
}

// renameIn is a name table in which a face is called otherwise.
func renameIn(was []byte, list []nameRecord) []byte {
	var rest []nameRecord
	symbol := false
	for _, r := range nameRecords(was) {
		symbol = symbol || r.platform == platformWindows && r.encoding == encodingSymbol
		switch {
		case slices.Contains(namesOfFace, r.id):
		case slices.Contains(lawful, r.id):
			list = append(list, r)
		default:
			rest = append(rest, r)
		}
	}
	if symbol { // a font of symbols has its names in an encoding of its own, which programs may look into alone
		for _, r := range slices.Clone(list) {
			if r.platform == platformWindows && slices.Contains(namesOfFace, r.id) {
				r.encoding = encodingSymbol
				list = append(list, r)
			}
		}
	}
	return writeNames(append(list, rest...))
}

// writeNames writes a table of version 0. Of records there are as many as there is room for, the first ones before others.
func writeNames(list []nameRecord) []byte {
	type place struct{ from, length int }
	places := map[string]place{}
	var strings []byte
	var kept []nameRecord
	for _, r := range list {
		if _, there := places[string(r.content)]; !there {
			if len(strings)+len(r.content) > maxStrings {
				continue
			}
			places[string(r.content)] = place{len(strings), len(r.content)}
			strings = append(strings, r.content...)
		}
		if len(kept) < (maxStrings-nameHead)/nameEntry {
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, nameRecord.compare)
	kept = slices.CompactFunc(kept, func(a, b nameRecord) bool { return a.compare(b) == 0 })
	out := binary.BigEndian.AppendUint16([]byte{0, 0}, uint16(len(kept)))
	out = binary.BigEndian.AppendUint16(out, uint16(nameHead+nameEntry*len(kept)))
	for _, r := range kept {
		at := places[string(r.content)]
		for _, n := range []int{int(r.platform), int(r.encoding), int(r.language), int(r.id), at.length, at.from} {
			out = binary.BigEndian.AppendUint16(out, uint16(n))
		}
	}
	return append(out, strings...)
}
