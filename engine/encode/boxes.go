package encode

import (
	"encoding/binary"
	"errors"
)

// errUnfamiliar says that a film of MP4 is not laid out as the films of ffmpeg's encoders are that this package has met.
var errUnfamiliar = errors.New("the film is laid out in an unfamiliar way")

// eachBox has the boxes of an MP4 file that lie in b visited, with what they contain.
func eachBox(b []byte, visit func(kind string, content []byte)) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errUnfamiliar
		}
		size := int(binary.BigEndian.Uint32(b))
		if size < 8 || size > len(b) {
			return errUnfamiliar
		}
		visit(string(b[4:8]), b[8:size:size])
		b = b[size:]
	}
	return nil
}

// boxIn is what the box at a path contains; nil when there is none.
func boxIn(b []byte, path ...string) (found []byte) {
	for i, want := range path {
		found = nil
		err := eachBox(b, func(kind string, content []byte) {
			if kind == want && found == nil {
				found = content
			}
		})
		if err != nil || found == nil {
			return nil
		}
		if b = found; i+1 < len(path) && want == "stsd" { // it begins with a number of entries
			b = found[min(8, len(found)):]
		}
		if i+1 < len(path) && want == "avc1" { // it begins with the size of the pictures, and more that is fixed
			b = found[min(78, len(found)):]
		}
	}
	return found
}

// box is a box of contents, one after the other.
func box(kind string, contents ...[]byte) []byte {
	size := 8
	for _, c := range contents {
		size += len(c)
	}
	out := make([]byte, 0, size)
	out = binary.BigEndian.AppendUint32(out, uint32(size))
	out = append(out, kind...)
	for _, c := range contents {
		out = append(out, c...)
	}
	return out
}

// words are 32-bit numbers as a box has them.
func words(list ...uint32) []byte {
	out := make([]byte, 0, 4*len(list))
	for _, v := range list {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	return out
}

// word is a 32-bit number of a box.
func word(b []byte, at int) (uint32, error) {
	if at < 0 || at+4 > len(b) {
		return 0, errUnfamiliar
	}
	return binary.BigEndian.Uint32(b[at:]), nil
}

// rows are the rows of width 32-bit numbers of a table: a version, the number of rows, the rows.
func rows(b []byte, width int) (out [][]uint32, err error) {
	n, err := word(b, 4)
	if err != nil || uint64(n)*uint64(4*width) != uint64(len(b)-8) {
		return nil, errUnfamiliar
	}
	all := make([]uint32, int(n)*width)
	for i := range all {
		all[i] = binary.BigEndian.Uint32(b[8+4*i:])
	}
	for i := range int(n) {
		out = append(out, all[i*width:(i+1)*width])
	}
	return out, nil
}
