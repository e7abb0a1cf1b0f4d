package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
)

func put(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.wav")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSamplesAreThoseThatFFmpegReads has ffmpeg write files in each format, and read them too.
func TestSamplesAreThoseThatFFmpegReads(t *testing.T) {
	for _, c := range []struct {
		codec    string
		rate     int
		channels int
	}{
		{"pcm_s16le", 48000, 2}, {"pcm_s16le", 44100, 1}, {"pcm_s24le", 96000, 2}, {"pcm_s24le", 48000, 1}, {"pcm_f32le", 48000, 2}, {"pcm_f32le", 22050, 1},
	} {
		t.Run(fmt.Sprint(c.codec, c.rate, c.channels), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sound.wav")
			source := fmt.Sprintf("aevalsrc='random(0)*2-1|sin(t*777)':s=%d:d=0.31", c.rate)
			if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", source, "-ac", fmt.Sprint(c.channels), "-c:a", c.codec, path); err != nil {
				t.Fatal(err)
			}
			pan := "pan=stereo|c0=c0|c1=c0"
			if c.channels == 2 {
				pan = "anull"
			}
			raw, err := ffmpeg.Run(t.Context(), "ffmpeg", append(ffmpeg.Input(path), "-af", pan, "-f", "f64le", "-")...)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]Frame, len(raw)/16)
			if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, want); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if f.Rate != c.rate || f.Channels != c.channels || f.Frames != int64(len(want)) {
				t.Fatalf("rate %d, channels %d, %d frames; want %+v, %d", f.Rate, f.Channels, f.Frames, c, len(want))
			}
			const before, after = 7, 5
			want = append(append(make([]Frame, before), want...), make([]Frame, after)...)
			got := make([]Frame, len(want))
			for at := 0; at < len(got); at += 1000 { // in parts, the first of which begins before the file
				if err := f.Read(int64(at)-before, got[at:min(len(got), at+1000)]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("frame %d is %v, want %v", i-before, got[i], want[i])
				}
			}
		})
	}
}

// TestOtherFilesAreLeftToOthers changes one thing of a file that is read.
func TestOtherFilesAreLeftToOthers(t *testing.T) {
	good := append(Head(48000, 3), make([]byte, 12)...)
	f, err := Open(put(t, good))
	if err != nil || f.Frames != 3 || f.Channels != 2 || f.Rate != 48000 {
		t.Fatalf("%+v, %v", f, err)
	}
	defer f.Close()
	for name, change := range map[string]func(b []byte) []byte{
		"empty":            func([]byte) []byte { return nil },
		"another kind":     func(b []byte) []byte { copy(b[8:], "AVI "); return b },
		"cut off":          func(b []byte) []byte { return b[:len(b)-1] },
		"of unknown size":  func(b []byte) []byte { copy(b[40:], "\xff\xff\xff\xff"); return b },
		"without samples":  func(b []byte) []byte { copy(b[40:], "\x00\x00\x00\x00"); return b },
		"ADPCM":            func(b []byte) []byte { b[20] = 2; return b },
		"eight bits":       func(b []byte) []byte { b[34], b[32] = 8, 2; return b },
		"three channels":   func(b []byte) []byte { b[22], b[32] = 3, 6; return b },
		"frames of 5":      func(b []byte) []byte { b[32] = 5; return b },
		"no rate":          func(b []byte) []byte { copy(b[24:28], "\x00\x00\x00\x00"); return b },
		"no format":        func(b []byte) []byte { copy(b[12:], "junk"); return b },
		"a short format":   func(b []byte) []byte { b[16] = 14; return b },
		"chunks of nought": func(b []byte) []byte { return append(b[:12], make([]byte, 2000)...) },
	} {
		if _, err := Open(put(t, change(bytes.Clone(good)))); !errors.Is(err, ErrOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileThatShrinksIsNotSilent(t *testing.T) {
	path := put(t, append(Head(48000, 100), make([]byte, 400)...))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 200); err != nil {
		t.Fatal(err)
	}
	if err := f.Read(0, make([]Frame, 100)); err == nil {
		t.Error("samples that are not there were read")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(append(Head(48000, 3), make([]byte, 12)...))
	f.Add(append([]byte("RIFF\x00\x00\x00\x00WAVEjunk\x03\x00\x00\x00abc\x00"), Head(8000, 2)[12:]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := Open(put(t, b))
		if err != nil {
			return
		}
		defer in.Close()
		if d := in.Duration(); !(d >= 0) || math.IsInf(d, 0) || in.Frames > int64(len(b)) {
			t.Fatalf("%d frames, %g s", in.Frames, d)
		}
		to := make([]Frame, 16)
		for _, at := range []int64{-5, 0, in.Frames - 3, math.MaxInt64 / 2} {
			if err := in.Read(at, to); err != nil {
				t.Fatal(err)
			}
		}
	})
}
