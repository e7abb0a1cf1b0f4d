package raster

import "encoding/binary"

// Normal draws src over dst.
func Normal(dst, src []uint8, _ Span) {
	n := min(len(dst), len(src)) &^ 3
	done := 0
	if wide && n >= 32 {
		done = n &^ 31
		normalWide(&dst[0], &src[0], done/4)
	}
	normalRow(dst[done:n], src[done:n])
}

// normalRow is Normal for rows of whole pixels.
func normalRow(dst, src []uint8) {
	const opaque = 0xff000000ff000000
	i := 0
	// Two pixels at a time: most of what is drawn is opaque or empty for long stretches.
	for ; i+8 <= len(src) && i+8 <= len(dst); i += 8 {
		s := binary.LittleEndian.Uint64(src[i:])
		switch {
		case s&opaque == opaque:
			binary.LittleEndian.PutUint64(dst[i:], s)
		case s != 0:
			d := binary.LittleEndian.Uint64(dst[i:])
			lo, hi := lay(uint32(d), uint32(s)), lay(uint32(d>>32), uint32(s>>32))
			binary.LittleEndian.PutUint64(dst[i:], uint64(lo)|uint64(hi)<<32)
		}
	}
	if i+4 <= len(src) && i+4 <= len(dst) {
		d, s := binary.LittleEndian.Uint32(dst[i:]), binary.LittleEndian.Uint32(src[i:])
		binary.LittleEndian.PutUint32(dst[i:], lay(d, s))
	}
}

// lay is the pixel s over the pixel d.
func lay(d, s uint32) uint32 { return s + scale(d, 255-s>>24) }

// scale multiplies the four channels of p by k/255. It divides by 256, with k stretched to 0–256. The result is within
// one of the exact product, and never above k when p is opaque, so that the sums of over and under never overflow.
func scale(p, k uint32) uint32 {
	return gather((spread(p)*uint64(k+k>>7) + half) >> 8 & lanes)
}

// A pixel is spread into four lanes of 16 bits, so that one multiplication serves all of them.
const (
	lanes = 0x00ff00ff00ff00ff
	half  = 0x0080008000800080
)

func spread(p uint32) uint64 {
	return uint64(p&0x00ff00ff) | uint64(p>>8&0x00ff00ff)<<32
}

func gather(v uint64) uint32 {
	return uint32(v) | uint32(v>>32)<<8
}
