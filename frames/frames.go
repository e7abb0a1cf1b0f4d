// Package frames reads and writes files of finished frames: what one of several machines rendered of a composition, for the machine that
// puts the film together. The format is lossless, each frame has a checksum of its own, and a file that is cut off anywhere keeps the
// frames before the cut.
//
// A file begins with
//
//	20 bytes  "overcrank frames 1\r\n"
//	 4 bytes  length of the head; all numbers are little endian
//	 n bytes  the Head as JSON
//	32 bytes  SHA-256 of the JSON
//
// and continues with one record per frame, in ascending order:
//
//	 4 bytes  "FRAM"
//	 4 bytes  number of the frame; the first of the composition is 0
//	 4 bytes  length of the packed pixels
//	32 bytes  SHA-256 of the number, the length and the packed pixels
//	 4 bytes  CRC-32C of the 44 bytes before
//	 n bytes  the packed pixels
//
// Pixels are rows from the top without padding. Packing replaces each byte by its difference from the same byte of the pixel before, and
// compresses the result with Zstandard (RFC 8878).
//
// The sound of the film is a WAV file of its own, one without samples when the film has no sound.
package frames

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// Ext is the extension of the files, with its dot, and ContentType their media type.
const (
	Ext         = ".frames"
	ContentType = "application/vnd.overcrank.frames"
)

// MaxPixels is the largest frame, in pixels: more than twice 8K.
const MaxPixels = 100_000_000

const (
	magic      = "overcrank frames 1\r\n"
	maxHead    = 4 << 10
	recordMark = "FRAM"
	recordHead = 4 + 4 + 4 + sha256.Size + 4
	maxNumber  = 1 << 30
)

// ErrFormat is the error of a file that is not a file of frames, or whose head is damaged.
var ErrFormat = errors.New("not a file of frames")

// Format is the layout of a pixel in memory, by its name in ffmpeg.
type Format string

// The formats of pixels.
const (
	RGB24  Format = "rgb24"
	RGBA   Format = "rgba"
	ARGB   Format = "argb"
	RGB48  Format = "rgb48le"
	RGBA64 Format = "rgba64le"
)

// Bytes is the size of a pixel in bytes, 0 for an unknown format.
func (f Format) Bytes() int {
	switch f {
	case RGB24:
		return 3
	case RGBA, ARGB:
		return 4
	case RGB48:
		return 6
	case RGBA64:
		return 8
	}
	return 0
}

// Head describes the frames of a file, which are all alike.
type Head struct {
	Engine  string `json:"engine"` // kind of the engine that rendered them; all files of a film have the same
	Width   int    `json:"width"`  // pixels
	Height  int    `json:"height"` // pixels
	Format  Format `json:"format"`
	RateNum int64  `json:"rateNum"` // frames per second, as an exact fraction
	RateDen int64  `json:"rateDen"`
	// Cuts are the numbers of frames at which the encoder of their film begins anew, in ascending order with spaces between them. Parts of a
	// film agree on them, unless programs of several versions rendered them: then those of the first count.
	Cuts string `json:"cuts,omitempty"`
}

// Size is the size of one frame, in bytes, before packing.
func (h Head) Size() int { return h.Width * h.Height * h.Format.Bytes() }

func (h Head) validate() error {
	switch {
	case h.Width < 1 || h.Height < 1 || h.Width > MaxPixels || h.Height > MaxPixels/h.Width:
		return fmt.Errorf("%w: frames of %d×%d pixels", ErrFormat, h.Width, h.Height)
	case h.Format.Bytes() == 0:
		return fmt.Errorf("%w: pixels of format %.20q", ErrFormat, h.Format)
	case h.RateNum < 1 || h.RateDen < 1 || h.RateNum > 1<<40 || h.RateDen > 1<<40:
		return fmt.Errorf("%w: %d/%d frames per second", ErrFormat, h.RateNum, h.RateDen)
	}
	return nil
}

// Begin is the encoded beginning of a file.
func (h Head) Begin() ([]byte, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode the head of a file of frames: %w", err)
	}
	if len(b) > maxHead {
		return nil, fmt.Errorf("%w: a head of %d bytes", ErrFormat, len(b))
	}
	sum := sha256.Sum256(b)
	out := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(b)))
	return append(append(out, b...), sum[:]...), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// record is the beginning of a frame's record.
type record struct {
	number int
	length int
	sum    [sha256.Size]byte
}

func (r record) append(b []byte) []byte {
	start := len(b)
	b = append(b, recordMark...)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.number))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.length))
	b = append(b, r.sum[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// parseRecord parses the beginning of a record. It reports false when b does not begin with one, or with one whose packed pixels take more
// than limit bytes.
func parseRecord(b []byte, limit int) (record, bool) {
	var r record
	if string(b[:4]) != recordMark || crc32.Checksum(b[:recordHead-4], castagnoli) != binary.LittleEndian.Uint32(b[recordHead-4:]) {
		return r, false
	}
	number, length := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	if number > maxNumber || uint64(length) > uint64(limit) {
		return r, false
	}
	r.number, r.length = int(number), int(length)
	copy(r.sum[:], b[12:])
	return r, true
}

// sumOf is the hash of a record.
func sumOf(number int, packed []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], uint32(number))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(packed)))
	h.Write(b[:])
	h.Write(packed)
	h.Sum(sum[:0])
	return sum
}

// maxPacked is the largest length of the packed pixels of a frame of size bytes: incompressible data grows a little.
func maxPacked(size int) int { return size + size>>7 + 1<<10 }
