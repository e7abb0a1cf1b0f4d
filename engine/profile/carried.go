package profile

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Carried is the profile that a picture carries: PNG, JPEG, TIFF and Photoshop's files. It is nil for one that carries none, and for files of other kinds.
func Carried(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := carried(f)
	if err != nil {
		return nil, fmt.Errorf("reading the colour profile of %s: %w", path, err)
	}
	return p, nil
}

// file is a file that is read from its beginning, or at any place.
type file interface {
	io.Reader
	io.ReaderAt
}

func carried(f file) (*Profile, error) {
	r := bufio.NewReader(f)
	head, err := r.Peek(8)
	switch {
	case err != nil:
		return nil, nil
	case string(head) == "\x89PNG\r\n\x1a\n":
		_, _ = r.Discard(len(head))
		return ofPNG(r)
	case head[0] == 0xFF && head[1] == 0xD8:
		_, _ = r.Discard(2)
		return ofJPEG(r)
	case string(head[:4]) == "II*\x00":
		return ofTIFF(f, binary.LittleEndian)
	case string(head[:4]) == "MM\x00*":
		return ofTIFF(f, binary.BigEndian)
	case string(head[:4]) == "8BPS":
		return ofPhotoshop(f)
	}
	return nil, nil
}

// errShort is the error of a file that ends before its picture begins.
var errShort = errors.New("it is broken: it ends in the middle")

// ofPNG reads the chunks before the picture (PNG, third edition, 11.3.2).
func ofPNG(r *bufio.Reader) (*Profile, error) {
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, errShort
		}
		size, kind := binary.BigEndian.Uint32(head[:]), string(head[4:])
		switch kind {
		case "IDAT", "IEND":
			return nil, nil
		case "sRGB":
			return Video(), nil
		case "iCCP":
			if size > MaxSize {
				return nil, errors.New("its colour profile is too large")
			}
			body := make([]byte, size)
			if _, err := io.ReadFull(r, body); err != nil {
				return nil, errShort
			}
			return packed(body)
		}
		if _, err := io.CopyN(io.Discard, r, int64(size)+4); err != nil {
			return nil, errShort
		}
	}
}

// packed is the profile of a chunk: its name, how it is packed, and itself.
func packed(body []byte) (*Profile, error) {
	end := bytes.IndexByte(body, 0)
	if end < 0 || end+2 > len(body) {
		return nil, errors.New("its colour profile is broken")
	}
	z, err := zlib.NewReader(bytes.NewReader(body[end+2:]))
	if err != nil {
		return nil, fmt.Errorf("its colour profile is broken: %w", err)
	}
	defer z.Close()
	data, err := io.ReadAll(io.LimitReader(z, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("its colour profile is broken: %w", err)
	}
	return ICC(data)
}

// ofJPEG puts a profile together that lies in several segments (ICC.1:2022, annex B.4).
func ofJPEG(r *bufio.Reader) (*Profile, error) {
	const scan, end, app2 = 0xDA, 0xD9, 0xE2
	parts := make(map[byte][]byte)
	total := 0
	for {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:2]); err != nil || head[0] != 0xFF {
			return nil, errShort
		}
		for head[1] == 0xFF { // fills
			b, err := r.ReadByte()
			if err != nil {
				return nil, errShort
			}
			head[1] = b
		}
		if head[1] == scan || head[1] == end {
			return joined(parts)
		}
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			return nil, errShort
		}
		size := int(binary.BigEndian.Uint16(head[2:])) - 2
		if size < 0 {
			return nil, errShort
		}
		if head[1] != app2 {
			if _, err := r.Discard(size); err != nil {
				return nil, errShort
			}
			continue
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, errShort
		}
		if name := []byte("ICC_PROFILE\x00"); bytes.HasPrefix(body, name) && size > len(name)+2 {
			if total += size; total > MaxSize {
				return nil, errors.New("its colour profile is too large")
			}
			parts[body[len(name)]] = body[len(name)+2:]
		}
	}
}

// joined is the profile of parts that count from 1; nil without any.
func joined(parts map[byte][]byte) (*Profile, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var all []byte
	for i := 1; i <= len(parts); i++ {
		part, ok := parts[byte(i)]
		if !ok {
			return nil, errors.New("its colour profile is not whole")
		}
		all = append(all, part...)
	}
	return ICC(all)
}
