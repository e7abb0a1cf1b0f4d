package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"overcrank/engine/footage/vector/pdf"
	"overcrank/engine/geom"
)

// tile is an object that is a tiling pattern.
func tile(attrs, content string) string {
	return fmt.Sprintf("<</PatternType 1/Resources 8 0 R%s/Length %d>>stream\n%s\nendstream", attrs, len(content), content)
}

// tiled is a file of two patterns T and U, and a form F.
func tiled(content, t, u, form string) []byte {
	resources := "<</ExtGState<</G<</ca .5/CA .5>>>>/ColorSpace<</Plain[/Pattern/DeviceRGB]>>/Pattern<</T 5 0 R/U 6 0 R>>/XObject<</F 7 0 R>>>>"
	return file("/Resources 8 0 R", content, t, u, form, resources)
}

func TestTilingPatternsRepeatTheirTileWhereTheyAreTold(t *testing.T) {
	t.Parallel()
	red, blue, clear := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{}
	const square = "1 0 0 rg 0 0 5 5 re f"
	const all = "/Pattern cs /T scn 0 0 100 100 re f"
	// every is where a square stands in each tile of a size; y counts from below.
	every := func(x0, y0, size, square int) func(x, y int) color.RGBA {
		return func(x, y int) color.RGBA {
			if (x-x0+10*size)%size < square && (y-y0+10*size)%size < square {
				return red
			}
			return clear
		}
	}
	for name, c := range map[string]struct {
		content, tile string
		want          func(x, y int) color.RGBA
	}{
		"side by side": {all, tile("/PaintType 1/TilingType 1/BBox[0 0 10 10]/XStep 10/YStep 10", square), every(0, 0, 10, 5)},
		"with gaps":    {all, tile("/PaintType 1/TilingType 2/BBox[0 0 4 4]/XStep 10/YStep 10", square), every(0, 0, 10, 4)},
		"over each other": {all, tile("/PaintType 1/TilingType 2/BBox[0 0 20 20]/XStep 10/YStep 10", "1 0 0 rg 0 0 2 2 re 13 14 3 3 re f"), func(x, y int) color.RGBA {
			x, y = x%10, y%10
			if x < 2 && y < 2 || x >= 3 && x < 6 && y >= 4 && y < 7 {
				return red
			}
			return clear
		}},
		"backwards":   {all, tile("/PaintType 1/BBox[0 0 10 10]/XStep -10/YStep -10", square), every(0, 0, 10, 5)},
		"by a matrix": {all, tile("/PaintType 1/BBox[0 0 10 10]/XStep 10/YStep 10/Matrix[2 0 0 2 3 -4]", square), every(3, -4, 20, 10)},
		"not moved by the page": {"q 2 0 0 2 7 7 cm " + all + " Q", tile("/PaintType 1/BBox[0 0 10 10]/XStep 10/YStep 10", square), func(x, y int) color.RGBA {
			if x < 7 || y < 7 {
				return clear
			}
			return every(0, 0, 10, 5)(x, y)
		}},
		"in the space of a form": {"/F Do", tile("/PaintType 1/BBox[0 0 10 10]/XStep 10/YStep 10", square), func(x, y int) color.RGBA {
			if x < 2 || y < 2 {
				return clear
			}
			return every(2, 2, 20, 10)(x, y)
		}},
		"a stroke": {"/Pattern CS /T SCN 20 w 0 50 m 100 50 l S", tile("/PaintType 1/BBox[0 0 10 10]/XStep 10/YStep 10", square), func(x, y int) color.RGBA {
			if y < 40 || y >= 60 {
				return clear
			}
			return every(0, 0, 10, 5)(x, y)
		}},
		"in the colour of the ink": {"/Plain cs 1 0 0 /T scn 0 0 50 100 re f 0 0 1 /T scn 50 0 50 100 re f", tile("/PaintType 2/BBox[0 0 10 10]/XStep 10/YStep 10", "0 1 0 rg 0 0 5 5 re f"), func(x, y int) color.RGBA {
			c := every(0, 0, 10, 5)(x, y)
			if c == red && x >= 50 {
				return blue
			}
			return c
		}},
		"half seen": {"/G gs " + all, tile("/PaintType 1/BBox[0 0 10 10]/XStep 10/YStep 10", square), func(x, y int) color.RGBA {
			if every(0, 0, 10, 5)(x, y) == red {
				return color.RGBA{128, 0, 0, 128}
			}
			return clear
		}},
		"in another pattern": {"/Pattern cs /U scn 0 0 100 100 re f", tile("/PaintType 1/BBox[0 0 4 4]/XStep 4/YStep 4", "1 0 0 rg 0 0 2 2 re f"), func(x, y int) color.RGBA {
			if every(0, 0, 20, 10)(x, y) == red {
				return every(0, 0, 4, 2)(x, y)
			}
			return clear
		}},
	} {
		img, pic := drawn(t, tiled(c.content, c.tile, tile("/PaintType 1/BBox[0 0 20 20]/XStep 20/YStep 20", "/Pattern cs /T scn 0 0 10 10 re f"),
			"<</Subtype/Form/Matrix[2 0 0 2 2 2]/BBox[0 0 100 100]/Resources 8 0 R/Length 35>>stream\n"+all+"\nendstream"), 1)
		if len(pic.Lacks) > 0 {
			t.Errorf("%s lacks %q", name, pic.Lacks)
		}
		for i := range 100 * 100 {
			x, y := i%100, i/100
			if got, want := img.RGBAAt(x, 99-y), c.want(x, y); !near(got, want) {
				t.Errorf("%s at %d, %d: %v, want %v", name, x, y, got, want)
				break
			}
		}
	}
}

// near tells whether two colours are the same but for rounding.
func near(a, b color.RGBA) bool {
	for _, d := range [4]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -1 || d > 1 {
			return false
		}
	}
	return true
}

func TestTilingPatternsAreBounded(t *testing.T) {
	t.Parallel()
	const all = "/Pattern cs /T scn 0 0 100 100 re f"
	for name, c := range map[string]struct{ t, u, content, lack, wrong string }{
		"of itself":      {tile("/BBox[0 0 9 9]/XStep 9/YStep 9", all), "", all, "parts that use themselves", ""},
		"of each other":  {tile("/BBox[0 0 9 9]/XStep 9/YStep 9", "/Pattern cs /U scn 0 0 5 5 re f"), tile("/BBox[0 0 9 9]/XStep 9/YStep 9", all), all, "parts that use themselves", ""},
		"without a step": {tile("/BBox[0 0 9 9]/XStep 0/YStep 9", "0 0 5 5 re f"), "", all, "patterns", ""},
		"without a box":  {tile("/XStep 9/YStep 9", "0 0 5 5 re f"), "", all, "patterns", ""},
		"tiny steps":     {tile("/BBox[0 0 9 9]/XStep .0001/YStep .0001", "0 0 5 5 re f"), "", all, "", "takes too long"},
		"tiny tiles":     {tile("/BBox[0 0 .0001 .0001]/XStep .0001/YStep .0001", "0 0 5 5 re f"), "", all, "", ""},
		"huge tiles":     {tile("/BBox[-1e9 -1e9 1e9 1e9]/XStep 2e9/YStep 2e9", "0 0 5 5 re f"), "", all, "", ""},
		"a stencil":      {tile("/BBox[0 0 9 9]/XStep 9/YStep 9", "0 0 5 5 re f"), "", "/Pattern cs /T scn 20 0 0 20 5 5 cm BI /W 8 /H 1 /IM true ID \x0f EI", "stencils that are painted with a pattern", ""},
	} {
		pic, err := pdf.Read(bytes.NewReader(tiled(c.content, c.t, c.u, "null")), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(pic.Lacks, "|"); got != c.lack {
			t.Errorf("%s lacks %q, want %q", name, got, c.lack)
		}
		err = pic.Draw(t.Context(), image.NewRGBA(image.Rect(0, 0, 100, 100)), geom.Identity)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %v, want %q", name, err, c.wrong)
		}
	}
}
