package profile

import (
	"encoding/binary"
	"errors"
	"io"
)

// ofTIFF finds a profile among the fields of the first picture (TIFF 6.0, section 2; ICC.1:2022, annex B.3).
func ofTIFF(in io.ReaderAt, order binary.ByteOrder) (*Profile, error) {
	const icc, fieldSize = 34675, 12
	var head [8]byte
	if _, err := in.ReadAt(head[:], 0); err != nil {
		return nil, errShort
	}
	at := int64(order.Uint32(head[4:]))
	if _, err := in.ReadAt(head[:2], at); err != nil {
		return nil, errShort
	}
	fields := make([]byte, fieldSize*int(order.Uint16(head[:])))
	if _, err := in.ReadAt(fields, at+2); err != nil {
		return nil, errShort
	}
	for ; len(fields) > 0; fields = fields[fieldSize:] {
		if order.Uint16(fields) == icc {
			return lying(in, int64(order.Uint32(fields[8:])), order.Uint32(fields[4:]))
		}
	}
	return nil, nil
}

// ofPhotoshop finds a profile among the resources of a file (Adobe Photoshop File Formats Specification, "Image Resources Section").
func ofPhotoshop(in io.ReaderAt) (*Profile, error) {
	const icc, colours = 1039, 26 // where the length of the section before the resources stands
	order := binary.BigEndian
	var head [8]byte
	if _, err := in.ReadAt(head[:4], colours); err != nil {
		return nil, errShort
	}
	at := colours + 4 + int64(order.Uint32(head[:]))
	if _, err := in.ReadAt(head[:4], at); err != nil {
		return nil, errShort
	}
	at += 4
	for end := at + int64(order.Uint32(head[:])); at < end; {
		if _, err := in.ReadAt(head[:7], at); err != nil {
			return nil, errShort
		} else if string(head[:4]) != "8BIM" {
			return nil, nil // of another program
		}
		id := order.Uint16(head[4:])
		at += 6 + even(1+int64(head[6]))
		if _, err := in.ReadAt(head[:4], at); err != nil {
			return nil, errShort
		}
		size := order.Uint32(head[:])
		if at += 4; id == icc {
			return lying(in, at, size)
		}
		at += even(int64(size))
	}
	return nil, nil
}

// even is how many bytes of an even number n takes: those of a resource are filled up.
func even(n int64) int64 { return n + n&1 }

// lying is the profile that lies at a place of a file.
func lying(in io.ReaderAt, at int64, size uint32) (*Profile, error) {
	if size > MaxSize {
		return nil, errors.New("its colour profile is too large")
	}
	data := make([]byte, size)
	if _, err := in.ReadAt(data, at); err != nil {
		return nil, errShort
	}
	return ICC(data)
}
