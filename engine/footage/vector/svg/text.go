package svg

import (
	"strings"
	"unicode"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// span is a stretch of text of one style, that of an element.
type span struct {
	style   style
	font    string       // by its name in the book
	metrics text.Metrics // of the font, in pixels
	along   *route       // the path that its characters stand on, nil for a line
}

// letter is a character of a text, and what its elements say about its place. Values that they do not say are nil.
type letter struct {
	r            rune
	span         *span
	x, y, dx, dy *float64
	rotate       float64 // degrees
	turned       bool    // rotate was given
}

// writing is a text element that is read.
type writing struct {
	letters []letter
	spaced  bool // the last character was a space that swallows those that follow
	length  float64
	squeeze bool // the letters too become as long as length, not the spaces between them alone
}

// The bounds of text.
const (
	maxLetters = 20_000 // of one element
	// letterSteps is the work that a character costs.
	letterSteps = 6
)

// text draws a text element.
func (w *walker) text(e *element, to *vector.Group) error {
	lines, err := w.written(e)
	if err != nil {
		return err
	}
	var cells geom.Rect
	for i := range lines {
		cells = cells.Union(lines[i].cells)
	}
	whole := rounded(cells.MinX, cells.MinY, cells.MaxX-cells.MinX, cells.MaxY-cells.MinY, 0, 0)
	for i := range lines {
		in := *w
		in.style = lines[i].span.style
		in.style.fillRule = ""
		if err := in.painted(lines[i].outline, whole, to); err != nil {
			return err
		}
	}
	return nil
}

// clippedText adds the letters of a text element to a clip path.
func (w *walker) clippedText(e *element, m geom.Matrix, c *vector.Clip) error {
	lines, err := w.written(e)
	if err != nil {
		return err
	}
	for i := range lines {
		if lines[i].span.style.hidden {
			continue
		}
		if len(*c) == maxAreas {
			return vector.ErrTooMuch
		}
		o := lines[i].outline.Transform(m)
		*c = append(*c, vector.Area{Outline: o})
		if err := w.out.Count(o); err != nil {
			return err
		}
	}
	return nil
}

// written is the outlines of a text element, whose style is that of the walker, by spans.
func (w *walker) written(e *element) ([]inked, error) {
	switch {
	case w.fonts == nil:
		w.out.Lack("text")
		return nil, nil
	case w.style.letters.vertical:
		w.out.Lack("vertical text")
		return nil, nil
	}
	var t writing
	t.spaced = true
	if n, ok := length(e.attrs["textLength"], w.port.w, w.style.fontSize); ok && n > 0 {
		t.length, t.squeeze = n, e.attr("lengthAdjust") == "spacingAndGlyphs"
	}
	if err := t.read(w, e, nil); err != nil {
		return nil, err
	}
	if n := len(t.letters); n > 0 && t.spaced && t.letters[n-1].r == ' ' {
		t.letters = t.letters[:n-1]
	}
	if err := w.spend(letterSteps * len(t.letters)); err != nil {
		return nil, err
	}
	return w.set(&t)
}

// read reads the characters of an element, and what it says about their places. A walker is that of the element.
func (t *writing) read(w *walker, e *element, along *route) error {
	if err := w.spend(1); err != nil {
		return err
	}
	if w.style.letters.lined {
		w.out.Lack("lines under and through text")
	}
	sp, err := w.span(along)
	if err != nil {
		return err
	}
	first := len(t.letters)
	for _, c := range e.children {
		switch c.name {
		case "":
			err = t.add(c.text, sp)
		case "tspan", "a", "textPath":
			err = t.within(w, c, along)
		case "title", "desc", "metadata":
		default:
			w.out.Lack("'" + c.name + "' within text")
		}
		if err != nil {
			return err
		}
	}
	t.place(w, e, first)
	return nil
}

// within reads an element within the text.
func (t *writing) within(w *walker, e *element, along *route) error {
	v := w.sheet.properties(e)
	if strings.TrimSpace(v["display"]) == "none" {
		return nil
	}
	in := *w
	in.style = in.style.within(v)
	for _, name := range []string{"clip-path", "mask", "filter"} {
		if ref := strings.TrimSpace(v[name]); ref != "" && ref != "none" {
			w.out.Lack("clips, masks and filters of parts of a text")
		}
	}
	if own := share(v["opacity"], 1); own < 1 {
		in.style.fillOpacity *= own
		in.style.strokeOpacity *= own
	}
	in.style.letters.raised += w.raise(strings.TrimSpace(v["baseline-shift"]))
	if e.name == "textPath" {
		if along = in.route(e); along == nil {
			return nil // as browsers do
		}
	}
	return t.read(&in, e, along)
}

// scriptShift is how far letters that are super or sub are moved, in sizes, as those of text layers.
const scriptShift = 0.333

// raise is how far a shift of the baseline moves letters up, for those within the element of the walker.
func (w *walker) raise(v string) float64 {
	switch v {
	case "super":
		return scriptShift * w.style.fontSize
	case "sub":
		return -scriptShift * w.style.fontSize
	}
	n, _ := length(v, w.style.fontSize, w.style.fontSize)
	return n
}

// span is one of the walker's style.
func (w *walker) span(along *route) (*span, error) {
	l := &w.style.letters
	sp := &span{style: w.style, font: w.fonts.Styled(l.families, l.weight, l.italic), along: along}
	if len(l.families) > 0 && !text.Generic(l.families[0]) {
		w.out.Font(sp.font)
	}
	m, err := w.fonts.Metrics(sp.font)
	if err != nil {
		return nil, err
	}
	size := w.style.fontSize
	sp.metrics = text.Metrics{Ascent: m.Ascent * size, Descent: m.Descent * size, XHeight: m.XHeight * size}
	return sp, nil
}

// add adds characters. Line ends are spaces, and of several spaces one is left, unless they are to be preserved.
func (t *writing) add(s string, sp *span) error {
	for _, r := range s {
		gap := r == ' ' || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
		if gap {
			r = ' '
		}
		if gap && t.spaced && !sp.style.letters.preserve {
			continue
		}
		t.spaced = gap && !sp.style.letters.preserve
		if len(t.letters) == maxLetters {
			return vector.ErrTooMuch
		}
		t.letters = append(t.letters, letter{r: r, span: sp})
	}
	return nil
}

// place notes what an element says about the places of its characters, which begin at first. What elements within it said counts more.
func (t *writing) place(w *walker, e *element, first int) {
	mine := t.letters[first:]
	lists := []struct {
		name  string
		whole float64
		to    func(*letter) **float64
	}{
		{"x", w.port.w, func(l *letter) **float64 { return &l.x }}, {"y", w.port.h, func(l *letter) **float64 { return &l.y }},
		{"dx", w.port.w, func(l *letter) **float64 { return &l.dx }}, {"dy", w.port.h, func(l *letter) **float64 { return &l.dy }},
	}
	for _, list := range lists {
		for i, v := range lengths(e.attrs[list.name], list.whole, w.style.fontSize, len(mine)) {
			if to := list.to(&mine[i]); *to == nil {
				*to = &v
			}
		}
	}
	turns := numbers(e.attrs["rotate"], len(mine))
	for i := range mine {
		if len(turns) > 0 && !mine[i].turned {
			mine[i].rotate, mine[i].turned = turns[min(i, len(turns)-1)], true
		}
	}
}

// lengths reads a list of lengths, at most so many.
func lengths(v string, whole, size float64, most int) (out []float64) {
	for _, one := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		n, ok := length(one, whole, size)
		if !ok || len(out) == most {
			break
		}
		out = append(out, n)
	}
	return out
}
