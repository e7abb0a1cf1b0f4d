package svg_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"overcrank/engine/footage/vector"
	"overcrank/engine/footage/vector/svg"
	"overcrank/engine/geom"
	"overcrank/engine/text/texttest"
)

const (
	head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">`
	tail = `</svg>`
)

func read(t testing.TB, content string) *vector.Picture {
	t.Helper()
	pic, err := svg.Read(strings.NewReader(content), texttest.Book(t))
	if err != nil {
		t.Fatal(err)
	}
	return pic
}

// drawn is what a document with this content shows, times as large as it is.
func drawn(t testing.TB, content string, times float64) *image.RGBA {
	t.Helper()
	if !strings.HasPrefix(content, "<svg") && !strings.HasPrefix(content, "<?") {
		content = head + content + tail
	}
	pic := read(t, content)
	w, h := pic.Pixels()
	img := image.NewRGBA(image.Rect(0, 0, int(float64(w)*times), int(float64(h)*times)))
	if err := pic.Draw(t.Context(), img, geom.Scale(times, times)); err != nil {
		t.Fatal(err)
	}
	return img
}

// area is the number of pixels that are covered, by their alpha.
func area(img *image.RGBA) (sum float64) {
	for i := 3; i < len(img.Pix); i += 4 {
		sum += float64(img.Pix[i]) / 255
	}
	return sum
}

func TestShapesHaveTheAreasThatGeometryTells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    float64
	}{
		"rectangle":              {`<rect x="10" y="20" width="30" height="40"/>`, 1200},
		"rounded rectangle":      {`<rect x="10" y="20" width="30" height="40" rx="5"/>`, 1200 - (4-math.Pi)*25},
		"two radii":              {`<rect x="10" y="20" width="30" height="40" rx="5" ry="10"/>`, 1200 - (4-math.Pi)*50},
		"circle":                 {`<circle cx="50" cy="50" r="40"/>`, math.Pi * 1600},
		"circle of arcs":         {`<path d="M10 50A40 40 0 1 1 90 50 40 40 0 1 1 10 50z"/>`, math.Pi * 1600},
		"ellipse":                {`<ellipse cx="50" cy="50" rx="40" ry="20"/>`, math.Pi * 800},
		"turned ellipse of arcs": {`<path d="M50 10a20 40 90 1 0 .01 0z" transform="translate(0 20)"/>`, math.Pi * 800},
		"small arc":              {`<path d="M50 50V10A40 40 0 0 1 90 50Z"/>`, math.Pi * 400},
		"large arc":              {`<path d="M50 50V10A40 40 0 1 0 90 50Z"/>`, math.Pi * 1200},
		"arc too small":          {`<path d="M10 50A1 1 0 0 1 90 50Z"/>`, math.Pi * 800},
		"arc with packed flags":  {`<path d="M10 50a40 40 0 1180 0Z"/>`, math.Pi * 800},
		"triangle":               {`<polygon points="0,0 100,0 0,100"/>`, 5000},
		"open line filled":       {`<polyline points="0 0 100 0 0 100"/>`, 5000},
		"relative path":          {`<path d="m10 10h20v20h-20z m30 0 l20 0 0 20 -20 0z"/>`, 800},
		"numbers that touch":     {`<path d="M10-.5.5.5L10 40z" transform="translate(5 5)"/>`, 0.5 * 9.5 * 40.5},
		"quadratic":              {`<path d="M0 100Q50 0 100 100z"/>`, 100 * 100 / 3.0},
		"smooth quadratic":       {`<path d="M0 50Q25 0 50 50T100 50z"/>`, 2 * 2.0 / 3 * 50 * 25},
		"smooth cubic":           {`<path d="M0 50C0 20 50 20 50 50S100 80 100 50z"/>`, 2 * 0.6 * 30 * 50},
		"hole":                   {`<path fill-rule="evenodd" d="M0 0H100V100H0zM25 25H75V75H25z"/>`, 7500},
		"no hole":                {`<path d="M0 0H100V100H0zM25 25H75V75H25z"/>`, 10000},
		"stroke":                 {`<line x1="10" y1="50" x2="90" y2="50" stroke="red" stroke-width="4"/>`, 320},
		"square caps":            {`<path d="M10 50H90" stroke="red" style="stroke-width:4px;stroke-linecap:square"/>`, 336},
		"round caps":             {`<path d="M10 50H90" stroke="red" stroke-width="20" stroke-linecap="round"/>`, 1600 + math.Pi*100},
		"dashes":                 {`<path d="M0 50H100" stroke="red" stroke-width="4" stroke-dasharray="10 5" stroke-dashoffset="5"/>`, 4 * (5 + 6*10)},
		"mitred frame":           {`<rect x="20" y="20" width="40" height="40" fill="none" stroke="red" stroke-width="10"/>`, 2500 - 900},
		"bevelled frame":         {`<rect x="20" y="20" width="40" height="40" fill="none" stroke="red" stroke-width="10" stroke-linejoin="bevel"/>`, 2500 - 900 - 4*12.5},
		"scaled":                 {`<g transform="translate(10,10) scale(2)"><rect width="10" height="20"/></g>`, 800},
		"turned":                 {`<rect width="20" height="20" transform="rotate(30 50 50) translate(40 40)"/>`, 400},
		"skewed":                 {`<rect width="20" height="20" transform="skewX(45)"/>`, 400},
		"by a matrix":            {`<rect width="10" height="10" transform="matrix(1 0 0 3 5 5)"/>`, 300},
		"percentages":            {`<rect width="50%" height="25%"/>`, 1250},
		"millimetres":            {`<rect width="25.4mm" height="10"/>`, 960},
		"not displayed":          {`<rect width="10" height="10" display="none"/><g visibility="hidden"><rect width="10" height="10"/></g>`, 0},
		"shown within hidden":    {`<g visibility="hidden"><rect width="10" height="10" visibility="visible"/></g>`, 100},
		"used":                   {`<defs><rect id="a" width="10" height="10"/></defs><use href="#a"/><use xlink:href="#a" x="20" y="30"/>`, 200},
		"symbol":                 {`<symbol id="a" viewBox="0 0 1 1"><rect width="1" height="1"/></symbol><use href="#a" width="30" height="30"/>`, 900},
		"symbol that is cut":     {`<symbol id="a" viewBox="0 0 1 1"><rect width="9" height="1"/></symbol><use href="#a" width="30" height="30"/>`, 900},
		"inner picture":          {`<svg x="10" y="10" width="20" height="40" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>`, 400},
		"switch":                 {`<switch><foreignObject requiredExtensions="x"/><g><rect width="10" height="10"/></g><rect width="90" height="90"/></switch>`, 100},
		"clip":                   {`<clipPath id="c"><circle cx="50" cy="50" r="20"/></clipPath><rect width="100" height="100" clip-path="url(#c)"/>`, math.Pi * 400},
		"clip of two":            {`<clipPath id="c"><path d="M0 0h10v10h-10z"/><path d="M50 0h10v10h-10z"/></clipPath><rect width="100" height="100" clip-path="url(#c)"/>`, 200},
		"clip within a clip":     {`<clipPath id="d"><rect width="50" height="100"/></clipPath><clipPath id="c" clip-path="url(#d)"><circle cx="50" cy="50" r="20"/></clipPath><g clip-path="url(#c)"><rect width="100" height="100"/></g>`, math.Pi * 200},
		"clip by the box":        {`<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height=".5"/></clipPath><rect x="10" y="10" width="80" height="80" clip-path="url(#c)"/>`, 1600},
		"empty clip":             {`<clipPath id="c"/><rect width="80" height="80" clip-path="url(#c)"/>`, 0},
		"clip of nobody":         {`<rect width="80" height="80" clip-path="url(#nobody)"/>`, 6400},
		"mask":                   {`<mask id="m"><rect width="50" height="100" fill="white"/><rect x="50" width="50" height="100" fill="#808080"/></mask><rect width="100" height="100" mask="url(#m)"/>`, 5000 + 5000*128.0/255},
		"alpha mask":             {`<mask id="m" mask-type="alpha"><rect width="50" height="100" fill-opacity=".5"/></mask><rect width="100" height="100" mask="url(#m)"/>`, 2500},
		"opacity":                {`<g opacity=".5"><rect width="20" height="20"/><rect width="20" height="20" y="10"/></g>`, 300},
		"fill opacity":           {`<rect width="20" height="20" fill-opacity="50%"/>`, 200},
	} {
		// Four times as large, so that the rounding of curves does not count.
		if got := area(drawn(t, c.content, 4)) / 16; math.Abs(got-c.want) > 0.004*c.want+0.02 {
			t.Errorf("%s: %.2f, want %.2f", name, got, c.want)
		}
	}
}

func TestColoursComeFromWhereCSSSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    color.RGBA
	}{
		"black by default": {`<rect width="9" height="9"/>`, color.RGBA{A: 255}},
		"name":             {`<rect width="9" height="9" fill="Tomato"/>`, color.RGBA{255, 99, 71, 255}},
		"short":            {`<rect width="9" height="9" fill="#f08"/>`, color.RGBA{255, 0, 136, 255}},
		"with alpha":       {`<rect width="9" height="9" fill="#ff000080"/>`, color.RGBA{128, 0, 0, 128}},
		"rgb":              {`<rect width="9" height="9" fill="rgb(10, 20,30)"/>`, color.RGBA{10, 20, 30, 255}},
		"percentages":      {`<rect width="9" height="9" fill="rgb(100% 0% 0% / 50%)"/>`, color.RGBA{128, 0, 0, 128}},
		"hsl":              {`<rect width="9" height="9" fill="hsl(120, 100%, 25%)"/>`, color.RGBA{0, 128, 0, 255}},
		"current":          {`<g color="#123456"><rect width="9" height="9" fill="currentColor"/></g>`, color.RGBA{0x12, 0x34, 0x56, 255}},
		"inherited":        {`<g fill="red"><g><rect width="9" height="9"/></g></g>`, color.RGBA{255, 0, 0, 255}},
		"style":            {`<rect width="9" height="9" fill="red" style="fill : blue"/>`, color.RGBA{0, 0, 255, 255}},
		"class":            {`<style>.a{fill:lime}</style><rect class="b a" width="9" height="9" fill="red"/>`, color.RGBA{0, 255, 0, 255}},
		"specificity":      {`<style>#x{fill:#010203} .a{fill:lime} rect{fill:red} *{fill:blue}</style><rect id="x" class="a" width="9" height="9"/>`, color.RGBA{1, 2, 3, 255}},
		"important":        {`<style><![CDATA[rect{fill:#010203 !important} /* .a{fill:red} */]]></style><rect width="9" height="9" style="fill:red"/>`, color.RGBA{1, 2, 3, 255}},
		"list of selectors": {`<style>@import url(x.css); .b,.a , rect.c{fill:lime;stroke:none}
			@media (prefers-color-scheme: dark){.a{fill:red}}
			@font-face{font-family:x}</style><rect class="a" width="9" height="9"/>`, color.RGBA{0, 255, 0, 255}},
		"unknown is ignored":  {`<rect width="9" height="9" fill="nonsense"/>`, color.RGBA{A: 255}},
		"instead of a server": {`<rect width="9" height="9" fill="url(#nobody) lime"/>`, color.RGBA{0, 255, 0, 255}},
		"over each other":     {`<rect width="9" height="9" fill="red"/><rect width="9" height="9" fill="blue" opacity="0.2"/>`, color.RGBA{204, 0, 51, 255}},
		"multiplied":          {`<rect width="9" height="9" fill="#ff8000"/><rect width="9" height="9" fill="#808080" style="mix-blend-mode:multiply"/>`, color.RGBA{128, 64, 0, 255}},
		"stroke first":        {`<path d="M0 0H9V9H0z" fill="lime" stroke="red" stroke-width="30" paint-order="stroke"/>`, color.RGBA{0, 255, 0, 255}},
	} {
		if got := drawn(t, c.content, 1).RGBAAt(4, 4); !near(got, c.want, 1) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func near(a, b color.RGBA, by int) bool {
	for _, d := range [4]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -by || d > by {
			return false
		}
	}
	return true
}

func TestGradientsFollowTheirFormulas(t *testing.T) {
	t.Parallel()
	const stops = `<stop stop-color="#000"/><stop offset="1" style="stop-color:#fff"/>`
	line := func(x, _ float64) float64 { return x / 100 }
	for name, c := range map[string]struct {
		server string
		want   func(x, y float64) float64
	}{
		"by the box":  {`<linearGradient id="g">` + stops + `</linearGradient>`, line},
		"in the page": {`<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="20" x2="60">` + stops + `</linearGradient>`, func(x, _ float64) float64 { return (x - 20) / 40 }},
		"upright":     {`<linearGradient id="g" x2="0" y2="1">` + stops + `</linearGradient>`, func(_, y float64) float64 { return y / 100 }},
		"turned":      {`<linearGradient id="g" gradientTransform="rotate(90)">` + stops + `</linearGradient>`, func(_, y float64) float64 { return y / 100 }},
		"referred to": {`<linearGradient id="s">` + stops + `</linearGradient><linearGradient id="g" xlink:href="#s"/>`, line},
		"reflected": {`<linearGradient id="g" x2="25%" spreadMethod="reflect">` + stops + `</linearGradient>`, func(x, _ float64) float64 {
			return 1 - math.Abs(math.Mod(x/25, 2)-1)
		}},
		"repeated": {`<linearGradient id="g" x2="25%" spreadMethod="repeat">` + stops + `</linearGradient>`, func(x, _ float64) float64 { return math.Mod(x/25, 1) }},
		"radial":   {`<radialGradient id="g">` + stops + `</radialGradient>`, func(x, y float64) float64 { return math.Hypot(x-50, y-50) / 50 }},
		"focal": {`<radialGradient id="g" fx="30%">` + stops + `</radialGradient>`, func(x, y float64) float64 {
			// The share of the way from the focus (30, 50), through the point, to the circle of radius 50 around (50, 50).
			dx, dy := x-30, y-50
			a, b, c := dx*dx+dy*dy, -20*dx, 400.0-2500
			return 2 * a / (-2*b + math.Sqrt(4*b*b-4*a*c))
		}},
	} {
		img := drawn(t, c.server+`<rect width="100" height="100" fill="url(#g)"/>`, 1)
		for y := 3; y < 100; y += 10 {
			for x := 3; x < 100; x += 10 {
				want := 255 * max(0, min(1, c.want(float64(x)+0.5, float64(y)+0.5)))
				if got := float64(img.RGBAAt(x, y).R); math.Abs(got-want) > 2 {
					t.Fatalf("%s at %d, %d: %g, want %.1f", name, x, y, got, want)
				}
			}
		}
	}
}

func TestPicturesHaveTheSizeThatTheySay(t *testing.T) {
	t.Parallel()
	for attrs, want := range map[string][2]int{
		`width="40" height="30"`:                       {40, 30},
		`width="1in" height="36pt"`:                    {96, 48},
		`viewBox="0 0 12.2 7"`:                         {13, 7},
		`width="100%" height="100%" viewBox="0 0 8 9"`: {8, 9},
		`width="50" viewBox="0 0 10 4"`:                {50, 20},
		`height="8" viewBox="0 0 10 4"`:                {20, 8},
		``:                                             {300, 150},
	} {
		w, h := read(t, `<svg xmlns="http://www.w3.org/2000/svg" `+attrs+`></svg>`).Pixels()
		if w != want[0] || h != want[1] {
			t.Errorf("%s: %d x %d", attrs, w, h)
		}
	}
}

func TestAPictureFitsItsFrameAsItAsks(t *testing.T) {
	t.Parallel()
	for preserve, want := range map[string]image.Rectangle{
		"":                  image.Rect(40, 0, 60, 20),
		"none":              image.Rect(0, 0, 100, 20),
		"xMinYMid":          image.Rect(0, 0, 20, 20),
		"xMaxYMid meet":     image.Rect(80, 0, 100, 20),
		"xMidYMin slice":    image.Rect(0, 0, 100, 20),
		"defer xMinYMin":    image.Rect(0, 0, 20, 20),
		"xMidYMid meet now": image.Rect(40, 0, 60, 20),
	} {
		img := drawn(t, `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="20" viewBox="5 5 10 10" preserveAspectRatio="`+preserve+
			`"><rect x="5" y="5" width="10" height="10"/></svg>`, 1)
		var got image.Rectangle
		for y := range 20 {
			for x := range 100 {
				if img.RGBAAt(x, y).A == 255 {
					got = got.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if got != want {
			t.Errorf("%q: %v, want %v", preserve, got, want)
		}
	}
}

func TestEmbeddedPicturesAreDrawn(t *testing.T) {
	t.Parallel()
	pic := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	pic.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 255})
	pic.SetNRGBA(1, 0, color.NRGBA{0, 0, 255, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, pic); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	img := drawn(t, `<image x="10" y="10" width="80" height="80" preserveAspectRatio="none" xlink:href="data:image/png;base64,`+data[:20]+"\n "+data[20:]+`"/>`, 1)
	if l, r := img.RGBAAt(20, 50), img.RGBAAt(80, 50); l != (color.RGBA{255, 0, 0, 255}) || r != (color.RGBA{0, 0, 255, 255}) || img.RGBAAt(5, 5).A != 0 {
		t.Errorf("%v and %v", l, r)
	}
}

func TestWhatIsNotDrawnIsNamedOnce(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`<filter id="f"><feImage/></filter><rect width="9" height="9" filter="url(#f)"/>`:                                                         "filters with 'feImage'",
		`<pattern id="p" width=".5" height=".5"><rect width="9" height="9" fill="url(#p)"/></pattern><rect width="9" height="9" fill="url(#p)"/>`: "parts that use themselves",
		`<image href="http://example.com/a.png" width="9" height="9"/>`:                                                                           "pictures of other files",
		`<image href="../secret.png" width="9" height="9"/>`:                                                                                      "pictures of other files",
		`<use href="other.svg#a"/>`:                                      "parts of other files",
		`<g id="a"><use href="#a"/></g>`:                                 "parts that use themselves",
		`<hexagon r="4"/>`:                                               "the element 'hexagon'",
		`<animate/><set/>`:                                               "animation",
		`<style>g .a{fill:red}</style>`:                                  "selectors of style sheets that ask for more than one element",
		`<rect width="9" height="9" clip-path="circle(4px)"/>`:           "clip paths that are functions",
		`<x:pgf xmlns:x="http://ns.adobe.com/x"><rect/></x:pgf><title/>`: "",
	} {
		if got := strings.Join(read(t, head+content+tail).Lacks, "|"); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}

// As Illustrator writes it, with a name space that is an entity, which is not expanded.
func TestEntitiesAreNotExpanded(t *testing.T) {
	t.Parallel()
	content := `<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://example.com/svg11.dtd" [
		<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY a "<rect width='99' height='99'/>"><!ENTITY file SYSTEM "file:///etc/passwd">]>
		<svg xmlns="&ns_svg;" width="100" height="100">&a;&file;<rect width="10" height="10"/></svg>`
	if got := area(drawn(t, content, 1)); got != 100 {
		t.Errorf("an area of %g", got)
	}
}

func TestCompressedPicturesAreRead(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(head + `<rect width="10" height="10"/>` + tail))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if !svg.Is(b.Bytes()) {
		t.Error("it is not known")
	}
	if _, err := svg.Read(&b, nil); err != nil {
		t.Error(err)
	}
}

// Each of these would take hours or gigabytes if nothing bounded it.
func TestHostilePicturesAreBounded(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString(`<g id="l0"><rect width="1" height="1"/></g>`)
	for i := range 12 {
		fmt.Fprintf(&laughs, `<g id="l%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#l%d"/>`, i), 10))
	}
	for name, content := range map[string]string{
		"parts used a billion times": laughs.String(),
		"depth":                      strings.Repeat("<g>", 100_000),
		"many elements":              strings.Repeat("<g/>", 250_000),
		"a picture of a gigapixel":   `<image href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAgAAAAIAACAYAAADNZXPeAAAAAElFTkSuQmCC" width="1" height="1"/>`,
	} {
		pic, err := svg.Read(strings.NewReader(head+content+tail), nil)
		if err == nil && name != "a picture of a gigapixel" {
			t.Errorf("%s: %d lacks", name, len(pic.Lacks))
		}
	}
	for name, content := range map[string]string{
		"beyond numbers":     `<path d="M1e99 1e99L-1e999 5Z" stroke="red" stroke-width="1e30" transform="scale(1e300)"/>`,
		"dashes":             `<path d="M0 0H1e7" stroke="red" stroke-dasharray="0.0001"/>`,
		"gradients in a row": `<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/><rect width="9" height="9" fill="url(#a)"/>`,
		"masks of itself":    `<mask id="m"><rect width="9" height="9" mask="url(#m)"/></mask><rect width="9" height="9" mask="url(#m)"/>`,
		"clips of itself":    `<clipPath id="m" clip-path="url(#m)"><rect width="9" height="9"/></clipPath><rect width="9" height="9" clip-path="url(#m)"/>`,
	} {
		drawn(t, content, 1)
		t.Log(name)
	}
}

func TestLayersThatLieTooOftenOverEachOtherAreRefusedAndNotDrawnForHours(t *testing.T) {
	t.Parallel()
	pic := read(t, `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">`+strings.Repeat(`<g opacity=".5"><rect width="9999" height="9999"/><circle r="9999"/></g>`, 2000)+tail)
	w, h := pic.Pixels()
	if err := pic.Draw(t.Context(), image.NewRGBA(image.Rect(0, 0, w, h)), geom.Identity); err == nil || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoPictureIsRefusedWithWords(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":              "no element 'svg'",
		"<html></html>": "begins with the element 'html'",
		"<svg><g":       "broken",
		`<?xml version="1.0" encoding="utf-16"?><svg/>`: "encoding 'utf-16'",
		`<svg width="1000000" height="1"></svg>`:        "size",
	} {
		if _, err := svg.Read(strings.NewReader(content), texttest.Book(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, content := range []string{
		`<style>.a{fill:red}</style><path class="a" d="M1 1a5 4 3 0 1 9 9z" stroke-dasharray="1 2"/>`,
		`<linearGradient id="g"><stop offset="50%"/><stop/></linearGradient><g transform="rotate(3)"><rect fill="url(#g)" width="9" height="9"/></g>`,
		`<clipPath id="c"><use href="#r"/></clipPath><rect id="r" rx="2" width="9" height="9" clip-path="url(#c)"/><mask id="m"><use href="#r"/></mask>`,
		`<symbol id="s" viewBox="0 0 3 4"><circle r="5" mask="url(#m)"/></symbol><use href="#s" opacity=".4"/><image href="data:image/png;base64,AAAA"/>`,
		`<text x="1 2,3" y="9" dy="-1" rotate="5 6" font="bold 9px Go, serif" text-anchor="middle">ab<tspan letter-spacing="1" dx="2">c</tspan></text>`,
		`<path id="p" d="M1 9Q5 1 9 9"/><clipPath id="c"><text textLength="9" lengthAdjust="spacingAndGlyphs">x</text></clipPath><text xml:space="preserve"><textPath href="#p" startOffset="9%"> fi  &#x5d0;</textPath></text>`,
		`<pattern id="p" width="30%" height=".4" viewBox="0 0 3 4"><rect width="2" height="2" fill="url(#q)"/></pattern><pattern id="q" href="#p" patternTransform="rotate(9)"/><circle r="50" fill="url(#q)" stroke="url(#p)"/>`,
		`<pattern id="p" patternUnits="userSpaceOnUse" width="3.3" height="4" patternContentUnits="objectBoundingBox"><path d="M0 0h.1v.1z"/></pattern><rect width="90" height="90" fill="url(#p)" opacity=".5"/>`,
		`<marker id="m" orient="auto" viewBox="0 0 3 3" refX="center" refY="1"><path d="M0 0h3v3z" fill="context-stroke"/></marker><path stroke="red" d="M9 9a9 8 7 0 1 20 20zm5 5C1 2 3 4 5 6z" marker="url(#m)"/>`,
		`<marker id="m" orient="auto-start-reverse" markerUnits="userSpaceOnUse" overflow="visible"><path d="M0 0h9v9" marker-end="url(#n)"/></marker><marker id="n" orient="9deg"><polyline points="1 1 2 2 3 1" marker-mid="url(#m)"/></marker><line x2="50" y2="50" marker-start="url(#m)"/>`,
		`<filter id="f" x="0" width="2"><feGaussianBlur stdDeviation="1 .5" in="SourceAlpha" result="a"/><feOffset dx="2"/><feMerge><feMergeNode in="a"/><feMergeNode in="SourceGraphic"/></feMerge></filter><g filter="url(#f)" transform="rotate(9)"><circle r="20"/></g>`,
		`<filter id="f" primitiveUnits="objectBoundingBox"><feFlood flood-color="red" x=".1" result="a"/><feComposite operator="arithmetic" k1="1" in2="SourceGraphic"/><feBlend mode="screen" in2="a"/><feColorMatrix type="hueRotate" values="9"/><feComponentTransfer><feFuncR type="table" tableValues="0 1 .5"/></feComponentTransfer></filter><rect width="9" height="9" filter="url(#f)"/>`,
		`<filter id="g"><feMorphology operator="dilate" radius="1 2"/><feDropShadow dx="3" flood-opacity=".5"/></filter><filter id="f" href="#g" filterUnits="userSpaceOnUse" color-interpolation-filters="sRGB"/><rect width="50" height="9" filter="url(#f)" opacity=".5"/>`,
	} {
		f.Add([]byte(head + content + tail))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		pic, err := svg.Read(bytes.NewReader(content), texttest.Book(t))
		if err != nil {
			return
		}
		if w, h := pic.Pixels(); w < 1 || h < 1 || len(pic.Lacks) > 20 || slices.Contains(pic.Lacks, "") {
			t.Errorf("%d x %d, lacks %q", w, h, pic.Lacks)
		}
		img := image.NewRGBA(image.Rect(0, 0, 64, 64))
		_ = pic.Draw(t.Context(), img, geom.Scale(64/pic.Width, 64/pic.Height))
		for i := 0; i < len(img.Pix); i += 4 {
			if a := img.Pix[i+3]; img.Pix[i] > a || img.Pix[i+1] > a || img.Pix[i+2] > a {
				t.Fatalf("pixel %d is not premultiplied: %v", i/4, img.Pix[i:i+4])
			}
		}
	})
}
