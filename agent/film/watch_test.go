package film

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm/codec"
	"overcrank/frames"
)

// watched is what Watch says of a film that ffmpeg makes of args.
func watched(t *testing.T, name string, args ...string) []string {
	t.Helper()
	path := makeFile(t, append(append([]string{}, args...), filepath.Join(t.TempDir(), name))...)
	info, err := CheckFilm(t.Context(), path, Want{})
	if err != nil {
		t.Fatal(err)
	}
	thumbs := t.TempDir()
	seen, err := Watch(t.Context(), path, info, thumbs)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Frames) == 0 || seen.Frames[0] == "" {
		t.Errorf("%s: thumbnails %v", name, seen.Frames)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%s: left beside the film: %v, %v", name, left, err)
	}
	return seen.Hints
}

func TestBlackAndFrozenFilmsAreHintedAt(t *testing.T) {
	const (
		black  = "color=black:s=64x48:r=25"
		moving = "testsrc2=s=64x48:r=25"
		still  = "smptebars=s=64x48:r=25"
		whole  = "The film is black from beginning to end."
		same   = "The picture is the same from the film's beginning to its end. If it is meant to stand still, all is well."
	)
	x264 := []string{"-pix_fmt", "yuv420p"}
	film := func(graph string, out ...string) []string {
		return append([]string{"-f", "lavfi", "-i", graph}, out...)
	}
	for _, c := range []struct {
		what string
		name string
		args []string
		want []string
	}{
		{"moving", "a.mp4", film(moving+":d=12", x264...), nil},
		{"black", "a.mp4", film(black+":d=3", x264...), []string{whole}},
		{"one black frame", "a.mp4", film(black, append(x264, "-frames:v", "1")...), []string{whole}},
		{"black ProRes with alpha", "a.mov", film(black+":d=2", "-c:v", "prores_ks", "-pix_fmt", "yuva444p10le"), []string{whole}},
		{"a small word on black", "a.mp4", film(black+":d=3,drawbox=x=20:y=20:w=3:h=2:color=white:t=fill", x264...), []string{same}},
		{"a title that stands", "a.mp4", film(still+":d=4", x264...), []string{same}},
		{"one second of a title", "a.mp4", film(still+":d=1", x264...), nil},
		{"a title for eight seconds", "a.mp4", film("[a][b]concat", x264...), nil},
		{"a title for twelve", "a.mp4", film("[a][b]concat", x264...), []string{"The picture stands still from 0:04 to 0:16. If that is meant, all is well."}},
		{"six seconds of black", "a.mp4", film("[a][b]concat", x264...), []string{"The film is black from 0:04 to 0:10."}},
	} {
		seconds := map[string]string{"a title for eight seconds": still + ":d=8", "a title for twelve": still + ":d=12", "six seconds of black": black + ":d=6"}[c.what]
		if seconds != "" {
			c.args[3] = moving + ":d=4[a];" + seconds + "[b];" + moving + ":d=4[c];[a][b][c]concat=n=3"
		}
		if got := watched(t, c.name, c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestFilmsThatAreDamagedInsideAreRefused(t *testing.T) {
	path := sampleFilm(t, "a.mp4")
	info, err := CheckFilm(t.Context(), path, Want{Frames: 25})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(b), "mdat") + len(b)/4
	for i := range 400 {
		b[at+i] ^= 0x5a
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := CheckFilm(t.Context(), path, Want{Frames: 25}); err != nil || again.Frames != 25 {
		t.Fatalf("the damage shows without decoding: %+v, %v", again, err)
	}
	var w *Wrong
	if _, err := Watch(t.Context(), path, info, ""); !errors.As(err, &w) || !strings.HasPrefix(w.Message, "the film is damaged behind frame ") {
		t.Errorf("got %v", err)
	}
}

func TestBlackPicturesAreToldFromOthers(t *testing.T) {
	for graph, want := range map[string]bool{
		"color=black:s=64x48:r=25": true, "testsrc2=s=64x48:r=25": false,
		"color=black:s=64x48:r=25:d=0.08[a];testsrc2=s=64x48:r=25[b];[a][b]concat": false, "testsrc2=s=64x48:r=25:d=0.08[a];color=black:s=64x48:r=25[b];[a][b]concat": false,
	} {
		for _, frames := range []string{"4", "1"} {
			dir := t.TempDir()
			makeFile(t, "-f", "lavfi", "-i", graph, "-frames:v", frames, filepath.Join(dir, "frame_%02d.png"))
			_, info, err := CheckStills(t.Context(), dir, "frame_", "png", Want{})
			if err != nil || info.Black != (want || frames == "1" && strings.HasPrefix(graph, "color=black")) {
				t.Errorf("%s frames of %s: %t, %v", frames, graph, info.Black, err)
			}
		}
	}
}

func TestPixelsAreThoseOfWholePicturesAlone(t *testing.T) {
	dir := t.TempDir()
	path := makeFile(t, "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25,format=rgba", "-frames:v", "1", "-compression_algo", "raw", filepath.Join(dir, "x.tif"))
	info, err := Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for codec, want := range map[string]frames.Format{codec.DefaultFilm: frames.RGB24, codec.ProRes4444: frames.ARGB, "image_png": frames.RGBA} {
		head := frames.Head{Width: 64, Height: 48, Format: PixelsFor(info, codec)}
		if pix, err := Pixels(t.Context(), path, head); err != nil || head.Format != want || len(pix) != head.Size() {
			t.Errorf("%s: %s, %d bytes, %v", codec, head.Format, len(pix), err)
		}
	}
	head := frames.Head{Width: 64, Height: 48, Format: frames.RGB24}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var w *Wrong
	for _, n := range []int{0, 10, len(whole) / 2, len(whole) * 3 / 4} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Pixels(t.Context(), path, head); !errors.As(err, &w) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	head.Width = 32
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Pixels(t.Context(), path, head); !errors.As(err, &w) {
		t.Errorf("a picture of another size: %v", err)
	}
}
