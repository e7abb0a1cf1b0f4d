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

// filtered is content with a filter f around it, whose region is the page and which reckons with the values of sRGB.
func filtered(primitives, content string) string {
	return `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="100" height="100" color-interpolation-filters="sRGB">` + primitives + `</filter>` + content
}

const half = `<rect width="50" height="100" fill="#f00" filter="url(#f)"/>`

// The blur of a step is the integral of the bell curve.
func TestABlurOfAStepIsTheErrorFunction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		deviation  string
		turn       string
		sigma      float64
		times, far float64 // how large the picture is drawn, and how far the step is from the left, or the top when it is turned
		down       bool
	}{
		{deviation: "4", sigma: 4, times: 1, far: 50},
		{deviation: "4", sigma: 8, times: 2, far: 100},
		{deviation: "4 0", sigma: 4, times: 1, far: 50},
		{deviation: "4", turn: `transform="matrix(0 1 1 0 0 0)"`, sigma: 4, times: 1, far: 50, down: true},
		{deviation: "2", turn: `transform="scale(2)"`, sigma: 4, times: 1, far: 100},
	} {
		img := drawn(t, filtered(`<feGaussianBlur stdDeviation="`+c.deviation+`"/>`, `<g `+c.turn+`><rect x="-99" y="-99" width="149" height="299" fill="#f00" filter="url(#f)"/></g>`), c.times)
		middle := img.Rect.Dx() / 2
		for i := 20; i < img.Rect.Dx()-20; i++ {
			got := img.RGBAAt(i, middle)
			if c.down {
				got = img.RGBAAt(middle, i)
			}
			want := 255 * 0.5 * math.Erfc((float64(i)+0.5-c.far)/(c.sigma*math.Sqrt2))
			if math.Abs(float64(got.A)-want) > 4 || got.R != got.A {
				t.Errorf("%s %s at %d: %v, want %.1f", c.deviation, c.turn, i, got, want)
				break
			}
		}
	}
}

// Between white and black lies half of the light, or half of the value.
func TestFiltersReckonWithLightUnlessTheySayOtherwise(t *testing.T) {
	t.Parallel()
	for attrs, want := range map[string]float64{
		``: 188, `color-interpolation-filters="linearRGB"`: 188, `color-interpolation-filters="sRGB"`: 128, `style="color-interpolation-filters:sRGB"`: 128,
	} {
		img := drawn(t, `<filter id="f" filterUnits="userSpaceOnUse" width="100" height="100" x="0" y="0"><feGaussianBlur stdDeviation="5" `+attrs+`/></filter>
			<g filter="url(#f)"><rect width="100" height="100"/><rect width="50" height="100" fill="#fff"/></g>`, 1)
		if got := (float64(img.RGBAAt(49, 50).R) + float64(img.RGBAAt(50, 50).R)) / 2; math.Abs(got-want) > 3 {
			t.Errorf("%s: %g, want %g", attrs, got, want)
		}
	}
}

func TestPrimitivesFollowTheirFormulas(t *testing.T) {
	t.Parallel()
	const two = `<feFlood flood-color="#00f" flood-opacity=".5" result="b"/>`
	matrix := func(kind, values string) string {
		return `<feColorMatrix type="` + kind + `" values="` + values + `"/>`
	}
	composite := func(attrs string) string { return two + `<feComposite in="SourceGraphic" in2="b" ` + attrs + `/>` }
	for name, c := range map[string]struct {
		primitives string
		in, out    color.RGBA // where the red half is, and where nothing was
	}{
		"offset":              {`<feOffset dx="50"/>`, color.RGBA{}, color.RGBA{255, 0, 0, 255}},
		"flood":               {`<feFlood flood-color="#00f"/>`, color.RGBA{0, 0, 255, 255}, color.RGBA{0, 0, 255, 255}},
		"flood in a place":    {`<feFlood x="50" y="0" width="50" height="100" style="flood-color:lime;flood-opacity:50%"/>`, color.RGBA{}, color.RGBA{0, 128, 0, 128}},
		"flood in a colour":   {`<feFlood color="#123" flood-color="currentColor"/>`, color.RGBA{17, 34, 51, 255}, color.RGBA{17, 34, 51, 255}},
		"alpha":               {`<feOffset in="SourceAlpha"/>`, color.RGBA{A: 255}, color.RGBA{}},
		"merge":               {two + `<feMerge><feMergeNode in="SourceGraphic"/><feMergeNode in="b"/></feMerge>`, color.RGBA{127, 0, 128, 255}, color.RGBA{0, 0, 128, 128}},
		"the result before":   {two + `<feOffset in="nobody"/>`, color.RGBA{0, 0, 128, 128}, color.RGBA{0, 0, 128, 128}},
		"the name taken last": {`<feFlood flood-color="lime" result="b"/>` + two + `<feOffset in="b"/>`, color.RGBA{0, 0, 128, 128}, color.RGBA{0, 0, 128, 128}},
		"multiply":            {`<feFlood flood-color="#808080" result="b"/><feBlend mode="multiply" in="SourceGraphic" in2="b"/>`, color.RGBA{128, 0, 0, 255}, color.RGBA{128, 128, 128, 255}},
		"screen":              {`<feFlood flood-color="#808080" result="b"/><feBlend mode="screen" in="SourceGraphic" in2="b"/>`, color.RGBA{255, 128, 128, 255}, color.RGBA{128, 128, 128, 255}},
		"normal":              {two + `<feBlend in="b" in2="SourceGraphic"/>`, color.RGBA{127, 0, 128, 255}, color.RGBA{0, 0, 128, 128}},
		"over":                {composite(``), color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 128, 128}},
		"in":                  {composite(`operator="in"`), color.RGBA{128, 0, 0, 128}, color.RGBA{}},
		"out":                 {composite(`operator="out"`), color.RGBA{127, 0, 0, 127}, color.RGBA{}},
		"atop":                {composite(`operator="atop"`), color.RGBA{128, 0, 0, 128}, color.RGBA{0, 0, 128, 128}},
		"xor":                 {composite(`operator="xor"`), color.RGBA{127, 0, 0, 127}, color.RGBA{0, 0, 128, 128}},
		"lighter":             {composite(`operator="lighter"`), color.RGBA{255, 0, 128, 255}, color.RGBA{0, 0, 128, 128}},
		"arithmetic":          {composite(`operator="arithmetic" k1=".5" k2=".25" k3=".5" k4=".125"`), color.RGBA{96, 32, 96, 223}, color.RGBA{32, 32, 96, 96}},
		"matrix":              {matrix("matrix", "0 0 0 0 0  1 0 0 0 0  0 0 0 0 1  0 0 0 .5 0"), color.RGBA{0, 128, 128, 128}, color.RGBA{}},
		"a matrix of too few": {matrix("matrix", "0 0 0"), color.RGBA{255, 0, 0, 255}, color.RGBA{}},
		"no saturation":       {matrix("saturate", "0"), color.RGBA{54, 54, 54, 255}, color.RGBA{}},
		"turned by nothing":   {matrix("hueRotate", "360"), color.RGBA{255, 0, 0, 255}, color.RGBA{}},
		"turned by a quarter": {matrix("hueRotate", "90"), color.RGBA{0, 91, 0, 255}, color.RGBA{}},
		"luminance":           {matrix("luminanceToAlpha", ""), color.RGBA{A: 54}, color.RGBA{}},
		"linear":              {`<feComponentTransfer><feFuncR type="linear" slope=".5" intercept=".1"/><feFuncB type="linear" intercept="1"/></feComponentTransfer>`, color.RGBA{153, 0, 255, 255}, color.RGBA{}},
		"table":               {`<feComponentTransfer><feFuncA type="table" tableValues=".5 0 .2"/></feComponentTransfer>`, color.RGBA{51, 0, 0, 51}, color.RGBA{A: 128}},
		"discrete":            {`<feComponentTransfer><feFuncR type="discrete" tableValues="0 .2 .4"/></feComponentTransfer>`, color.RGBA{102, 0, 0, 255}, color.RGBA{}},
		"gamma":               {matrix("matrix", ".5 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0") + `<feComponentTransfer><feFuncR type="gamma" exponent="2"/><feFuncG type="gamma" offset=".2"/></feComponentTransfer>`, color.RGBA{64, 51, 0, 255}, color.RGBA{}},
		"shadow":              {`<feDropShadow dx="50" dy="0" stdDeviation="0" flood-color="#00f" flood-opacity=".5"/>`, color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 128, 128}},
		"of no part":          {`<title>nothing</title>`, color.RGBA{}, color.RGBA{}},
	} {
		img := drawn(t, filtered(c.primitives, half), 1)
		if in, out := img.RGBAAt(25, 50), img.RGBAAt(75, 50); !near(in, c.in, 1) || !near(out, c.out, 1) {
			t.Errorf("%s: %v and %v, want %v and %v", name, in, out, c.in, c.out)
		}
	}
}

func TestFiltersAreSeenInTheirRegions(t *testing.T) {
	t.Parallel()
	flood := func(attrs, of string) string { return `<filter id="f" ` + attrs + `><feFlood ` + of + `/></filter>` }
	const rect = `<rect x="20" y="20" width="50" height="40" filter="url(#f)"/>`
	for name, c := range map[string]struct {
		content string
		want    image.Rectangle
	}{
		"a tenth larger":         {flood("", "") + rect, image.Rect(15, 16, 75, 64)},
		"by the box":             {flood(`x="0" y="50%" width="1" height=".5"`, "") + rect, image.Rect(20, 40, 70, 60)},
		"in user space":          {flood(`filterUnits="userSpaceOnUse" x="5" y="6" width="70%" height="8"`, "") + rect, image.Rect(5, 6, 75, 14)},
		"of a primitive":         {flood("", `x="30" y="30" width="10" height="10"`) + rect, image.Rect(30, 30, 40, 40)},
		"of one by the box":      {flood(`primitiveUnits="objectBoundingBox"`, `x=".5" y=".5" width=".2" height="50%"`) + rect, image.Rect(45, 40, 55, 60)},
		"within that of all":     {flood(`x="0" y="0" width="1" height="1"`, `x="0" y="0" width="30" height="30"`) + rect, image.Rect(20, 20, 30, 30)},
		"of what it takes":       {`<filter id="f"><feFlood x="30" y="30" width="10" height="10"/><feOffset dx="4" dy="0"/></filter>` + rect, image.Rect(34, 30, 40, 40)},
		"inherited":              {`<filter id="g" x="0" y="0" width="1" height="1"><feFlood/></filter><filter id="f" href="#g" width=".5"/>` + rect, image.Rect(20, 20, 45, 60)},
		"moved":                  {flood("", "") + `<g transform="translate(10 0)">` + rect + `</g>`, image.Rect(25, 16, 85, 64)},
		"turned":                 {flood("", "") + `<g transform="rotate(90 50 50)">` + rect + `</g>`, image.Rect(36, 15, 84, 75)},
		"cut after it":           {flood("", "") + `<clipPath id="c"><rect x="30" y="0" width="99" height="99"/></clipPath><g clip-path="url(#c)">` + rect + `</g>`, image.Rect(30, 16, 75, 64)},
		"cut itself":             {flood("", "") + `<clipPath id="c"><rect x="30" y="0" width="99" height="99"/></clipPath>` + strings.Replace(rect, "/>", ` clip-path="url(#c)"/>`, 1), image.Rect(30, 16, 75, 64)},
		"in a transparent group": {flood("", "") + `<g opacity=".99">` + rect + `</g>`, image.Rect(15, 16, 75, 64)},
		"thicker":                {`<filter id="f"><feMorphology operator="dilate" radius="3 2"/></filter>` + rect, image.Rect(17, 18, 73, 62)},
		"thinner":                {`<filter id="f"><feMorphology radius="3 2"/></filter>` + rect, image.Rect(23, 22, 67, 58)},
		"thinner in a space":     {`<filter id="f"><feMorphology operator="erode" radius="2"/></filter><g transform="scale(.5)">` + rect + `</g>`, image.Rect(11, 11, 34, 29)},
		"thinner than it is":     {`<filter id="f"><feMorphology radius="1e6"/></filter>` + rect, image.Rectangle{}},
		"thicker by nothing":     {`<filter id="f"><feMorphology operator="dilate" radius="3 0"/></filter>` + rect, image.Rect(20, 20, 70, 60)},
		"of no size":             {flood(`width="0"`, "") + rect, image.Rectangle{}},
		"of a line":              {flood("", "") + `<path d="M0 5H50" stroke="red" filter="url(#f)"/>`, image.Rectangle{}},
		"of nobody":              {rect, image.Rect(20, 20, 70, 60)},
	} {
		img := drawn(t, c.content, 1)
		var got image.Rectangle
		for y := range 100 {
			for x := range 100 {
				if img.RGBAAt(x, y).A > 127 {
					got = got.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestShadowsFallWhereTheirSpaceIsTurned(t *testing.T) {
	t.Parallel()
	const f = `<filter id="f" filterUnits="userSpaceOnUse" x="-99" y="-99" width="299" height="299"><feDropShadow dx="20" dy="0" stdDeviation="0" flood-color="#00f"/></filter>`
	for turn, want := range map[string]image.Point{"": {65, 45}, "rotate(90 45 45)": {45, 65}, "rotate(180 45 45)": {25, 45}, "rotate(45 45 45)": {59, 59}, "matrix(-1 0 0 1 90 0)": {25, 45}} {
		img := drawn(t, f+`<g transform="`+turn+`"><rect x="40" y="40" width="10" height="10" fill="#f00" filter="url(#f)"/></g>`, 1)
		if red, blue := img.RGBAAt(45, 45), img.RGBAAt(want.X, want.Y); red != (color.RGBA{255, 0, 0, 255}) || blue != (color.RGBA{0, 0, 255, 255}) {
			t.Errorf("%q: %v and %v", turn, red, blue)
		}
		if got := area(img); math.Abs(got-200) > 3 {
			t.Errorf("%q: an area of %g", turn, got)
		}
	}
}

// What is filtered is faded as a whole.
func TestWhatIsFilteredIsFadedAfterwards(t *testing.T) {
	t.Parallel()
	img := drawn(t, filtered(`<feFlood flood-color="#f00"/>`, strings.Replace(half, "/>", ` opacity=".5"/>`, 1)), 1)
	if got := img.RGBAAt(75, 50); !near(got, color.RGBA{128, 0, 0, 128}, 1) {
		t.Errorf("got %v", got)
	}
}

func TestFiltersThatAreNotDrawnAreNamedAndLeftOut(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		filtered(`<feOffset dx="50"/><feTurbulence/>`, half):                            "filters with 'feTurbulence'",
		filtered(`<feOffset in="BackgroundImage"/>`, half):                              "filters with 'BackgroundImage'",
		filtered(`<feMerge><feMergeNode in="FillPaint"/></feMerge>`, half):              "filters with 'FillPaint'",
		filtered(strings.Repeat(`<feOffset dx="50"/>`, 65), half):                       "filters of so many parts",
		`<rect width="50" height="100" fill="#f00" filter="blur(5px)"/>`:                "filters that are functions",
		filtered(`<feOffset dx="50"/>`, strings.Replace(half, "#f)", "#f) url(#f)", 1)): "filters that are functions",
	} {
		if img := drawn(t, content, 1); img.RGBAAt(25, 50) != (color.RGBA{255, 0, 0, 255}) || img.RGBAAt(75, 50).A != 0 {
			t.Errorf("%s: %v and %v", want, img.RGBAAt(25, 50), img.RGBAAt(75, 50))
		}
		if got := strings.Join(read(t, head+content+tail).Lacks, "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHostileFiltersAreBounded(t *testing.T) {
	t.Parallel()
	var deep strings.Builder
	for range 40 {
		deep.WriteString(`<g filter="url(#f)">`)
	}
	const page = `filterUnits="userSpaceOnUse" x="-5e6" y="-5e6" width="1e7" height="1e7"`
	chain := strings.Repeat(`<feMerge result="a">`+strings.Repeat(`<feMergeNode in="a"/><feMergeNode in="SourceGraphic"/>`, 30)+`</feMerge>`, 60)
	for name, c := range map[string]struct{ content, want string }{
		"a huge blur":       {`<filter id="f" ` + page + `><feGaussianBlur stdDeviation="1e7"/></filter>` + half, ""},
		"a huge step":       {`<filter id="f" ` + page + `><feOffset dx="1e7" dy="-1e7"/></filter>` + half, ""},
		"a huge scale":      {`<filter id="f" ` + page + `><feGaussianBlur stdDeviation="5"/></filter><g transform="scale(1e6) rotate(30)">` + half + `</g>`, ""},
		"flat":              {`<filter id="f" ` + page + `><feGaussianBlur stdDeviation="5"/></filter><g transform="matrix(1 1 1 1 0 0)">` + half + `</g><g transform="scale(0)">` + half + `</g>`, ""},
		"within each other": {`<filter id="f" ` + page + `><feOffset/></filter>` + deep.String() + half + strings.Repeat(`</g>`, 40), ""},
		"long":              {`<filter id="f" ` + page + `>` + chain + `</filter>` + half, ""},
		"many":              {`<filter id="f" ` + page + `>` + strings.Repeat(`<feFlood/>`, 60) + `</filter>` + strings.Repeat(half, 1000), "takes too long"},
		"a huge thickness":  {`<filter id="f" ` + page + `><feMorphology operator="dilate" radius="1e7"/></filter>` + half, ""},
		"numbers beyond":    {`<filter id="f"><feColorMatrix values="` + strings.Repeat("1e99 -1e99 ", 10) + `"/><feComponentTransfer><feFuncR type="gamma" amplitude="0" exponent="-1e99"/><feFuncG type="table" tableValues="1e99"/></feComponentTransfer><feGaussianBlur stdDeviation="9"/></filter>` + half, ""},
	} {
		pic, err := svg.Read(strings.NewReader(head+c.content+tail), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img := image.NewRGBA(image.Rect(0, 0, 100, 100))
		err = pic.Draw(t.Context(), img, geom.Identity)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		for i := 0; i < len(img.Pix); i += 4 {
			if a := img.Pix[i+3]; img.Pix[i] > a || img.Pix[i+1] > a || img.Pix[i+2] > a {
				t.Errorf("%s: pixel %d is not premultiplied: %v", name, i/4, img.Pix[i:i+4])
				break
			}
		}
	}
	if _, err := svg.Read(strings.NewReader(head+fmt.Sprintf(`<filter id="f">%s</filter>`, strings.Repeat(`<feOffset/>`, 100_000))+strings.Repeat(half, 1000)+tail), nil); err != nil {
		t.Errorf("long filters are not read: %v", err)
	}
}
