package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"overcrank/farm"
)

// File is an open file with the name and type under which it is served.
type File struct {
	io.ReadSeekCloser
	Name        string
	Size        int64
	ContentType string
	Modified    time.Time
	ETag        string
	SHA256      string // of the whole content, lower-case hex; "" when unknown
	cut         func() // as a Reader has it
}

// ReadAll reads a small file to its end and closes it. It returns when ctx ends, even if the storage stalls in the middle of the file.
func (f *File) ReadAll(ctx context.Context) ([]byte, error) { return readAll(ctx, f, f.cut, f.Name) }

// NewFile names an open file. sha256 is the hash of its content, "" when unknown.
func NewFile(r *Reader, name, sha256 string) *File {
	f := &File{ReadSeekCloser: r.ReadSeekCloser, Name: name, Size: r.Size, ContentType: ContentType(name), Modified: r.Modified, SHA256: sha256, cut: r.cut}
	if sha256 != "" {
		f.ETag = `"` + sha256 + `"`
	}
	return f
}

// NewPicture is NewFile for a picture, whose content may be replaced under the same name: its ETag depends on time and size.
func NewPicture(r *Reader, name string) *File {
	f := NewFile(r, name, "")
	f.ETag = fmt.Sprintf(`"%x-%x"`, r.Modified.UnixNano(), r.Size)
	return f
}

// ContentType is the media type a file is served as, by the extension of its name.
func ContentType(name string) string {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "mp4":
		return "video/mp4"
	case "mov":
		return "video/quicktime"
	case "png":
		return "image/png"
	case "jpg", "jpeg":
		return "image/jpeg"
	case "zip":
		return "application/zip"
	case "log":
		return "text/plain; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}

// OpenFor is Open with errors worded for the caller. what names the file; again says how to get an intact one ("upload it again").
// ErrNotFound is returned unchanged.
func (p *Proofs) OpenFor(ctx context.Context, kept Kept, what, again string) (*Reader, error) {
	r, err := p.Open(ctx, kept)
	switch {
	case errors.Is(err, ErrDamaged):
		return nil, farm.Errorf(farm.CodeGone, "%s is damaged in the farm's storage: %s", what, again)
	case err != nil && !errors.Is(err, ErrNotFound):
		return nil, fmt.Errorf("opening %s: %w", what, err)
	}
	return r, err
}

// OpenBlob opens a blob by its hash; CodeGone when it is no longer kept.
func (p *Proofs) OpenBlob(ctx context.Context, ref farm.FileRef) (*File, error) {
	key, err := BlobKey(ref.SHA256)
	if err != nil {
		return nil, err
	}
	r, err := p.OpenFor(ctx, Kept{Key: key, SHA256: ref.SHA256, Size: ref.Size}, "the file "+ref.Name, "upload it again")
	if errors.Is(err, ErrNotFound) {
		return nil, farm.Errorf(farm.CodeGone, "the file %s is no longer kept", ref.Name)
	}
	if err != nil {
		return nil, err
	}
	return NewFile(r, ref.Name, ref.SHA256), nil
}
