package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// held is an open file of the cache. The file stays on the disk until release.
type held struct {
	c *Cache
	e *entry
	f *os.File
}

func (h *held) release() error {
	err := h.f.Close()
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.c.unpin(h.e)
	return err
}

// unpin counts one reader of an entry less. c.mu is held.
func (c *Cache) unpin(e *entry) {
	e.pins--
	switch {
	case e.pins > 0:
	case e.dropped:
		c.unlink(e)
	default:
		c.evict(0) // it may have been kept beyond the limit only because it was read
	}
}

// copyTo copies the file to dst and verifies it. A damaged file is dropped from the cache; the error is ErrContent then, and dst is removed.
func (h *held) copyTo(ctx context.Context, dst string) (err error) {
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copy from the cache: %w", err)
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(fmt.Errorf("copy from the cache: %w", err), os.Remove(dst))
		}
	}()
	return h.read(ctx, out)
}

// read writes the content to w and verifies it. The error is ErrContent when it is damaged.
func (h *held) read(ctx context.Context, w io.Writer) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), contextReader{ctx, h.f})
	if err != nil {
		return err
	}
	return h.verify(hex.EncodeToString(sum.Sum(nil)), n)
}

// verify compares the hash of what was read with that of the entry, which it drops when they differ.
func (h *held) verify(sha string, n int64) error {
	if sha == h.e.sha {
		return nil
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.c.drop(h.e)
	return fmt.Errorf("%w: the cache has %d bytes with the hash %s as %s", ErrContent, n, sha, h.e.sha)
}

// contextReader is a reader that fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}
