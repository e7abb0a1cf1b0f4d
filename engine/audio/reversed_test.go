package audio

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

func TestSoundOfAnyLengthIsTurnedRound(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, reverseBlock, 2*reverseBlock + 1, 3*reverseBlock + 7} {
		b := make([]byte, n*sampleBytes)
		for i := range n {
			binary.LittleEndian.PutUint64(b[i*sampleBytes:], uint64(i))
		}
		path := filepath.Join(t.TempDir(), "s.f32")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := reverse(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || len(got) != len(b) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		for i := range n {
			if v := binary.LittleEndian.Uint64(got[i*sampleBytes:]); v != uint64(n-1-i) {
				t.Fatalf("of %d moments number %d is %d", n, i, v)
			}
		}
	}
}
