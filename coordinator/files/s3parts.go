package files

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"overcrank/interval"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

const (
	// abandon is repeated, since a part may arrive after the first try.
	abandonTries  = 5
	abandonPause  = 100 * time.Millisecond
	abandonWithin = 15 * time.Second
)

// partsUpload is a multipart upload. The file appears when it is completed.
type partsUpload struct {
	core         minio.Core
	bucket, name string
	id           string
}

// beginParts begins an upload, which ends by complete or abandon.
func (s *S3) beginParts(ctx context.Context, name string) (*partsUpload, error) {
	up := &partsUpload{core: minio.Core{Client: s.client.Load()}, bucket: s.cfg.Bucket, name: s.name(name)}
	var err error
	up.id, err = up.core.NewMultipartUpload(ctx, up.bucket, up.name, minio.PutObjectOptions{})
	return up, err
}

// send uploads a stream in parts of size bytes, several at a time. If the stream fails, parts in flight are still sent: one that was cut
// off could arrive after the upload was aborted, and remain.
func (up *partsUpload) send(ctx context.Context, r io.Reader, size int64) ([]minio.CompletePart, error) {
	group, inGroup := errgroup.WithContext(ctx)
	free := make(chan []byte, partsAtOnce)
	for range partsAtOnce {
		free <- make([]byte, size)
	}
	var parts []*minio.CompletePart
	var broken error
	for ended := false; !ended; {
		var room []byte
		select {
		case room = <-free:
		case <-inGroup.Done():
			return nil, cmp.Or(group.Wait(), ctx.Err())
		}
		n, err := io.ReadFull(r, room)
		if ended = err != nil; ended && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			broken = err
			break
		}
		if n == 0 {
			break
		}
		part := &minio.CompletePart{PartNumber: len(parts) + 1}
		parts = append(parts, part)
		group.Go(func() error {
			err := up.put(inGroup, part, room[:n])
			free <- room
			return err
		})
	}
	if err := group.Wait(); broken == nil {
		broken = err
	}
	whole := make([]minio.CompletePart, len(parts))
	for i, part := range parts {
		whole[i] = *part
	}
	return whole, broken
}

// put sends one part. Its MD5 lets the storage refuse damaged bytes.
func (up *partsUpload) put(ctx context.Context, part *minio.CompletePart, text []byte) error {
	sum := md5.Sum(text)
	put, err := up.core.PutObjectPart(ctx, up.bucket, up.name, up.id, part.PartNumber, bytes.NewReader(text), int64(len(text)),
		minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:])})
	part.ETag = put.ETag
	return err
}

func (up *partsUpload) complete(ctx context.Context, parts []minio.CompletePart) error {
	_, err := up.core.CompleteMultipartUpload(ctx, up.bucket, up.name, up.id, parts, minio.PutObjectOptions{})
	return err
}

// abandon aborts the upload, again until the storage knows it no more: a part that was cut off may arrive after the first abort. Anything
// left is deleted by a later sweep.
func (up *partsUpload) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonWithin)
	defer cancel()
	for range abandonTries {
		err := up.core.AbortMultipartUpload(ctx, up.bucket, up.name, up.id)
		if minio.ToErrorResponse(err).Code == minio.NoSuchUpload || interval.Wait(ctx, abandonPause) != nil {
			return
		}
	}
}
