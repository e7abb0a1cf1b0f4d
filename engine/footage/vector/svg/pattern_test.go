package svg_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"overcrank/engine/footage/vector/svg"
	"overcrank/engine/geom"
)

func TestPatternsRepeatTheirTileWhereTheyAreTold(t *testing.T) {
	t.Parallel()
	const all = `<rect width="100" height="100" fill="url(#p)"/>`
	// every is where a square stands in each tile of a size, of which the first begins at a place.
	every := func(x0, y0, size, square int) func(x, y int) bool {
		return func(x, y int) bool { return (x-x0+10*size)%size < square && (y-y0+10*size)%size < square }
	}
	for name, c := range map[string]struct {
		content string
		want    func(x, y int) bool
	}{
		"in user space":        {`<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10"><rect width="5" height="5"/></pattern>` + all, every(0, 0, 10, 5)},
		"from a place on":      {`<pattern id="p" patternUnits="userSpaceOnUse" x="3" y="-4" width="10" height="10"><rect width="5" height="5"/></pattern>` + all, every(3, 6, 10, 5)},
		"by the box":           {`<pattern id="p" width=".2" height="20%"><rect width="5" height="5"/></pattern>` + all, every(0, 0, 20, 5)},
		"content by the box":   {`<pattern id="p" width=".2" height=".2" patternContentUnits="objectBoundingBox"><rect width=".1" height=".1"/></pattern>` + all, every(0, 0, 20, 10)},
		"by a box elsewhere":   {`<pattern id="p" width=".5" height=".5"><rect width="5" height="5"/></pattern><rect x="20" y="20" width="40" height="40" fill="url(#p)"/>`, func(x, y int) bool { return x >= 20 && y >= 20 && x < 60 && y < 60 && every(0, 0, 20, 5)(x, y) }},
		"with a view box":      {`<pattern id="p" width=".2" height=".2" viewBox="7 7 2 2"><path d="M7 7h1v1h-1z"/></pattern>` + all, every(0, 0, 20, 10)},
		"moved":                {`<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10" patternTransform="translate(2 3)"><rect width="5" height="5"/></pattern>` + all, every(2, 3, 10, 5)},
		"enlarged":             {`<pattern id="p" patternUnits="userSpaceOnUse" width="5" height="5" patternTransform="scale(4)"><rect width="1" height="1"/></pattern>` + all, every(0, 0, 20, 4)},
		"turned":               {`<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10" patternTransform="rotate(90)"><rect width="5" height="5"/></pattern>` + all, every(5, 0, 10, 5)},
		"inherited":            {`<pattern id="q" patternUnits="userSpaceOnUse" width="10" height="50"><rect width="5" height="5"/></pattern><pattern id="p" href="#q" height="10"/>` + all, every(0, 0, 10, 5)},
		"one tile":             {`<pattern id="p" width="1" height="1"><rect x="3" width="5" height="5"/></pattern>` + all, func(x, y int) bool { return x >= 3 && x < 8 && y < 5 }},
		"cut at its tile":      {`<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10"><rect x="-9" y="-9" width="14" height="14"/></pattern>` + all, every(0, 0, 10, 5)},
		"a stroke":             {`<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10"><rect width="5" height="5"/></pattern><path d="M0 50H100" stroke-width="20" stroke="url(#p)"/>`, func(x, y int) bool { return y >= 40 && y < 60 && every(0, 0, 10, 5)(x, y) }},
		"a pattern in another": {`<pattern id="q" patternUnits="userSpaceOnUse" width="4" height="4"><rect width="2" height="2"/></pattern><pattern id="p" patternUnits="userSpaceOnUse" width="20" height="20"><rect width="8" height="8" fill="url(#q)"/></pattern>` + all, func(x, y int) bool { return every(0, 0, 20, 8)(x, y) && every(0, 0, 4, 2)(x, y) }},
		"of nothing":           {`<pattern id="p" width=".5" height=".5"/>` + all, func(int, int) bool { return false }},
		"without a size":       {`<pattern id="p" width=".5"><rect width="9" height="9"/></pattern>` + all, func(int, int) bool { return false }},
	} {
		img := drawn(t, c.content, 1)
		for i := range 100 * 100 {
			x, y := i%100, i/100
			want := color.RGBA{}
			if c.want(x, y) {
				want.A = 255
			}
			if got := img.RGBAAt(x, y); got != want {
				t.Errorf("%s at %d, %d: %v, want %v", name, x, y, got, want)
				break
			}
		}
	}
}

// Where tiles begin between pixels, or are turned, what is covered is still the share that a tile covers.
func TestPatternsCoverTheShareOfTheirTile(t *testing.T) {
	t.Parallel()
	for _, how := range []string{`width="7.3" height="3.9" patternTransform="rotate(33)"`, `width="7.3" height="3.9"`, `width=".03" height=".07"`, `width="9" height="9" patternTransform="skewX(30)"`} {
		for _, times := range []float64{0.5, 1, 3.3} {
			img := drawn(t, `<pattern id="p" patternUnits="userSpaceOnUse" `+how+` viewBox="0 0 2 2" preserveAspectRatio="none"><rect width="2" height="2" fill="#f00"/><rect width="1" height="1" fill="#00f"/></pattern>
				<rect width="100" height="100" fill="url(#p)"/>`, times)
			var red, blue float64
			for i := 0; i < len(img.Pix); i += 4 {
				red, blue = red+float64(img.Pix[i])/255, blue+float64(img.Pix[i+2])/255
			}
			n := float64(len(img.Pix) / 4)
			if math.Abs(red/n-0.75) > 0.02 || math.Abs(blue/n-0.25) > 0.02 || area(img) < n-1 {
				t.Errorf("%s at %g: %.4f red and %.4f blue", how, times, red/n, blue/n)
			}
		}
	}
}

func TestPatternsAreAsTransparentAsWhatTheyPaint(t *testing.T) {
	t.Parallel()
	const p = `<pattern id="p" patternUnits="userSpaceOnUse" width="10" height="10"><rect width="10" height="10" fill="#f00"/></pattern>`
	for _, how := range []string{`fill-opacity=".5"`, `opacity=".5"`} {
		if got := drawn(t, p+`<rect width="40" height="40" fill="url(#p)" `+how+`/><rect x="50" width="40" height="40" fill="url(#p)"/>`, 1); !near(got.RGBAAt(7, 7), color.RGBA{128, 0, 0, 128}, 1) ||
			got.RGBAAt(57, 7) != (color.RGBA{255, 0, 0, 255}) {
			t.Errorf("%s: %v and %v", how, got.RGBAAt(7, 7), got.RGBAAt(57, 7))
		}
	}
}

// Patterns of patterns of patterns, each used several times, would be drawn more often than anybody can wait for.
func TestPatternsWithinPatternsAreBounded(t *testing.T) {
	t.Parallel()
	var deep strings.Builder
	deep.WriteString(`<pattern id="p0" width=".1" height=".1"><rect width="9" height="9"/></pattern>`)
	for i := range 14 {
		fmt.Fprintf(&deep, `<pattern id="p%d" width=".1" height=".1">%s</pattern>`, i+1,
			strings.Repeat(fmt.Sprintf(`<rect width="9" height="9" fill="url(#p%d)"/><rect width="8" height="%d" stroke="url(#p%d)"/>`, i, i+1, i), 8))
	}
	for name, c := range map[string]struct{ content, want string }{
		"deep":      {deep.String() + `<rect width="99" height="99" fill="url(#p14)"/>`, "takes too long"},
		"of itself": {`<pattern id="p" width=".5" height=".5"><rect width="9" height="9" fill="url(#p)"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"of each other": {`<pattern id="p" width=".5" height=".5"><rect width="9" height="9" fill="url(#q)"/></pattern><pattern id="q" width=".5" height=".5"><rect width="9" height="9" fill="url(#p)"/></pattern>
			<rect width="99" height="99" fill="url(#p)"/>`, ""},
		"in a row":       {`<pattern id="p" href="#q"/><pattern id="q" href="#p"/><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"tiny tiles":     {`<pattern id="p" patternUnits="userSpaceOnUse" width="1e-7" height="1e-7"><rect width="1" height="1"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"huge tiles":     {`<pattern id="p" patternUnits="userSpaceOnUse" x="50" y="50" width="1e7" height="1e7"><rect width="9e6" height="9e6"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"thin tiles":     {`<pattern id="p" patternUnits="userSpaceOnUse" width="1e7" height=".001"><rect width="9e6" height="9"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, "takes too long"},
		"far away":       {`<pattern id="p" patternUnits="userSpaceOnUse" x="1e7" y="-1e7" width=".7" height="1e-6"><rect width="9" height="9"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"made enormous":  {`<pattern id="p" width=".1" height=".1" patternTransform="scale(1e7) scale(1e7) scale(1e7) rotate(3)"><rect width="9" height="9"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
		"made to a line": {`<pattern id="p" width=".1" height=".1" patternTransform="scale(1 0)"><rect width="9" height="9"/></pattern><rect width="99" height="99" fill="url(#p)"/>`, ""},
	} {
		pic, err := svg.Read(strings.NewReader(head+c.content+tail), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = pic.Draw(t.Context(), image.NewRGBA(image.Rect(0, 0, 100, 100)), geom.Identity)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if cost := pic.Cost(); cost > 1<<20 {
			t.Errorf("%s is said to take %d bytes", name, cost)
		}
	}
}
