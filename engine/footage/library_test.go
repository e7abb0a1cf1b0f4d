package footage

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// started is how often ffmpeg was started for a film.
func started(s *Source) int64 { return s.reader.(*film).starts.Load() }

func numberedFilm(t *testing.T) string {
	return makeFilm(t, "n.mov", "-c:v", "libx264rgb", "-qp", "0", "-g", "12")
}

func wants(t *testing.T, s *Source, frame int) {
	t.Helper()
	img, err := s.Frame(t.Context(), float64(frame)/25)
	if err != nil {
		t.Fatal(err)
	}
	if got := number(img); got != frame {
		t.Fatalf("frame %d instead of %d", got, frame)
	}
}

func TestTwoPlacesOfAFilmAreReadSideBySide(t *testing.T) {
	s := open(t, numberedFilm(t), Interpretation{})
	for n := range 40 {
		wants(t, s, n)
		wants(t, s, n+55)
	}
	if n := started(s); n > 3 {
		t.Errorf("ffmpeg was started %d times", n)
	}
}

func TestAFilmIsReadBackwardsInStretches(t *testing.T) {
	s := open(t, numberedFilm(t), Interpretation{})
	for n := 99; n >= 0; n-- {
		wants(t, s, n)
	}
	if n := started(s); n > 100/windowMost+3 {
		t.Errorf("ffmpeg was started %d times", n)
	}
}

func TestALibraryKeepsNoMoreThanItsBudget(t *testing.T) {
	const edge, budget = 512, 3 << 20 // a picture is one MiB
	l := NewLibrary(budget)
	var all []*Source
	for i := range 8 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".png"))
		img := image.NewPaletted(image.Rect(0, 0, edge, edge), color.Palette{color.NRGBA{uint8(20 * i), 0, 0, 255}})
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all = append(all, s)
	}
	for range 2 {
		for i, s := range all {
			for halvings := range 3 {
				img, err := s.Halved(t.Context(), 0, halvings)
				if err != nil || img.Rect.Dx() != edge>>halvings || img.RGBAAt(5, 5).R != uint8(20*i) {
					t.Fatalf("picture %d, halved %d times: %v, %v", i, halvings, img.RGBAAt(5, 5), err)
				}
			}
			if held, _ := l.Holds(); held > budget || held == 0 {
				t.Fatalf("%d bytes are kept", held)
			}
		}
	}
	for _, s := range all {
		s.Rest()
	}
	if held, _ := l.Holds(); held != 0 {
		t.Errorf("%d bytes are kept of files that rest", held)
	}
}

func TestManyFilmsAreReadByFewDecoders(t *testing.T) {
	l, path := NewLibrary(DefaultBudget), numberedFilm(t)
	var all []*Source
	for range maxDecoders + 3 {
		s, err := l.OpenAs(t.Context(), path, Interpretation{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all = append(all, s)
	}
	for n := range 2 {
		for _, s := range all {
			wants(t, s, n)
		}
		if _, decoders := l.Holds(); decoders == 0 || decoders > maxDecoders {
			t.Fatalf("%d decoders", decoders)
		}
	}
	for _, s := range all {
		s.Rest()
	}
	if held, decoders := l.Holds(); held != 0 || decoders != 0 {
		t.Errorf("files that rest keep %d bytes and %d decoders", held, decoders)
	}
	wants(t, all[0], 7)
}

func TestALargePictureIsVerifiedInLittleMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "large.png")
	img := image.NewPaletted(image.Rect(0, 0, 4000, 3000), color.Palette{color.White})
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), path); err != nil {
		t.Error(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:60], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), path); err == nil {
		t.Error("a picture that is cut off is taken for whole")
	}
}
