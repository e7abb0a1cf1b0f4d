package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"overcrank/interval"

	"github.com/minio/minio-go/v7"
)

const (
	// firstRead is how much of a file is asked for at once when it is opened: most are read whole with it, and of the others little is
	// wasted when they are read from elsewhere.
	firstRead = 256 << 10
	// rereads is how often reading goes on after the storage has broken off, from where it did.
	rereads = 5
	// skipWithin is how far ahead bytes are read and dropped rather than asked for anew.
	skipWithin = 64 << 10
)

// Open implements Store.
func (s *S3) Open(ctx context.Context, key string) (*Reader, error) {
	if err := Check(key); err != nil {
		return nil, err
	}
	return s.open(ctx, key)
}

func (s *S3) open(ctx context.Context, key string) (*Reader, error) {
	r := &s3reader{s: s, key: key}
	r.ctx, r.cancel = context.WithCancel(s.ctx)
	stop := context.AfterFunc(ctx, r.cancel)
	late := time.AfterFunc(askWithin, r.cancel)
	info, err := r.ask(0, firstRead)
	var said minio.ErrorResponse
	if errors.As(err, &said) && said.Code == minio.InvalidRange { // it is empty
		info, err = s.client.Load().StatObject(r.ctx, s.cfg.Bucket, s.name(key), minio.StatObjectOptions{})
	}
	if !stop() && ctx.Err() != nil {
		err = ctx.Err()
	} else if !late.Stop() && err != nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		return nil, errors.Join(s.explain(key, err), r.Close())
	}
	r.size, r.etag = info.Size, info.ETag
	return &Reader{ReadSeekCloser: r, Object: s.object(key, info), cut: r.cancel}, nil
}

// s3reader reads a file in order, from wherever it is wanted, and goes on by itself where the storage broke off.
type s3reader struct {
	s      *S3
	key    string
	size   int64
	etag   string // so that what is read later is of the same file
	ctx    context.Context
	cancel context.CancelFunc
	at     int64         // where the next Read reads
	body   io.ReadCloser // what comes from position on; nil when nothing was asked for
	from   int64         // where body is
}

// ask asks for a part of the file; most is 0 for all that comes after from. The answer's size is the whole file's.
func (r *s3reader) ask(from, most int64) (minio.ObjectInfo, error) {
	var options minio.GetObjectOptions
	if r.etag != "" {
		if err := options.SetMatchETag(r.etag); err != nil {
			return minio.ObjectInfo{}, err
		}
	}
	last := int64(0) // to the end
	if most > 0 {
		last = from + most - 1
	}
	if from > 0 || last > 0 {
		if err := options.SetRange(from, last); err != nil {
			return minio.ObjectInfo{}, err
		}
	}
	core := minio.Core{Client: r.s.client.Load()}
	body, info, header, err := core.GetObject(r.ctx, r.s.cfg.Bucket, r.s.name(r.key), options)
	if err != nil {
		return info, err
	}
	if _, whole, found := strings.Cut(header.Get("Content-Range"), "/"); found {
		if info.Size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			return info, errors.Join(fmt.Errorf("the storage names a size that is none: %w", err), body.Close())
		}
	}
	r.body, r.from = body, from
	return info, nil
}

// Read implements io.Reader.
func (r *s3reader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	var failed error
	for try := range rereads + 1 {
		if try > 0 && interval.Wait(r.ctx, time.Duration(try)*200*time.Millisecond) != nil {
			break
		}
		if failed = r.approach(); failed != nil {
			continue
		}
		n, err := r.body.Read(p)
		r.at, r.from = r.at+int64(n), r.from+int64(n)
		if n > 0 {
			return n, nil
		}
		_ = r.drop()
		if err != io.EOF { // the end of the first part is none of the file
			failed = err
		}
	}
	if failed == nil {
		failed = io.ErrUnexpectedEOF
	}
	if r.s.ctx.Err() == nil && r.ctx.Err() != nil {
		return 0, fmt.Errorf("reading %s: it has been closed", r.key)
	}
	return 0, r.s.explain(r.key, failed)
}

// approach has body stand where the next byte is wanted.
func (r *s3reader) approach() error {
	if r.body != nil && r.at >= r.from && r.at-r.from <= skipWithin {
		n, err := io.CopyN(io.Discard, r.body, r.at-r.from)
		r.from += n
		if err == nil {
			return nil
		}
	}
	_ = r.drop()
	_, err := r.ask(r.at, 0)
	return err
}

func (r *s3reader) drop() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}

// Seek implements io.Seeker. Nothing is asked for before the next Read.
func (r *s3reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("reading %s: position %d is before its beginning", r.key, offset)
	}
	r.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (r *s3reader) Close() error {
	r.cancel()
	_ = r.drop() // it was only read
	return nil
}
