package svg

import (
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// style is the values that an element has and hands on to those within.
type style struct {
	color                      [4]float64
	fill, stroke               string
	fillOpacity, strokeOpacity float64
	fillRule, clipRule         string
	width                      string
	caps, join                 int
	miter                      float64
	dashes, offset             string
	hidden                     bool
	fontSize                   float64
	letters                    lettering
	markers                    markers
	strokeFirst                bool
	unscaled                   bool // strokes keep their width
}

func initial() style {
	return style{
		color: [4]float64{3: 1}, fill: "black", stroke: "none", fillOpacity: 1, strokeOpacity: 1, width: "1",
		caps: raster.ButtCap, join: raster.MiterJoin, miter: 4, fontSize: 16, letters: lettering{weight: regular},
	}
}

var (
	capNames  = map[string]int{"butt": raster.ButtCap, "round": raster.RoundCap, "square": raster.SquareCap}
	joinNames = map[string]int{"miter": raster.MiterJoin, "miter-clip": raster.MiterJoin, "arcs": raster.MiterJoin, "round": raster.RoundJoin, "bevel": raster.BevelJoin}
)

// within is the style of an element with properties, within one of style s.
func (s style) within(v map[string]string) style {
	s.paints(v)
	s.strokes(v)
	s.markers = s.markers.within(v)
	text := func(to *string, name string) {
		if got := strings.TrimSpace(v[name]); got != "" && got != "inherit" {
			*to = got
		}
	}
	text(&s.fillRule, "fill-rule")
	text(&s.clipRule, "clip-rule")
	switch strings.TrimSpace(v["visibility"]) {
	case "hidden", "collapse":
		s.hidden = true
	case "visible":
		s.hidden = false
	}
	v = unfolded(v)
	if size, ok := length(v["font-size"], s.fontSize, s.fontSize); ok && size > 0 {
		s.fontSize = size
	}
	s.letters = s.letters.within(v, s.fontSize)
	if order := strings.Fields(v["paint-order"]); len(order) > 0 {
		s.strokeFirst = order[0] == "stroke"
	}
	s.unscaled = strings.TrimSpace(v["vector-effect"]) == "non-scaling-stroke"
	return s
}

func (s *style) paints(v map[string]string) {
	if c, ok := colour(v["color"]); ok {
		s.color = c
	}
	for _, p := range []struct {
		name string
		to   *string
	}{{"fill", &s.fill}, {"stroke", &s.stroke}} {
		switch got := strings.TrimSpace(v[p.name]); {
		case got == "" || got == "inherit":
		case valid(got):
			*p.to = got
		}
	}
	s.fillOpacity = share(v["fill-opacity"], s.fillOpacity)
	s.strokeOpacity = share(v["stroke-opacity"], s.strokeOpacity)
}

// valid tells whether a paint can be understood; one that cannot changes nothing.
func valid(v string) bool {
	if v == "none" || strings.EqualFold(v, "currentColor") || strings.HasPrefix(v, "url(") || strings.HasPrefix(v, "context-") {
		return true
	}
	_, ok := colour(v)
	return ok
}

func (s *style) strokes(v map[string]string) {
	if w := strings.TrimSpace(v["stroke-width"]); w != "" && w != "inherit" {
		s.width = w
	}
	if c := capNames[strings.TrimSpace(v["stroke-linecap"])]; c != 0 {
		s.caps = c
	}
	if j := joinNames[strings.TrimSpace(v["stroke-linejoin"])]; j != 0 {
		s.join = j
	}
	if m, ok := length(v["stroke-miterlimit"], 1, 1); ok && m >= 1 {
		s.miter = m
	}
	if d := strings.TrimSpace(v["stroke-dasharray"]); d != "" && d != "inherit" {
		s.dashes = d
	}
	if d := strings.TrimSpace(v["stroke-dashoffset"]); d != "" && d != "inherit" {
		s.offset = d
	}
}

// maxDashes limits the lengths of one pattern of dashes.
const maxDashes = 100

// pen is the stroke in a viewport whose diagonal gives percentages their meaning; nil when it has no width.
func (s *style) pen(diagonal float64) *raster.StrokeStyle {
	w, ok := length(s.width, diagonal, s.fontSize)
	if !ok || w <= 0 {
		return nil
	}
	out := &raster.StrokeStyle{Width: w, Cap: s.caps, Join: s.join, MiterLimit: s.miter}
	if s.dashes == "none" {
		return out
	}
	for _, d := range strings.FieldsFunc(s.dashes, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		l, ok := length(d, diagonal, s.fontSize)
		if !ok || l < 0 || len(out.Dashes) == maxDashes {
			out.Dashes = nil
			return out
		}
		out.Dashes = append(out.Dashes, l)
	}
	out.DashOffset, _ = length(s.offset, diagonal, s.fontSize)
	return out
}

// paint is a fill or stroke of an outline, to whose size that of gradients and patterns may refer; false when nothing is painted.
func (w *walker) paint(v string, s *style, opacity float64, o geom.Outline) (vector.Paint, bool, error) {
	if strings.HasPrefix(v, "url(") {
		return w.server(v, s, opacity, o)
	}
	if strings.HasPrefix(v, "context-") {
		v, s = w.ofContext(v)
	}
	c, ok := w.plain(v, s)
	c[3] *= opacity
	return vector.Paint{Color: c}, ok && c[3] > 0, nil
}

// ofContext is the paint that a marker has of the line that it marks, and the style of that line.
func (w *walker) ofContext(v string) (string, *style) {
	if w.context == nil {
		return "none", &w.style
	}
	of := w.context.fill
	if v == "context-stroke" {
		of = w.context.stroke
	}
	if strings.HasPrefix(of, "url(") {
		w.out.Lack("gradients and patterns of lines in their markers")
	}
	return of, w.context
}

// plain is a paint that is a colour.
func (w *walker) plain(v string, s *style) ([4]float64, bool) {
	if strings.EqualFold(v, "currentColor") {
		return s.color, true
	}
	return colour(v)
}

// server is the paint that another element describes, or the colour after it where there is no such element.
func (w *walker) server(v string, s *style, opacity float64, o geom.Outline) (vector.Paint, bool, error) {
	e := w.doc.reference(v)
	if e == nil {
		_, otherwise, _ := strings.Cut(v, ")")
		return w.paint(strings.TrimSpace(otherwise), s, opacity, o)
	}
	switch e.name {
	case "linearGradient", "radialGradient":
		p, ok := w.gradient(e, opacity, o)
		return p, ok, nil
	case "pattern":
		p, err := w.pattern(e, opacity, o)
		return vector.Paint{Pattern: p}, p != nil, err
	}
	return vector.Paint{}, false, nil
}
