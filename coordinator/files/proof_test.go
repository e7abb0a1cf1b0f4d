package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"overcrank/agent/upload/s3test"
)

func filmOf(n int) ([]byte, string) {
	text := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(text)
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:])
}

// readThrough opens and reads a file as a download does.
func readThrough(t *testing.T, p *Proofs, k Kept) ([]byte, error) {
	t.Helper()
	r, err := p.Open(t.Context(), k)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func flip(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 4
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// No store serves a damaged file as intact. Once the file is restored it is served again.
func TestDamagedFileIsNotServed(t *testing.T) {
	text, sum := filmOf(300_000)
	onEveryStore(t, func(t *testing.T, s Store) {
		var found []Damage
		p := NewProofs(s, func(d Damage) { found = append(found, d) })
		k := Kept{Key: "outputs/film.mp4", SHA256: sum, Size: int64(len(text))}
		put := func(text []byte) {
			t.Helper()
			if _, err := s.Put(t.Context(), k.Key, bytes.NewReader(text), Limits{Size: -1}); err != nil {
				t.Fatal(err)
			}
		}
		put(text)
		for range 2 {
			if got, err := readThrough(t, p, k); err != nil || !bytes.Equal(got, text) {
				t.Fatalf("the whole file: %d bytes, %v", len(got), err)
			}
		}
		if path, done, err := p.Path(t.Context(), k); err != nil {
			t.Fatal(err)
		} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("the whole file at its path: %d bytes, %v", len(got), err)
		} else {
			done()
		}
		damaged := slices.Clone(text)
		damaged[len(damaged)-1] ^= 1
		put(damaged)
		for range 2 {
			if got, err := readThrough(t, p, k); !errors.Is(err, ErrDamaged) || len(got) >= len(text) {
				t.Fatalf("the damaged file: %d bytes, %v", len(got), err)
			}
		}
		if _, _, err := p.Path(t.Context(), k); !errors.Is(err, ErrDamaged) {
			t.Fatalf("the damaged file has a path: %v", err)
		}
		if err := p.Check(t.Context(), k, 0); !errors.Is(err, ErrDamaged) {
			t.Fatalf("the damaged file passes: %v", err)
		}
		if list := p.Damaged(); len(list) != 1 || list[0].Key != k.Key || len(found) != 1 {
			t.Fatalf("told of %v, listed %v", found, list)
		}
		put(text[:len(text)-1])
		if _, err := p.Open(t.Context(), k); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a file that is too short: %v", err)
		}
		put(text)
		p.Review(t.Context())
		if list := p.Damaged(); len(list) != 0 {
			t.Errorf("still damaged: %v", list)
		}
		if got, err := readThrough(t, p, k); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("the file that was put back: %d bytes, %v", len(got), err)
		}
	})
}

// A read that skips the beginning of a file does not verify it, and does not prevent its verification either.
func TestLargeFileIsVerifiedWhileRead(t *testing.T) {
	server := s3test.Start(t, "farm")
	s := bucketOf(t, server, "")
	text, sum := filmOf(1 << 20)
	p := NewProofs(s, nil)
	p.small = int64(len(text)) - 1
	k := Kept{Key: "outputs/film.mp4", SHA256: sum, Size: int64(len(text))}
	if _, err := s.Put(t.Context(), k.Key, bytes.NewReader(text), Limits{Size: -1}); err != nil {
		t.Fatal(err)
	}
	r, err := p.Open(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at := func(from int64, n int) {
		t.Helper()
		got := make([]byte, n)
		if _, err := r.Seek(from, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, text[from:from+int64(n)]) {
			t.Fatalf("%d bytes from %d: %v", n, from, err)
		}
	}
	at(0, 1000)
	at(500_000, 1000)
	at(500, 2000)
	at(int64(len(text))-10, 10)
	if known, err := p.known(k, r.Object); known || err != nil {
		t.Fatalf("proved by pieces: %t, %v", known, err)
	}
	if _, err := r.Seek(100, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || !bytes.Equal(rest, text[100:]) {
		t.Fatalf("%d bytes, %v", len(rest), err)
	}
	if known, err := p.known(k, r.Object); !known || err != nil {
		t.Fatalf("read whole: %t, %v", known, err)
	}
}

// A part of a small file is given only when all of it is intact, wherever it lies.
func TestPartsOfDamagedFilesAreNotServed(t *testing.T) {
	text, sum := filmOf(300_000)
	onEveryStore(t, func(t *testing.T, s Store) {
		p := NewProofs(s, nil)
		k := Kept{Key: "outputs/film.mp4", SHA256: sum, Size: int64(len(text))}
		part := func() ([]byte, error) {
			r, err := p.Open(t.Context(), k)
			if err != nil {
				return nil, err
			}
			defer r.Close()
			if _, err := r.Seek(200_000, io.SeekStart); err != nil {
				return nil, err
			}
			got := make([]byte, 1000)
			_, err = io.ReadFull(r, got)
			return got, err
		}
		damaged := slices.Clone(text)
		damaged[100] ^= 1
		for _, content := range [][]byte{damaged, text} {
			if _, err := s.Put(t.Context(), k.Key, bytes.NewReader(content), Limits{Size: -1}); err != nil {
				t.Fatal(err)
			}
			got, err := part()
			if whole := bytes.Equal(content, text); whole && (err != nil || !bytes.Equal(got, text[200_000:201_000])) || !whole && !errors.Is(err, ErrDamaged) {
				t.Fatalf("a part of the file, intact %t: %v", whole, err)
			}
		}
		if r, err := p.Open(t.Context(), k); err != nil {
			t.Fatal(err)
		} else if known, err := p.known(k, r.Object); !known || errors.Join(err, r.Close()) != nil {
			t.Fatalf("it was verified for its part: %t, %v", known, err)
		}
	})
}

// A file in a folder is verified once for all who ask at the same time; later damage is noticed.
func TestConcurrentOpensVerifyOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text, sum := filmOf(1 << 20)
	obj, err := s.PutBlob(t.Context(), bytes.NewReader(text), Limits{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	p := NewProofs(s, nil)
	k := Kept{Key: obj.Key, SHA256: sum, Size: obj.Size}
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			r, err := p.Open(t.Context(), k)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			if _, proving := r.ReadSeekCloser.(*provingReader); proving {
				t.Error("a file of this machine is given before it was proved")
			}
		})
	}
	readers.Wait()
	flip(t, filepath.Join(dir, filepath.FromSlash(obj.Key)))
	if _, err := p.Open(t.Context(), k); !errors.Is(err, ErrDamaged) {
		t.Fatalf("after a bit was flipped: %v", err)
	}
	if _, err := s.PutBlob(t.Context(), bytes.NewReader(text), Limits{Size: -1}); err != nil {
		t.Fatal(err)
	}
	if got, err := readThrough(t, p, k); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("after it was uploaded again: %v", err)
	}
}
