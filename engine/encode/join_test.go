package encode

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcrank/ffmpeg"
)

// stretches are the films of stretches of so many frames each, as the encoder of a film leaves them.
func stretches(t testing.TB, lengths ...int) *stretched {
	t.Helper()
	s := stretchedSpec(t, 64, 48)
	s.RateNum, s.RateDen, s.Cuts = 30000, 1001, nil
	n := 0
	for _, length := range lengths[:len(lengths)-1] {
		n += length
		s.Cuts = append(s.Cuts, n)
	}
	out, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	w := out.(*stretched)
	t.Cleanup(w.Abort)
	for i := range n + lengths[len(lengths)-1] {
		if err := w.Write(i, frame(64, 48, color.RGBA{uint8(5 * i), uint8(90 * i), uint8(255 - 3*i), 255})); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.finish(), w.wait()); err != nil {
		t.Fatal(err)
	}
	return w
}

// packets are the pictures of a film in the order of decoding: times, lengths, sizes, sums, and which can be decoded by themselves; and then those that it shows.
func packets(t testing.TB, film string) (out []string) {
	t.Helper()
	for _, args := range [][]string{
		{"-v", "error", "-show_entries", "packet=pts,dts,duration,size,flags,data_hash", "-show_data_hash", "md5", "-of", "compact", "file:" + film},
		{"-v", "error", "-show_entries", "stream=time_base,nb_frames,duration,start_time,has_b_frames,codec_tag_string:format=duration,start_time", "-of", "compact", "file:" + film},
	} {
		b, err := ffmpeg.Run(t.Context(), "ffprobe", args...)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	b, err := ffmpeg.Run(t.Context(), "ffmpeg", "-i", "file:"+film, "-fps_mode", "passthrough", "-f", "framemd5", "pipe:1")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, string(b))
}

// decoding is when pictures are decoded, and how long until the next.
var decoding = regexp.MustCompile(`dts=-?\d+\|duration=\d+`)

// TestStretchesAreJoinedAsFFmpegJoinsThem compares what both make of the same stretches. Of short ones, whose pictures the encoder does not reorder, ffmpeg moves
// times of decoding by a tick each, since they would go back: only when they show is compared.
func TestStretchesAreJoinedAsFFmpegJoinsThem(t *testing.T) {
	for _, c := range []struct {
		lengths []int
		short   bool
	}{{[]int{10, 20, 15}, false}, {[]int{40, 1, 2, 3, 30}, true}} {
		t.Run(fmt.Sprint(c.lengths), func(t *testing.T) {
			w := stretches(t, c.lengths...)
			here, there := filepath.Join(t.TempDir(), "here.mp4"), filepath.Join(t.TempDir(), "there.mp4")
			var films []string
			for _, p := range w.pieces {
				films = append(films, p.path)
			}
			if err := joinTracks(here, films); err != nil {
				t.Fatal(err)
			}
			if err := w.joinWithSound(there, ""); err != nil {
				t.Fatal(err)
			}
			got, want := packets(t, here), packets(t, there)
			for i := range want {
				if c.short {
					got[i], want[i] = decoding.ReplaceAllString(got[i], ""), decoding.ReplaceAllString(want[i], "")
				}
				if got[i] != want[i] {
					t.Errorf("joined here:\n%s\nby ffmpeg:\n%s", got[i], want[i])
				}
			}
		})
	}
}

// TestAJoinedFilmIsWholeOrRefused damages stretches: what comes of it is a film or an error, and never a panic.
func TestAJoinedFilmIsWholeOrRefused(t *testing.T) {
	w := stretches(t, 10, 12)
	good, err := os.ReadFile(w.pieces[1].path)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.Index(good, []byte("mdat"))
	damaged, refused := filepath.Join(t.TempDir(), "damaged.mp4"), 0
	out := filepath.Join(t.TempDir(), "out.mp4")
	for at := range end + 4 {
		for _, with := range []byte{0, 1, 255} {
			bad := slices.Clone(good)
			bad[at] = with
			if err := os.WriteFile(damaged, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := joinTracks(out, []string{w.pieces[0].path, damaged}); err != nil {
				if !errors.Is(err, errUnfamiliar) {
					t.Fatalf("byte %d: %v", at, err)
				}
				refused++
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d of the damaged films were refused", refused)
	}
	if err := joinTracks(out, []string{w.pieces[0].path, filepath.Join(t.TempDir(), "none.mp4")}); err == nil || strings.Contains(err.Error(), "unfamiliar") {
		t.Errorf("without a stretch the error is %v", err)
	}
}

// FuzzTrack joins files that were films: what comes of it is a film or an error, and never a panic.
func FuzzTrack(f *testing.F) {
	for _, p := range stretches(f, 3, 1).pieces {
		film, err := os.ReadFile(p.path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(film)
	}
	path, out := filepath.Join(f.TempDir(), "film.mp4"), filepath.Join(f.TempDir(), "out.mp4")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		film, err := openTrack(path)
		many := len(film.sizes) > 1<<16
		film.close()
		if err != nil || many {
			return
		}
		if len(film.sizes) != len(film.offsets) || len(film.sizes) != len(film.keys) {
			t.Errorf("%d sizes, %d times, %d keys", len(film.sizes), len(film.offsets), len(film.keys))
		}
		if err := joinTracks(out, []string{path, path}); err != nil && !errors.Is(err, errUnfamiliar) {
			t.Error(err)
		}
	})
}
