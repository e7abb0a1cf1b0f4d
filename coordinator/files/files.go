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
	// ErrContent marks a stream that was not what was announced.
	ErrContent = errors.New("not what was announced")
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
	// Version is another one after the file was written to, as far as its storage can tell; not after Put.
	Version string
}

// Reader is an open file.
type Reader struct {
	io.ReadSeekCloser
	Object
	// Near says that reading the file twice costs little: it is on a disk of this machine, or of a file server beside it.
	Near bool
	cut  func() // ends a Read that waits for the storage; nil where none does
}

// ReadAll reads a file that is small. It ends with ctx, also where the storage stalls in the middle of the file.
func ReadAll(ctx context.Context, s Store, key string) ([]byte, error) {
	r, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	if r.cut != nil {
		defer context.AfterFunc(ctx, r.cut)()
	}
	text, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: reading %s: %w", ErrUnreachable, key, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", key, err)
	}
	return text, nil
}

// Limits bound what a Put may take.
type Limits struct {
	Size int64 // announced bytes, -1 when not known; fewer are ErrShort, more are ErrTooLarge
	Max  int64 // bytes; more are ErrTooLarge. 0 means no bound but the disk's
	// SHA256 is the announced hash, lower-case hex; another is ErrContent. "" when it is not known.
	SHA256 string
}

// Store keeps files under keys: parts of letters, digits, '.', '_' and '-' with slashes between them, where no part
// begins with a dot. All methods may be called at the same time, and by all coordinators that share what lies behind.
// A store that cannot be reached gives ErrUnreachable, as a farm.CodeUnavailable.
type Store interface {
	// Put keeps what r gives under key, replacing what was there. After an error nothing has changed.
	Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error)
	// PutBlob keeps what r gives under its own hash. A blob that is kept already becomes fresh again.
	PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error)
	// Open opens a file. ctx bounds the opening; the reader is good until it is closed, or the store is.
	Open(ctx context.Context, key string) (*Reader, error)
	Stat(ctx context.Context, key string) (Object, error)
	// Rename gives a file another key, whole and for good; a crash may leave it under both.
	Rename(ctx context.Context, from, to string) error
	// Delete removes a file; nothing there is no error.
	Delete(ctx context.Context, key string) error
	// DeleteBelow removes all files below a key; nothing there is no error.
	DeleteBelow(ctx context.Context, key string) error
	// DeleteIf removes a file unless it has been written since before, or keep says that it is needed. What is written under the same
	// key between the question and the removal is there afterwards.
	DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error
	// List calls fn with every file directly below a key, and with every folder there as a key that ends in a slash.
	List(ctx context.Context, key string, fn func(Object) error) error
	// Walk calls fn with every file below a key, in the order of their keys, and with every empty folder as a key that ends in a slash.
	Walk(ctx context.Context, key string, fn func(Object) error) error
	// Path is where programs of this machine may read the file until they call done.
	Path(ctx context.Context, key string) (path string, done func(), err error)
	// Sweep drops what uploads that were broken off long ago have left.
	Sweep(ctx context.Context) error
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
