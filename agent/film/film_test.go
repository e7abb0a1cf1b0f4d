package film

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm/codec"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
	"overcrank/ffmpeg/encoding/encodingtest"
	"overcrank/frames"
)

// makeFile runs ffmpeg; tests that need it skip without it.
func makeFile(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	out, err := exec.Command("ffmpeg", append([]string{"-v", "error", "-y"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return args[len(args)-1]
}

func sampleFilm(t *testing.T, name string) string {
	return makeFile(t, "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-f", "lavfi", "-i", "sine=440", "-t", "1", "-pix_fmt", "yuv420p", filepath.Join(t.TempDir(), name))
}

func TestWholeFilmIsAccepted(t *testing.T) {
	info, err := CheckFilm(t.Context(), sampleFilm(t, "a.mp4"), Want{Width: 64, Height: 48, Frames: 25, FrameRate: 25})
	if err != nil || !info.Audio || info.Frames != 25 || info.FrameRate != 25 || info.Codec != "h264" {
		t.Fatalf("%+v, %v", info, err)
	}
	odd, err := CheckFilm(t.Context(), sampleFilm(t, "b.mp4"), Want{Width: 63, Height: 47})
	if err != nil {
		t.Fatalf("a film padded to even sizes was refused: %+v, %v", odd, err)
	}
}

func TestFilmsThatAreNotWhatWasAskedForAreRefused(t *testing.T) {
	good, dir := sampleFilm(t, "a.mp4"), t.TempDir()
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, content []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	cases := []struct {
		path string
		want Want
		text string
	}{
		{filepath.Join(dir, "none.mp4"), Want{}, "the film was not written"},
		{file("empty.mp4", nil), Want{}, "the film is empty"},
		{file("cut.mp4", b[:len(b)/2]), Want{Frames: 25}, "the film cannot be read"},
		{file("text.mp4", []byte("this is no film at all")), Want{}, "the film cannot be read"},
		{good, Want{Frames: 26}, "the film has 25 frames, 26 were expected"},
		{good, Want{Width: 640, Height: 480}, "the film is 64×48 pixels, 640×480 were expected"},
		{good, Want{Frames: 25, FrameRate: 50}, "the film lasts"},
	}
	for _, c := range cases {
		_, err := CheckFilm(t.Context(), c.path, c.want)
		var w *Wrong
		if !errors.As(err, &w) || !strings.HasPrefix(w.Message, c.text) {
			t.Errorf("got %v, want %s", err, c.text)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%v tells a folder of this machine", err)
		}
	}
}

func TestStillsAreDecoded(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-frames:v", "12", "-start_number", "5", filepath.Join(dir, "frame_%04d.png"))
	files, info, err := CheckStills(t.Context(), dir, "frame_", "png", Want{Frames: 12, Width: 64, Height: 48})
	if err != nil || len(files) != 12 || StillNumber(files[0]) != 5 || StillNumber(files[11]) != 16 || info.Width != 64 {
		t.Fatalf("%v, %+v, %v", files, info, err)
	}
	if _, _, err := CheckStills(t.Context(), dir, "frame_", "png", Want{Frames: 13}); err == nil || err.Error() != "12 pictures were written, 13 were expected" {
		t.Errorf("got %v", err)
	}
	whole, err := os.Stat(files[6])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[6], whole.Size()/2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := CheckStills(t.Context(), dir, "frame_", "png", Want{Frames: 12}); err == nil {
		t.Error("half a picture in the middle was accepted")
	}
}

func TestThumbnailsAreSpreadOverTheFilm(t *testing.T) {
	got, err := Thumbnails(t.Context(), sampleFilm(t, "a.mp4"), 25, t.TempDir())
	if err != nil || len(got) != 9 || got[24] == "" || got[3] == "" {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestNumbersGoIntoTheNameAndNotIntoTheFolder(t *testing.T) {
	film := sampleFilm(t, "a.mp4")
	folder := func() string {
		dir := filepath.Join(t.TempDir(), "100% [v2] %03d")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	info, err := Probe(t.Context(), film)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Thumbnails(t.Context(), film, info.Frames, folder()); err != nil || len(got) != 9 {
		t.Errorf("thumbnails %v, %v", got, err)
	}
	if seen, err := Watch(t.Context(), film, info, folder()); err != nil || len(seen.Frames) != 9 {
		t.Errorf("seen %v, %v", seen, err)
	}
	dir, head := folder(), frames.Head{Width: 8, Height: 4, Format: frames.RGBA, RateNum: 25, RateDen: 1}
	if err := EncodeFrames(t.Context(), bytes.NewReader(make([]byte, 3*8*4*4)), head, 7, "", filepath.Join(dir, "frame_%05d.png"), codec.DefaultStill, nil); err != nil {
		t.Fatal(err)
	}
	if files, _, err := CheckStills(t.Context(), dir, "frame_", "png", Want{Frames: 3, Width: 8, Height: 4}); err != nil || StillNumber(files[0]) != 7 {
		t.Errorf("stills %v, %v", files, err)
	}
}

// intermediate writes the bars as After Effects hands its pictures over: as a lossless film.
func intermediate(t *testing.T, alpha bool) string {
	t.Helper()
	path, pix := filepath.Join(t.TempDir(), "raw.mov"), "rgb24"
	if alpha {
		pix = "argb"
	}
	err := pipe(t.Context(), ffmpeg.MaxConverting, bytes.NewReader(encodingtest.Raw(alpha, 1)), io.Discard, "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba",
		"-s", fmt.Sprintf("%dx%d", encodingtest.Width, encodingtest.Height), "-framerate", "25", "-i", "pipe:0", "-c:v", "qtrle", "-pix_fmt", pix, path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEveryCodecKeepsTheColoursOfAfterEffects(t *testing.T) {
	wanted := append(codec.All(), codec.Codec{Name: encoding.OpaquePNG, Ext: "png", Still: true})
	raw := map[bool]string{false: intermediate(t, false), true: intermediate(t, true)}
	for _, c := range wanted {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out."+c.Ext)
			if err := Encode(t.Context(), raw[c.Alpha], out, c.Name, nil); err != nil {
				t.Fatal(err)
			}
			encodingtest.Check(t, out, c.Alpha)
			info, err := Probe(t.Context(), out)
			if err != nil || info.Alpha != c.Alpha {
				t.Errorf("%+v, %v", info, err)
			}
			pictures := filepath.Join(t.TempDir(), "out_%02d."+c.Ext)
			head := frames.Head{Width: encodingtest.Width, Height: encodingtest.Height, Format: frames.RGBA, RateNum: 25, RateDen: 1}
			if err := EncodeFrames(t.Context(), bytes.NewReader(encodingtest.Raw(c.Alpha, 1)), head, 1, "", pictures, c.Name, nil); err != nil {
				t.Fatal(err)
			}
			if c.Still {
				pictures = fmt.Sprintf(pictures, 1)
			}
			encodingtest.Check(t, pictures, c.Alpha)
		})
	}
	if build, encoders, err := Writers(t.Context()); err != nil || !slices.Equal(encoding.Codecs(encoders), codec.Names()) || build.Version == "" || build.Licence == "" {
		t.Errorf("%+v writes with %v, %v", build, encoders, err)
	}
}

func TestThumbnailsHaveTheColoursOfTheirFilm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "film.mp4")
	if err := Encode(t.Context(), intermediate(t, false), path, codec.DefaultFilm, nil); err != nil {
		t.Fatal(err)
	}
	thumbs, err := Thumbnails(t.Context(), path, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(thumbs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	const bar = thumbnailWidth / 8
	for i := range 8 {
		got := color.NRGBAModel.Convert(img.At(i*bar+bar/2, 40)).(color.NRGBA)
		want := encodingtest.Bars(false).NRGBAAt(i*encodingtest.Width/8, 0)
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if d < -8 || d > 8 {
				t.Errorf("bar %d is %v, want %v", i, got, want)
				break
			}
		}
	}
}

func TestConformGivesWhatAfterEffectsReads(t *testing.T) {
	dir := t.TempDir()
	cases := map[string][]string{
		".png": {"-f", "lavfi", "-i", "testsrc2=size=64x48", "-frames:v", "1", filepath.Join(dir, "still.gif")},
		".wav": {"-f", "lavfi", "-i", "sine=440", "-t", "1", filepath.Join(dir, "sound.ogg")},
		".mov": {"-f", "lavfi", "-i", "testsrc2=size=64x48", "-t", "1", filepath.Join(dir, "moving.gif")},
	}
	for want, args := range cases {
		path := makeFile(t, args...)
		pattern := filepath.Join(dir, "100%25 a%03d"+filepath.Ext(path))
		if err := os.Rename(path, pattern); err != nil {
			t.Fatal(err)
		}
		path = pattern
		if !NeedsConform(filepath.Ext(path)) {
			t.Errorf("%s needs converting", path)
		}
		got, err := Conform(t.Context(), path)
		if err != nil || filepath.Ext(got) != want {
			t.Errorf("%s became %s, %v", path, got, err)
		}
		if _, err := os.Stat(got); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesThatNameOthersAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, "-f", "lavfi", "-i", "sine=440", "-t", "1", filepath.Join(dir, "secret.wav"))
	for name, content := range map[string]string{
		"list.ogg":   "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + filepath.Join(dir, "secret.wav") + "\n#EXT-X-ENDLIST\n",
		"concat.ogg": "ffconcat version 1.0\nfile secret.wav\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var u *Unreadable
		if got, err := Conform(t.Context(), path); !errors.As(err, &u) {
			t.Errorf("%s became %s, %v", name, got, err)
		}
	}
}

func TestComplaintsHoldNoAddressesInMemory(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.mp4")
	if err := Run(t.Context(), io.Discard, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x64:d=1", whole); err != nil {
		t.Fatal(err)
	}
	film, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mp4")
	if err := os.WriteFile(cut, film[:len(film)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Probe(t.Context(), cut)
	if want := "cannot be read: moov atom not found"; err == nil || err.Error() != want {
		t.Errorf("%v, not %q", err, want)
	}
}
