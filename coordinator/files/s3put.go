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
	in, err := take(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	text, small, err := s.begin(in)
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

// PutBlob implements Store. A large one is sent under a passing name, since its own is known with its last byte only.
func (s *S3) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	in, err := take(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	text, small, err := s.begin(in)
	if err != nil {
		return Object{}, err
	}
	passing := temporary + "/" + rand.Text()
	if !small {
		if err := s.putLarge(ctx, passing, io.MultiReader(bytes.NewReader(text), in), in); err != nil {
			return Object{}, err
		}
	}
	key, err := BlobKey(in.sha256())
	if err == nil {
		err = arrive(ctx, s, key, in.n, func() error {
			if small {
				return s.putSmall(ctx, key, text)
			}
			return s.copy(ctx, passing, key)
		})
	}
	if !small {
		err = errors.Join(err, s.remove(context.WithoutCancel(ctx), passing))
	}
	if err != nil {
		return Object{}, err
	}
	return Object{Key: key, Size: in.n, SHA256: in.sha256(), Modified: time.Now()}, nil
}

// begin reads the first part of a stream. A stream that is small has ended with it.
func (s *S3) begin(in *intake) (text []byte, small bool, err error) {
	room := int64(partSize)
	if most := in.most(); most >= 0 && most < room {
		room = most + 1
	}
	var first bytes.Buffer
	if most := in.lim.Size; most >= 0 {
		first.Grow(int(min(most, partSize)) + bytes.MinRead)
	}
	if _, err := io.Copy(&first, io.LimitReader(in, room)); err != nil {
		return nil, false, err
	}
	return first.Bytes(), in.ended, nil
}

func (s *S3) putSmall(ctx context.Context, name string, text []byte) error {
	core := minio.Core{Client: s.client.Load()}
	sum := md5.Sum(text) // the storage refuses what did not arrive as it left
	_, err := core.PutObject(ctx, s.cfg.Bucket, s.name(name), bytes.NewReader(text), int64(len(text)),
		base64.StdEncoding.EncodeToString(sum[:]), "", minio.PutObjectOptions{})
	return s.explain(name, err)
}

// putLarge sends a stream in parts.
func (s *S3) putLarge(ctx context.Context, name string, r io.Reader, in *intake) error {
	up, err := s.beginParts(ctx, name)
	if err != nil {
		return s.explain(name, err)
	}
	parts, err := up.send(ctx, r, max(int64(partSize), in.most()/mostParts))
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
