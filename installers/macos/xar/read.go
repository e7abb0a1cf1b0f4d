package xar

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is read. Packages are read whole, into memory.
const (
	maxTOC      = 16 << 20
	maxContents = 1 << 30 // of all files of an archive together, extracted
	maxNest     = 64
)

// Archive is what was read of an archive.
type Archive struct {
	Created time.Time
	Files   []File // folders before what is in them
	toc     toc
	digest  []byte // checksum of the compressed table of contents: what signatures are made of
	heap    []byte
}

// Read reads a whole archive and checks every checksum in it. Signatures are there to be asked for with Verify.
func Read(data []byte) (*Archive, error) {
	if len(data) < headerSize || string(data[:4]) != magic {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrFormat, magic)
	}
	size := uint64(binary.BigEndian.Uint16(data[4:]))
	packed, raw := binary.BigEndian.Uint64(data[8:]), binary.BigEndian.Uint64(data[16:])
	if v, c := binary.BigEndian.Uint16(data[6:]), binary.BigEndian.Uint32(data[24:]); v != version || c != checksumSHA1 {
		return nil, fmt.Errorf("%w: version %d with checksums of kind %d; known are version 1 and kind 1 (SHA-1)", ErrFormat, v, c)
	}
	if size < headerSize || packed > maxTOC || raw > maxTOC || size+packed+sha1.Size > uint64(len(data)) {
		return nil, fmt.Errorf("%w: its table of contents is cut short", ErrFormat)
	}
	table := data[size : size+packed]
	text, err := inflate(table, int64(raw))
	if err != nil {
		return nil, err
	}
	digest := sha1.Sum(table)
	a := &Archive{digest: digest[:], heap: data[size+packed:]}
	var doc document
	if err := xml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%w: its table of contents: %w", ErrFormat, err)
	}
	a.toc = doc.TOC
	kept, err := a.part(a.toc.Checksum)
	if err != nil {
		return nil, err
	}
	if a.toc.Checksum.Style != "sha1" || !bytes.Equal(kept, a.digest) {
		return nil, fmt.Errorf("%w: its table of contents was changed", ErrFormat)
	}
	a.Created, _ = time.Parse("2006-01-02T15:04:05", strings.TrimSuffix(a.toc.CreationTime, "Z"))
	room := int64(maxContents)
	return a, a.add(".", a.toc.Files, 0, &room)
}

func (a *Archive) part(p heapPart) ([]byte, error) {
	if p.Offset < 0 || p.Size < 0 || p.Offset > int64(len(a.heap)) || p.Size > int64(len(a.heap))-p.Offset {
		return nil, fmt.Errorf("%w: it is cut short", ErrFormat)
	}
	return a.heap[p.Offset : p.Offset+p.Size], nil
}

func (a *Archive) add(folder string, nodes []*node, depth int, room *int64) error {
	if depth > maxNest {
		return fmt.Errorf("%w: folders within %d others", ErrFormat, maxNest)
	}
	for _, n := range nodes {
		if n.Name == "" || n.Name == "." || n.Name == ".." || strings.ContainsAny(n.Name, "/\x00") {
			return fmt.Errorf("%w: a file is called %q", ErrFormat, n.Name)
		}
		f := File{Path: path.Join(folder, n.Name), Dir: n.Type == "directory"}
		if m, err := strconv.ParseUint(strings.TrimSpace(n.Mode), 8, 16); err == nil {
			f.Mode = uint32(m)
		}
		if !f.Dir && n.Data != nil {
			var err error
			if f.Data, err = a.contents(f.Path, n.Data, room); err != nil {
				return err
			}
			f.Stored = n.Data.Encoding.Style == octets
		}
		a.Files = append(a.Files, f)
		if err := a.add(f.Path, n.Files, depth+1, room); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) contents(name string, d *fileData, room *int64) ([]byte, error) {
	stored, err := a.part(heapPart{Offset: d.Offset, Size: d.Length})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if *room -= d.Size; d.Size < 0 || *room < 0 {
		return nil, fmt.Errorf("%w: %s: more than %d bytes in all", ErrFormat, name, maxContents)
	}
	data := stored
	switch d.Encoding.Style {
	case octets:
	case gzipped:
		if data, err = inflate(stored, d.Size); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	default:
		return nil, fmt.Errorf("%w: %s: compressed as %q", ErrFormat, name, d.Encoding.Style)
	}
	if int64(len(data)) != d.Size || sum(data) != d.Extracted || sum(stored) != d.Archived {
		return nil, fmt.Errorf("%w: %s: its contents do not match their checksum", ErrFormat, name)
	}
	return data, nil
}

// inflate extracts exactly size bytes.
func inflate(packed []byte, size int64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var out bytes.Buffer
	if _, err := io.Copy(&out, io.LimitReader(z, size+1)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if int64(out.Len()) != size {
		return nil, fmt.Errorf("%w: %d bytes and more where it says %d", ErrFormat, out.Len(), size)
	}
	return out.Bytes(), nil
}
