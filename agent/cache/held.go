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

// held is a file of the cache that is being read; it stays on the disk until release.
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

// unpin ends one reading of an entry. c.mu is held.
func (c *Cache) unpin(e *entry) {
	e.pins--
	switch {
	case e.pins > 0:
	case e.dropped:
		c.unlink(e)
	default:
		c.evict(0) // what was too much because it was read
	}
}

// copyTo copies the file and proves what was copied. A damaged one is taken out of the cache; then the error is ErrContent, and dst
// is not there.
func (h *held) copyTo(ctx context.Context, dst string) (err error) {
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copying from the cache: %w", err)
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(fmt.Errorf("copying from the cache: %w", err), os.Remove(dst))
		}
	}()
	return h.read(ctx, out)
}

// read gives the content, and an ErrContent behind it when it is not what it should be.
func (h *held) read(ctx context.Context, w io.Writer) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), contextReader{ctx, h.f})
	if err != nil {
		return err
	}
	return h.prove(hex.EncodeToString(sum.Sum(nil)), n)
}

// prove compares what was read with what was to be read.
func (h *held) prove(sha string, n int64) error {
	if sha == h.e.sha {
		return nil
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.c.drop(h.e)
	return fmt.Errorf("%w: %d bytes with hash %s lie in the cache as %s", ErrContent, n, sha, h.e.sha)
}

// contextReader ends a long copy when its context does.
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
