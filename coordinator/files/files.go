// Package files stores the farm's files: templates, assets, results, logs and thumbnails. A file appears only once it is complete, and no
// name from outside ever becomes a path.
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
	// ErrNotFound marks a key without a file.
	ErrNotFound = errors.New("no such file")
	// ErrTooLarge marks a stream longer than its limit.
	ErrTooLarge = errors.New("larger than allowed")
	// ErrShort marks a stream that ended before its announced size.
	ErrShort = errors.New("ended early")
	// ErrContent marks a stream whose hash is not the announced one.
	ErrContent = errors.New("not what was announced")
	// ErrFull marks a disk on which too little space would stay free.
	ErrFull = errors.New("the disk is full")
	// ErrKey marks a malformed key; see Check.
	ErrKey = errors.New("malformed file key")
)

// Object describes a stored file.
type Object struct {
	Key      string
	Size     int64  // bytes
	SHA256   string // lower-case hex; only after Put
	Modified time.Time
	// Version changes when the file is written, as far as the storage can tell; not set by Put.
	Version string
}

// Reader is an open file.
type Reader struct {
	io.ReadSeekCloser
	Object
	// Near says that reading the file twice is cheap: it is on a disk of this machine or of a file server on its network.
	Near bool
	cut  func() // ends a Read that waits for the storage; nil where none can
}

// ReadAll reads a small file. It returns when ctx ends, even if the storage stalls in the middle of the file.
func ReadAll(ctx context.Context, s Store, key string) ([]byte, error) {
	r, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return readAll(ctx, r, r.cut, key)
}

// readAll reads a small file to its end and closes it. cut ends a Read that waits for the storage; nil where none can.
func readAll(ctx context.Context, r io.ReadCloser, cut func(), name string) ([]byte, error) {
	if cut != nil {
		defer context.AfterFunc(ctx, cut)()
	}
	text, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: reading %s: %w", ErrUnreachable, name, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return text, nil
}

// Limits bound a stream given to Put.
type Limits struct {
	Size int64 // announced bytes, -1 when unknown; fewer give ErrShort, more give ErrTooLarge
	Max  int64 // bytes; more give ErrTooLarge. 0 for no limit but the disk's
	// SHA256 is the announced hash, lower-case hex; any other gives ErrContent. "" when unknown.
	SHA256 string
}

// Store keeps files under keys: parts of letters, digits, '.', '_' and '-' joined by slashes, where no part begins with a dot. All
// methods may be called concurrently, and by all coordinators that share the storage. Where the storage cannot be reached the error is
// ErrUnreachable, as a farm.CodeUnavailable.
type Store interface {
	// Put stores what r yields under key, replacing any file there. After an error nothing has changed.
	Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error)
	// PutBlob stores what r yields under its own hash. A blob that exists already gets the current time.
	PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error)
	// Open opens a file. ctx bounds the opening only; the reader is valid until it or the store is closed.
	Open(ctx context.Context, key string) (*Reader, error)
	Stat(ctx context.Context, key string) (Object, error)
	// Rename durably moves a file to another key; a crash may leave it under both.
	Rename(ctx context.Context, from, to string) error
	// Delete removes a file. A missing one is no error.
	Delete(ctx context.Context, key string) error
	// DeleteBelow removes all files below a key. None is no error.
	DeleteBelow(ctx context.Context, key string) error
	// DeleteIf removes a file unless it was written since before, or keep says that it is needed. A file written under the same key after
	// keep was called survives.
	DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error
	// List calls fn with every file directly below a key, and with every folder there as a key with a trailing slash.
	List(ctx context.Context, key string, fn func(Object) error) error
	// Walk calls fn with every file below a key, in key order, and with every empty folder as a key with a trailing slash.
	Walk(ctx context.Context, key string, fn func(Object) error) error
	// Path returns where programs of this machine can read the file until they call done.
	Path(ctx context.Context, key string) (path string, done func(), err error)
	// Sweep deletes the remains of uploads that were interrupted long ago.
	Sweep(ctx context.Context) error
	Close() error
}

// BlobKey is the key of the blob with a hash; ErrKey unless hash is a lower-case hex SHA-256.
func BlobKey(hash string) (string, error) {
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%w: %q is not a SHA-256", ErrKey, shorten(hash))
	}
	return "blobs/" + hash[:2] + "/" + hash, nil
}

// Check reports whether a key is well-formed; ErrKey otherwise.
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

// Part turns a name from outside into a safe part of a key: unsafe characters become '_', and a long name loses its beginning, so that it
// keeps its extension.
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
