package aep

import (
	"bytes"
	"encoding/binary"
	"math"
)

// body is the bytes of a leaf, read by offset, most significant byte first. Bytes beyond its end read as zero, since
// leaves of old versions are shorter; leaves that must have a minimum length are checked before.
type body []byte

func (b body) has(off, n int) bool { return off >= 0 && off+n <= len(b) }

func (b body) u8(off int) uint8 {
	if !b.has(off, 1) {
		return 0
	}
	return b[off]
}

func (b body) bit(off int, n uint) bool { return b.u8(off)>>n&1 == 1 }

func (b body) u16(off int) uint16 {
	if !b.has(off, 2) {
		return 0
	}
	return binary.BigEndian.Uint16(b[off:])
}

func (b body) u32(off int) uint32 {
	if !b.has(off, 4) {
		return 0
	}
	return binary.BigEndian.Uint32(b[off:])
}

func (b body) s32(off int) int32 { return int32(b.u32(off)) }

func (b body) f32(off int) float64 { return finite(float64(math.Float32frombits(b.u32(off)))) }

func (b body) f64(off int) float64 {
	if !b.has(off, 8) {
		return 0
	}
	return finite(math.Float64frombits(binary.BigEndian.Uint64(b[off:])))
}

// ratio is the fraction of the two numbers at off, or def when that is not a number.
func (b body) ratio(off int, def float64) float64 {
	d := b.u32(off + 4)
	if d == 0 {
		return def
	}
	return float64(b.s32(off)) / float64(d)
}

// fourCC is the four-character code at off.
func (b body) fourCC(off int) string {
	if !b.has(off, 4) {
		return ""
	}
	return string(bytes.TrimRight(b[off:off+4], "\x00"))
}

// cstring is the string at off of at most n bytes, up to a NUL.
func (b body) cstring(off, n int) []byte {
	if off >= len(b) {
		return nil
	}
	s := b[off:min(off+n, len(b))]
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return s
}

// finite replaces NaN and infinities, with which nothing can be computed.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
