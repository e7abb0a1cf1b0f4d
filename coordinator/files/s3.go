package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/farm"
	"overcrank/outbound/storage"
)

const (
	// partSize is how many bytes of a stream of unknown length are buffered for one part; partsAtOnce parts are. S3 takes at most 10,000
	// parts, each but the last of at least 5 MiB.
	partSize    = 8 << 20
	partsAtOnce = 3
	maxParts    = 9_000
	// requestTimeout bounds a request that transfers no file, retries included.
	requestTimeout = 30 * time.Second
	// stallTimeout is how long a connection may transfer nothing. It is this long because joining the parts of a large file takes time.
	stallTimeout = 2 * time.Minute
	requestTries = 6
)

// S3Config says which bucket files are kept in, and how it is accessed.
type S3Config struct {
	Address
	Credentials *credentials.Credentials
	Scratch     string // local folder for files that programs read by path; created if needed
}

// S3 is a Store in a bucket of S3-compatible storage.
type S3 struct {
	client    atomic.Pointer[minio.Client]
	transport *http.Transport
	cfg       S3Config
	skew      atomic.Int64 // how far the storage's clock is ahead of this machine's, in nanoseconds

	ctx    context.Context // ends with Close, for readers
	cancel context.CancelFunc
}

// OpenS3 prepares the use of a bucket. It sends no request; see Reach.
func OpenS3(cfg S3Config) (*S3, error) {
	s := &S3{cfg: cfg, transport: http.DefaultTransport.(*http.Transport).Clone()}
	s.transport.MaxIdleConnsPerHost = 64
	s.transport.IdleConnTimeout = stallTimeout / 2
	dial := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	s.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return stallConn{conn}, nil
	}
	first, _ := storage.Styles(s.remote())
	if cfg.PathStyle != nil {
		first = minio.BucketLookupDNS
		if *cfg.PathStyle {
			first = minio.BucketLookupPath
		}
	}
	if err := s.useStyle(first); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(cfg.Scratch); err != nil {
		return nil, fmt.Errorf("clearing the scratch folder: %w", err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

func (s *S3) remote() farm.RemoteObject {
	return farm.RemoteObject{Endpoint: s.cfg.Endpoint, Region: s.cfg.Region, Bucket: s.cfg.Bucket, Insecure: s.cfg.Insecure}
}

// useStyle makes requests name the bucket in the host or in the path from now on.
func (s *S3) useStyle(style minio.BucketLookupType) error {
	client, err := minio.New(s.cfg.Endpoint, &minio.Options{
		Creds: s.cfg.Credentials, Secure: !s.cfg.Insecure, Region: s.cfg.Region, BucketLookup: style,
		Transport: clockTransport{s}, MaxRetries: requestTries,
	})
	if err != nil {
		return fmt.Errorf("malformed storage endpoint %q: %w", s.cfg.Endpoint, err)
	}
	s.client.Store(client)
	return nil
}

// clockTransport learns the storage's clock from the Date header of its answers.
type clockTransport struct{ s *S3 }

// RoundTrip implements http.RoundTripper.
func (w clockTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := w.s.transport.RoundTrip(r)
	if err == nil {
		if there, err := http.ParseTime(res.Header.Get("Date")); err == nil {
			w.s.skew.Store(int64(there.Sub(time.Now().Truncate(time.Second))))
		}
	}
	return res, err
}

// stallConn is a connection that fails when nothing moves on it for stallTimeout.
type stallConn struct{ net.Conn }

// Read implements net.Conn.
func (c stallConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn.
func (c stallConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Where implements Shared.
func (s *S3) Where() string { return s.cfg.String() }

// Close fails all open readers. Uploads in progress end with their contexts.
func (s *S3) Close() error {
	s.cancel()
	s.transport.CloseIdleConnections()
	return os.RemoveAll(s.cfg.Scratch)
}

// Reach implements Shared: it checks that the bucket exists and the credentials open it, and detects how to name the bucket.
func (s *S3) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.exists(ctx)
	if s.cfg.PathStyle != nil || !storage.RefusesStyle(err) {
		return s.explain("", err)
	}
	first, second := storage.Styles(s.remote())
	if second == minio.BucketLookupAuto {
		return s.explain("", err)
	}
	if bad := s.useStyle(second); bad != nil {
		return bad
	}
	if other := s.exists(ctx); other == nil || !storage.RefusesStyle(other) {
		return s.explain("", other)
	}
	return errors.Join(s.explain("", err), s.useStyle(first))
}

// exists lists the first name below the prefix. Credentials for one prefix may not ask whether the bucket exists.
func (s *S3) exists(ctx context.Context) error {
	for found := range s.client.Load().ListObjectsIter(ctx, s.cfg.Bucket, minio.ListObjectsOptions{Prefix: s.cfg.Prefix, MaxKeys: 1}) {
		return found.Err
	}
	return nil
}

// name is the object name of a key or note.
func (s *S3) name(key string) string { return s.cfg.Prefix + key }

// Stat implements Store.
func (s *S3) Stat(ctx context.Context, key string) (Object, error) {
	if err := Check(key); err != nil {
		return Object{}, err
	}
	return s.stat(ctx, key)
}

func (s *S3) stat(ctx context.Context, key string) (Object, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	info, err := s.client.Load().StatObject(ctx, s.cfg.Bucket, s.name(key), minio.StatObjectOptions{})
	if err != nil {
		return Object{}, s.explain(key, err)
	}
	return s.object(key, info), nil
}

// object describes a file, with its time converted to this machine's clock.
func (s *S3) object(key string, info minio.ObjectInfo) Object {
	return Object{Key: key, Size: info.Size, Modified: info.LastModified.Add(-time.Duration(s.skew.Load())), Version: info.ETag}
}

// Rename implements Store.
func (s *S3) Rename(ctx context.Context, from, to string) error {
	if err := errors.Join(Check(from), Check(to)); err != nil {
		return err
	}
	return s.move(ctx, from, to)
}

// move copies within the storage, then removes: S3 has no rename.
func (s *S3) move(ctx context.Context, from, to string) error {
	if err := s.copy(ctx, from, to); err != nil {
		return err
	}
	return s.remove(ctx, from)
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := Check(key); err != nil {
		return err
	}
	return s.remove(ctx, key)
}

func (s *S3) remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.explain(key, s.client.Load().RemoveObject(ctx, s.cfg.Bucket, s.name(key), minio.RemoveObjectOptions{}))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// DeleteBelow implements Store.
func (s *S3) DeleteBelow(ctx context.Context, key string) error {
	if err := Check(key); err != nil {
		return err
	}
	return s.list(ctx, key+"/", true, func(o Object) error { return s.remove(ctx, o.Key) })
}

// DeleteIf implements Store.
func (s *S3) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	return deleteIf(ctx, s, key, before, keep)
}

// List implements Store.
func (s *S3) List(ctx context.Context, key string, fn func(Object) error) error {
	if err := Check(key); err != nil {
		return err
	}
	return s.list(ctx, key+"/", false, fn)
}

// Walk implements Store.
func (s *S3) Walk(ctx context.Context, key string, fn func(Object) error) error {
	if err := Check(key); err != nil {
		return err
	}
	return s.list(ctx, key+"/", true, fn)
}

func (s *S3) list(ctx context.Context, prefix string, deep bool, fn func(Object) error) error {
	options := minio.ListObjectsOptions{Prefix: s.name(prefix), Recursive: deep}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for info := range s.client.Load().ListObjectsIter(ctx, s.cfg.Bucket, options) {
		if info.Err != nil {
			return s.explain(strings.TrimSuffix(prefix, "/"), info.Err)
		}
		key := strings.TrimPrefix(info.Key, s.cfg.Prefix)
		if err := fn(s.object(key, info)); err != nil {
			return err
		}
	}
	return nil
}

// Path implements Store: it downloads the file to this machine.
func (s *S3) Path(ctx context.Context, key string) (path string, done func(), err error) {
	r, err := s.Open(ctx, key)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	if err := os.MkdirAll(s.cfg.Scratch, 0o700); err != nil {
		return "", nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	dir, err := os.MkdirTemp(s.cfg.Scratch, "file-")
	if err != nil {
		return "", nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // the next start deletes what remains
	path = filepath.Join(dir, filepath.Base(key))
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		stop := context.AfterFunc(ctx, func() { _ = r.Close() }) // aborts the copying
		_, err = io.Copy(out, r)
		stop()
		err = cmp.Or(ctx.Err(), fullDisk(errors.Join(err, out.Close())))
	}
	if err != nil {
		done()
		return "", nil, fmt.Errorf("fetching %s: %w", key, err)
	}
	return path, done, nil
}

// Sweep implements Store. A bucket keeps the parts of unfinished uploads until these are aborted.
func (s *S3) Sweep(ctx context.Context) error {
	before := time.Now().Add(-uploadExpiry)
	err := s.list(ctx, temporary+"/", true, func(o Object) error {
		if o.Modified.After(before) {
			return nil
		}
		return s.remove(ctx, o.Key)
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for up := range s.client.Load().ListIncompleteUploads(ctx, s.cfg.Bucket, s.cfg.Prefix, true) {
		if up.Err != nil {
			return errors.Join(err, s.explain(temporary, up.Err))
		}
		if up.Initiated.Add(-time.Duration(s.skew.Load())).After(before) {
			continue
		}
		core := minio.Core{Client: s.client.Load()}
		err = errors.Join(err, s.explain(up.Key, core.AbortMultipartUpload(ctx, s.cfg.Bucket, up.Key, up.UploadID)))
	}
	return errors.Join(err, sweepMarks(ctx, s))
}
