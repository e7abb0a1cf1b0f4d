package raster

import "encoding/binary"

// Normal lays src over dst.
func Normal(dst, src []uint8) {
	n := min(len(dst), len(src)) &^ 3
	dst, src = dst[:n], src[:n]
	for i := 0; i+4 <= len(src) && i+4 <= len(dst); i += 4 {
		s := binary.LittleEndian.Uint32(src[i:])
		switch s >> 24 {
		case 0:
		case 255:
			binary.LittleEndian.PutUint32(dst[i:], s)
		default:
			d := binary.LittleEndian.Uint32(dst[i:])
			binary.LittleEndian.PutUint32(dst[i:], s+scale(d, 255-s>>24))
		}
	}
}

// scale multiplies the four channels of p by k/255, rounded down where a sum must not overflow.
func scale(p, k uint32) uint32 {
	v := spread(p) * uint64(k)
	v += (v>>8)&lanes + half
	return gather(v >> 8 & lanes)
}

// A pixel is spread into four lanes of 16 bits, which one multiplication then serves.
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
