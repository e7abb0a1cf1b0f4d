package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"

	"golang.org/x/image/tiff/lzw"

	"overcrank/engine/footage/vector"
)

// decoded is the content of a stream without its filters.
func (f *file) decoded(s *stream) ([]byte, error) {
	data, picture, err := f.unfiltered(s)
	if err == nil && picture != "" {
		err = fmt.Errorf("the filter '%.40s' is not read", picture)
	}
	return data, err
}

// maxFilters limits the filters of one stream.
const maxFilters = 8

// unfiltered is the content of a stream up to a filter that makes a picture, which it names.
func (f *file) unfiltered(s *stream) (data []byte, picture name, err error) {
	filters, parms := f.array(s.dict["Filter"]), f.array(s.dict["DecodeParms"])
	if n := f.name(s.dict["Filter"]); n != "" {
		filters, parms = array{n}, array{s.dict["DecodeParms"]}
	}
	if len(filters) > maxFilters {
		return nil, "", errors.New("a stream has too many filters")
	}
	data = s.raw
	for i, v := range filters {
		var parm dict
		if i < len(parms) {
			parm = f.dict(parms[i])
		}
		kind := f.name(v)
		var r io.Reader
		switch kind {
		case "FlateDecode", "Fl":
			if r, err = zlib.NewReader(bytes.NewReader(data)); err != nil {
				return nil, "", fmt.Errorf("unpacking a stream: %w", err)
			}
		case "LZWDecode", "LZW":
			if f.number(parm["EarlyChange"], 1) != 1 {
				return nil, "", errors.New("a stream is packed by LZW without early changes, which is not read")
			}
			r = lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
		case "ASCII85Decode", "A85":
			end := bytes.IndexByte(data, '~')
			if end < 0 {
				end = len(data)
			}
			r = ascii85.NewDecoder(bytes.NewReader(data[:end]))
		case "ASCIIHexDecode", "AHx":
			l := lexer{b: append(append([]byte{'<'}, data...), '>')}
			v, _ := l.hexadecimal()
			hex, _ := v.(text)
			r = bytes.NewReader(hex)
		case "RunLengthDecode", "RL":
			r = bytes.NewReader(runs(data))
		default:
			return data, kind, nil
		}
		if data, err = f.all(r); err != nil {
			return nil, "", err
		}
		if data, err = f.predicted(data, parm); err != nil {
			return nil, "", err
		}
	}
	return data, "", nil
}

// all reads what a filter gives. Damage at its end is forgiven, since what came before may be whole.
func (f *file) all(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, min(vector.MaxFile, int64(f.left))+1))
	if err != nil && len(data) == 0 {
		return nil, fmt.Errorf("unpacking a stream: %w", err)
	}
	return data, f.spend(len(data))
}

// runs undoes run lengths. What they make is at most 64 times as large as what they are made of.
func runs(data []byte) (out []byte) {
	for len(data) > 1 && data[0] != 128 && len(out) < vector.MaxFile {
		if n := int(data[0]); n < 128 {
			n = min(n+1, len(data)-1)
			out = append(out, data[1:1+n]...)
			data = data[1+n:]
		} else {
			out = append(out, bytes.Repeat(data[1:2], 257-n)...)
			data = data[2:]
		}
	}
	return out
}

// predicted undoes the predictors of PNG, and that of TIFF for bytes.
func (f *file) predicted(data []byte, parm dict) ([]byte, error) {
	kind := int(f.number(parm["Predictor"], 1))
	if kind < 2 {
		return data, nil
	}
	colors, bits, columns := int(f.number(parm["Colors"], 1)), int(f.number(parm["BitsPerComponent"], 8)), int(f.number(parm["Columns"], 1))
	if colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<20 {
		return nil, errors.New("a stream has a predictor that cannot be right")
	}
	pixel, row := max(1, colors*bits/8), (colors*bits*columns+7)/8
	if kind == 2 {
		if bits != 8 {
			return nil, errors.New("a stream has a predictor that is not read")
		}
		for rest := data; len(rest) >= row; rest = rest[row:] {
			for i := pixel; i < row; i++ {
				rest[i] += rest[i-pixel]
			}
		}
		return data, nil
	}
	out := make([]byte, 0, len(data))
	before := make([]byte, row)
	for len(data) > 1 {
		line := make([]byte, row)
		n := copy(line, data[1:])
		unpredict(data[0], line, before, pixel)
		data = data[1+n:]
		out, before = append(out, line...), line
	}
	return out, nil
}

// unpredict undoes a filter of PNG in a row of pixels, given the one before.
func unpredict(kind byte, line, before []byte, pixel int) {
	for i := range line {
		var left, corner int
		up := int(before[i])
		if i >= pixel {
			left, corner = int(line[i-pixel]), int(before[i-pixel])
		}
		var by int
		switch kind {
		case 1:
			by = left
		case 2:
			by = up
		case 3:
			by = (left + up) / 2
		case 4:
			by = paeth(left, up, corner)
		}
		line[i] += byte(by)
	}
}

func paeth(a, b, c int) int {
	p := a + b - c
	pa, pb, pc := max(p-a, a-p), max(p-b, b-p), max(p-c, c-p)
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}
