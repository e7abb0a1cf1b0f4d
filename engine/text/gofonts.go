package text

import (
	_ "embed"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// packedGoFonts is what text is drawn with on a machine that has no fonts: packed as one stream, since the five have a lot in common, they take a
// quarter of their size. `go test ./engine/text -run TestTheGoFonts -update` makes the file of those in golang.org/x/image.
//
//go:embed gofonts.zst
var packedGoFonts []byte

// goFontsSize is the most that the fonts may take unpacked, in bytes.
const goFontsSize = 2 << 20

// unpackGoFonts unpacks the Go fonts: Regular, Bold, Italic, Bold Italic and Mono, as TrueType files. Each lies behind its length in bytes as a big-endian
// 32-bit number.
func unpackGoFonts() ([][]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(goFontsSize))
	if err != nil {
		return nil, fmt.Errorf("unpacking the Go fonts: %w", err)
	}
	defer z.Close()
	rest, err := z.DecodeAll(packedGoFonts, nil)
	if err != nil {
		return nil, fmt.Errorf("unpacking the Go fonts: %w", err)
	}
	var fonts [][]byte
	for len(rest) >= 4 {
		n := int(binary.BigEndian.Uint32(rest))
		if n > len(rest)-4 {
			break
		}
		fonts, rest = append(fonts, rest[4:4+n:4+n]), rest[4+n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("unpacking the Go fonts: %d bytes are left over", len(rest))
	}
	return fonts, nil
}
