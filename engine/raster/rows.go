package raster

import "encoding/binary"

// Rows of pixels. Each function does the multiples of eight pixels by its twin in assembly where the processor has it, and the rest in Go.

// fade multiplies the pixels of src by k/255 into dst, which is as long.
func fade(dst, src []uint8, k uint32) {
	done := 0
	if n := min(len(dst), len(src)); wide && n >= 32 {
		done = n &^ 31
		scaleWide(&dst[0], &src[0], done/4, k)
	}
	scaleRow(dst[done:], src[done:], k)
}

func scaleRow(dst, src []uint8, k uint32) {
	for i := 0; i+4 <= len(src) && i+4 <= len(dst); i += 4 {
		p := binary.LittleEndian.Uint32(src[i:])
		if p != 0 {
			p = scale(p, k)
		}
		binary.LittleEndian.PutUint32(dst[i:], p)
	}
}

// behind lays the colour c behind the pixels of row.
func behind(row []uint8, c uint32) {
	done := 0
	if wide && len(row) >= 32 {
		done = len(row) &^ 31
		behindWide(&row[0], done/4, c)
	}
	behindRow(row[done:], c)
}

func behindRow(row []uint8, c uint32) {
	for i := 0; i+4 <= len(row); i += 4 {
		switch p := binary.LittleEndian.Uint32(row[i:]); p >> 24 {
		case 255:
		case 0:
			binary.LittleEndian.PutUint32(row[i:], c)
		default:
			binary.LittleEndian.PutUint32(row[i:], lay(c, p))
		}
	}
}

// cover lays the colour c over the pixels of row, where and as far as cov says.
func cover(row, cov []uint8, c uint32) {
	done := 0
	if n := min(len(row)/4, len(cov)); wide && n >= 8 {
		done = n &^ 7
		coverWide(&row[0], &cov[0], done, c)
	}
	coverRow(row[4*done:], cov[done:], c)
}

func coverRow(row, cov []uint8, c uint32) {
	row = row[:4*len(cov)]
	for i, k := range cov {
		if k == 0 {
			continue
		}
		p, s := row[4*i:4*i+4], c
		if k != 255 {
			s = scale(c, uint32(k))
		}
		binary.LittleEndian.PutUint32(p, lay(binary.LittleEndian.Uint32(p), s))
	}
}
