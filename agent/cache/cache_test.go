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

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	f, err := c.Get(t.Context(), hashOf(b), int64(len(b)), fetch)
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, b) {
		t.Fatalf("got %q, %v", got, err)
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
	if _, err := c.Get(t.Context(), "../../etc/passwd", -1, giving(nil)); err == nil {
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
	if err := get(t, c, big, giving(big)); err != nil || c.Size() != 50 {
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
		if _, err := c.Get(first, hashOf(content), -1, fetch); !errors.Is(err, context.Canceled) {
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
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		fl := c.flights[hashOf(content)]
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
	_, err := c.Get(ctx, hashOf([]byte("x")), -1, func(ctx context.Context, _ io.Writer) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.Close()
}
