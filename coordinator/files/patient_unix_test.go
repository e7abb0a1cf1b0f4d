//go:build unix

package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe without a writer blocks whoever opens it, like a file server that is gone: contexts do not end that.
func hang(t *testing.T, path string) (end func()) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
	}
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain waited for: %s", what)
		}
	}
}

func TestHangingCallIsAbandoned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := NewPatient(mountOf(t, dir, "node"))
	release := hang(t, filepath.Join(dir, "stuck"))
	put(t, p, "well", "text")

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Open(ctx, "stuck"); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opening what hangs: %v", err)
	}
	leaving, leave := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, leave)
	if _, err := ReadAll(leaving, p, "stuck"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that leaves: %v", err)
	}
	if p.Hung() != 2 {
		t.Errorf("%d calls hang, want 2", p.Hung())
	}
	if got := read(t, p, "well"); got != "text" {
		t.Errorf("the other file holds %q", got)
	}
	release()
	within(t, "the calls have come back", func() bool { return p.Hung() == 0 })
}

// A read is abandoned when the storage fails in the middle of a file.
func TestHangingReadIsAbandoned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := NewPatient(mountOf(t, dir, "node"))
	path := filepath.Join(dir, "stuck")
	hang(t, path)
	writer, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Open(t.Context(), "stuck")
	if err != nil {
		t.Fatal(err)
	}
	p.within = 20 * time.Millisecond
	if _, err := io.ReadAll(r); !errors.Is(err, ErrUnreachable) {
		t.Errorf("reading what hangs: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := writer.Write([]byte("x")); err != nil { // which the one who was left behind reads
		t.Fatal(err)
	}
	within(t, "the read has come back", func() bool { return p.Hung() == 0 })
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

// Beyond a number of hanging calls no further ones are begun.
func TestTooManyHangingCallsRefuseMore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := NewPatient(mountOf(t, dir, "node"))
	release := hang(t, filepath.Join(dir, "stuck"))
	for p.Hung() < maxHung {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := p.Open(ctx, "stuck"); !errors.Is(err, ErrUnreachable) {
			t.Fatal(err)
		}
		cancel()
	}
	if _, err := p.Stat(t.Context(), "well"); !errors.Is(err, ErrUnreachable) {
		t.Errorf("one call more: %v", err)
	}
	release()
	within(t, "the calls have come back", func() bool { return p.Hung() == 0 })
	if _, err := p.Stat(t.Context(), "well"); !errors.Is(err, ErrNotFound) {
		t.Errorf("afterwards: %v", err)
	}
}
