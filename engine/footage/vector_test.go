package footage_test

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/engine/footage"
	"overcrank/engine/geom"
	"overcrank/engine/text"
)

func outlines(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "art.svg")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const quarter = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4.5"><path d="M0 0h4v2h-4z" fill="#f00" fill-opacity=".5"/><text x="5" y="4.5" font-family="Nobody" font-size="6" fill="#f00">A</text></svg>`

func TestOutlinesAreAStillOfTheirSizeAndSharpAtAnyOther(t *testing.T) {
	t.Parallel()
	lib := footage.NewLibrary(1 << 20)
	src, err := lib.OpenAs(t.Context(), outlines(t, quarter), footage.Interpretation{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if i := src.Info; i.Width != 8 || i.Height != 5 || !i.Still || !i.Alpha || !i.Outlines || i.Lacks != "text" {
		t.Errorf("info is %+v", i)
	}
	img, err := src.Frame(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if c, out := img.RGBAAt(1, 1), img.RGBAAt(5, 1); c.R != 128 || c.A != 128 || out.A != 0 {
		t.Errorf("%v and %v", c, out)
	}
	if again, err := src.Frame(t.Context(), 0); err != nil || again != img {
		t.Errorf("it was drawn again: %v", err)
	}
	large := image.NewRGBA(image.Rect(0, 0, 80, 50))
	if err := src.Lent().Sharp(t.Context(), large, geom.Scale(10, 10)); err != nil {
		t.Fatal(err)
	}
	if in, out := large.RGBAAt(39, 19), large.RGBAAt(40, 19); in.A != 128 || out.A != 0 {
		t.Errorf("%v and %v at the border", in, out)
	}
	if held, _ := lib.Holds(); held <= 8*5*4 {
		t.Errorf("%d bytes are kept", held)
	}
	if src.Rest(); func() int64 { held, _ := lib.Holds(); return held }() != 0 {
		t.Error("something is kept at rest")
	}
}

func TestTextOfOutlinesIsSetWithTheFontsOfTheLibrary(t *testing.T) {
	t.Parallel()
	lib := footage.NewLibrary(1 << 20)
	fonts := book(t)
	lib.SetFonts(fonts)
	src, err := lib.OpenAs(t.Context(), outlines(t, quarter), footage.Interpretation{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if src.Info.Lacks != "" || !slices.Equal(src.Info.Fonts, []string{"Nobody"}) || len(fonts.Substitutes()) != 1 {
		t.Errorf("info is %+v, told %q", src.Info, fonts.Substitutes())
	}
	seen := func() (sum int) {
		img, err := src.Frame(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 5 {
			for x := 5; x < 8; x++ {
				sum += int(img.RGBAAt(x, y).R)
			}
		}
		return sum
	}
	if seen() < 255 {
		t.Error("no text is seen")
	}
	// What stood in for a font is told by the fonts of each scene.
	other := book(t)
	lib.SetFonts(other)
	if seen() < 255 || len(other.Substitutes()) != 1 {
		t.Errorf("told %q", other.Substitutes())
	}
	lib.SetFonts(nil)
	if seen() != 0 {
		t.Error("text is seen without fonts")
	}
}

func book(t *testing.T) *text.Book {
	t.Helper()
	fonts, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	return fonts
}

func TestTheTransparencyOfOutlinesIsInterpreted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   footage.Interpretation
		want [2]uint8 // alpha within and outside
	}{"ignored": {footage.Interpretation{IgnoreAlpha: true}, [2]uint8{255, 255}}, "inverted": {footage.Interpretation{InvertAlpha: true}, [2]uint8{127, 255}}} {
		src, err := footage.OpenAs(t.Context(), outlines(t, quarter), c.in)
		if err != nil {
			t.Fatal(err)
		}
		img, err := src.Frame(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]uint8{img.RGBAAt(1, 1).A, img.RGBAAt(5, 1).A}; got != c.want || src.Info.Outlines {
			t.Errorf("%s: %v", name, got)
		}
		_ = src.Close()
	}
}

func TestBrokenOutlinesAreRefusedWithTheNameOfTheFile(t *testing.T) {
	t.Parallel()
	if _, err := footage.Open(t.Context(), outlines(t, quarter[:60])); err == nil || !strings.Contains(err.Error(), "'art.svg' can't be read: it is broken") {
		t.Errorf("got %v", err)
	}
}
