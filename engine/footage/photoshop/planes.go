package photoshop

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
)

// Ways in which values are packed.
const (
	packedNot   = 0
	packedRuns  = 1
	packedZip   = 2
	packedDelta = 3 // zip, of the differences between neighbours
)

var errValues = errors.New("it is broken: the values of its picture can't be unpacked")

// plane reads a channel of a layer as w times h values of 8 bits.
func (f *File) plane(ch channel, w, h int) ([]uint8, error) {
	c := &cursor{in: f.in, at: ch.at, end: ch.at + ch.length}
	packed := c.u16()
	if c.err != nil {
		return nil, c.err
	}
	planes, err := f.unpack(c, int(packed), image.Pt(w, h), packing{1, 1, ch.id >= 0})
	if err != nil {
		return nil, err
	}
	return planes[0], nil
}

// packing is how many planes are packed one after the other, and how many of them are read.
type packing struct {
	first, of int
	light     bool // whether they are colours; alpha and masks are none
}

// unpack reads planes of a size.
func (f *File) unpack(c *cursor, packed int, size image.Point, p packing) ([][]uint8, error) {
	row := size.X * f.depth / 8
	next, err := f.rows(c, packed, size.Y*p.of)
	if err != nil {
		return nil, err
	}
	planes := make([][]uint8, p.first)
	line := make([]byte, row)
	for i := range planes {
		light := p.light && i < f.colours()
		planes[i] = make([]uint8, 0, size.X*size.Y)
		for range size.Y {
			if err := next(line); err != nil {
				return nil, errValues
			}
			if packed == packedDelta {
				undelta(line, f.depth, size.X)
			}
			planes[i] = f.narrow(planes[i], line, light)
		}
	}
	return planes, nil
}

// rows gives the function that reads one row after the other.
func (f *File) rows(c *cursor, packed, count int) (func(line []byte) error, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(c.in, c.at, c.left()), 1<<16)
	switch packed {
	case packedNot:
		return func(line []byte) error { _, err := io.ReadFull(in, line); return err }, nil
	case packedRuns:
		// The lengths of the rows come first.
		width := 2
		if f.big {
			width = 4
		}
		if int64(count)*int64(width) > c.left() {
			return nil, errCut
		}
		lengths := make([]byte, count*width)
		if _, err := io.ReadFull(in, lengths); err != nil {
			return nil, errCut
		}
		return func(line []byte) error {
			n := int(binary.BigEndian.Uint16(lengths))
			if f.big {
				n = int(binary.BigEndian.Uint32(lengths))
			}
			lengths = lengths[width:]
			return runs(in, n, line)
		}, nil
	case packedZip, packedDelta:
		z, err := zlib.NewReader(in)
		if err != nil {
			return nil, errValues
		}
		return func(line []byte) error { _, err := io.ReadFull(z, line); return err }, nil
	}
	return nil, fmt.Errorf("its picture is packed in a way that is not known (%d)", packed)
}

// runs unpacks a row of n bytes of runs (PackBits). A row that is too short ends with zeros.
func runs(in *bufio.Reader, n int, line []byte) error {
	clear(line)
	at := 0
	for n > 0 {
		head, err := in.ReadByte()
		if err != nil {
			return err
		}
		n--
		switch count := int(int8(head)); {
		case count >= 0: // so many bytes and one more as they are
			count = min(count+1, n)
			kept := min(count, len(line)-at)
			if _, err := io.ReadFull(in, line[at:at+kept]); err != nil {
				return err
			}
			if _, err := in.Discard(count - kept); err != nil {
				return err
			}
			at, n = at+kept, n-count
		case count > -128 && n > 0: // one byte again and again
			b, err := in.ReadByte()
			if err != nil {
				return err
			}
			n--
			for range min(1-count, len(line)-at) {
				line[at] = b
				at++
			}
		}
	}
	return nil
}

// undelta makes values of the differences between neighbours. Those of 32 bits are differences of bytes, the highest bytes of a row first.
func undelta(line []byte, depth, w int) {
	switch depth {
	case 8:
		for i := 1; i < len(line); i++ {
			line[i] += line[i-1]
		}
	case 16:
		for i := 2; i+1 < len(line); i += 2 {
			v := binary.BigEndian.Uint16(line[i:]) + binary.BigEndian.Uint16(line[i-2:])
			binary.BigEndian.PutUint16(line[i:], v)
		}
	case 32:
		for i := 1; i < len(line); i++ {
			line[i] += line[i-1]
		}
		apart := append([]byte(nil), line...)
		for x := range w {
			for b := range 4 {
				line[4*x+b] = apart[b*w+x]
			}
		}
	}
}

// narrow appends a row of values to a plane, as 8 bits. Colours of 32 bits are linear light.
func (f *File) narrow(plane []uint8, line []byte, light bool) []uint8 {
	switch f.depth {
	case 16:
		for i := 0; i+1 < len(line); i += 2 {
			plane = append(plane, uint8((uint32(binary.BigEndian.Uint16(line[i:]))*255+32767)/65535))
		}
		return plane
	case 32:
		for i := 0; i+3 < len(line); i += 4 {
			v := float64(math.Float32frombits(binary.BigEndian.Uint32(line[i:])))
			if math.IsNaN(v) {
				v = 0
			}
			if light {
				v = encoded(v)
			}
			plane = append(plane, uint8(math.Round(255*max(0, min(1, v)))))
		}
		return plane
	}
	return append(plane, line...)
}

// encoded is linear light as sRGB has it (IEC 61966-2-1); 0 for what is not a number.
func encoded(v float64) float64 {
	switch {
	case !(v > 0):
		return 0
	case v <= 0.0031308:
		return 12.92 * v
	}
	return 1.055*math.Pow(min(v, 1), 1/2.4) - 0.055
}
