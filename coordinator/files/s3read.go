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
	// firstRead is how many bytes are requested when a file is opened. Most files fit; where a reader seeks at once, little is wasted.
	firstRead = 256 << 10
	// rereads is how often a read resumes after the connection broke.
	rereads = 5
	// skipWithin is the longest gap, in bytes, that is read and discarded rather than requested anew.
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
	late := time.AfterFunc(requestTimeout, r.cancel)
	info, err := r.ask(0, firstRead)
	var said minio.ErrorResponse
	if errors.As(err, &said) && said.Code == minio.InvalidRange { // the file is empty
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

// s3reader reads a file, from any position, and resumes where the connection broke.
type s3reader struct {
	s      *S3
	key    string
	size   int64
	etag   string // so that later requests read the same version
	ctx    context.Context
	cancel context.CancelFunc
	at     int64         // offset of the next Read
	body   io.ReadCloser // the file from offset from on; nil before the first request
	from   int64         // offset at which body stands
}

// ask requests length bytes of the file at from; 0 for all that follow. The returned size is that of the whole file.
func (r *s3reader) ask(from, length int64) (minio.ObjectInfo, error) {
	var options minio.GetObjectOptions
	if r.etag != "" {
		if err := options.SetMatchETag(r.etag); err != nil {
			return minio.ObjectInfo{}, err
		}
	}
	last := int64(0) // to the end
	if length > 0 {
		last = from + length - 1
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
			return info, errors.Join(fmt.Errorf("the storage sent a malformed size: %w", err), body.Close())
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
		if failed = r.seekBody(); failed != nil {
			continue
		}
		n, err := r.body.Read(p)
		r.at, r.from = r.at+int64(n), r.from+int64(n)
		if n > 0 {
			return n, nil
		}
		_ = r.drop()
		if err != io.EOF { // only the first request's range ended, not the file
			failed = err
		}
	}
	if failed == nil {
		failed = io.ErrUnexpectedEOF
	}
	if r.s.ctx.Err() == nil && r.ctx.Err() != nil {
		return 0, fmt.Errorf("reading %s: the file is closed", r.key)
	}
	return 0, r.s.explain(r.key, failed)
}

// seekBody brings body to the offset of the next Read, with a new request if needed.
func (r *s3reader) seekBody() error {
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

// Seek implements io.Seeker. It sends no request.
func (r *s3reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, fmt.Errorf("reading %s: negative position %d", r.key, offset)
	}
	r.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (r *s3reader) Close() error {
	r.cancel()
	_ = r.drop() // nothing was written
	return nil
}
