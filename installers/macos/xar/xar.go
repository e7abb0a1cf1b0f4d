// Package xar writes and reads extensible archives ("xar!"), the container of a flat macOS package: a compressed table of contents in
// XML, and behind it the heap with the files. The format is described by the xar project's wiki and by what Apple's tools write;
// DESIGN.md beside the package lists the sources.
package xar

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // the checksum of the format; what holds against people is the signature
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// ErrFormat is wrapped by every error about an archive that is not one, is cut short, or lies about itself.
var ErrFormat = errors.New("not a valid xar archive")

const (
	magic        = "xar!"
	headerSize   = 28
	version      = 1
	checksumSHA1 = 1
	octets       = "application/octet-stream"
	gzipped      = "application/x-gzip" // what the format calls zlib
)

// File is a file or folder of an archive.
type File struct {
	Path string // slash-separated and relative; a file's folders must be there too
	Dir  bool
	Data []byte
	Mode uint32 // permissions; 0 is 0644, for a folder 0755
	// Stored keeps the data as they are. What is compressed already, as a package's payload is, gains nothing by it twice.
	Stored bool
}

// The table of contents, as XML.
type document struct {
	XMLName xml.Name `xml:"xar"`
	TOC     toc      `xml:"toc"`
}

type toc struct {
	Checksum     heapPart   `xml:"checksum"`
	CreationTime string     `xml:"creation-time"`
	Signature    *signature `xml:"signature"`
	XSignature   *signature `xml:"x-signature"`
	Files        []*node    `xml:"file"`
}

type heapPart struct {
	Style  string `xml:"style,attr"`
	Offset int64  `xml:"offset"`
	Size   int64  `xml:"size"`
}

type node struct {
	ID    int       `xml:"id,attr"`
	Name  string    `xml:"name"`
	Type  string    `xml:"type"`
	Mode  string    `xml:"mode"`
	UID   int       `xml:"uid"`
	GID   int       `xml:"gid"`
	Data  *fileData `xml:"data"`
	Files []*node   `xml:"file"`
}

type fileData struct {
	Length    int64    `xml:"length"` // as stored
	Offset    int64    `xml:"offset"`
	Size      int64    `xml:"size"` // once extracted
	Encoding  encoding `xml:"encoding"`
	Extracted checksum `xml:"extracted-checksum"`
	Archived  checksum `xml:"archived-checksum"`
}

type encoding struct {
	Style string `xml:"style,attr"`
}

type checksum struct {
	Style string `xml:"style,attr"`
	Hex   string `xml:",chardata"`
}

func sum(data []byte) checksum {
	s := sha1.Sum(data)
	return checksum{Style: "sha1", Hex: hex.EncodeToString(s[:])}
}

// Write writes an archive of the files, in their order, to w. created is the time that the archive says it was made; equal arguments give
// equal bytes unless a signer adds the time of its signature.
func Write(w io.Writer, files []File, created time.Time, signer *Signer) error {
	var heap bytes.Buffer
	offset := int64(sha1.Size)
	t := toc{Checksum: heapPart{Style: "sha1", Size: sha1.Size}, CreationTime: created.UTC().Format("2006-01-02T15:04:05")}
	if signer != nil {
		if err := signer.reserve(&t, &offset); err != nil {
			return err
		}
	}
	if err := place(&t, files, &heap, offset); err != nil {
		return err
	}
	text, err := xml.MarshalIndent(document{TOC: t}, "", " ")
	if err != nil {
		return fmt.Errorf("xar: table of contents: %w", err)
	}
	text = append([]byte(xml.Header), append(text, '\n')...)
	packed, err := deflate(text)
	if err != nil {
		return err
	}
	digest := sha1.Sum(packed)
	header := make([]byte, headerSize)
	copy(header, magic)
	binary.BigEndian.PutUint16(header[4:], headerSize)
	binary.BigEndian.PutUint16(header[6:], version)
	binary.BigEndian.PutUint64(header[8:], uint64(len(packed)))
	binary.BigEndian.PutUint64(header[16:], uint64(len(text)))
	binary.BigEndian.PutUint32(header[24:], checksumSHA1)
	parts := [][]byte{header, packed, digest[:]}
	if signer != nil {
		signatures, err := signer.sign(digest[:], t)
		if err != nil {
			return err
		}
		parts = append(parts, signatures)
	}
	for _, part := range append(parts, heap.Bytes()) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// place puts the files' data into the heap and the files into the table of contents.
func place(t *toc, files []File, heap *bytes.Buffer, offset int64) error {
	folders := map[string]*node{}
	for i, f := range files {
		if f.Path == "." || f.Path != path.Clean(f.Path) || path.IsAbs(f.Path) || strings.HasPrefix(f.Path, "..") {
			return fmt.Errorf("xar: %q is not a relative, clean path", f.Path)
		}
		n := &node{ID: i + 1, Name: path.Base(f.Path), Type: "file", Mode: mode(f)}
		if f.Dir {
			n.Type = "directory"
			folders[f.Path] = n
		} else {
			stored, style := f.Data, octets
			if !f.Stored {
				packed, err := deflate(f.Data)
				if err != nil {
					return err
				}
				stored, style = packed, gzipped
			}
			n.Data = &fileData{
				Length: int64(len(stored)), Offset: offset + int64(heap.Len()), Size: int64(len(f.Data)),
				Encoding: encoding{style}, Extracted: sum(f.Data), Archived: sum(stored),
			}
			heap.Write(stored)
		}
		if path.Dir(f.Path) == "." {
			t.Files = append(t.Files, n)
			continue
		}
		folder, there := folders[path.Dir(f.Path)]
		if !there {
			return fmt.Errorf("xar: %s comes before its folder", f.Path)
		}
		folder.Files = append(folder.Files, n)
	}
	return nil
}

func mode(f File) string {
	switch {
	case f.Mode != 0:
		return fmt.Sprintf("0%03o", f.Mode)
	case f.Dir:
		return "0755"
	default:
		return "0644"
	}
}

func deflate(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Find returns the file of a path, nil when there is none.
func Find(files []File, name string) *File {
	if i := slices.IndexFunc(files, func(f File) bool { return f.Path == name }); i >= 0 {
		return &files[i]
	}
	return nil
}
