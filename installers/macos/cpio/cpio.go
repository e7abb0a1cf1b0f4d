// Package cpio writes and reads archives in the portable ASCII format of cpio ("odc", magic 070707), in which a macOS
// package carries its payload and its scripts. The format is that of POSIX.1-1988, section 10.1.2.
package cpio

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Mode bits of a file's type, as in POSIX's <sys/stat.h>. The other bits are the permissions.
const (
	TypeMask  = 0o170000
	Directory = 0o040000
	Regular   = 0o100000
	Symlink   = 0o120000
)

// ErrFormat is wrapped by every error about an archive that is not one, is cut short, or lies about itself.
var ErrFormat = errors.New("not a valid cpio archive")

const (
	magic      = "070707"
	headerSize = 76
	trailer    = "TRAILER!!!"
	// maxName bounds a name: macOS takes paths of up to 1,024 bytes.
	maxName = 4096
	// maxSize is the largest size and time that eleven octal digits can say.
	maxSize = 1<<33 - 1
)

// Header describes one file of an archive.
type Header struct {
	Name    string // with a leading "./", or "." for the top folder
	Mode    uint32 // type and permissions
	UID     uint32
	GID     uint32
	Links   uint32 // 0 is written as 1, for a folder as 2
	Inode   uint32 // 0: the writer counts
	ModTime int64  // seconds since 1970
	Size    int64  // bytes that follow; for a symbolic link the length of its target
}

// Writer writes an archive, one file after the other. It is for one goroutine.
type Writer struct {
	w     io.Writer
	inode uint32
	left  int64 // bytes of the current file that are still to come
	err   error
}

// NewWriter returns a writer of an archive to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// WriteHeader begins the next file. Its Size bytes have to follow by Write before the next one.
func (w *Writer) WriteHeader(h Header) error {
	if w.err != nil {
		return w.err
	}
	if w.left > 0 {
		return fmt.Errorf("cpio: %d bytes of the file before %s are missing", w.left, h.Name)
	}
	if h.Inode == 0 {
		w.inode++
		h.Inode = w.inode
	}
	if h.Links == 0 {
		h.Links = 1
		if h.Mode&TypeMask == Directory {
			h.Links = 2
		}
	}
	if h.Name == trailer || strings.ContainsRune(h.Name, 0) || h.Name == "" || len(h.Name) >= maxName {
		return fmt.Errorf("cpio: no file can be called %q", h.Name)
	}
	return w.header(h)
}

func (w *Writer) header(h Header) error {
	for _, field := range []struct {
		name string
		of   int64
		max  int64
	}{
		{"inode", int64(h.Inode), 1<<18 - 1}, {"mode", int64(h.Mode), 1<<18 - 1}, {"user", int64(h.UID), 1<<18 - 1},
		{"group", int64(h.GID), 1<<18 - 1}, {"links", int64(h.Links), 1<<18 - 1}, {"time", h.ModTime, maxSize}, {"size", h.Size, maxSize},
	} {
		if field.of < 0 || field.of > field.max {
			return fmt.Errorf("cpio: %s: the format cannot say %s %d", h.Name, field.name, field.of)
		}
	}
	text := fmt.Sprintf("%s%06o%06o%06o%06o%06o%06o%06o%011o%06o%011o%s\x00",
		magic, 0, h.Inode, h.Mode, h.UID, h.GID, h.Links, 0, h.ModTime, len(h.Name)+1, h.Size, h.Name)
	_, w.err = io.WriteString(w.w, text)
	w.left = h.Size
	return w.err
}

// Write writes bytes of the current file.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if int64(len(p)) > w.left {
		return 0, fmt.Errorf("cpio: %d bytes more than the file's header said", int64(len(p))-w.left)
	}
	n, err := w.w.Write(p)
	w.left -= int64(n)
	w.err = err
	return n, err
}

// Close writes the end of the archive; it does not close what it was written to.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.left > 0 {
		return fmt.Errorf("cpio: %d bytes of the last file are missing", w.left)
	}
	return w.header(Header{Name: trailer, Links: 1})
}

// Reader reads an archive, one file after the other. It is for one goroutine.
type Reader struct {
	r    io.Reader
	left int64
}

// NewReader returns a reader of the archive in r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next goes on to the next file, skipping what was not read of the current one. At the archive's end it returns io.EOF.
func (r *Reader) Next() (Header, error) {
	if _, err := io.CopyN(io.Discard, r.r, r.left); err != nil {
		return Header{}, cutShort(err)
	}
	r.left = 0
	var raw [headerSize]byte
	if _, err := io.ReadFull(r.r, raw[:]); err != nil {
		return Header{}, cutShort(err)
	}
	if string(raw[:6]) != magic {
		return Header{}, fmt.Errorf("%w: a file begins with %q", ErrFormat, raw[:6])
	}
	var numbers [10]int64
	at := 6
	for i, width := range [10]int{6, 6, 6, 6, 6, 6, 6, 11, 6, 11} {
		n, err := strconv.ParseUint(string(raw[at:at+width]), 8, 63)
		if err != nil {
			return Header{}, fmt.Errorf("%w: %q is not an octal number", ErrFormat, raw[at:at+width])
		}
		numbers[i] = int64(n)
		at += width
	}
	if numbers[8] < 2 || numbers[8] > maxName {
		return Header{}, fmt.Errorf("%w: a name of %d bytes", ErrFormat, numbers[8])
	}
	name := make([]byte, numbers[8])
	if _, err := io.ReadFull(r.r, name); err != nil {
		return Header{}, cutShort(err)
	}
	text, ended := strings.CutSuffix(string(name), "\x00")
	if !ended || strings.ContainsRune(text, 0) {
		return Header{}, fmt.Errorf("%w: the name %q does not end where it should", ErrFormat, name)
	}
	if text == trailer {
		return Header{}, io.EOF
	}
	r.left = numbers[9]
	return Header{
		Name: text, Inode: uint32(numbers[1]), Mode: uint32(numbers[2]), UID: uint32(numbers[3]), GID: uint32(numbers[4]),
		Links: uint32(numbers[5]), ModTime: numbers[7], Size: numbers[9],
	}, nil
}

// Read reads the current file, up to its end, where it returns io.EOF.
func (r *Reader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.r.Read(p)
	r.left -= int64(n)
	if errors.Is(err, io.EOF) && r.left > 0 {
		err = cutShort(err)
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is cut short", ErrFormat)
	}
	return err
}
