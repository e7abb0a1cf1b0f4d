package frames

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// NoSound is a WAV file without samples, stereo, 16 bits, 48 kHz: it stands for the sound of a composition without any.
func NoSound() []byte {
	b := append([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"), 0x80, 0xbb, 0, 0, 0x00, 0xee, 0x02, 0)
	return append(b, "\x04\x00\x10\x00data\x00\x00\x00\x00"...)
}

// maxChunks is how many chunks of a WAV file are searched for the samples.
const maxChunks = 64

// SoundLength is the length of an uncompressed WAV file in seconds, 0 for one without samples. The error is ErrFormat for other files.
func SoundLength(path string) (float64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read the length of the sound: %w", err)
	}
	defer in.Close()
	head := make([]byte, 12)
	if _, err := io.ReadFull(in, head); err != nil || !bytes.HasPrefix(head, []byte("RIFF")) || string(head[8:]) != "WAVE" {
		return 0, ErrFormat
	}
	info, err := in.Stat()
	if err != nil {
		return 0, fmt.Errorf("read the length of the sound: %w", err)
	}
	perSecond := uint32(0)
	at := int64(len(head))
	for range maxChunks {
		chunk := make([]byte, 8+16)
		n, err := in.ReadAt(chunk, at)
		if n < 8 {
			return 0, ErrFormat
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if err == nil {
				perSecond = binary.LittleEndian.Uint32(chunk[16:])
			}
		case "data":
			if perSecond == 0 || at+8+size > info.Size() {
				return 0, ErrFormat
			}
			return float64(size) / float64(perSecond), nil
		}
		at += 8 + size + size&1
	}
	return 0, ErrFormat
}
