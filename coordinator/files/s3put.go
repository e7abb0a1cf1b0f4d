package files

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"github.com/minio/minio-go/v7"
)

// Put implements Store.
func (s *S3) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	if err := Check(key); err != nil {
		return Object{}, err
	}
	in, err := newIntake(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	text, small, err := s.readFirst(in)
	if err != nil {
		return Object{}, err
	}
	if small {
		err = s.putSmall(ctx, key, text)
	} else {
		err = s.putLarge(ctx, key, io.MultiReader(bytes.NewReader(text), in), in)
	}
	if err != nil {
		return Object{}, err
	}
	return Object{Key: key, Size: in.n, SHA256: in.sha256(), Modified: time.Now()}, nil
}

// PutBlob implements Store. A large blob is uploaded under a temporary name, since its hash is known with its last byte.
func (s *S3) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	in, err := newIntake(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	text, small, err := s.readFirst(in)
	if err != nil {
		return Object{}, err
	}
	temp := temporary + "/" + rand.Text()
	if !small {
		if err := s.putLarge(ctx, temp, io.MultiReader(bytes.NewReader(text), in), in); err != nil {
			return Object{}, err
		}
	}
	key, err := BlobKey(in.sha256())
	if err == nil {
		err = ensureKept(ctx, s, key, in.n, func() error {
			if small {
				return s.putSmall(ctx, key, text)
			}
			return s.copy(ctx, temp, key)
		})
	}
	if !small {
		err = errors.Join(err, s.remove(context.WithoutCancel(ctx), temp))
	}
	if err != nil {
		return Object{}, err
	}
	return Object{Key: key, Size: in.n, SHA256: in.sha256(), Modified: time.Now()}, nil
}

// readFirst reads up to one part of a stream; small says that it ended within it.
func (s *S3) readFirst(in *intake) (text []byte, small bool, err error) {
	room := int64(partSize)
	if limit := in.limit(); limit >= 0 && limit < room {
		room = limit + 1
	}
	var first bytes.Buffer
	if size := in.lim.Size; size >= 0 {
		first.Grow(int(min(size, partSize)) + bytes.MinRead)
	}
	if _, err := io.Copy(&first, io.LimitReader(in, room)); err != nil {
		return nil, false, err
	}
	return first.Bytes(), in.ended, nil
}

func (s *S3) putSmall(ctx context.Context, name string, text []byte) error {
	core := minio.Core{Client: s.client.Load()}
	sum := md5.Sum(text) // lets the storage refuse damaged bytes
	_, err := core.PutObject(ctx, s.cfg.Bucket, s.name(name), bytes.NewReader(text), int64(len(text)),
		base64.StdEncoding.EncodeToString(sum[:]), "", minio.PutObjectOptions{})
	return s.explain(name, err)
}

// putLarge uploads a stream in parts.
func (s *S3) putLarge(ctx context.Context, name string, r io.Reader, in *intake) error {
	up, err := s.beginParts(ctx, name)
	if err != nil {
		return s.explain(name, err)
	}
	parts, err := up.send(ctx, r, max(int64(partSize), in.limit()/maxParts))
	if err == nil && in.err == nil {
		err = up.complete(ctx, parts)
	}
	if err == nil && in.err == nil {
		return nil
	}
	up.abandon(ctx)
	if in.err != nil {
		return in.err
	}
	return s.explain(name, err)
}

func (s *S3) copy(ctx context.Context, from, to string) error {
	_, err := s.client.Load().ComposeObject(ctx,
		minio.CopyDestOptions{Bucket: s.cfg.Bucket, Object: s.name(to)}, minio.CopySrcOptions{Bucket: s.cfg.Bucket, Object: s.name(from)})
	return s.explain(from, err)
}
