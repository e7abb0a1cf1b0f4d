package svg_test

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/footage/vector/svg"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/text"
	"overcrank/engine/text/texttest"
)

// layer is what a text layer shows, its anchor at 10, 60.
func layer(t testing.TB, s string, style aep.CharacterStyle, justify aep.Justification) (*image.RGBA, *text.Layout) {
	t.Helper()
	style.HScale, style.VScale, style.ApplyFill = 100, 100, true
	doc := &aep.TextDocument{
		Text: s, Runs: []aep.TextRun{{Length: len(s), Style: style}},
		Paragraphs: []aep.ParagraphRun{{Length: len(s), Style: aep.ParagraphStyle{Justification: justify}}},
	}
	l, err := texttest.Book(t).Layout(doc)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	r := new(raster.Rasterizer)
	for i := range l.Shapes {
		r.Reset(img.Rect)
		r.Add(&l.Shapes[i], geom.Translate(10, 60))
		r.Paint(img, false, raster.Premultiply(l.Shapes[i].Color))
	}
	return img, l
}

// apart is the largest difference of a channel of two pictures.
func apart(a, b *image.RGBA) (most int) {
	for i := range a.Pix {
		most = max(most, int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return most
}

func TestTextIsThatOfATextLayer(t *testing.T) {
	t.Parallel()
	red := [4]float64{1, 0, 0, 1}
	for name, c := range map[string]struct {
		text    string
		style   aep.CharacterStyle
		content string
	}{
		"regular":      {"AVfig", aep.CharacterStyle{Font: "GoRegular", Size: 30, Fill: red}, `<text x="10" y="60" font-family="Go" font-size="30" fill="red">AVfig</text>`},
		"bold, italic": {"AVfig", aep.CharacterStyle{Font: "Go-BoldItalic", Size: 30, Fill: red}, `<text x="10" y="60" style="font:italic bold 30px/1.2 'Nobody Has This', Go;fill:red">AVfig</text>`},
		"spaced":       {"fig", aep.CharacterStyle{Font: "GoRegular", Size: 30, Fill: red, Tracking: 100}, `<g letter-spacing=".1em" font-size="30"><text x="10" y="60" font-family="Go" fill="red">fig</text></g>`},
		"by its name":  {"fig", aep.CharacterStyle{Font: "GoMono", Size: 30, Fill: red}, `<style>.a{font-family:GoMono;font-size:30px}</style><text class="a" transform="translate(10 60)" fill="red">fig</text>`},
	} {
		want, _ := layer(t, c.text, c.style, aep.JustifyLeft)
		if got := apart(drawn(t, c.content, 1), want); got > 2 || area(want) < 100 {
			t.Errorf("%s: pixels differ by %d, with an area of %g", name, got, area(want))
		}
	}
	want, _ := layer(t, "fig", aep.CharacterStyle{Font: "GoRegular", Size: 20, Fill: red}, aep.JustifyCenter)
	if got := apart(drawn(t, `<text x="10" y="60" font-family="Go" font-size="20" fill="red" text-anchor="middle">fig</text>`, 1), want); got > 2 {
		t.Errorf("in the middle: pixels differ by %d", got)
	}
}

// Documents that say the same in two ways.
func TestTextIsPlacedAsItsElementsSay(t *testing.T) {
	t.Parallel()
	_, l := layer(t, "Hamburg", aep.CharacterStyle{Font: "GoRegular", Size: 20}, aep.JustifyLeft)
	width := l.Lines[0].Width
	_, l = layer(t, "H", aep.CharacterStyle{Font: "GoRegular", Size: 20}, aep.JustifyLeft)
	h := l.Lines[0].Width
	const set = `<g font-family="Go" font-size="20">`
	for name, c := range map[string]struct{ one, other string }{
		"end":                    {`<text x="90" y="50" text-anchor="end">Hamburg</text>`, fmt.Sprintf(`<text x="%g" y="50">Hamburg</text>`, 90-width)},
		"end of a chunk":         {`<text x="90" y="50" text-anchor="end">Ham<tspan>burg</tspan></text>`, fmt.Sprintf(`<text x="%g" y="50">Hamburg</text>`, 90-width)},
		"lists":                  {`<text x="10 30 60" y="50,60">abcd</text>`, `<text x="10" y="50">a</text><text x="30" y="60">b</text><text x="60" y="60">cd</text>`},
		"moved":                  {`<text x="10" y="50" dx="0 5" dy="3 0 4">HHH</text>`, fmt.Sprintf(`<text x="10" y="53">H</text><text x="%g" y="53">H</text><text x="%g" y="57">H</text>`, 15+h, 15+2*h)},
		"parts go on":            {`<text x="10" y="50">H<tspan dy="10" fill="black">H</tspan><tspan>H</tspan></text>`, fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="60">H</text><text x="%g" y="60">H</text>`, 10+h, 10+2*h)},
		"inner places count":     {`<text x="10 20 30" y="50">a<tspan x="60">b</tspan>c</text>`, `<text x="10" y="50">a</text><text x="60" y="50">b</text><text x="30" y="50">c</text>`},
		"spaces":                 {"<text x=\"10\" y=\"50\">\n\t a  b\n <tspan> c </tspan> </text>", `<text x="10" y="50">a b c</text>`},
		"spaces that stay":       {`<text x="10" y="50" xml:space="preserve"> a  b</text>`, fmt.Sprintf(`<text x="%g" y="50">a</text><text x="%g" y="50">b</text>`, 10+spaces(t, " "), 10+spaces(t, " a  "))},
		"turned":                 {`<text x="50 70" y="50" rotate="90">ab</text>`, `<text transform="translate(50 50) rotate(90)">a</text><text transform="translate(70 50) rotate(90)">b</text>`},
		"words apart":            {`<text x="10" y="50" word-spacing="10">H H</text>`, fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="50">H</text>`, 20+spaces(t, "H "))},
		"stretched spaces":       {fmt.Sprintf(`<text x="10" y="50" textLength="%g">HHH</text>`, 3*h+20), fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="50">H</text><text x="%g" y="50">H</text>`, 20+h, 30+2*h)},
		"stretched letters":      {fmt.Sprintf(`<text x="10" y="50" textLength="%g" lengthAdjust="spacingAndGlyphs">HH</text>`, 4*h), `<text transform="translate(10 50) scale(2 1)">HH</text>`},
		"along a line":           {`<path id="p" d="M20 10V90" fill="none"/><text><textPath href="#p" startOffset="25%">HaH</textPath></text>`, `<text transform="translate(20 30) rotate(90)">HaH</text>`},
		"along nothing":          {`<text x="10" y="50"><textPath href="#nobody">HaH</textPath></text>`, ``},
		"beyond its end":         {fmt.Sprintf(`<path id="p" d="M10 50H%g" fill="none"/><text><textPath href="#p">HH</textPath></text>`, 11+h), `<text x="10" y="50">H</text>`},
		"raised":                 {`<text x="10" y="50">H<tspan baseline-shift="5">H</tspan></text>`, fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="45">H</text>`, 10+h)},
		"hidden takes room":      {`<text x="10" y="50">H<tspan visibility="hidden">H</tspan>H</text>`, fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="50">H</text>`, 10+2*h)},
		"not displayed has none": {`<text x="10" y="50">H<tspan display="none">H</tspan>H</text>`, `<text x="10" y="50">HH</text>`},
		"used":                   {`<defs><text id="t">H</text></defs><use href="#t" x="10" y="50"/>`, `<text x="10" y="50">H</text>`},
		"links and comments":     {`<text x="10" y="50">H<!-- no --><a href="x">H</a><![CDATA[H]]>&amp;<title>no</title></text>`, `<text x="10" y="50">HHH&#38;</text>`},
		"clip":                   {`<clipPath id="c" font-family="Go" font-size="20"><text x="10" y="50">Hamburg</text></clipPath><rect width="100" height="100" clip-path="url(#c)"/>`, `<text x="10" y="50">Hamburg</text>`},
		"opaque in part":         {`<text x="10" y="50">H<tspan opacity=".5">H</tspan></text>`, fmt.Sprintf(`<text x="10" y="50">H</text><text x="%g" y="50" opacity=".5">H</text>`, 10+h)},
	} {
		one, other := drawn(t, set+c.one+`</g>`, 2), drawn(t, set+c.other+`</g>`, 2)
		if got := apart(one, other); got > 6 || c.other != "" && area(other) < 20 {
			t.Errorf("%s: pixels differ by %d, with areas of %g and %g", name, got, area(one), area(other))
		}
	}
}

// spaces is how far text in the Go font of 20 pixels goes, with the spaces at its end.
func spaces(t *testing.T, s string) (far float64) {
	t.Helper()
	l, err := texttest.Book(t).Glyphs(&aep.TextDocument{Text: s, Runs: []aep.TextRun{{Length: len(s), Style: aep.CharacterStyle{Font: "GoRegular", Size: 20}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range l.Glyphs {
		far = max(far, g.X+g.Advance)
	}
	return far
}

func TestTextIsPaintedAsShapesAre(t *testing.T) {
	t.Parallel()
	const set = `<g font-family="Go" font-size="40">`
	full := drawn(t, set+`<text x="10" y="60">IH</text></g>`, 1)
	half := drawn(t, set+`<text x="10" y="60" opacity=".5">IH</text></g>`, 1)
	if a, b := area(full), area(half); math.Abs(a-2*b) > 0.01*a {
		t.Errorf("areas of %g and %g", a, b)
	}
	outlined := drawn(t, set+`<text x="10" y="60" fill="none" stroke="red" stroke-width="2">IH</text></g>`, 1)
	if c := image.Pt(50, 50); outlined.RGBAAt(c.X, c.Y).A == full.RGBAAt(c.X, c.Y).A && area(outlined) < 50 {
		t.Errorf("a stroke with an area of %g", area(outlined))
	}
	// A gradient goes over the whole text, also where it paints a part of it.
	const stops = `<stop offset=".5" stop-color="red"/><stop offset=".5" stop-color="blue"/></linearGradient>`
	img := drawn(t, set+`<linearGradient id="g">`+stops+`<text x="10" y="60" fill="url(#g)">II<tspan>II</tspan></text></g>`, 1)
	var columns [100][2]int
	for i := 0; i < len(img.Pix); i += 4 {
		columns[i/4%100][0] += int(img.Pix[i])
		columns[i/4%100][1] += int(img.Pix[i+2])
	}
	var reds, blues []int
	for x, c := range columns {
		if c[0] > 500 {
			reds = append(reds, x)
		}
		if c[1] > 500 {
			blues = append(blues, x)
		}
	}
	if len(reds) == 0 || len(blues) == 0 || slices.Max(reds) >= slices.Min(blues) || math.Abs(float64(len(reds)-len(blues))) > 2 {
		t.Errorf("red at %v and blue at %v", reds, blues)
	}
}

func TestFontsThatTextAsksForAreTold(t *testing.T) {
	t.Parallel()
	own, err := text.OpenBook(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pic, err := svg.Read(strings.NewReader(head+`<g font-family="Nobody, serif" font-weight="bold"><text>a</text><text>b</text></g><text>c</text>
		<text font-family="'Nobody-Has'">d</text><text font-family="Go">e</text><text font-family="sans-serif">f</text>`+tail), own)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pic.Fonts, "|"); got != "Nobody Bold|Nobody-Has|GoRegular" {
		t.Errorf("fonts are %s", got)
	}
	told := own.Substitutes()
	if len(told) != 2 || !strings.HasPrefix(told[0], "font 'Nobody Bold' is not installed: drawn with '") || !strings.HasPrefix(told[1], "font 'Nobody-Has' is not installed: drawn with '") {
		t.Errorf("told is %q", told)
	}
}

func TestWhatTextLacksIsNamed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`<text>a</text>`: "", `<text text-decoration="underline">a</text>`: "lines under and through text", `<text writing-mode="tb">a</text>`: "vertical text",
		`<text>a<tspan filter="url(#a)">b</tspan></text>`: "clips, masks and filters of parts of a text", `<text>a<foo>b</foo></text>`: "'foo' within text",
		`<text textLength="5">a<tspan x="9">b</tspan></text>`: "the length of texts in several parts",
	} {
		if got := strings.Join(read(t, head+content+tail).Lacks, "|"); got != want {
			t.Errorf("%s: %q", content, got)
		}
	}
	if pic, err := svg.Read(strings.NewReader(head+`<text>a</text>`+tail), nil); err != nil || strings.Join(pic.Lacks, "|") != "text" {
		t.Errorf("without fonts: %v, %v", pic, err)
	}
	if _, err := svg.Read(strings.NewReader(head+`<text>`+strings.Repeat("a", 30_000)+`</text>`+tail), texttest.Book(t)); err == nil {
		t.Error("30,000 characters of one text are read")
	}
}
