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
	// A storage is told to forget an upload so often at most, with a pause behind each time.
	abandonTries  = 5
	abandonPause  = 100 * time.Millisecond
	abandonWithin = 15 * time.Second
)

// partsUpload is a file on its way into a bucket in parts, of which nothing is seen before the last one has arrived and the storage was
// told so.
type partsUpload struct {
	core         minio.Core
	bucket, name string
	id           string
}

// beginParts begins an upload; whoever does ends it by complete or abandon.
func (s *S3) beginParts(ctx context.Context, name string) (*partsUpload, error) {
	up := &partsUpload{core: minio.Core{Client: s.client.Load()}, bucket: s.cfg.Bucket, name: s.name(name)}
	var err error
	up.id, err = up.core.NewMultipartUpload(ctx, up.bucket, up.name, minio.PutObjectOptions{})
	return up, err
}

// send sends a stream in parts of some size, several at a time. When the stream breaks off, parts that are on their way arrive all the
// same: a part that is cut off may reach the storage later, and behind the word that it is not wanted.
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

// put sends one part. The storage refuses what did not arrive as it left.
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

// abandon has the storage forget the upload. It is told again until it knows of none: a part that was cut off may have come behind the
// first word. What stays nevertheless goes with a sweep.
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
