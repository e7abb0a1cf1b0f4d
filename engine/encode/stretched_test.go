package encode

import (
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"overcrank/engine/raster"
	"overcrank/ffmpeg/encoding/encodingtest"
)

// stretchedSpec is a film of three stretches, of 10, 10 and more frames, in a folder of its own.
func stretchedSpec(t testing.TB, w, h int) Spec {
	return Spec{
		Template: lookup(t, "video_h264_vbr_1mbps"), Name: Name{Path: filepath.Join(t.TempDir(), "film.mp4")}, Width: w, Height: h,
		RateNum: 25, RateDen: 1, Cuts: []int{10, 20},
	}
}

// TestStretchesDoNotExceedTheRate writes noise, which takes all the bits that it can get.
func TestStretchesDoNotExceedTheRate(t *testing.T) {
	s := stretchedSpec(t, 320, 180)
	s.Cuts = []int{38, 88}
	const frames = 150
	w, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for n := range frames {
		for i := range img.Pix {
			img.Pix[i] = uint8(random.Uint32())
		}
		if err := w.Write(n, img); err != nil {
			t.Fatal(err)
		}
	}
	files, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	// A film that is encoded at once may take two seconds' bits more than its rate, which fill the decoder's buffer before it begins.
	if got, most := encodingtest.Look(t, files[0]).Bits(), 1e6*(6.0+2)/6; got > most {
		t.Errorf("%.2f Mbit/s, want at most %.2f", got/1e6, most/1e6)
	}
}

func TestAFilmOfStretchesThatIsAbortedLeavesNothing(t *testing.T) {
	for _, frames := range []int{0, 5, 10, 15, 25} {
		s := stretchedSpec(t, 64, 48)
		w, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for n := range frames {
			if err := w.Write(n, frame(64, 48, color.RGBA{1, 2, 3, 255})); err != nil {
				t.Fatal(err)
			}
		}
		w.Abort()
		if entries, err := os.ReadDir(filepath.Dir(s.Name.Path)); err != nil || len(entries) != 0 {
			t.Errorf("after %d frames the folder holds %v, %v", frames, entries, err)
		}
	}
}

// TestAStretchIsWhatItsFilmWouldHave places a stretch of one film in another.
func TestAStretchIsWhatItsFilmWouldHave(t *testing.T) {
	picture := func(n int) *raster.Image { return frame(64, 48, color.RGBA{uint8(8 * n), 200, uint8(3 * n), 255}) }
	s := stretchedSpec(t, 64, 48)
	film := func(prepare func(to Stretcher), skip func(n int) bool) (string, error) {
		s.Name.Path = filepath.Join(t.TempDir(), "film.mp4")
		w, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		prepare(w.(Stretcher))
		for n := range 30 {
			if !skip(n) {
				if err := w.Write(n, picture(n)); err != nil {
					return "", err
				}
			}
		}
		_, err = w.Close()
		return s.Name.Path, err
	}
	all := func(int) bool { return false }
	middle := func(n int) bool { return n >= 10 && n < 20 }
	var kept []byte
	first, err := film(func(to Stretcher) { to.Keep(1, func(b []byte) { kept = b }) }, all)
	if err != nil || len(kept) == 0 {
		t.Fatalf("%d bytes were passed on, %v", len(kept), err)
	}
	place := func(to Stretcher) {
		if to.Recipe(1) != to.Recipe(2) || to.Recipe(0) == to.Recipe(1) {
			t.Error("recipes are not those of first and later stretches")
		}
		if err := to.Place(1, kept, 10); err != nil {
			t.Fatal(err)
		}
	}
	second, err := film(place, middle)
	if err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(second); err != nil || string(a) != string(b) {
		t.Errorf("it is another film, of %d instead of %d bytes, %v", len(b), len(a), err)
	}
	if _, err := film(place, all); err == nil {
		t.Error("frames of a stretch that is whole were taken")
	}
	if _, err := film(func(Stretcher) {}, middle); err == nil {
		t.Error("a film without one of its stretches was written")
	}
	if _, err := film(func(to Stretcher) { _ = to.Place(1, []byte("damaged"), 10) }, middle); err == nil {
		t.Error("a film with a damaged stretch was written")
	}
}
