package frames

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWAVFilesOfOthersAreReadWithCare(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.wav")
	whole := append(NoSound()[:40:40], 0xc0, 0x5d, 0, 0)
	whole = append(whole, make([]byte, 24000)...)
	for name, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"whole": {whole, true}, "silent": {NoSound(), true}, "none": {nil, false}, "cut off": {whole[:2000], false}, "no samples": {whole[:36], false},
		"other": {[]byte(strings.Repeat("x", 100)), false}, "endless chunks": {append([]byte("RIFF\x00\x00\x00\x00WAVE"), make([]byte, 4096)...), false},
	} {
		if err := os.WriteFile(path, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		if seconds, err := SoundLength(path); (err == nil) != c.ok || name == "whole" && seconds != 0.125 {
			t.Errorf("%s: %g s, %v", name, seconds, err)
		}
	}
}
