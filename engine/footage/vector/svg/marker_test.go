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
	"overcrank/engine/text/texttest"
)

// dot is a marker of 4 by 4 pixels around its point.
func dot(id, fill string) string {
	return fmt.Sprintf(`<marker id="%s" markerUnits="userSpaceOnUse" markerWidth="4" markerHeight="4" refX="2" refY="2"><rect width="4" height="4" fill="%s"/></marker>`, id, fill)
}

func TestMarkersStandAtThePointsOfLines(t *testing.T) {
	t.Parallel()
	dots := dot("s", "#f00") + dot("m", "#0f0") + dot("e", "#00f")
	const all = ` fill="none" marker-start="url(#s)" marker-mid="url(#m)" marker-end="url(#e)"`
	for name, c := range map[string]struct {
		content          string
		start, mids, end string // where they are
	}{
		"a line":                {`<line x1="20" y1="30" x2="60" y2="70"` + all + `/>`, "20,30", "", "60,70"},
		"several":               {`<polyline points="20 20 40 20 40 60"` + all + `/>`, "20,20", "40,20", "40,60"},
		"a closed shape":        {`<polygon points="20 20 60 20 60 60"` + all + `/>`, "", "60,20 60,60", "20,20"},
		"curves":                {`<path d="M20 20C20 0 60 0 60 20S80 90 80 60Q70 90 60 80"` + all + `/>`, "20,20", "60,20 80,60", "60,80"},
		"arcs have one end":     {`<path d="M20 50A30 30 0 1 1 80 50A30 30 0 0 1 50 80"` + all + `/>`, "20,50", "80,50", "50,80"},
		"two contours":          {`<path d="M20 20H40M60 60V80"` + all + `/>`, "20,20", "40,20 60,60", "60,80"},
		"a closed contour":      {`<path d="M20 20H40V40zM60 60V80"` + all + `/>`, "", "20,20 40,20 40,40 60,60", "60,80"},
		"not of a rectangle":    {`<rect x="20" y="20" width="40" height="40"` + all + `/>`, "", "", ""},
		"by the short name":     {`<line x1="20" y1="30" x2="60" y2="70" marker="url(#e)" marker-start="none"/>`, "", "", "60,70"},
		"inherited":             {`<g` + all + `><line x1="20" y1="30" x2="60" y2="70"/></g>`, "20,30", "", "60,70"},
		"moved with their line": {`<path d="M2 3H6" transform="translate(10 0) scale(1)"` + all + `/>`, "12,3", "", "16,3"},
	} {
		img := drawn(t, dots+c.content, 1)
		for at, want := range map[string]color.RGBA{c.start: {255, 0, 0, 255}, c.mids: {0, 255, 0, 255}, c.end: {0, 0, 255, 255}} {
			for _, one := range strings.Fields(at) {
				var x, y int
				if _, err := fmt.Sscanf(one, "%d,%d", &x, &y); err != nil {
					t.Fatal(err)
				}
				for _, p := range []image.Point{{x - 2, y - 2}, {x + 1, y + 1}} {
					if got := img.RGBAAt(p.X, p.Y); got != want {
						t.Errorf("%s at %v: %v, want %v", name, p, got, want)
					}
				}
				for _, p := range []image.Point{{x - 3, y}, {x, y + 2}} {
					if got := img.RGBAAt(p.X, p.Y); got == want {
						t.Errorf("%s at %v: %v", name, p, got)
					}
				}
			}
		}
		n := len(strings.Fields(c.start + " " + c.mids + " " + c.end))
		if got := area(img); name != "not of a rectangle" && math.Abs(got-16*float64(n)) > 0.1 {
			t.Errorf("%s: markers have an area of %g, want that of %d", name, got, n)
		}
	}
}

func TestMarkersAreSizedTurnedAndCutAsTheySay(t *testing.T) {
	t.Parallel()
	// bar is a marker that is 20 long and 4 wide, from its point on.
	bar := func(attrs string) string {
		return `<marker id="m" markerUnits="userSpaceOnUse" markerWidth="20" markerHeight="4" refY="2" ` + attrs + `><rect width="20" height="4"/></marker>`
	}
	for name, c := range map[string]struct {
		content     string
		area        float64
		inside, out [][2]float64
	}{
		"as it is":                         {bar("") + `<path d="M50 20V60" marker-end="url(#m)"/>`, 80, [][2]float64{{52, 60}, {68, 61}}, [][2]float64{{50, 70}}},
		"along the line":                   {bar(`orient="auto"`) + `<path d="M50 20V60" marker-end="url(#m)"/>`, 80, [][2]float64{{50, 62}, {51, 78}}, [][2]float64{{60, 60}}},
		"along it at its start":            {bar(`orient="auto"`) + `<path d="M50 40V60" marker-start="url(#m)"/>`, 80, [][2]float64{{50, 58}}, [][2]float64{{50, 30}}},
		"turned around at it":              {bar(`orient="auto-start-reverse"`) + `<path d="M50 40V60" marker-start="url(#m)"/>`, 80, [][2]float64{{50, 22}}, [][2]float64{{50, 50}}},
		"by an angle":                      {bar(`orient=".5turn"`) + `<path d="M50 20V60" marker-end="url(#m)"/>`, 80, [][2]float64{{32, 60}}, [][2]float64{{60, 60}}},
		"between two lines":                {bar(`orient="auto"`) + `<path d="M10 50H50V90" fill="none" marker-mid="url(#m)"/>`, 80, [][2]float64{{50 + 13, 50 + 13}}, [][2]float64{{60, 50}, {50, 60}}},
		"around a corner of a closed line": {bar(`orient="auto"`) + `<path d="M20 20H60V60H20z" fill="none" marker-start="url(#m)"/>`, 80, [][2]float64{{33, 7}}, [][2]float64{{33, 20}, {20, 33}}},
		"along a curve":                    {bar(`orient="auto"`) + `<path d="M10 50C10 20 50 20 50 20C50 20 50 20 50 20" fill="none" marker-start="url(#m)"/>`, 80, [][2]float64{{10, 33}}, [][2]float64{{20, 50}}},
		"times the stroke":                 {`<marker id="m" refX="1.5" refY="1.5"><rect width="3" height="3"/></marker><path d="M50 20V50" stroke-width="4" marker-end="url(#m)"/>`, 144, [][2]float64{{45, 45}, {55, 55}}, nil},
		"in a view box":                    {`<marker id="m" markerWidth="10" markerHeight="10" refX="5" refY="right" viewBox="5 5 1 1"><rect x="5" y="5" width="9" height=".5"/></marker><path d="M50 50v1" marker-start="url(#m)"/>`, 50, [][2]float64{{51, 41}, {59, 44}}, [][2]float64{{51, 46}, {49, 41}}},
		"cut":                              {`<marker id="m" markerWidth="2" markerHeight="2"><rect x="-9" y="-9" width="99" height="99"/></marker><path d="M50 50v1" marker-start="url(#m)"/>`, 4, [][2]float64{{51, 51}}, [][2]float64{{49, 49}}},
		"not cut":                          {`<marker id="m" overflow="visible"><rect x="-9" y="-9" width="18" height="18"/></marker><path d="M50 50v1" marker-start="url(#m)"/>`, 324, [][2]float64{{42, 42}}, nil},
		"transparent":                      {`<marker id="m" opacity=".5"><rect width="3" height="3"/></marker><path d="M50 50v1" marker-start="url(#m)"/>`, 4.5, nil, nil},
		"of no size":                       {`<marker id="m" markerWidth="0"><rect width="3" height="3"/></marker><path d="M50 50v1" marker-start="url(#m)"/>`, 0, nil, nil},
		"of a hidden line":                 {bar("") + `<path d="M50 20V60" marker-end="url(#m)" visibility="hidden"/>`, 0, nil, nil},
		"of nobody":                        {`<path d="M50 20V60" marker-end="url(#m)"/>`, 0, nil, nil},
		"no part of the size":              {bar("") + `<linearGradient id="g"><stop stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity="0"/></linearGradient><clipPath id="c" clipPathUnits="objectBoundingBox"><rect width="1.5" height="1"/></clipPath><path d="M20 20h20v20z" fill="url(#g)" marker-end="url(#m)" clip-path="url(#c)"/>`, 40, nil, nil},
	} {
		img := drawn(t, c.content, 4)
		if got := area(img) / 16; math.Abs(got-c.area) > 0.03*c.area+0.02 {
			t.Errorf("%s: an area of %.2f, want %.2f", name, got, c.area)
		}
		for _, p := range c.inside {
			if img.RGBAAt(int(4*p[0]), int(4*p[1])).A != 255 {
				t.Errorf("%s: nothing at %v", name, p)
			}
		}
		for _, p := range c.out {
			if img.RGBAAt(int(4*p[0]), int(4*p[1])).A != 0 {
				t.Errorf("%s: something at %v", name, p)
			}
		}
	}
}

func TestMarkersHaveTheColoursOfTheirLine(t *testing.T) {
	t.Parallel()
	const m = `<marker id="m" markerWidth="9" markerHeight="9"><rect width="4" height="9" fill="context-stroke"/><rect x="4" width="5" height="9" fill="context-fill"/></marker>`
	img := drawn(t, m+`<path d="M20 20v1" fill="#0f0" stroke="currentColor" color="#f00" marker-start="url(#m)"/><path d="M50 50v1" stroke="#00f" marker-start="url(#m)"/>`, 1)
	for at, want := range map[image.Point]color.RGBA{{22, 27}: {255, 0, 0, 255}, {26, 27}: {0, 255, 0, 255}, {52, 57}: {0, 0, 255, 255}, {56, 57}: {A: 255}} {
		if got := img.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

func TestMarkersOfMarkersAreBounded(t *testing.T) {
	t.Parallel()
	var deep strings.Builder
	for i := range 15 {
		fmt.Fprintf(&deep, `<marker id="m%d" overflow="visible"><path d="M0 0%s" fill="none" marker-mid="url(#m%d)"/></marker>`, i, strings.Repeat("l1 1", 50), i+1)
	}
	deep.WriteString(`<marker id="m15"><rect width="3" height="3"/></marker>`)
	for name, c := range map[string]struct{ content, lack, wrong string }{
		"deep":           {deep.String() + `<path d="M0 0 9 9 20 20" marker-mid="url(#m0)"/>`, "", "takes too long"},
		"of itself":      {`<marker id="m"><path d="M0 0 9 9" marker-end="url(#m)"/></marker><path d="M0 0 9 9" marker-end="url(#m)"/>`, "parts that use themselves", ""},
		"of each other":  {`<marker id="m"><path d="M0 0 9 9" marker-end="url(#n)"/></marker><marker id="n"><path d="M0 0 9 9" marker-end="url(#m)"/></marker><path d="M0 0 9 9" marker-end="url(#m)"/>`, "parts that use themselves", ""},
		"of a gradient":  {`<linearGradient id="g"/><marker id="m"><rect fill="context-stroke" width="9" height="9"/></marker><path stroke="url(#g)" d="M0 0 9 9" marker-end="url(#m)"/>`, "gradients and patterns of lines in their markers", ""},
		"without points": {`<marker id="m"/><path d="" marker="url(#m)"/><polygon points="1" marker="url(#m)"/><path d="zM0 0zz" marker="url(#m)"/>`, "", ""},
	} {
		pic, err := svg.Read(strings.NewReader(head+c.content+tail), texttest.Book(t))
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
		if cost := pic.Cost(); cost > 1<<20 {
			t.Errorf("%s is said to take %d bytes", name, cost)
		}
	}
}
