package frames

import "encoding/binary"

// subtract replaces each byte by its difference from the same byte of the pixel before, so that even areas become zeros and gradients
// repeat a few values, which compress well. A pixel has step bytes.
func subtract(pix []byte, step int) {
	if step != 4 {
		for i := len(pix) - 1; i >= step; i-- {
			pix[i] -= pix[i-step]
		}
		return
	}
	var before uint32
	for ; len(pix) >= 4; pix = pix[4:] {
		now := binary.LittleEndian.Uint32(pix)
		binary.LittleEndian.PutUint32(pix, minus(now, before))
		before = now
	}
}

// add undoes subtract.
func add(pix []byte, step int) {
	if step != 4 {
		for i := step; i < len(pix); i++ {
			pix[i] += pix[i-step]
		}
		return
	}
	var before uint32
	for ; len(pix) >= 4; pix = pix[4:] {
		before = plus(binary.LittleEndian.Uint32(pix), before)
		binary.LittleEndian.PutUint32(pix, before)
	}
}

// high is the top bit of each byte: minus and plus calculate with four bytes at once, and keep carries from crossing between them.
const high = 0x80808080

func minus(a, b uint32) uint32 { return ((a | high) - (b &^ high)) ^ ((a ^ ^b) & high) }

func plus(a, b uint32) uint32 { return ((a &^ high) + (b &^ high)) ^ ((a ^ b) & high) }
