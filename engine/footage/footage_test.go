package footage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"overcrank/engine/raster"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// film makes a file with ffmpeg; frame n is of brightness 2.5n.
func makeFilm(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	all := append([]string{"-f", "lavfi", "-i", "nullsrc=s=64x48:r=25:d=4,format=rgb24,geq=r='N*2.5':g='N*2.5':b='N*2.5'"}, args...)
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", append(all, path)...); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, in Interpretation) *Source {
	t.Helper()
	s, err := OpenAs(t.Context(), path, in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// number reads which frame of makeFilm a picture is.
func number(img *raster.Image) int {
	return int(math.Round(float64(img.RGBAAt(32, 24).R) / 2.5))
}

func TestFilmGivesTheFrameOfEachTime(t *testing.T) {
	s := open(t, makeFilm(t, "n.mp4", "-c:v", "libx264rgb", "-qp", "0", "-g", "12"), Interpretation{})
	if s.Info.Width != 64 || s.Info.Height != 48 || s.Info.FrameRate != 25 || s.Info.Still || math.Abs(s.Info.Duration-4) > 0.001 {
		t.Fatalf("info %+v", s.Info)
	}
	for _, c := range []struct {
		t    float64
		want int
	}{
		{0, 0}, {0.04, 1}, {0.0399999, 1}, {0.079, 1}, {0.5, 12}, {0.44, 11}, {0.2, 5}, {3.96, 99}, {0, 0}, {2.01, 50}, {3, 75},
		{-1, 0}, {9, 99}, {3.9, 97}, {1.0 / 3, 8},
	} {
		img, err := s.Frame(t.Context(), c.t)
		if err != nil {
			t.Fatal(err)
		}
		if got := number(img); got != c.want {
			t.Errorf("at %g s frame %d, want %d", c.t, got, c.want)
		}
	}
}

func TestFilmConformsToAnotherRate(t *testing.T) {
	s := open(t, makeFilm(t, "n.mp4", "-c:v", "libx264rgb", "-qp", "0"), Interpretation{FrameRate: 50})
	if s.Info.FrameRate != 50 || math.Abs(s.Info.Duration-2) > 0.001 {
		t.Errorf("info %+v", s.Info)
	}
	for at, want := range map[float64]int{0: 0, 0.5: 25, 1.98: 99, 3: 99} {
		img, err := s.Frame(t.Context(), at)
		if err != nil || number(img) != want {
			t.Errorf("at %g s frame %d, want %d (%v)", at, number(img), want, err)
		}
	}
}

func TestFilmServesNeighboursAtOnce(t *testing.T) {
	s := open(t, makeFilm(t, "n.mov", "-c:v", "libx264rgb", "-qp", "0"), Interpretation{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := w; n < 100; n += 4 {
				img, err := s.Frame(t.Context(), float64(n)/25)
				if err != nil || number(img) != n {
					t.Errorf("frame %d: %v", n, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestFilmShorterThanItSaysHoldsItsLastFrame(t *testing.T) {
	whole, err := os.ReadFile(makeFilm(t, "n.avi", "-c:v", "mjpeg", "-q:v", "2"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.avi")
	if err := os.WriteFile(path, whole[:len(whole)*6/10], 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, Interpretation{})
	last, err := s.Frame(t.Context(), 3.9)
	if err != nil {
		t.Fatal(err)
	}
	if n := number(last); n < 20 || n > 80 {
		t.Errorf("the last frame of the first 60 %% is %d", n)
	}
	if img, err := s.Frame(t.Context(), 0.2); err != nil || number(img) != 5 {
		t.Errorf("an early frame afterwards: %v", err)
	}
}

func TestFilmStopsWithItsContext(t *testing.T) {
	s := open(t, makeFilm(t, "n.mp4", "-c:v", "libx264"), Interpretation{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Frame(ctx, 1); err == nil {
		t.Error("a frame came after the end of the context")
	}
	if _, err := s.Frame(t.Context(), 1); err != nil {
		t.Errorf("the next to ask: %v", err)
	}
}

func TestAlphaIsAppliedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mov")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "color=white@0.5:s=32x32:r=10:d=1,format=rgba",
		"-c:v", "qtrle", path); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		in   Interpretation
		want color.RGBA
	}{
		{"straight", Interpretation{}, color.RGBA{127, 127, 127, 127}},
		{"premultiplied", Interpretation{Premultiplied: true}, color.RGBA{127, 127, 127, 127}},
		{"premultiplied with white", Interpretation{Premultiplied: true, Matte: [3]uint8{255, 255, 255}}, color.RGBA{127, 127, 127, 127}},
		{"premultiplied with white, inverted", Interpretation{Premultiplied: true, Matte: [3]uint8{255, 255, 255}, InvertAlpha: true}, color.RGBA{128, 128, 128, 128}},
		{"inverted", Interpretation{InvertAlpha: true}, color.RGBA{128, 128, 128, 128}},
		{"ignored", Interpretation{IgnoreAlpha: true}, color.RGBA{255, 255, 255, 255}},
	} {
		t.Run(c.name, func(t *testing.T) {
			img, err := open(t, path, c.in).Frame(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			got := img.RGBAAt(5, 5)
			for i, d := range []int{int(got.R) - int(c.want.R), int(got.A) - int(c.want.A)} {
				if d < -1 || d > 1 {
					t.Errorf("got %v, want %v (%d)", got, c.want, i)
				}
			}
		})
	}
}

func encodeStills(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		img.SetNRGBA(i%20, i/20, color.NRGBA{200, 100, 50, 255})
	}
	pal := image.NewPaletted(img.Rect, color.Palette{color.NRGBA{200, 100, 50, 255}, color.Black})
	paths := map[string]string{}
	for name, enc := range map[string]func(*os.File) error{
		"p.png":  func(f *os.File) error { return png.Encode(f, img) },
		"p.jpg":  func(f *os.File) error { return jpeg.Encode(f, img, &jpeg.Options{Quality: 100}) },
		"p.gif":  func(f *os.File) error { return gif.Encode(f, pal, nil) },
		"p.bmp":  func(f *os.File) error { return bmp.Encode(f, img) },
		"p.tiff": func(f *os.File) error { return tiff.Encode(f, img, nil) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := enc(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		paths[name] = f.Name()
	}
	for _, name := range []string{"p.webp", "p.tga", "p.jp2", "p.exr", "100%d.tga"} {
		path := filepath.Join(dir, name)
		args := []string{"-i", paths["p.png"], "-frames:v", "1"}
		if strings.HasSuffix(name, ".tga") {
			args = append(args, "-update", "1")
		}
		out := path
		if strings.Contains(name, "%") {
			out = filepath.Join(dir, "plain.tga")
		}
		if _, err := ffmpeg.Run(t.Context(), "ffmpeg", append(args, out)...); err != nil {
			t.Fatal(err)
		}
		if out != path {
			if err := os.Rename(out, path); err != nil {
				t.Fatal(err)
			}
		}
		paths[name] = path
	}
	return paths
}

func TestStillsOfManyFormats(t *testing.T) {
	for name, path := range encodeStills(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t, path, Interpretation{})
			if !s.Info.Still || s.Info.Width != 20 || s.Info.Height != 10 || s.Info.Duration != 0 {
				t.Errorf("info %+v", s.Info)
			}
			img, err := s.Frame(t.Context(), 3)
			if err != nil {
				t.Fatal(err)
			}
			c := img.RGBAAt(10, 5)
			for _, d := range []int{int(c.R) - 200, int(c.G) - 100, int(c.B) - 50, int(c.A) - 255} {
				if d < -8 || d > 8 {
					t.Fatalf("colour %v", c)
				}
			}
		})
	}
}

func TestMovingGIFIsAFilm(t *testing.T) {
	s := open(t, makeFilm(t, "m.gif"), Interpretation{})
	if s.Info.Still || s.Info.Duration < 3.9 {
		t.Errorf("info %+v", s.Info)
	}
}

func TestAGIFThatCoversAPartOfItsScreenIsInItsPlace(t *testing.T) {
	part := image.NewPaletted(image.Rect(3, 2, 5, 4), color.Palette{color.White})
	path := filepath.Join(t.TempDir(), "part.gif")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	err = gif.EncodeAll(f, &gif.GIF{Image: []*image.Paletted{part}, Delay: []int{0}, Config: image.Config{Width: 8, Height: 6}})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	img, err := open(t, path, Interpretation{}).Frame(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if img.Rect != image.Rect(0, 0, 8, 6) || img.RGBAAt(3, 2).A != 255 || img.RGBAAt(4, 3).A != 255 || img.RGBAAt(0, 0).A != 0 || img.RGBAAt(5, 4).A != 0 {
		t.Errorf("%v: %v", img.Rect, img.Pix)
	}
}

func TestSoundHasNoPictures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mp3")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "sine=d=2", path); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, Interpretation{})
	if s.Info.Video || !s.Info.Audio || math.Abs(s.Info.Duration-2) > 0.1 {
		t.Errorf("info %+v", s.Info)
	}
	if _, err := s.Frame(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "'s.mp3' can't be read: it has no pictures") {
		t.Errorf("got %v", err)
	}
}

func TestNumberedPicturesAreAFilm(t *testing.T) {
	dir := t.TempDir()
	for n := range 12 {
		img := image.NewGray(image.Rect(0, 0, 64, 48))
		for i := range img.Pix {
			img.Pix[i] = uint8(5 * n / 2)
		}
		f, err := os.Create(filepath.Join(dir, "shot_"+[]string{"8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"}[n]+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	for _, path := range []string{dir, filepath.Join(dir, "shot_8.png")} {
		s := open(t, path, Interpretation{Sequence: true, FrameRate: 24})
		if s.Info.Duration != 0.5 || s.Info.Still {
			t.Errorf("info %+v", s.Info)
		}
		for _, n := range []int{0, 1, 2, 11, 5} {
			img, err := s.Frame(t.Context(), float64(n)/24)
			if err != nil || number(img) != n {
				t.Errorf("picture %d: %v", n, err)
			}
		}
	}
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := func(size string) string {
		chunk := "IHDR" + size + size + "\x08\x06\x00\x00\x00"
		return "\x89PNG\r\n\x1a\n\x00\x00\x00\r" + chunk + string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(chunk))))
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "none.mov"), "'none.mov' can't be read: it does not exist"},
		{dir, "it is a folder"},
		{write("empty.png", ""), "'empty.png' can't be read: it is empty"},
		{write("words.mov", "these are only words"), "it is cut off, or is not a film"},
		{write("list.mov", "ffconcat version 1.0\nfile none.mov\n"), "files of this kind can't be used as footage"},
		{write("huge.png", header("\x00\x00\x75\x30")), "30000 x 30000 pixels"},
		{write("cut.mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x10\x00mdat"), "it is cut off"},
	} {
		_, err := Open(t.Context(), c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", filepath.Base(c.path), err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), dir+"/") {
			t.Errorf("the error tells where the file lies: %v", err)
		}
	}
	cut := write("cut.png", header("\x00\x00\x00\x10"))
	s := open(t, cut, Interpretation{})
	if _, err := s.Frame(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "'cut.png' can't be read: it is broken") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkFilm(b *testing.B) {
	path := filepath.Join(b.TempDir(), "hd.mp4")
	if _, err := ffmpeg.Run(b.Context(), "ffmpeg", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=8", "-c:v", "libx264", "-preset", "ultrafast", path); err != nil {
		b.Fatal(err)
	}
	s := open(b, path, Interpretation{})
	n := 0
	for b.Loop() {
		if _, err := s.Frame(b.Context(), float64(n%200)/25); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
}

func FuzzMoving(f *testing.F) {
	var b bytes.Buffer
	pal := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{pal, pal}, Delay: []int{1, 1}}); err != nil {
		f.Fatal(err)
	}
	if !moving(bytes.NewReader(b.Bytes())) {
		f.Fatal("two pictures do not move")
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if moving(bytes.NewReader(data)) && len(data) < 13+2*10 {
			t.Error("two pictures in fewer bytes than their headers")
		}
	})
}

// FuzzStill decodes files that were pictures: what is read is as large as its header says, which is looked at before.
func FuzzStill(f *testing.F) {
	grey := image.NewGray16(image.Rect(0, 0, 3, 2))
	glass := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	pal := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	for _, write := range []func(w io.Writer) error{
		func(w io.Writer) error { return png.Encode(w, grey) }, func(w io.Writer) error { return png.Encode(w, glass) },
		func(w io.Writer) error { return jpeg.Encode(w, grey, nil) }, func(w io.Writer) error { return gif.Encode(w, pal, nil) },
		func(w io.Writer) error {
			return tiff.Encode(w, glass, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		},
		func(w io.Writer) error { return bmp.Encode(w, glass) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	path := filepath.Join(f.TempDir(), "picture")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		info, _, native, err := probeStill(path)
		if err != nil || !native || info.Width*info.Height > 1<<20 {
			return
		}
		img, err := decodeStill(path, Interpretation{})
		if err == nil && (img.Rect.Dx() != info.Width || img.Rect.Dy() != info.Height) {
			t.Errorf("a picture of %v, not %dx%d", img.Rect, info.Width, info.Height)
		}
	})
}
