// Package wav reads uncompressed WAV files, and begins those that are written.
package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Frame is one sample of the left and of the right side, from -1 to 1.
type Frame [2]float64

// ErrOther means that a file is none of those that are read here: it is no WAV file, is cut off, or holds something else than one or two channels of
// whole numbers of 16 or 24 bits, or of floating-point ones of 32.
var ErrOther = errors.New("not a WAV file of one or two channels of 16, 24 or 32 bits")

// File is a WAV file that is open.
type File struct {
	Rate     int   // frames per second
	Channels int   // 1 or 2
	Frames   int64 // its length

	file   *os.File
	data   int64 // where its samples begin, in bytes
	format format
	raw    []byte
}

// format is how a sample is stored.
type format struct {
	bits  int
	float bool
}

// Tags of formats, as WAVEFORMATEX in Microsoft's mmreg.h has them. WAVEFORMATEXTENSIBLE has the tag in its SubFormat, whose other bytes are always the same.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagExtensible = 0xfffe
	subformat     = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"
)

// Positions of loudspeakers in WAVEFORMATEXTENSIBLE.
const (
	frontLeftAndRight = 3
	frontCentre       = 4
)

const (
	maxChunks = 64 // of a file, that are searched for the samples
	maxRate   = 384_000
)

// Open opens the file at path. The error is ErrOther for a file that is none of these.
func Open(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: in}
	if err := f.parse(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// parse finds the format and the samples among the chunks of the file.
func (f *File) parse() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, 12)
	if _, err := f.file.ReadAt(head, 0); err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return ErrOther
	}
	at := int64(len(head))
	for range maxChunks {
		chunk := make([]byte, 8)
		if _, err := f.file.ReadAt(chunk, at); err != nil {
			return ErrOther
		}
		at += int64(len(chunk))
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if err := f.describe(at, size); err != nil {
				return err
			}
		case "data":
			if f.Channels == 0 || size == 0 || at+size > info.Size() {
				return ErrOther
			}
			f.data, f.Frames = at, size/int64(f.bytes())
			return nil
		}
		at += size + size&1
	}
	return ErrOther
}

// describe reads the chunk that tells the format.
func (f *File) describe(at, size int64) error {
	b := make([]byte, max(16, min(size, 40)))
	if _, err := f.file.ReadAt(b, at); err != nil || size < 16 {
		return ErrOther
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint16(b[i:])) }
	tag, channels, rate, bits := number(0), number(2), int64(binary.LittleEndian.Uint32(b[4:])), number(14)
	if tag == tagExtensible {
		if len(b) < 40 || string(b[26:40]) != subformat || number(18) != bits || !usual(binary.LittleEndian.Uint32(b[20:]), channels) {
			return ErrOther
		}
		tag = number(24)
	}
	f.format = format{bits, tag == tagFloat}
	switch {
	case tag == tagPCM && (bits == 16 || bits == 24):
	case tag == tagFloat && bits == 32:
	default:
		return ErrOther
	}
	if channels < 1 || channels > 2 || rate < 1 || rate > maxRate || number(12) != channels*bits/8 {
		return ErrOther
	}
	f.Channels, f.Rate = channels, int(rate)
	return nil
}

// usual tells whether channels stand where their number alone would have them.
func usual(positions uint32, channels int) bool {
	return positions == 0 || channels == 1 && positions == frontCentre || channels == 2 && positions == frontLeftAndRight
}

// bytes is the size of a frame.
func (f *File) bytes() int { return f.Channels * f.format.bits / 8 }

// Duration is the length in seconds.
func (f *File) Duration() float64 { return float64(f.Frames) / float64(f.Rate) }

// Read reads frames from number at on. One channel is heard on both sides. Before its beginning and after its end a file is silent.
func (f *File) Read(at int64, to []Frame) error {
	clear(to)
	if at < 0 {
		to = to[min(int64(len(to)), -at):]
		at = 0
	}
	to = to[:max(0, min(int64(len(to)), f.Frames-at))]
	if len(to) == 0 {
		return nil
	}
	size := f.bytes()
	if n := len(to) * size; cap(f.raw) < n {
		f.raw = make([]byte, n)
	}
	raw := f.raw[:len(to)*size]
	if _, err := f.file.ReadAt(raw, f.data+at*int64(size)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading samples: %w", err)
	}
	for i := range to {
		left := raw[i*size:]
		to[i][0] = f.format.sample(left)
		to[i][1] = to[i][0]
		if f.Channels == 2 {
			to[i][1] = f.format.sample(left[size/2:])
		}
	}
	return nil
}

func (f format) sample(b []byte) float64 {
	switch {
	case f.float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case f.bits == 24:
		return float64(int32(b[0])<<8|int32(b[1])<<16|int32(int8(b[2]))<<24) / (1 << 31)
	}
	return float64(int16(binary.LittleEndian.Uint16(b))) / (1 << 15)
}

// Head is what comes before so many frames of two channels of 16 bits in a WAV file.
func Head(rate int, frames int64) []byte {
	const frameBytes = 4
	size := uint32(min(frames*frameBytes, math.MaxUint32-36))
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), 36+size)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*frameBytes))
	b = append(b, "\x04\x00\x10\x00data"...)
	return binary.LittleEndian.AppendUint32(b, size)
}
