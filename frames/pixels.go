package frames

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

// Pack packs the pixels of a single frame quickly, rather than tightly: differences as in a file of frames, in the block format of S2. It
// overwrites pix, and may use out for the result.
func (f Format) Pack(out, pix []byte) []byte {
	subtract(pix, f.Bytes())
	return s2.Encode(out[:cap(out)], pix)
}

// Unpack fills pix with the pixels that Pack packed. When they are damaged, or of a frame of another size, the error is ErrFormat, and pix is
// spoiled.
func (f Format) Unpack(pix, packed []byte) error {
	if n, err := s2.DecodedLen(packed); err != nil || n != len(pix) {
		return fmt.Errorf("%w: these are the pixels of another frame", ErrFormat)
	}
	if _, err := s2.Decode(pix, packed); err != nil {
		return fmt.Errorf("%w: the pixels are damaged", ErrFormat)
	}
	add(pix, f.Bytes())
	return nil
}

// MaxPacked is the largest size of the packed pixels of a frame of size bytes: incompressible data grows a little.
func MaxPacked(size int) int { return s2.MaxEncodedLen(size) }
