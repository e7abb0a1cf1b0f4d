package profile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// MaxSize limits a profile that a file carries, in bytes; those of printers are large, and are not read anyway.
const MaxSize = 4 << 20

// maxTags limits the entries of a profile.
const maxTags = 256

// ICC reads a profile of three primaries with a curve for all of them (ICC.1:2022, 8.3.3).
func ICC(data []byte) (*Profile, error) {
	const header, entry = 128, 12
	if len(data) < header+4 || len(data) > MaxSize || string(data[36:40]) != "acsp" {
		return nil, errors.New("it is not a colour profile")
	}
	if string(data[16:20]) != "RGB " || string(data[20:24]) != "XYZ " {
		return nil, fmt.Errorf("colour profiles of the kind %q are not read", strings.TrimSpace(string(data[16:20])))
	}
	n := binary.BigEndian.Uint32(data[header:])
	if n > maxTags || len(data) < header+4+int(n)*entry {
		return nil, errors.New("its colour profile is broken")
	}
	tags := make(map[string][]byte, n)
	for i := range int(n) {
		e := data[header+4+i*entry:]
		at, size := binary.BigEndian.Uint32(e[4:]), binary.BigEndian.Uint32(e[8:])
		if uint64(at)+uint64(size) > uint64(len(data)) {
			return nil, errors.New("its colour profile is broken")
		}
		tags[string(e[:4])] = data[at : at+size]
	}
	p := &Profile{Name: description(tags["desc"])}
	for i, name := range [3]string{"rXYZ", "gXYZ", "bXYZ"} {
		t := tags[name]
		if len(t) < 20 || string(t[:4]) != "XYZ " {
			return nil, errors.New("colour profiles without primaries are not read")
		}
		for j := range 3 {
			p.toXYZ[j][i] = fixed(t[8+4*j:])
		}
	}
	if _, ok := p.toXYZ.inverse(); !ok {
		return nil, errors.New("its colour profile is broken")
	}
	var err error
	p.Curve, err = curveOf(tags["gTRC"])
	return p, err
}

// fixed is a number of ICC profiles: 16 bits before the point, 16 after it.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// curveOf reads a curve: a power, a table, or a formula.
func curveOf(t []byte) (Curve, error) {
	broken := errors.New("the curve of its colour profile is broken")
	if len(t) < 12 {
		return Curve{}, broken
	}
	switch string(t[:4]) {
	case "curv":
		return tableOf(t[8:])
	case "para":
		// What follows the power, by the kind of formula.
		fields := [][]int{{}, {1, 2}, {1, 2, 6}, {1, 2, 3, 4}, {1, 2, 3, 4, 6, 5}}
		kind := int(binary.BigEndian.Uint16(t[8:]))
		if kind >= len(fields) || len(t) < 16+4*len(fields[kind]) {
			return Curve{}, broken
		}
		c := Power(fixed(t[12:]))
		into := []*float64{&c.Gamma, &c.A, &c.B, &c.Slope, &c.Join, &c.Base, &c.Offset}
		for i, f := range fields[kind] {
			*into[f] = fixed(t[16+4*i:])
		}
		if kind == 1 || kind == 2 { // these begin where the power does
			if c.A == 0 {
				return Curve{}, broken
			}
			c.Join, c.Base = -c.B/c.A, c.Offset
		}
		if !(c.Gamma > 0 && c.Gamma < 100) || c.A == 0 {
			return Curve{}, broken
		}
		return c, nil
	}
	return Curve{}, broken
}

// tableOf reads the entries of a curve: none for light itself, one for a power.
func tableOf(t []byte) (Curve, error) {
	n := binary.BigEndian.Uint32(t)
	if uint64(len(t)) < 4+2*uint64(n) {
		return Curve{}, errors.New("the curve of its colour profile is broken")
	}
	at := func(i int) float64 { return float64(binary.BigEndian.Uint16(t[4+2*i:])) }
	switch n {
	case 0:
		return Power(1), nil
	case 1:
		if at(0) == 0 {
			return Curve{}, errors.New("the curve of its colour profile is broken")
		}
		return Power(at(0) / 256), nil
	}
	c := Curve{Table: make([]float64, n)}
	for i := range c.Table {
		c.Table[i] = at(i) / 65535
	}
	return c, nil
}

// description is the name of a profile, in the forms of both versions; "" when it has none.
func description(t []byte) string {
	if len(t) < 12 {
		return ""
	}
	switch string(t[:4]) {
	case "desc":
		if n := binary.BigEndian.Uint32(t[8:]); n > 0 && uint64(n) <= uint64(len(t)-12) {
			return strings.TrimRight(string(t[12:12+n]), "\x00")
		}
	case "mluc":
		if len(t) < 28 {
			return ""
		}
		size, at := uint64(binary.BigEndian.Uint32(t[20:])), uint64(binary.BigEndian.Uint32(t[24:]))
		if at+size > uint64(len(t)) {
			return ""
		}
		var words []uint16
		for b := t[at : at+size]; len(b) >= 2; b = b[2:] {
			words = append(words, binary.BigEndian.Uint16(b))
		}
		return string(utf16.Decode(words))
	}
	return ""
}
