package expression

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// styled is the text document that a chain of set… calls builds.
type styled struct{ doc *aep.TextDocument }

func cloneDocument(d *aep.TextDocument) *aep.TextDocument {
	n := *d
	n.Runs, n.Paragraphs = slices.Clone(d.Runs), slices.Clone(d.Paragraphs)
	return &n
}

func (m *Machine) defineText() {
	m.classes.style = m.rt.NewObject()
	proto := m.classes.style
	style := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		n := m.nodeOf(c.This)
		doc, ok := m.valueAt(n, m.cur.time).(*aep.TextDocument)
		if !ok {
			m.throw("%q has no text style", n.name())
		}
		return m.styleObject(cloneDocument(doc))
	})
	_ = m.classes.text.DefineAccessorProperty("style", style, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	m.global("style", func() goja.Value {
		doc, ok := m.own().(*aep.TextDocument)
		if !ok {
			return goja.Undefined()
		}
		return m.styleObject(cloneDocument(doc))
	})
	_ = m.classes.text.Set("getStyleAt", func(c goja.FunctionCall) goja.Value {
		n := m.nodeOf(c.This)
		doc, ok := m.valueAt(n, m.arg(c, 1, m.cur.time, "getStyleAt")).(*aep.TextDocument)
		if !ok {
			m.throw("%q has no text style", n.name())
		}
		return m.styleObject(styleAt(doc, int(m.arg(c, 0, 0, "getStyleAt"))))
	})
	_ = m.classes.text.Set("createStyle", func(goja.FunctionCall) goja.Value {
		return m.styleObject(&aep.TextDocument{Runs: []aep.TextRun{{Style: (&aep.TextDocument{}).Style()}}})
	})
	m.styleNumbers(proto)
	m.styleFlags(proto)
	m.styleOthers(proto)
}

func styleAt(doc *aep.TextDocument, i int) *aep.TextDocument {
	out := cloneDocument(doc)
	for _, run := range doc.Runs {
		if i < run.Length {
			out.Runs = []aep.TextRun{{Length: len(utf16.Encode([]rune(doc.Text))) + 1, Style: run.Style}}
			break
		}
		i -= run.Length
	}
	return out
}

func (m *Machine) styleObject(doc *aep.TextDocument) goja.Value {
	o := m.rt.CreateObject(m.classes.style)
	m.things[o] = &styled{doc}
	// The objects of a chain live for one evaluation, so they must be removed from things after it.
	m.cur.styles = append(m.cur.styles, o)
	return o
}

// styleMember defines an attribute of styles, and its setter, which returns a changed copy.
func (m *Machine) styleMember(proto *goja.Object, name string, read func(*aep.TextDocument) any, write func(*aep.TextDocument, goja.Value)) {
	attrs(m, proto, map[string]func(*styled) any{name: func(s *styled) any { return read(s.doc) }})
	methods(m, proto, map[string]func(*styled, goja.FunctionCall) any{
		"set" + strings.ToUpper(name[:1]) + name[1:]: func(s *styled, c goja.FunctionCall) any {
			doc := cloneDocument(s.doc)
			write(doc, c.Argument(0))
			return m.styleObject(doc)
		},
	})
}

func (m *Machine) styleNumbers(proto *goja.Object) {
	type st = aep.CharacterStyle
	for name, at := range map[string]func(*st) *float64{
		"fontSize":        func(x *st) *float64 { return &x.Size },
		"tracking":        func(x *st) *float64 { return &x.Tracking },
		"leading":         func(x *st) *float64 { return &x.Leading },
		"baselineShift":   func(x *st) *float64 { return &x.BaselineShift },
		"strokeWidth":     func(x *st) *float64 { return &x.StrokeWidth },
		"tsume":           func(x *st) *float64 { return &x.Tsume },
		"horizontalScale": func(x *st) *float64 { return &x.HScale },
		"verticalScale":   func(x *st) *float64 { return &x.VScale },
	} {
		unit := 1.0
		if strings.HasSuffix(name, "Scale") {
			unit = 100
		}
		m.styleMember(proto, name, func(d *aep.TextDocument) any { x := d.Style(); return *at(&x) / unit },
			func(d *aep.TextDocument, v goja.Value) {
				f := m.number(v, name)
				for i := range d.Runs {
					*at(&d.Runs[i].Style) = f * unit
					if name == "leading" {
						d.Runs[i].Style.AutoLeading = false
					}
				}
			})
	}
}

func (m *Machine) styleFlags(proto *goja.Object) {
	type st = aep.CharacterStyle
	for name, at := range map[string]func(*st) *bool{
		"fauxBold":      func(x *st) *bool { return &x.FauxBold },
		"fauxItalic":    func(x *st) *bool { return &x.FauxItalic },
		"allCaps":       func(x *st) *bool { return &x.AllCaps },
		"smallCaps":     func(x *st) *bool { return &x.SmallCaps },
		"applyFill":     func(x *st) *bool { return &x.ApplyFill },
		"applyStroke":   func(x *st) *bool { return &x.ApplyStroke },
		"autoLeading":   func(x *st) *bool { return &x.AutoLeading },
		"isFauxBold":    func(x *st) *bool { return &x.FauxBold },
		"isFauxItalic":  func(x *st) *bool { return &x.FauxItalic },
		"isAllCaps":     func(x *st) *bool { return &x.AllCaps },
		"isSmallCaps":   func(x *st) *bool { return &x.SmallCaps },
		"isAutoLeading": func(x *st) *bool { return &x.AutoLeading },
	} {
		m.styleMember(proto, name, func(d *aep.TextDocument) any { x := d.Style(); return *at(&x) },
			func(d *aep.TextDocument, v goja.Value) {
				for i := range d.Runs {
					*at(&d.Runs[i].Style) = v.ToBoolean()
				}
			})
	}
}

func (m *Machine) styleOthers(proto *goja.Object) {
	m.styleMember(proto, "text", func(d *aep.TextDocument) any { return d.Text },
		func(d *aep.TextDocument, v goja.Value) { d.SetText(m.plain(v).String()) })
	m.styleMember(proto, "font", func(d *aep.TextDocument) any { return d.Style().Font },
		func(d *aep.TextDocument, v goja.Value) {
			for i := range d.Runs {
				d.Runs[i].Style.Font = v.String()
			}
		})
	m.stylePaint(proto, "fillColor", func(x *aep.CharacterStyle) (*[4]float64, *bool) { return &x.Fill, &x.ApplyFill })
	m.stylePaint(proto, "strokeColor", func(x *aep.CharacterStyle) (*[4]float64, *bool) { return &x.Stroke, &x.ApplyStroke })
	m.styleMember(proto, "justification", func(d *aep.TextDocument) any {
		if len(d.Paragraphs) == 0 {
			return justifications()[0]
		}
		return justifications()[int(d.Paragraphs[0].Style.Justification)%len(justifications())]
	}, func(d *aep.TextDocument, v goja.Value) {
		i := slices.Index(justifications(), v.String())
		if i < 0 {
			m.throw("setJustification: %q is none of %s", short(v.String()), strings.Join(justifications(), ", "))
		}
		if len(d.Paragraphs) == 0 {
			d.Paragraphs = []aep.ParagraphRun{{Length: len(utf16.Encode([]rune(d.Text))) + 1, Style: aep.ParagraphStyle{AutoLeadingFactor: 1.2}}}
		}
		for j := range d.Paragraphs {
			d.Paragraphs[j].Style.Justification = aep.Justification(i)
		}
	})
}

func (m *Machine) stylePaint(proto *goja.Object, name string, at func(*aep.CharacterStyle) (*[4]float64, *bool)) {
	m.styleMember(proto, name, func(d *aep.TextDocument) any {
		x := d.Style()
		color, _ := at(&x)
		return color[:3:3]
	}, func(d *aep.TextDocument, v goja.Value) {
		rgb, _ := m.floats(v, name)
		for i := range d.Runs {
			color, on := at(&d.Runs[i].Style)
			*color, *on = [4]float64{element(rgb, 0), element(rgb, 1), element(rgb, 2), 1}, true
		}
	})
}

func justifications() []string {
	return []string{"alignLeft", "alignRight", "alignCenter", "justifyLastLeft", "justifyLastRight", "justifyLastCenter", "justifyFull"}
}
