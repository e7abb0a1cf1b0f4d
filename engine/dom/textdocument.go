package dom

import (
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"

	"overcrank/aep"
)

func newDocument(text string) *aep.TextDocument {
	style := (&aep.TextDocument{}).Style()
	style.Font = "ArialMT"
	d := &aep.TextDocument{
		Runs:       []aep.TextRun{{Style: style}},
		Paragraphs: []aep.ParagraphRun{{Style: aep.ParagraphStyle{AutoLeadingFactor: 1.2}}},
	}
	d.SetText(text)
	return d
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\r")
	return line
}

func (s *session) defineTextDocument() {
	c := s.class("TextDocument", nil, func(a args) *goja.Object {
		return s.classes.textDocument.object(newDocument(a.str(0)))
	})
	s.classes.textDocument = c
	attr(c, "text", func(d *aep.TextDocument) any { return d.Text }, func(d *aep.TextDocument, v goja.Value) { d.SetText(v.String()) })
	method(c, "toString", func(d *aep.TextDocument, _ args) any { return d.Text })
	s.defineCharacters(c)
	s.defineParagraphs(c)
	s.defineBox(c)
}

// style defines an attribute of all characters; reading it gives that of the first one.
func style[T any](c *class, name string, read func(*aep.CharacterStyle) T, write func(*aep.CharacterStyle, goja.Value)) {
	var set func(*aep.TextDocument, goja.Value)
	if write != nil {
		set = func(d *aep.TextDocument, v goja.Value) {
			for i := range d.Runs {
				write(&d.Runs[i].Style, v)
			}
		}
	}
	attr(c, name, func(d *aep.TextDocument) any {
		st := d.Style()
		return read(&st)
	}, set)
}

func (s *session) defineCharacters(c *class) {
	type st = aep.CharacterStyle
	flag := func(name string, at func(*st) *bool) {
		style(c, name, func(x *st) bool { return *at(x) }, func(x *st, v goja.Value) { *at(x) = v.ToBoolean() })
	}
	flag("applyFill", func(x *st) *bool { return &x.ApplyFill })
	flag("applyStroke", func(x *st) *bool { return &x.ApplyStroke })
	flag("strokeOverFill", func(x *st) *bool { return &x.StrokeOverFill })
	flag("allCaps", func(x *st) *bool { return &x.AllCaps })
	flag("smallCaps", func(x *st) *bool { return &x.SmallCaps })
	flag("fauxBold", func(x *st) *bool { return &x.FauxBold })
	flag("fauxItalic", func(x *st) *bool { return &x.FauxItalic })
	flag("superscript", func(x *st) *bool { return &x.Superscript })
	flag("subscript", func(x *st) *bool { return &x.Subscript })
	flag("autoLeading", func(x *st) *bool { return &x.AutoLeading })
	number := func(name string, low, high float64, at func(*st) *float64) {
		style(c, name, func(x *st) float64 { return *at(x) }, func(x *st, v goja.Value) { *at(x) = s.between(v, name, low, high) })
	}
	number("fontSize", 0.1, 1296, func(x *st) *float64 { return &x.Size })
	number("tracking", -1000, 10000, func(x *st) *float64 { return &x.Tracking })
	number("baselineShift", -32767, 32767, func(x *st) *float64 { return &x.BaselineShift })
	number("strokeWidth", 0, 1000, func(x *st) *float64 { return &x.StrokeWidth })
	number("tsume", 0, 1, func(x *st) *float64 { return &x.Tsume })
	style(c, "horizontalScale", func(x *st) float64 { return x.HScale / 100 }, func(x *st, v goja.Value) { x.HScale = s.between(v, "horizontalScale", 0, 100) * 100 })
	style(c, "verticalScale", func(x *st) float64 { return x.VScale / 100 }, func(x *st, v goja.Value) { x.VScale = s.between(v, "verticalScale", 0, 100) * 100 })
	style(c, "leading", func(x *st) float64 {
		if x.AutoLeading {
			return x.Size * 1.2
		}
		return x.Leading
	}, func(x *st, v goja.Value) { x.Leading, x.AutoLeading = s.between(v, "leading", 0, 32767), false })
	style(c, "font", func(x *st) string { return x.Font }, func(x *st, v goja.Value) { x.Font = v.String() })
	style(c, "fontFamily", func(x *st) string { family, _, _ := strings.Cut(x.Font, "-"); return family }, nil)
	style(c, "fontStyle", func(x *st) string {
		if _, st, ok := strings.Cut(x.Font, "-"); ok {
			return st
		}
		return "Regular"
	}, nil)
	style(c, "fontLocation", func(*st) string { return "" }, nil)
	s.definePaint(c)
}

// definePaint defines the colours of characters, and how their capitals and positions are drawn.
func (s *session) definePaint(c *class) {
	type st = aep.CharacterStyle
	paint := func(name string, color func(*st) *[4]float64, on func(*st) *bool) {
		style(c, name, func(x *st) []float64 { return color(x)[:3] }, func(x *st, v goja.Value) {
			rgb := s.rgb(v, name)
			*color(x) = [4]float64{rgb[0], rgb[1], rgb[2], 1}
			*on(x) = true
		})
	}
	paint("fillColor", func(x *st) *[4]float64 { return &x.Fill }, func(x *st) *bool { return &x.ApplyFill })
	paint("strokeColor", func(x *st) *[4]float64 { return &x.Stroke }, func(x *st) *bool { return &x.ApplyStroke })
	style(c, "fontCapsOption", func(x *st) int {
		switch {
		case x.AllCaps:
			return 11014
		case x.SmallCaps:
			return 11013
		}
		return 11012
	}, func(x *st, v goja.Value) {
		n := s.enumerated(v, "fontCapsOption", 11012, 4)
		x.AllCaps, x.SmallCaps = n == 2, n == 1 || n == 3
	})
	style(c, "fontBaselineOption", func(x *st) int {
		switch {
		case x.Superscript:
			return 11213
		case x.Subscript:
			return 11214
		}
		return 11212
	}, func(x *st, v goja.Value) {
		n := s.enumerated(v, "fontBaselineOption", 11212, 3)
		x.Superscript, x.Subscript = n == 1, n == 2
	})
	method(c, "resetCharStyle", func(d *aep.TextDocument, _ args) any {
		st := newDocument("").Style()
		for i := range d.Runs {
			d.Runs[i].Style = st
		}
		return undefined()
	})
}

func (s *session) defineParagraphs(c *class) {
	type st = aep.ParagraphStyle
	first := func(d *aep.TextDocument) st {
		if len(d.Paragraphs) > 0 {
			return d.Paragraphs[0].Style
		}
		return st{AutoLeadingFactor: 1.2}
	}
	each := func(d *aep.TextDocument, f func(*st)) {
		if len(d.Paragraphs) == 0 {
			d.Paragraphs = []aep.ParagraphRun{{Length: len(utf16.Encode([]rune(d.Text))) + 1, Style: st{AutoLeadingFactor: 1.2}}}
		}
		for i := range d.Paragraphs {
			f(&d.Paragraphs[i].Style)
		}
	}
	attr(c, "justification", func(d *aep.TextDocument) any { return firstJustification + int(first(d).Justification) }, func(d *aep.TextDocument, v goja.Value) {
		n := s.enumerated(v, "justification", firstJustification, 7)
		each(d, func(x *st) { x.Justification = aep.Justification(n) })
	})
	for name, at := range map[string]func(*st) *float64{
		"firstLineIndent": func(x *st) *float64 { return &x.FirstLineIndent },
		"startIndent":     func(x *st) *float64 { return &x.StartIndent },
		"endIndent":       func(x *st) *float64 { return &x.EndIndent },
		"spaceBefore":     func(x *st) *float64 { return &x.SpaceBefore },
		"spaceAfter":      func(x *st) *float64 { return &x.SpaceAfter },
	} {
		attr(c, name, func(d *aep.TextDocument) any { x := first(d); return *at(&x) }, func(d *aep.TextDocument, v goja.Value) {
			n := s.between(v, name, -32767, 32767)
			each(d, func(x *st) { *at(x) = n })
		})
	}
	method(c, "resetParagraphStyle", func(d *aep.TextDocument, _ args) any {
		each(d, func(x *st) { *x = st{AutoLeadingFactor: 1.2} })
		return undefined()
	})
}

func (s *session) defineBox(c *class) {
	get(c, "boxText", func(d *aep.TextDocument) any { return d.Box })
	get(c, "pointText", func(d *aep.TextDocument) any { return !d.Box })
	pair := func(name string, at func(*aep.TextDocument) *[2]float64) {
		attr(c, name, func(d *aep.TextDocument) any { return at(d)[:] }, func(d *aep.TextDocument, v goja.Value) {
			xy := s.floats(v, name)
			if !d.Box || len(xy) != 2 {
				s.throw("After Effects error: Unable to set %q: it needs box text and two numbers", name)
			}
			*at(d) = [2]float64{xy[0], xy[1]}
		})
	}
	pair("boxTextSize", func(d *aep.TextDocument) *[2]float64 { return &d.BoxSize })
	pair("boxTextPos", func(d *aep.TextDocument) *[2]float64 { return &d.BoxPos })
	get(c, "baselineLocs", func(*aep.TextDocument) any { return []float64{} })
}
