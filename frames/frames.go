// Package frames is a file of finished frames: what one machine of several makes of a composition, on its way to the machine that
// puts the film together. It keeps every bit, may be cut off anywhere without losing the frames before, and each frame can be
// checked by itself.
//
// A file begins with
//
//	20 bytes  "overcrank frames 1\r\n"
//	 4 bytes  length of the head, little endian, as all numbers
//	 n bytes  the Head as JSON
//	32 bytes  SHA-256 of the JSON
//
// and goes on with one record per frame, in rising order:
//
//	 4 bytes  "FRAM"
//	 4 bytes  number of the frame, counted from the composition's first as 0
//	 4 bytes  length of the packed pixels
//	32 bytes  SHA-256 of the number, the length and the packed pixels
//	 4 bytes  CRC-32C of the 44 bytes before
//	 n bytes  the packed pixels
//
// Pixels are rows from the top without gaps. Packing replaces each byte by its difference from the one of the pixel before, and is
// Zstandard then (RFC 8878).
//
// The sound of the film travels beside such files as one WAV file; without samples it says that there is none.
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

// MaxPixels bounds a frame: 100 megapixels, more than twice 8K.
const MaxPixels = 100_000_000

const (
	magic      = "overcrank frames 1\r\n"
	maxHead    = 4 << 10
	recordMark = "FRAM"
	recordHead = 4 + 4 + 4 + sha256.Size + 4
	maxNumber  = 1 << 30
)

// ErrFormat marks a file that is none of frames, or whose head is damaged.
var ErrFormat = errors.New("not a file of frames")

// Format is how a pixel lies in memory, named as ffmpeg names it.
type Format string

// The formats of pixels.
const (
	RGB24  Format = "rgb24"
	RGBA   Format = "rgba"
	ARGB   Format = "argb"
	RGB48  Format = "rgb48le"
	RGBA64 Format = "rgba64le"
)

// Bytes of one pixel; 0 for a format that is not known.
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

// Head says what all frames of a file have in common.
type Head struct {
	Engine  string `json:"engine"` // kind of the engine that drew them; what is put together comes from one kind
	Width   int    `json:"width"`  // pixels
	Height  int    `json:"height"` // pixels
	Format  Format `json:"format"`
	RateNum int64  `json:"rateNum"` // frames per second, as an exact fraction
	RateDen int64  `json:"rateDen"`
}

// Size of one frame, in bytes.
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

// Begin is what a file begins with.
func (h Head) Begin() ([]byte, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the head of frames: %w", err)
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

// parseRecord reads the beginning of a record; false when b does not begin with one whose packed pixels take at most limit bytes.
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

// maxPacked is how long the packed pixels of a frame of size bytes can be.
func maxPacked(size int) int { return size + size>>7 + 1<<10 }
