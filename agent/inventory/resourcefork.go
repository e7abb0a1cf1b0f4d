package inventory

import (
	"encoding/binary"
	"errors"
)

// A macOS bundle keeps its resources in a file of the form that resource forks have: a header that says where data and map lie; the
// map lists types, each type its resources, each resource where its data lies. "Inside Macintosh: More Macintosh Toolbox", 1-121.
const (
	forkHeader     = 16
	forkTypeList   = 24 // in the map: u16, offset of the list of types from the map's beginning
	forkTypeSize   = 8
	forkRefSize    = 12
	forkOffsetMask = 0xFFFFFF
)

var errNoFork = errors.New("the file is not a resource file")

// readFork gives the resources of one type of a resource file. The content is not trusted.
func readFork(content []byte, kind string) ([][]byte, error) {
	if len(content) < forkHeader {
		return nil, errNoFork
	}
	dataAt, mapAt := int64(binary.BigEndian.Uint32(content)), int64(binary.BigEndian.Uint32(content[4:]))
	index := after(content, mapAt)
	if len(index) < forkTypeList+2 || dataAt > int64(len(content)) {
		return nil, errNoFork
	}
	types := after(index, int64(binary.BigEndian.Uint16(index[forkTypeList:])))
	if len(types) < 2 {
		return nil, errNoFork
	}
	var found [][]byte
	for i := range count(types) {
		entry := after(types, int64(2+forkTypeSize*i))
		if len(entry) < forkTypeSize {
			return nil, errNoFork
		}
		if string(entry[:4]) != kind {
			continue
		}
		refs := after(types, int64(binary.BigEndian.Uint16(entry[6:])))
		for r := range count(entry[4:]) {
			ref := after(refs, int64(forkRefSize*r))
			if len(ref) < forkRefSize || len(found) >= maxLeaves {
				return found, nil
			}
			data := after(content, dataAt+int64(binary.BigEndian.Uint32(ref[4:])&forkOffsetMask))
			if len(data) < 4 {
				continue
			}
			if size := int64(binary.BigEndian.Uint32(data)); size <= int64(len(data)-4) {
				found = append(found, data[4:4+size])
			}
		}
	}
	return found, nil
}

// count is a number that is written as one less.
func count(b []byte) int { return (int(binary.BigEndian.Uint16(b)) + 1) & 0xFFFF }

// after is what follows an offset, nil when that lies beyond the end.
func after(b []byte, offset int64) []byte {
	if offset < 0 || offset > int64(len(b)) {
		return nil
	}
	return b[offset:]
}
