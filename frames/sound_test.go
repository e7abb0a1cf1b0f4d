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

// FuzzSoundLength looks for the length of files that were WAV: it is one that the file has room for.
func FuzzSoundLength(f *testing.F) {
	f.Add(NoSound())
	f.Add(append(append(NoSound()[:36:36], "LIST\x02\x00\x00\x00abdata\x04\x00\x00\x00"...), 1, 2, 3, 4))
	path := filepath.Join(f.TempDir(), "x.wav")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if seconds, err := SoundLength(path); err == nil && !(seconds >= 0 && seconds <= float64(len(data))) {
			t.Errorf("%g seconds in %d bytes", seconds, len(data))
		}
	})
}
