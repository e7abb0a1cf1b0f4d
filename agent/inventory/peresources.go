package inventory

import (
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
)

// A Windows program keeps its resources in a tree of three levels, kind, name and language:
// https://learn.microsoft.com/windows/win32/debug/pe-format#the-rsrc-section
const (
	rtVersion      = 16         // kind of VS_VERSIONINFO
	resourceBranch = 0x80000000 // of an entry: a table follows, not data; of a name: text follows, not a number
	resourceSlot   = 2          // of the data directory
	maxSection     = 64 << 20   // bytes of resources that are read
	maxResources   = 4096       // entries of a table
	maxLeaves      = 256        // resources of the wanted kind
)

var errNoResources = errors.New("the program has no resources")

// resourceName is a number or a text.
type resourceName struct {
	id   uint32
	text string
}

// readResources gives the resources of a Windows program whose kind is wanted. The file is not trusted.
func readResources(path string, wanted func(kind resourceName) bool) (found [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil { // a parser that trips over a hostile file
			found, err = nil, fmt.Errorf("the program is damaged: %v", p)
		}
	}()
	file, err := pe.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a program: %w", err)
	}
	defer file.Close()
	section := file.Section(".rsrc")
	if section == nil {
		return nil, errNoResources
	}
	if section.Size > maxSection {
		return nil, fmt.Errorf("the program's resources take %d bytes", section.Size)
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("reading a program's resources: %w", err)
	}
	start := resourceStart(file, section)
	if start >= uint32(len(data)) {
		return nil, errNoResources
	}
	t := resourceTree{data: data[start:], address: section.VirtualAddress + start}
	for _, kind := range t.entries(0) {
		if kind.branch && wanted(kind.name) {
			t.leaves(kind.at, 2, &found)
		}
	}
	return found, nil
}

// resourceStart is where the tree begins within its section.
func resourceStart(file *pe.File, section *pe.Section) uint32 {
	var directories []pe.DataDirectory
	switch h := file.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		directories = h.DataDirectory[:]
	case *pe.OptionalHeader64:
		directories = h.DataDirectory[:]
	}
	if len(directories) <= resourceSlot || directories[resourceSlot].VirtualAddress < section.VirtualAddress {
		return 0
	}
	return directories[resourceSlot].VirtualAddress - section.VirtualAddress
}

// resourceTree is the resources of one program.
type resourceTree struct {
	data    []byte
	address uint32 // at which data begins when the program runs; leaves say where they lie by that
}

type resourceEntry struct {
	name   resourceName
	branch bool
	at     uint32 // offset of a table or of a leaf's description
}

// entries are those of the table at an offset; a table that does not lie within the data has none.
func (t resourceTree) entries(at uint32) []resourceEntry {
	const head, size = 16, 8
	if uint64(at)+head > uint64(len(t.data)) {
		return nil
	}
	table := t.data[at:]
	count := int(binary.LittleEndian.Uint16(table[12:])) + int(binary.LittleEndian.Uint16(table[14:]))
	if count > maxResources || head+size*count > len(table) {
		return nil
	}
	entries := make([]resourceEntry, count)
	for i := range entries {
		name, place := binary.LittleEndian.Uint32(table[head+size*i:]), binary.LittleEndian.Uint32(table[head+size*i+4:])
		entries[i] = resourceEntry{branch: place&resourceBranch != 0, at: place &^ resourceBranch, name: resourceName{id: name}}
		if name&resourceBranch != 0 {
			entries[i].name = resourceName{text: t.text(name &^ resourceBranch)}
		}
	}
	return entries
}

// text is the name at an offset: its length in characters, then UTF-16.
func (t resourceTree) text(at uint32) string {
	if uint64(at)+2 > uint64(len(t.data)) {
		return ""
	}
	length := int(binary.LittleEndian.Uint16(t.data[at:]))
	body := t.data[at+2:]
	if length > 256 || 2*length > len(body) {
		return ""
	}
	units := make([]uint16, length)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(body[2*i:])
	}
	return string(utf16.Decode(units))
}

// leaves adds the data below a table, which has so many levels below it.
func (t resourceTree) leaves(at uint32, levels int, found *[][]byte) {
	for _, e := range t.entries(at) {
		switch {
		case len(*found) >= maxLeaves:
			return
		case e.branch && levels > 1:
			t.leaves(e.at, levels-1, found)
		case !e.branch && uint64(e.at)+8 <= uint64(len(t.data)):
			from, size := binary.LittleEndian.Uint32(t.data[e.at:])-t.address, binary.LittleEndian.Uint32(t.data[e.at+4:])
			if uint64(from)+uint64(size) <= uint64(len(t.data)) {
				*found = append(*found, t.data[from:from+size])
			}
		}
	}
}
