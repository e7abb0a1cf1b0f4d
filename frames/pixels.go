package frames

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

// Pack packs the pixels of a single frame quickly, rather than tightly: differences between pixels of step bytes as in a file of frames, or
// the bytes themselves with a step of 0, in the block format of S2. It overwrites pix unless step is 0, and may use out for the result.
func Pack(out, pix []byte, step int) []byte {
	if step > 0 {
		subtract(pix, step)
	}
	return s2.Encode(out[:cap(out)], pix)
}

// Unpack fills pix with the pixels that Pack packed. When they are damaged, or of a frame of another size, the error is ErrFormat, and pix is
// spoiled.
func Unpack(pix, packed []byte, step int) error {
	if n, err := s2.DecodedLen(packed); err != nil || n != len(pix) {
		return fmt.Errorf("%w: these are the pixels of another frame", ErrFormat)
	}
	if _, err := s2.Decode(pix, packed); err != nil {
		return fmt.Errorf("%w: the pixels are damaged", ErrFormat)
	}
	if step > 0 {
		add(pix, step)
	}
	return nil
}

// MaxPacked is the largest size of the packed pixels of a frame of size bytes: incompressible data grows a little.
func MaxPacked(size int) int { return s2.MaxEncodedLen(size) }
