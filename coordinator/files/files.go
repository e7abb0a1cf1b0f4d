// Package files keeps the farm's files: templates, callers' own files, results, logs and thumbnails. A file appears only
// when it is whole, and no name from outside ever becomes a path.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

var (
	// ErrNotFound marks a key under which nothing is kept.
	ErrNotFound = errors.New("no such file")
	// ErrTooLarge marks a stream that held more than it may.
	ErrTooLarge = errors.New("larger than allowed")
	// ErrShort marks a stream that ended before its announced size.
	ErrShort = errors.New("ended early")
	// ErrFull marks a disk without the room that must stay free.
	ErrFull = errors.New("the disk is full")
	// ErrKey marks a key that is not made of safe parts.
	ErrKey = errors.New("malformed file key")
)

// Object is what is known of a kept file.
type Object struct {
	Key      string
	Size     int64  // bytes
	SHA256   string // lower-case hex; only after Put
	Modified time.Time
}

// Reader is an open file.
type Reader struct {
	io.ReadSeekCloser
	Object
}

// Limits bound what a Put may take.
type Limits struct {
	Size int64 // announced bytes, -1 when not known; fewer are ErrShort, more are ErrTooLarge
	Max  int64 // bytes; more are ErrTooLarge. 0 means no bound but the disk's
}

// Store keeps files under keys: parts of letters, digits, '.', '_' and '-' with slashes between them, where no part
// begins with a dot. All methods may be called at the same time.
type Store interface {
	// Put keeps what r gives under key, replacing what was there. After an error nothing has changed.
	Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error)
	// PutBlob keeps what r gives under its own hash. A blob that is kept already becomes fresh again.
	PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error)
	// Append adds to the end of a file, which is made when missing. It is for logs and does not wait for the disk.
	Append(key string, data []byte) (size int64, err error)
	Open(key string) (*Reader, error)
	Stat(key string) (Object, error)
	// Rename gives a file another key, at once and for good.
	Rename(from, to string) error
	// Delete removes a file, or all files below a key; nothing there is no error.
	Delete(key string) error
	// DeleteIf removes a file unless it has been written since before, or keep says that it is needed. No write of the same key comes
	// between the question and the removal.
	DeleteIf(key string, before time.Time, keep func() (bool, error)) error
	// List calls fn with every file directly below a key, and with every folder there as a key that ends in a slash.
	List(key string, fn func(Object) error) error
	// Path is where programs of this machine may read the file until they call done.
	Path(key string) (path string, done func(), err error)
	Close() error
}

// BlobKey is the key of the blob with a hash; ErrKey when hash is no lower-case hex SHA-256.
func BlobKey(hash string) (string, error) {
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%w: %q is no SHA-256", ErrKey, shorten(hash))
	}
	return "blobs/" + hash[:2] + "/" + hash, nil
}

// Check tells whether a key is well-formed.
func Check(key string) error {
	if len(key) > 512 {
		return fmt.Errorf("%w: %q is too long", ErrKey, shorten(key))
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || strings.ContainsFunc(part, unsafe) {
			return fmt.Errorf("%w: %q", ErrKey, shorten(key))
		}
	}
	return nil
}

// Part makes one safe part of a key from a name from outside: what is not safe becomes '_', and what is too long is cut
// in front, where no extension stands.
func Part(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unsafe(r) {
			return '_'
		}
		return r
	}, name)
	if len(name) > 100 {
		name = name[len(name)-100:]
	}
	name = strings.TrimLeft(name, ".")
	if name == "" {
		return "file"
	}
	return name
}

func unsafe(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
		return false
	}
	return true
}

func shorten(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
