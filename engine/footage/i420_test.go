package footage

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
)

func TestFramesInI420AreConvertedByTheFormulasOfTheirStandard(t *testing.T) {
	const w, h = 34, 6
	r := rand.New(rand.NewPCG(1, 2))
	for name, share := range map[string]struct{ red, blue float64 }{
		"bt709": {0.2126, 0.0722}, "smpte170m": {0.299, 0.114}, "bt470bg": {0.299, 0.114}, "": {0.299, 0.114}, "smpte240m": {0.212, 0.087}, "bt2020nc": {0.2627, 0.0593},
	} {
		frame := make([]byte, i420Size(w, h))
		for i := range frame {
			frame[i] = uint8(r.Uint32())
		}
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		matrixOf(name).draw(img, frame)
		for y := range h {
			for x := range w {
				at := y/2*(w/2) + x/2
				light := (float64(frame[y*w+x]) - 16) / 219
				blue := light + 2*(1-share.blue)*(float64(frame[w*h+at])-128)/224
				red := light + 2*(1-share.red)*(float64(frame[w*h*5/4+at])-128)/224
				green := (light - share.red*red - share.blue*blue) / (1 - share.red - share.blue)
				p := img.Pix[img.PixOffset(x, y):]
				for c, want := range []float64{red, green, blue, 1} {
					want = 255 * max(0, min(1, want))
					// Up to three numbers are rounded down.
					if d := float64(p[c]) - want; d > 0.1 || d < -3 {
						t.Fatalf("%q: channel %d of %d,%d is %d, want %.2f", name, c, x, y, p[c], want)
					}
				}
			}
		}
	}
}

func TestFramesInI420AreConvertedTheSameOnEveryProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	m := matrixOf("bt709")
	for range 1000 {
		for shared := range 2 {
			w := 2 * (1 + r.IntN(60))
			planes := make([]byte, w+2*(w>>shared))
			for i := range planes {
				planes[i] = [...]uint8{0, 255, uint8(r.Uint32())}[r.IntN(3)]
			}
			luma, u, v := planes[:w], planes[w:][:w>>shared], planes[w+w>>shared:]
			got, want := make([]byte, 4*w), make([]byte, 4*w)
			m.row(got, luma, u, v)
			m.rowInGo(want, luma, u, v, shared)
			if !bytes.Equal(got, want) {
				t.Fatalf("%d pixels, %d of one colour: %v, want %v", w, 1<<shared, got, want)
			}
		}
	}
}

// The films are read here, and by ffmpeg as RGBA. It converts to the same bytes on amd64, and with other roundings elsewhere.
func TestFilmsHaveTheColoursThatFFmpegGivesThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   string
		here   bool // converted here
		encode []string
	}{
		{"high definition without tags", "1280x720", true, []string{"-pix_fmt", "yuv420p"}},
		{"small without tags", "66x50", true, []string{"-pix_fmt", "yuv420p"}},
		{"small, BT.709", "66x50", true, []string{"-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_range", "tv"}},
		{"BT.2020", "66x50", true, []string{"-pix_fmt", "yuv420p", "-colorspace", "bt2020nc"}},
		{"FCC", "66x50", false, []string{"-pix_fmt", "yuv420p", "-colorspace", "fcc"}},
		{"full range", "66x50", false, []string{"-pix_fmt", "yuvj420p"}},
		{"a colour for each pixel", "66x50", false, []string{"-pix_fmt", "yuv444p"}},
		{"an odd size", "65x49", false, []string{"-pix_fmt", "yuv444p"}},
		{"turned", "66x50", true, []string{"-pix_fmt", "yuv420p", "-metadata:s:v:0", "rotate=90"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mp4")
			args := append([]string{"-f", "lavfi", "-i", "testsrc2=s=" + c.size + ":r=25:d=0.4", "-c:v", "libx264"}, c.encode...)
			if _, err := ffmpeg.Run(t.Context(), "ffmpeg", append(args, path)...); err != nil {
				t.Fatal(err)
			}
			s := open(t, path, Interpretation{})
			film, _ := s.reader.(*film)
			if here := film.stream.i420 != nil; here != c.here {
				t.Errorf("its frames are converted here: %t", here)
			}
			in := append(ffmpeg.Input(path), "-vf", "fps=fps=25")
			frames, err := ffmpeg.Run(t.Context(), "ffmpeg", append(in, decodeOutput(film.stream, "")...)...)
			if err != nil {
				t.Fatal(err)
			}
			size := film.bytes()
			for n := range len(frames) / size {
				img, err := s.Frame(t.Context(), float64(n)/25)
				if err != nil {
					t.Fatal(err)
				}
				if d := furthest(img.Pix, frames[n*size:][:size]); d > 3 {
					t.Fatalf("frame %d differs by %g", n, d)
				}
			}
		})
	}
}

// furthest is the largest difference of two bytes.
func furthest(a, b []byte) (d float64) {
	for i := range a {
		d = max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}

// A frame of 1280x720; one operation is one frame.
func BenchmarkI420(b *testing.B) {
	frame, m := make([]byte, i420Size(1280, 720)), matrixOf("bt709")
	for b.Loop() {
		m.draw(image.NewRGBA(image.Rect(0, 0, 1280, 720)), frame)
	}
}
