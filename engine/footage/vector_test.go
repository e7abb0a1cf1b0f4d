package footage_test

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/engine/footage"
	"overcrank/engine/geom"
)

func outlines(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "art.svg")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const quarter = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4.5"><path d="M0 0h4v2h-4z" fill="#f00" fill-opacity=".5"/><text>A</text></svg>`

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
