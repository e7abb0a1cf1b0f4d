package encode

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overcrank/engine/enginetest"
	"overcrank/engine/raster"
	"overcrank/farm/codec"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
	"overcrank/ffmpeg/encoding/encodingtest"
)

func TestMain(m *testing.M) {
	enginetest.TellEncoders()
	leaktest.Main(m)
}

func lookup(t testing.TB, name string) Template {
	t.Helper()
	tm, ok := Lookup(name)
	if !ok {
		t.Fatalf("no template %q", name)
	}
	return tm
}

// frame is a picture of one colour, half as bright at the right.
func frame(w, h int, c color.RGBA) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p := c
			if x >= w/2 {
				p = color.RGBA{c.R / 2, c.G / 2, c.B / 2, c.A}
			}
			img.SetRGBA(x, y, p)
		}
	}
	return img
}

// write writes n frames of one picture and gives the files.
func write(t testing.TB, s Spec, n int, img *raster.Image) []string {
	t.Helper()
	w, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i := range n {
		if err := w.Write(i, img); err != nil {
			t.Fatal(err)
		}
	}
	files, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

type stream struct {
	Kind, Codec, Pix          string
	Width, Height             int
	Rate, Frames              string
	Matrix, Range, Transfer   string
	Profile, Rates, Durations string
}

// look tells what ffprobe sees in a file.
func look(t testing.TB, path string) (out []stream) {
	t.Helper()
	raw, err := ffmpeg.Run(t.Context(), "ffprobe", "-of", "json", "-count_frames", "-show_streams", path)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Streams []struct {
			Kind     string `json:"codec_type"`
			Codec    string `json:"codec_name"`
			Profile  string `json:"profile"`
			Pix      string `json:"pix_fmt"`
			Width    int    `json:"width"`
			Height   int    `json:"height"`
			Rate     string `json:"r_frame_rate"`
			Frames   string `json:"nb_read_frames"`
			Matrix   string `json:"color_space"`
			Transfer string `json:"color_transfer"`
			Range    string `json:"color_range"`
			Duration string `json:"duration"`
			Samples  string `json:"sample_rate"`
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Streams {
		out = append(out, stream{s.Kind, s.Codec, s.Pix, s.Width, s.Height, s.Rate, s.Frames, s.Matrix, s.Range, s.Transfer, s.Profile, s.Samples, s.Duration})
	}
	return out
}

// pixel decodes the colour of the first frame at a place.
func pixel(t testing.TB, path string, x, y int) color.NRGBA {
	t.Helper()
	out := filepath.Join(t.TempDir(), "p.png")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-i", path, "-frames:v", "1", "-pix_fmt", "rgba", out); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

func near(a, b color.NRGBA, by int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -by || d > by {
			return false
		}
	}
	return true
}

func TestFilmsAreWhatTheirTemplateSays(t *testing.T) {
	for _, c := range []struct {
		template, ext, codec, pix string
		alpha                     bool
	}{
		{"video_h264_vbr_1mbps", ".mp4", "h264", "yuv420p", false},
		{"video_h264_vbr_15mbps", ".mp4", "h264", "yuv420p", false},
		{"video_h264_cbr_5mbps", ".mov", "h264", "yuv420p", false},
		{"video_h264_cbr_40mbps", ".mp4", "h264", "yuv420p", false},
		{"H.264 - Match Render Settings - 15 Mbps", ".mp4", "h264", "yuv420p", false},
		{"video_prores_422", ".mov", "prores", "yuv422p10le", false},
		{"video_prores_4444", ".mov", "prores", "yuva444p12le", true},
		{"High Quality with Alpha", ".mov", "prores", "yuva444p12le", true},
		{"Lossless", ".mov", "qtrle", "rgb24", false},
		{"Lossless with Alpha", ".mov", "qtrle", "argb", true},
	} {
		t.Run(c.template, func(t *testing.T) {
			tm := lookup(t, c.template)
			path := filepath.Join(t.TempDir(), "film"+c.ext)
			files := write(t, Spec{Template: tm, Name: Name{Path: path}, Width: 64, Height: 48, RateNum: 30000, RateDen: 1001}, 20,
				frame(64, 48, color.RGBA{200, 80, 40, 255}))
			if len(files) != 1 || files[0] != path || tm.Alpha != c.alpha {
				t.Errorf("wrote %v, alpha %v", files, tm.Alpha)
			}
			s := look(t, path)[0]
			if s.Codec != c.codec || s.Pix != c.pix || s.Width != 64 || s.Height != 48 || s.Rate != "30000/1001" || s.Frames != "20" {
				t.Errorf("stream %+v", s)
			}
			if strings.HasPrefix(c.pix, "yuv") && (s.Matrix != "bt709" || s.Transfer != "bt709") {
				t.Errorf("colours tagged %q %q", s.Matrix, s.Transfer)
			}
			if got := pixel(t, path, 10, 10); !near(got, color.NRGBA{200, 80, 40, 255}, 6) {
				t.Errorf("colour %v", got)
			}
		})
	}
}

func TestEveryCodecKeepsItsColours(t *testing.T) {
	for _, tm := range templates() {
		t.Run(tm.Name, func(t *testing.T) {
			t.Parallel()
			bars := image.NewRGBA(image.Rect(0, 0, encodingtest.Width, encodingtest.Height))
			draw.Draw(bars, bars.Rect, encodingtest.Bars(tm.Alpha), image.Point{}, draw.Src)
			path := filepath.Join(t.TempDir(), "bars"+tm.Ext)
			write(t, Spec{Template: tm, Name: Name{Path: path}, Width: bars.Rect.Dx(), Height: bars.Rect.Dy(), RateNum: 25, RateDen: 1}, 1, bars)
			if !tm.Film && tm.Ext != ".jpg" {
				if info := encodingtest.Look(t, path); strings.Contains(info.PixFmt, "a") != tm.Alpha {
					t.Errorf("pixels %s", info.PixFmt)
				}
			}
			encodingtest.Check(t, path, tm.Alpha)
		})
	}
}

func TestAConstantRateIsKeptWhateverThePictures(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i * i >> 5)
	}
	for _, c := range codec.All() {
		if !c.Constant {
			continue
		}
		for name, img := range map[string]*raster.Image{"plain": frame(64, 48, color.RGBA{90, 90, 90, 255}), "rich": noise} {
			t.Run(c.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "rate.mp4")
				const frames = 25 * 5
				write(t, Spec{Template: lookup(t, c.Name), Name: Name{Path: path}, Width: img.Rect.Dx(), Height: img.Rect.Dy(), RateNum: 25, RateDen: 1}, frames, img)
				got, want := encodingtest.Look(t, path).Bits(), float64(c.Mbps)*1e6
				if math.Abs(got/want-1) > 0.1 {
					t.Errorf("%.2f Mbit/s, want %d", got/1e6, c.Mbps)
				}
			})
		}
	}
}

func TestAlphaIsWrittenStraight(t *testing.T) {
	for _, name := range []string{"video_prores_4444", "Lossless with Alpha", "image_png_alpha", "TIFF Sequence with Alpha"} {
		t.Run(name, func(t *testing.T) {
			tm := lookup(t, name)
			path := filepath.Join(t.TempDir(), "a"+tm.Ext)
			write(t, Spec{Template: tm, Name: Name{Path: path}, Width: 64, Height: 64, RateNum: 25, RateDen: 1}, 1,
				frame(64, 64, color.RGBA{100, 50, 0, 128}))
			if got := pixel(t, path, 10, 10); !near(got, color.NRGBA{199, 100, 0, 128}, 4) {
				t.Errorf("colour %v", got)
			}
		})
	}
}

func TestOddSizesAreRoundedUpWithoutABlackEdge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd.mp4")
	write(t, Spec{Template: lookup(t, codec.DefaultFilm), Name: Name{Path: path}, Width: 65, Height: 47, RateNum: 25, RateDen: 1}, 5,
		frame(65, 47, color.RGBA{200, 200, 200, 255}))
	s := look(t, path)[0]
	if s.Width != 66 || s.Height != 48 || s.Frames != "5" {
		t.Errorf("stream %+v", s)
	}
	if got := pixel(t, path, 5, 47); !near(got, color.NRGBA{200, 200, 200, 255}, 6) {
		t.Errorf("the last row is %v", got)
	}
	if got := pixel(t, path, 65, 10); !near(got, color.NRGBA{100, 100, 100, 255}, 6) {
		t.Errorf("the last column is %v", got)
	}
}

// mixed is a sound that is there.
func mixed(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return path, nil }
}

func TestSoundGoesWithTheFilm(t *testing.T) {
	wav := filepath.Join(t.TempDir(), "s.wav")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "sine=d=2:r=48000", wav); err != nil {
		t.Fatal(err)
	}
	for name, codec := range map[string]string{codec.DefaultFilm: "aac", "video_prores_422": "pcm_s16le"} {
		tm := lookup(t, name)
		path := filepath.Join(t.TempDir(), "s"+tm.Ext)
		write(t, Spec{Template: tm, Name: Name{Path: path}, Width: 64, Height: 48, RateNum: 25, RateDen: 1, Audio: mixed(wav)}, 50,
			frame(64, 48, color.RGBA{9, 9, 9, 255}))
		s := look(t, path)
		if len(s) != 2 || s[0].Frames != "50" || s[1].Codec != codec || s[1].Rates != "48000" || !strings.HasPrefix(s[1].Durations, "2.0") {
			t.Errorf("%s: streams %+v", name, s)
		}
	}
}

func TestFramesAreTakenWhileTheSoundIsMixed(t *testing.T) {
	wav := filepath.Join(t.TempDir(), "s.wav")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "sine=d=1:r=48000", wav); err != nil {
		t.Fatal(err)
	}
	for name, fails := range map[string]error{"mixed": nil, "broken": errors.New("the sound is broken")} {
		taken, dir := make(chan struct{}), t.TempDir()
		path := filepath.Join(dir, "s.mp4")
		w, err := Open(t.Context(), Spec{
			Template: lookup(t, codec.DefaultFilm), Name: Name{Path: path}, Width: 64, Height: 48, RateNum: 25, RateDen: 1,
			Audio: func(context.Context) (string, error) { <-taken; return wav, fails },
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 25 {
			if err := w.Write(i, frame(64, 48, color.RGBA{9, 9, 9, 255})); err != nil {
				t.Fatal(err)
			}
		}
		close(taken)
		if _, err := w.Close(); !errors.Is(err, fails) {
			t.Errorf("%s: %v", name, err)
		}
		if fails == nil {
			if s := look(t, path); len(s) != 2 || s[0].Frames != "25" {
				t.Errorf("streams %+v", s)
			}
		} else if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("the folder holds %v", entries)
		}
	}
}

func TestAbortDoesNotWaitForTheSound(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(t.Context(), Spec{
		Template: lookup(t, codec.DefaultFilm), Name: Name{Path: filepath.Join(dir, "s.mp4")}, Width: 64, Height: 48, RateNum: 25, RateDen: 1,
		Audio: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", context.Cause(ctx) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(0, frame(64, 48, color.RGBA{9, 9, 9, 255})); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestPicturesAreNumbered(t *testing.T) {
	for _, c := range []struct{ template, output, first string }{
		{"image_png", "name_[####].png", "name_0007.png"},
		{"image_jpeg", "name_[#].jpg", "name_7.jpg"},
		{"PNG Sequence", "name.png", "name_00007.png"},
		{"JPEG Sequence", "name", "name_00007.jpg"},
		{"TIFF Sequence with Alpha", "[###]name.tiff", "007name.tiff"},
	} {
		t.Run(c.template, func(t *testing.T) {
			dir := t.TempDir()
			tm := lookup(t, c.template)
			name, _, err := ParseName(filepath.Join(dir, c.output), tm, 3)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Open(t.Context(), Spec{Template: tm, Name: name, Width: 16, Height: 16})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			for n := 7; n < 10; n++ {
				if err := w.Write(n, frame(16, 16, color.RGBA{200, 80, 40, 255})); err != nil {
					t.Fatal(err)
				}
			}
			files, err := w.Close()
			if err != nil || len(files) != 3 || filepath.Base(files[0]) != c.first {
				t.Fatalf("wrote %v, %v", files, err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 3 {
				t.Errorf("the folder holds %v", entries)
			}
			if got := pixel(t, files[0], 2, 2); !near(got, color.NRGBA{200, 80, 40, 255}, 5) {
				t.Errorf("colour %v", got)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		template, in string
		frames       int
		want         string
		says         bool
		fails        bool
	}{
		{codec.DefaultFilm, "/o/film.mp4", 5, "/o/film.mp4", false, false},
		{codec.DefaultFilm, "/o/film", 5, "/o/film.mp4", false, false},
		{codec.DefaultFilm, "/o/film.avi", 5, "/o/film.mp4", true, false},
		{codec.DefaultFilm, "/o/film_[####].mp4", 5, "/o/film.mp4", false, false},
		{codec.DefaultFilm, "/o/film.png", 5, "", false, true},
		{"image_png", "/o/film.mp4", 5, "", false, true},
		{"image_png", "/o/still.png", 1, "/o/still.png", false, false},
		{"image_png", "/o/still.png", 2, "/o/still_[#####].png", true, false},
		{"image_png", "/o/still_[####]", 2, "/o/still_[####].png", false, false},
		{"image_png", "/o/still.jpg", 1, "/o/still.png", true, false},
		{"image_jpeg", "/o/still.JPEG", 1, "/o/still.JPEG", false, false},
		{codec.DefaultFilm, "", 1, "", false, true},
		{codec.DefaultFilm, "/o/", 1, "", false, true},
	} {
		n, says, err := ParseName(c.in, lookup(t, c.template), c.frames)
		if n.Path != c.want || (says != "") != c.says || (err != nil) != c.fails {
			t.Errorf("%s as %s: %q, %q, %v", c.in, c.template, n.Path, says, err)
		}
	}
	n, _, err := ParseName("/o/a[##]b[##].png", lookup(t, "image_png"), 200)
	if err != nil || n.File(5) != "/o/a05b[##].png" || n.File(123) != "/o/a123b[##].png" || n.File(-3) != "/o/a-03b[##].png" {
		t.Errorf("numbers: %s %s %s %v", n.File(5), n.File(123), n.File(-3), err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	for _, name := range []string{codec.DefaultFilm, "image_png"} {
		dir := t.TempDir()
		tm := lookup(t, name)
		path := filepath.Join(dir, "x"+tm.Ext)
		ctx, cancel := context.WithCancel(t.Context())
		w, err := Open(ctx, Spec{Template: tm, Name: Name{Path: path}, Width: 64, Height: 48, RateNum: 25, RateDen: 1})
		if err != nil {
			t.Fatal(err)
		}
		if tm.Film {
			if err := w.Write(0, frame(64, 48, color.RGBA{1, 2, 3, 255})); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		w.Abort()
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("%s: the folder holds %v", name, entries)
		}
	}
}

// What an agent does not tell, the engine asks ffmpeg.
func TestAnEngineThatIsToldOfNoEncodersFindsThem(t *testing.T) {
	t.Setenv(encoding.Variable, "")
	film := write(t, Spec{
		Template: lookup(t, codec.DefaultFilm), Name: Name{Path: filepath.Join(t.TempDir(), "x.mp4")}, Width: 64, Height: 48, RateNum: 25, RateDen: 1,
	}, 2, frame(64, 48, color.RGBA{1, 2, 3, 255}))
	if s := look(t, film[0]); len(s) != 1 || s[0].Codec != "h264" {
		t.Errorf("the film holds %+v", s)
	}
}

func TestAnOlderFileStaysUntilTheNewOneIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mp4")
	if err := os.WriteFile(path, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), Spec{Template: lookup(t, codec.DefaultFilm), Name: Name{Path: path}, Width: 64, Height: 48, RateNum: 25, RateDen: 1})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Write(0, frame(64, 48, color.RGBA{1, 2, 3, 255}))
	w.Abort()
	if got, _ := os.ReadFile(path); string(got) != "older" {
		t.Errorf("the older file is gone")
	}
}

func TestFullDiskIsSaid(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	for _, name := range []string{codec.DefaultFilm, "image_png"} {
		tm := lookup(t, name)
		path := filepath.Join(dir, "full"+tm.Ext)
		if err := os.Symlink("/dev/full", part(path)); err != nil {
			t.Fatal(err)
		}
		w, err := Open(t.Context(), Spec{Template: tm, Name: Name{Path: path}, Width: 320, Height: 240, RateNum: 25, RateDen: 1})
		if err != nil {
			t.Fatal(err)
		}
		noise := frame(320, 240, color.RGBA{0, 0, 0, 255})
		for i := range noise.Pix {
			noise.Pix[i] = uint8(i*i>>3) | 128
		}
		for i := range 3 {
			if err = w.Write(i, noise); err != nil {
				break
			}
		}
		if err == nil {
			_, err = w.Close()
		}
		w.Abort()
		if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestImpossibleOutputsAreRefused(t *testing.T) {
	tm := lookup(t, codec.DefaultFilm)
	for _, s := range []Spec{
		{Template: tm, Name: Name{Path: "/nowhere/at/all/x.mp4"}, Width: 8, Height: 8, RateNum: 25, RateDen: 1},
		{Template: tm, Name: Name{Path: filepath.Join(t.TempDir(), "x.mp4")}, Width: 0, Height: 8, RateNum: 25, RateDen: 1},
		{Template: tm, Name: Name{Path: filepath.Join(t.TempDir(), "x.mp4")}, Width: 8, Height: 8},
	} {
		if w, err := Open(t.Context(), s); err == nil {
			w.Abort()
			t.Errorf("%+v was accepted", s)
		}
	}
	w, err := Open(t.Context(), Spec{Template: tm, Name: Name{Path: filepath.Join(t.TempDir(), "x.mp4")}, Width: 8, Height: 8, RateNum: 25, RateDen: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(0, frame(9, 8, color.RGBA{})); err == nil {
		t.Error("a frame of another size was accepted")
	}
	w.Abort()
}

func TestEveryCodecOfTheInterfaceIsATemplate(t *testing.T) {
	for _, name := range []string{"video_prores_422", "video_prores_4444", "image_png", "image_jpeg"} {
		if !known(name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, mode := range []string{"vbr", "cbr"} {
		for _, rate := range []string{"1", "5", "15", "40"} {
			if !known("video_h264_" + mode + "_" + rate + "mbps") {
				t.Errorf("%s %s is missing", mode, rate)
			}
		}
	}
	for alias, name := range aliases {
		if !known(name) {
			t.Errorf("%q means %q, which does not exist", alias, name)
		}
	}
	if _, ok := Lookup("no such thing"); ok {
		t.Error("an unknown template was found")
	}
}

func benchmark(b *testing.B, template string) {
	tm := lookup(b, template)
	name, _, err := ParseName(filepath.Join(b.TempDir(), "b"), tm, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	imgs := make([]*raster.Image, 30)
	for i := range imgs {
		imgs[i] = frame(1280, 720, color.RGBA{uint8(40 + i), 90, 140, 255})
		for y := range 720 {
			for x := range 1280 {
				v := 128 + 60*math.Sin(float64(x+3*i)/40)*math.Cos(float64(y-2*i)/30)
				imgs[i].Pix[y*imgs[i].Stride+4*x+1] = uint8(v)
			}
		}
	}
	w, err := Open(b.Context(), Spec{Template: tm, Name: name, Width: 1280, Height: 720, RateNum: 25, RateDen: 1})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		if err := w.Write(n, imgs[n%30]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if _, err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
}

func BenchmarkH264(b *testing.B)   { benchmark(b, codec.DefaultFilm) }
func BenchmarkProRes(b *testing.B) { benchmark(b, "video_prores_4444") }
func BenchmarkPNG(b *testing.B)    { benchmark(b, "image_png") }

func known(name string) bool {
	return slices.ContainsFunc(templates(), func(t Template) bool { return t.Name == name })
}
