package encode

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"overcrank/engine/raster"
	"overcrank/farm/codec"
)

// The formulas of BT.709 in television range, with real numbers.
func bt709(r, g, b float64) (y, u, v float64) {
	luma := 0.2126*r + 0.7152*g + 0.0722*b
	return 16 + 219*luma/255, 128 + 224*(b-luma)/1.8556/255, 128 + 224*(r-luma)/1.5748/255
}

func TestFramesAreConvertedByBT709(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		iw, ih := 1+r.IntN(70), 1+r.IntN(9)
		w, h := iw+iw%2, ih+ih%2
		img := image.NewRGBA(image.Rect(0, 0, iw, ih))
		for i := range img.Pix {
			img.Pix[i] = [...]uint8{0, 255, uint8(r.Uint32())}[r.IntN(3)]
		}
		buf := make([]byte, i420Size(w, h))
		fillI420(buf, w, h, img)
		at := func(x, y int) []uint8 { return img.Pix[img.PixOffset(min(x, iw-1), min(y, ih-1)):] }
		near := func(what string, x, y int, got uint8, want float64) {
			if math.Abs(float64(got)-want) > 0.52 {
				t.Fatalf("%s of %d,%d in %d x %d is %d, want %.2f", what, x, y, iw, ih, got, want)
			}
		}
		for y := range h {
			for x := range w {
				p := at(x, y)
				want, _, _ := bt709(float64(p[0]), float64(p[1]), float64(p[2]))
				near("luma", x, y, buf[y*w+x], want)
			}
		}
		for y := 0; y < h; y += 2 {
			for x := 0; x < w; x += 2 {
				var mean [3]float64
				for _, p := range [][]uint8{at(x, y), at(x+1, y), at(x, y+1), at(x+1, y+1)} {
					for c := range mean {
						mean[c] += float64(p[c]) / 4
					}
				}
				_, u, v := bt709(mean[0], mean[1], mean[2])
				near("U", x, y, buf[w*h+y/2*(w/2)+x/2], u)
				near("V", x, y, buf[w*h*5/4+y/2*(w/2)+x/2], v)
			}
		}
	}
}

func TestFramesAreConvertedTheSameOnEveryProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		w := 2 * (1 + r.IntN(60))
		pix := make([]byte, 8*w)
		for i := range pix {
			pix[i] = [...]uint8{0, 255, uint8(r.Uint32())}[r.IntN(3)]
		}
		convert := func(by func(y0, y1, u, v, top, bottom []byte)) []byte {
			out := make([]byte, 3*w)
			by(out[:w], out[w:2*w], out[2*w:2*w+w/2], out[2*w+w/2:], pix[:4*w], pix[4*w:])
			return out
		}
		if got, want := convert(i420Pair), convert(i420Rows); !bytes.Equal(got, want) {
			t.Fatalf("%d pixels: %v, want %v", w, got, want)
		}
	}
}

func TestGreyHasNoColour(t *testing.T) {
	img, buf := image.NewRGBA(image.Rect(0, 0, 2, 2)), make([]byte, i420Size(2, 2))
	for grey := range 256 {
		raster.FillRect(img, img.Rect, raster.Color{uint8(grey), uint8(grey), uint8(grey), 255})
		fillI420(buf, 2, 2, img)
		if buf[4] != 128 || buf[5] != 128 {
			t.Errorf("grey %d has the chroma %d, %d", grey, buf[4], buf[5])
		}
	}
}

// A frame of 1280x720; one operation is one frame.
func BenchmarkI420(b *testing.B) {
	img, buf := image.NewRGBA(image.Rect(0, 0, 1280, 720)), make([]byte, i420Size(1280, 720))
	for b.Loop() {
		fillI420(buf, 1280, 720, img)
	}
}

func TestAPictureComesBackFromI420(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		color := raster.Color{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}
		img, buf := image.NewRGBA(image.Rect(0, 0, 5, 3)), make([]byte, i420Size(6, 4))
		raster.FillRect(img, img.Rect, color)
		fillI420(buf, 6, 4, img)
		back := i420Picture(buf, 6, 4, 5, 3)
		for i, v := range back.Pix {
			if math.Abs(float64(v)-float64(img.Pix[i])) > 3 {
				t.Fatalf("%v came back as %v", color, back.Pix[i&^3:i&^3+4])
			}
		}
	}
}

func TestAFilmIsTheSameOfFramesInItsOwnForm(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(11, 12))
	const width, height = 65, 47
	film := func(name string, formed bool) []byte {
		path := filepath.Join(dir, name)
		w, err := Open(t.Context(), Spec{Template: lookup(t, codec.DefaultFilm), Name: Name{Path: path}, Width: width, Height: height, RateNum: 25, RateDen: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		own, _ := w.(Former)
		var done atomic.Int32
		_, size, convert, ok := own.Form()
		if !ok {
			t.Fatal("the film has no form of its own")
		}
		for i := range 10 {
			img := frame(width, height, color.RGBA{uint8(20 * i), 90, 140, 255})
			if !formed {
				err = w.Write(i, img)
			} else {
				buf := make([]byte, size)
				convert(buf, img)
				err = own.WriteFormed(i, buf, func() {
					clear(buf) // it is the caller's again
					done.Add(1)
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := own.WriteFormed(10, make([]byte, r.IntN(size)), func() { done.Add(1) }); err == nil {
			t.Error("a frame of another size was accepted")
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := done.Load(); formed && n != 11 || !formed && n != 1 {
			t.Errorf("%d frames were given back", n)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(film("a.mp4", true), film("b.mp4", false)) {
		t.Error("the films differ")
	}
}

func TestWhatIsNoI420HasNoForm(t *testing.T) {
	w, err := Open(t.Context(), Spec{Template: lookup(t, "video_prores_422"), Name: Name{Path: filepath.Join(t.TempDir(), "a.mov")}, Width: 16, Height: 16, RateNum: 25, RateDen: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, _, _, ok := w.(Former).Form(); ok {
		t.Error("ProRes is given frames in I420")
	}
}
