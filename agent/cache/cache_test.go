package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func giving(b []byte) Fetch {
	return func(_ context.Context, w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

func open(t *testing.T, dir string, limit int64) *Cache {
	t.Helper()
	c, err := Open(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func get(t *testing.T, c *Cache, b []byte, fetch Fetch) error {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "dst")
	if err := c.Copy(t.Context(), hashOf(b), int64(len(b)), dst, fetch); err != nil {
		if _, left := os.Stat(dst); !errors.Is(left, os.ErrNotExist) {
			t.Errorf("a copy that failed is there: %v", left)
		}
		return err
	}
	if got, err := os.ReadFile(dst); err != nil || !bytes.Equal(got, b) {
		t.Errorf("got %q, %v", got, err)
	}
	return nil
}

func never(context.Context, io.Writer) error { return errors.New("fetched once more") }

func TestFileIsFetchedOnceAndStaysOverARestart(t *testing.T) {
	dir, content := t.TempDir(), []byte("hello")
	if err := get(t, open(t, dir, 100), content, giving(content)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".part-1"), []byte("left over"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, 100)
	if err := get(t, again, content, never); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
}

func TestWrongContentIsNeverKept(t *testing.T) {
	c := open(t, t.TempDir(), 100)
	want := []byte("right")
	for _, wrong := range []string{"wrong", "righ", "right and more", ""} {
		if err := get(t, c, want, giving([]byte(wrong))); !errors.Is(err, ErrContent) {
			t.Fatalf("%q: %v", wrong, err)
		}
	}
	broken := errors.New("the line broke")
	err := get(t, c, want, func(_ context.Context, w io.Writer) error {
		_, err := w.Write(want[:2])
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(c.dir); err != nil || len(files) != 0 || c.Size() != 0 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := c.Copy(t.Context(), "../../etc/passwd", -1, filepath.Join(t.TempDir(), "x"), giving(nil)); err == nil {
		t.Fatal("a path was taken for a hash")
	}
}

func TestWhatWasUsedLongestAgoGoesFirst(t *testing.T) {
	c := open(t, t.TempDir(), 10)
	a, b, d := []byte("aaaa"), []byte("bbbb"), []byte("dddd")
	for _, f := range [][]byte{a, b, a} {
		if err := get(t, c, f, giving(f)); err != nil {
			t.Fatal(err)
		}
	}
	if err := get(t, c, d, giving(d)); err != nil {
		t.Fatal(err)
	}
	if err := get(t, c, a, never); err != nil {
		t.Error("what was used last is gone")
	}
	if err := get(t, c, b, never); err == nil {
		t.Error("what was used longest ago is still there")
	}
	big := bytes.Repeat([]byte("x"), 50)
	if err := get(t, c, big, giving(big)); err != nil || c.Size() > 10 {
		t.Errorf("a file above the limit: %v, %d bytes kept", err, c.Size())
	}
}

func TestCallersAtOnceShareOneFetch(t *testing.T) {
	c := open(t, t.TempDir(), 100)
	content := []byte("shared")
	var fetches atomic.Int32
	joined := make(chan struct{})
	fetch := func(_ context.Context, w io.Writer) error {
		fetches.Add(1)
		<-joined
		_, err := w.Write(content)
		return err
	}
	first, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Copy(first, hashOf(content), -1, filepath.Join(t.TempDir(), "left"), fetch); !errors.Is(err, context.Canceled) {
			t.Errorf("the one who left got %v", err)
		}
	})
	for range 5 {
		wg.Go(func() {
			if err := get(t, c, content, fetch); err != nil {
				t.Error(err)
			}
		})
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		fl := c.fetches[hashOf(content)]
		all := fl != nil && fl.waiting == 6
		c.mu.Unlock()
		if all {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the callers did not come together")
		}
	}
	leave()
	close(joined)
	wg.Wait()
	if fetches.Load() != 1 {
		t.Fatalf("%d fetches", fetches.Load())
	}
}

func TestFetchEndsWhenNobodyWaitsForIt(t *testing.T) {
	c := open(t, t.TempDir(), 100)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	go func() { <-started; cancel() }()
	err := c.Copy(ctx, hashOf([]byte("x")), -1, filepath.Join(t.TempDir(), "x"), func(ctx context.Context, _ io.Writer) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.Close()
}
