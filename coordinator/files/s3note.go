package files

import (
	"context"
	"errors"
	"io"
	"strings"
)

// maxNote is the largest note, in bytes.
const maxNote = 64 << 10

// PutNote implements Shared.
func (s *S3) PutNote(ctx context.Context, name string, text []byte) error {
	if err := Check(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return s.putSmall(ctx, notes+"/"+name, text)
}

// Note implements Shared.
func (s *S3) Note(ctx context.Context, name string) ([]byte, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	r, err := s.open(ctx, notes+"/"+name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxNote))
	return text, errors.Join(err, r.Close())
}

// DropNote implements Shared.
func (s *S3) DropNote(ctx context.Context, name string) error {
	if err := Check(name); err != nil {
		return err
	}
	return s.remove(ctx, notes+"/"+name)
}

// Notes implements Shared.
func (s *S3) Notes(ctx context.Context, folder string) ([]Object, error) {
	if err := Check(folder); err != nil {
		return nil, err
	}
	var list []Object
	err := s.list(ctx, notes+"/"+folder+"/", true, func(o Object) error {
		o.Key = strings.TrimPrefix(o.Key, notes+"/")
		list = append(list, o)
		return nil
	})
	return list, err
}
