package files

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"testing"

	"overcrank/agent/upload/s3test"
)

// BenchmarkStore measures writing and reading on each kind of store: films, and the many small files beside them.
func BenchmarkStore(b *testing.B) {
	private, err := OpenFolder(b.TempDir(), -1)
	if err != nil {
		b.Fatal(err)
	}
	defer private.Close()
	stores := []struct {
		name string
		Store
	}{
		{"folder", private},
		{"mount", mountOf(b, b.TempDir(), "n1")},
		{"s3", bucketOf(b, s3test.Start(b, "farm"), "farm/")},
	}
	for _, size := range []int{20 << 10, 100 << 20} {
		content := make([]byte, size)
		_, _ = rand.Read(content)
		for _, s := range stores {
			name := fmt.Sprintf("%s/%dKiB", s.name, size>>10)
			key := fmt.Sprintf("bench/%d", size)
			b.Run("put/"+name, func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := s.Put(b.Context(), key, bytes.NewReader(content), Limits{Size: int64(size)}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("get/"+name, func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					r, err := s.Open(b.Context(), key)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, r); err != nil {
						b.Fatal(err)
					}
					if err := r.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
