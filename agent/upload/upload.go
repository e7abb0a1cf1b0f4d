// Package upload hands results over to S3-compatible storage.
package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"overcrank/farm"
	"overcrank/outbound"
	"overcrank/outbound/storage"
)

// Object is a file to be handed over.
type Object struct {
	Path        string
	Size        int64 // bytes
	ContentType string
	To          farm.RemoteObject
	ACL         string // a canned one, such as public-read; "" for the bucket's own
	KeyID       string // of the access key
	Secret      string // of the access key
	// Until is when the file is tried for the last time; zero is when the Uploader's patience is over.
	Until time.Time
}

// Error is an upload that did not succeed. It names the bucket, the key and the reason, and never a credential.
type Error struct {
	Bucket, Key string
	Reason      string
	Retry       bool // another attempt, later or elsewhere, might go better
	Err         error
}

func (e *Error) Error() string {
	return fmt.Sprintf("Upload of '%s' to bucket '%s' failed: %s", e.Key, e.Bucket, e.Reason)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Uploader hands files over. Make one with New.
type Uploader struct {
	Patience  time.Duration    // how long one file is tried while the storage fails in passing
	Silence   time.Duration    // the same for a storage that could not be reached a single time: its address may be wrong
	Pause     time.Duration    // before the second try, doubled each time up to a minute
	Headway   outbound.Headway // of a try
	guard     outbound.Guard
	transport *http.Transport
}

// maxPause is the longest time between two tries.
const maxPause = time.Minute

// New makes an Uploader that asks only machines that the guard allows.
func New(guard outbound.Guard) *Uploader {
	transport := guard.Transport()
	transport.Proxy = http.ProxyFromEnvironment
	transport.ResponseHeaderTimeout = 2 * time.Minute // to put the parts of a large object together takes its time
	return &Uploader{Patience: time.Hour, Silence: 5 * time.Minute, Pause: time.Second, Headway: outbound.UsualHeadway(5 * time.Minute), guard: guard, transport: transport}
}

// Close ends idle connections.
func (u *Uploader) Close() { u.transport.CloseIdleConnections() }

// Put hands a file over, and says whether the storage took it with the bucket as part of the host's name. told, when not nil, is told
// how many of its bytes are sent; again, when not nil, is told why the file is sent once more.
func (u *Uploader) Put(ctx context.Context, o Object, told func(sent int64), again func(reason string)) (inHost bool, err error) {
	pause, begun := u.Pause, time.Now()
	longest := u.Patience
	if !o.Until.IsZero() {
		longest = min(longest, o.Until.Sub(begun))
	}
	for patience := min(u.Silence, longest); ; {
		inHost, err = u.eitherStyle(ctx, o, told)
		if !unreachable(err) {
			patience = longest
		}
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.Retry || time.Since(begun)+pause > patience {
			return inHost, err
		}
		if again != nil {
			again(failed.Reason)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		pause = min(2*pause, maxPause)
	}
}

// unreachable tells whether nobody was there to be asked.
func unreachable(err error) bool {
	var dial *net.OpError
	var name *net.DNSError
	return errors.As(err, &name) || errors.As(err, &dial) && dial.Op == "dial"
}

// eitherStyle names the bucket as the storage most likely wants it, in the host or in the path, and the other way when it
// is told that this one is wrong.
func (u *Uploader) eitherStyle(ctx context.Context, o Object, told func(int64)) (inHost bool, err error) {
	first, second := storage.Styles(o.To)
	err = u.once(ctx, o, first, told)
	if second == minio.BucketLookupAuto || !storage.RefusesStyle(err) {
		return first == minio.BucketLookupDNS, err
	}
	if other := u.once(ctx, o, second, told); other == nil || !storage.RefusesStyle(other) {
		return second == minio.BucketLookupDNS, other
	}
	return false, err
}

// once sends the file one time.
func (u *Uploader) once(parent context.Context, o Object, style minio.BucketLookupType, told func(int64)) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	// The client itself would say so in a way that reads like a network's failure, which is tried again.
	if s3utils.CheckValidBucketName(o.To.Bucket) != nil || s3utils.CheckValidObjectName(o.To.Key) != nil {
		return &Error{Bucket: o.To.Bucket, Key: o.To.Key, Reason: "the name of the bucket or of the object is not allowed"}
	}
	client, err := minio.New(o.To.Endpoint, &minio.Options{
		Creds: credentials.NewStaticV4(o.KeyID, o.Secret, ""), Secure: !o.To.Insecure, Transport: u.transport, Region: o.To.Region, BucketLookup: style, MaxRetries: 4,
	})
	if err != nil {
		return &Error{Bucket: o.To.Bucket, Key: o.To.Key, Reason: "the endpoint is not well formed", Err: err}
	}
	if err := u.guard.Check(client.EndpointURL()); err != nil {
		return u.explain(ctx, o, err)
	}
	in, err := os.Open(o.Path)
	if err != nil {
		return fmt.Errorf("opening the result: %w", err)
	}
	defer in.Close()
	meter := &meter{size: o.Size, told: told, watch: u.Headway.Watch(cancel)}
	defer meter.watch.Stop()
	options := minio.PutObjectOptions{ContentType: o.ContentType, Progress: meter, SendContentMd5: true}
	if o.ACL != "" {
		options.UserMetadata = map[string]string{"x-amz-acl": o.ACL}
	}
	// Part after part with a hash of each: the storage refuses what did not arrive as it left.
	sent, err := client.PutObject(ctx, o.To.Bucket, o.To.Key, in, o.Size, options)
	if err == nil && sent.Size != o.Size {
		err = fmt.Errorf("%d bytes of %d arrived", sent.Size, o.Size)
	}
	if err != nil {
		if cause := context.Cause(parent); cause != nil {
			return cause
		}
		return u.explain(ctx, o, err)
	}
	return nil
}

// meter counts bytes as they leave.
type meter struct {
	watch *outbound.Watch
	size  int64
	told  func(int64)
	mu    sync.Mutex
	sent  int64
}

// Read implements io.Reader as minio wants it of a progress: it is handed what was sent.
func (m *meter) Read(p []byte) (int, error) {
	m.watch.Moved(len(p))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = min(m.sent+int64(len(p)), m.size) // a part that is sent again counts again
	if m.told != nil {
		m.told(m.sent)
	}
	return len(p), nil
}

var _ io.Reader = (*meter)(nil)
