package footage

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
)

// meanDifference is that of two bytes.
func meanDifference(a, b []byte) (mean float64) {
	for i := range a {
		mean += math.Abs(float64(a[i])-float64(b[i])) / float64(len(a))
	}
	return mean
}

// TestFilmsThatFFmpegHalvesLookAsIfTheyWereHalvedHere has saturated colours, which conversions cut, and edges of one pixel, at which the colours of
// formats that ffmpeg converts at full size are those of neighbours too.
func TestFilmsThatFFmpegHalvesLookAsIfTheyWereHalvedHere(t *testing.T) {
	t.Parallel()
	x264 := func(more ...string) []string { return append([]string{"-c:v", "libx264", "-qp", "4"}, more...) }
	for _, c := range []struct {
		name, file, size string
		decoded          int     // how often ffmpeg halves pictures that are wanted at an eighth
		mean             float64 // how much they differ on the mean, at most
		encode           []string
	}{
		{"high definition without tags", "a.mp4", "640x720", 3, 0.4, x264("-pix_fmt", "yuv420p")},
		{"not a multiple of eight, BT.709", "a.mp4", "642x364", 1, 0.1, x264("-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_range", "tv")},
		{"colours at the left", "a.mp4", "640x360", 3, 0.3, x264("-pix_fmt", "yuv420p", "-chroma_sample_location", "left")},
		{"a colour for each pixel", "a.mp4", "640x360", 3, 0.9, x264("-pix_fmt", "yuv444p")},
		{"10 bits", "a.mp4", "640x360", 3, 0.9, x264("-pix_fmt", "yuv420p10le")},
		{"ProRes", "a.mov", "640x360", 3, 0.5, []string{"-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10le", "-colorspace", "bt709"}},
		{"turned", "a.mp4", "640x352", 3, 0.3, x264("-pix_fmt", "yuv420p", "-metadata:s:v:0", "rotate=90")},
		{"full range", "a.mp4", "64x48", 0, 0, x264("-pix_fmt", "yuvj420p")},
		{"RGB", "a.mov", "64x48", 0, 0, []string{"-c:v", "libx264rgb", "-qp", "0"}},
		{"transparent", "a.mov", "64x48", 0, 0, []string{"-c:v", "prores_ks", "-pix_fmt", "yuva444p10le"}},
		{"an odd size", "a.mp4", "64x48", 0, 0, x264("-vf", "format=yuv444p,scale=61:47")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), c.file)
			args := append([]string{"-f", "lavfi", "-i", "testsrc2=r=25:d=0.2:s=" + c.size}, c.encode...)
			if _, err := ffmpeg.Run(t.Context(), "ffmpeg", append(args, path)...); err != nil {
				t.Fatal(err)
			}
			small, full := open(t, path, Interpretation{}), open(t, path, Interpretation{})
			if got := small.reader.(*film).decodable(3); got != c.decoded {
				t.Errorf("ffmpeg halves it %d times, want %d", got, c.decoded)
			}
			whole, err := full.Frame(t.Context(), 0.12)
			if err != nil {
				t.Fatal(err)
			}
			want := halve(whole, 3)
			for _, always := range []int{1, 3} {
				got, err := small.Halved(t.Context(), 0.12, 3, always)
				if err != nil {
					t.Fatal(err)
				}
				if got.Rect != want.Rect {
					t.Fatalf("it is %v, want %v", got.Rect, want.Rect)
				}
				if d := meanDifference(got.Pix, want.Pix); d > c.mean {
					t.Errorf("halved %d times by ffmpeg it differs by %.3f on the mean, at most %.3f is right", always, d, c.mean)
				}
			}
		})
	}
}

// TestAFilmThatFFmpegHalvesHasTheMeansOfItsPixels has a film without loss whose luma grows across and whose colours change downwards, so that what each
// pixel of a smaller picture is can be calculated.
func TestAFilmThatFFmpegHalvesHasTheMeansOfItsPixels(t *testing.T) {
	t.Parallel()
	const w, h = 128, 64
	source := "nullsrc=s=128x64,format=yuv420p,geq=lum='40+X':cb='96+2*Y':cr='160-2*Y'"
	path := filepath.Join(t.TempDir(), "a.mp4")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", source, "-t", "0.2", "-c:v", "libx264", "-qp", "0", "-colorspace", "bt709", "-color_range", "tv", path); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, Interpretation{})
	for times := 1; times <= 3; times++ {
		img, err := s.Halved(t.Context(), 0, times, times)
		if err != nil {
			t.Fatal(err)
		}
		size := 1 << times
		for y := range h / size {
			for x := range w / size {
				light := (40 + float64(x*size) + float64(size-1)/2 - 16) / 219
				row := (float64(y*size) + float64(size-2)/2) / 2 // of the plane of colours, half as high
				blue := light + 2*(1-0.0722)*(96+2*row-128)/224
				red := light + 2*(1-0.2126)*(160-2*row-128)/224
				green := (light - 0.2126*red - 0.0722*blue) / (1 - 0.2126 - 0.0722)
				p := img.Pix[img.PixOffset(x, y):]
				for c, want := range []float64{red, green, blue, 1} {
					want = 255 * max(0, min(1, want))
					// A mean is rounded, and then up to three numbers are rounded down.
					if d := float64(p[c]) - want; math.Abs(d+1.5) > 2.6 {
						t.Fatalf("halved %d times, channel %d of %d,%d is %d, want %.2f", times, c, x, y, p[c], want)
					}
				}
			}
		}
	}
}

// TestAFilmInTwoSizesIsReadTwice has one library, whose budget counts decoders by the frames that they have, and not by those that they give.
func TestAFilmInTwoSizesIsReadTwice(t *testing.T) {
	path := makeFilm(t, "n.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p")
	l := NewLibrary(DefaultBudget)
	s, err := l.OpenAs(t.Context(), path, Interpretation{})
	if err != nil {
		t.Fatal(err)
	}
	whole := s.reader.(*film)
	if _, err := s.Frame(t.Context(), 0.1); err != nil {
		t.Fatal(err)
	}
	one := whole.decoderCost()
	for n := range 3 {
		if _, err := s.Halved(t.Context(), float64(n)/25, 2, 2); err != nil {
			t.Fatal(err)
		}
	}
	small := whole.decodedSmaller(2)
	if whole.starts.Load() != 1 || small.starts.Load() != 1 || small.cost() != one || whole.cost() != one {
		t.Errorf("ffmpeg was started %d and %d times, for %d and %d bytes, want twice %d", whole.starts.Load(), small.starts.Load(), whole.cost(), small.cost(), one)
	}
	if bytes := small.rawBytes(); bytes != 3*16*12 {
		t.Errorf("a quarter of a frame comes in %d bytes", bytes)
	}
	s.Rest()
	if bytes, decoders := l.Holds(); bytes != 0 || decoders != 0 {
		t.Errorf("while it rests the library holds %d bytes and %d decoders", bytes, decoders)
	}
	if _, err := s.Halved(t.Context(), 1, 2, 2); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, times := range []int{0, 1, 2} {
		if _, err := s.Halved(t.Context(), 1, times, times); !errors.Is(err, errClosed) {
			t.Errorf("closed, halved %d times: %v", times, err)
		}
	}
	if bytes, decoders := l.Holds(); bytes != 0 || decoders != 0 {
		t.Errorf("closed, the library holds %d bytes and %d decoders", bytes, decoders)
	}
}
