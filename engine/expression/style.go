package expression

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// extent is the characters that a set… call changes: all, or as many as its third argument says from its second on.
type extent struct{ from, to int }

func (m *Machine) extent(doc *aep.TextDocument, c goja.FunctionCall, what string) extent {
	all := units(doc.Text) + 1
	from := min(max(int(m.arg(c, 1, 0, what)), 0), all)
	count := int(m.arg(c, 2, float64(all), what))
	if from+count >= all-1 {
		return extent{from, all}
	}
	return extent{from, max(from+count, from)}
}

// restyle changes the style of the characters within an extent.
func restyle(doc *aep.TextDocument, within extent, change func(*aep.CharacterStyle)) {
	var out []aep.TextRun
	begin := 0
	for _, run := range doc.Runs {
		end := begin + run.Length
		from, to := min(max(within.from, begin), end), min(max(within.to, begin), end)
		for _, part := range []struct {
			length int
			inside bool
		}{{from - begin, false}, {to - from, true}, {end - max(from, to), false}} {
			if part.length <= 0 {
				continue
			}
			piece := aep.TextRun{Length: part.length, Style: run.Style}
			if part.inside {
				change(&piece.Style)
			}
			out = append(out, piece)
		}
		begin = end
	}
	doc.Runs = out
}

// setter is the name of the call that changes an attribute of a style.
func setter(name string) string {
	name = strings.TrimPrefix(name, "is")
	return "set" + strings.ToUpper(name[:1]) + name[1:]
}

// styleMember defines an attribute of styles, and its setter, which returns a changed copy.
func (m *Machine) styleMember(proto *goja.Object, name string, read func(*aep.TextDocument) any, write func(*styled, goja.FunctionCall)) {
	attrs(m, proto, map[string]func(*styled) any{name: func(s *styled) any { return read(s.doc) }})
	methods(m, proto, map[string]func(*styled, goja.FunctionCall) any{
		setter(name): func(s *styled, c goja.FunctionCall) any {
			changed := &styled{cloneDocument(s.doc), s.renewed}
			write(changed, c)
			return m.styleObject(changed)
		},
	})
}

// styleOf defines an attribute of the characters. change makes the change that a value asks for.
func (m *Machine) styleOf(proto *goja.Object, name string, read func(*aep.CharacterStyle) any, change func(v goja.Value) func(*aep.CharacterStyle)) {
	m.styleMember(proto, name, func(d *aep.TextDocument) any { st := d.Style(); return read(&st) },
		func(s *styled, c goja.FunctionCall) {
			restyle(s.doc, m.extent(s.doc, c, setter(name)), change(m.plain(c.Argument(0))))
		})
}

func (m *Machine) styleNumbers(proto *goja.Object) {
	type st = aep.CharacterStyle
	for name, at := range map[string]func(*st) *float64{
		"fontSize":          func(x *st) *float64 { return &x.Size },
		"tracking":          func(x *st) *float64 { return &x.Tracking },
		"leading":           func(x *st) *float64 { return &x.Leading },
		"baselineShift":     func(x *st) *float64 { return &x.BaselineShift },
		"strokeWidth":       func(x *st) *float64 { return &x.StrokeWidth },
		"tsume":             func(x *st) *float64 { return &x.Tsume },
		"horizontalScale":   func(x *st) *float64 { return &x.HScale },
		"verticalScale":     func(x *st) *float64 { return &x.VScale },
		"horizontalScaling": func(x *st) *float64 { return &x.HScale },
		"verticalScaling":   func(x *st) *float64 { return &x.VScale },
	} {
		unit := 1.0
		if strings.HasSuffix(name, "Scale") {
			unit = 100 // the name is that of scripts, where it is a fraction
		}
		m.styleOf(proto, name, func(x *st) any { return *at(x) / unit }, func(v goja.Value) func(*st) {
			f := m.number(v, setter(name)) * unit
			return func(x *st) {
				*at(x) = f
				x.AutoLeading = x.AutoLeading && name != "leading"
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
		m.styleOf(proto, name, func(x *st) any { return *at(x) }, func(v goja.Value) func(*st) {
			on := v.ToBoolean()
			return func(x *st) { *at(x) = on }
		})
	}
}

// styleParagraphs defines what a style says of paragraphs.
func (m *Machine) styleParagraphs(proto *goja.Object) {
	type st = aep.ParagraphStyle
	for name, at := range map[string]func(*st) *float64{
		"firstLineIndent": func(x *st) *float64 { return &x.FirstLineIndent },
		"leftMargin":      func(x *st) *float64 { return &x.StartIndent },
		"rightMargin":     func(x *st) *float64 { return &x.EndIndent },
		"spaceBefore":     func(x *st) *float64 { return &x.SpaceBefore },
		"spaceAfter":      func(x *st) *float64 { return &x.SpaceAfter },
	} {
		m.styleMember(proto, name, func(d *aep.TextDocument) any { p := paragraph(d); return *at(&p) }, func(s *styled, c goja.FunctionCall) {
			f := m.number(c.Argument(0), setter(name))
			eachParagraph(s.doc, func(p *st) { *at(p) = f })
		})
	}
	m.styleMember(proto, "justification", func(d *aep.TextDocument) any {
		return justifications()[int(paragraph(d).Justification)%len(justifications())]
	}, func(s *styled, c goja.FunctionCall) {
		i := m.choice(c, "setJustification", justifications())
		eachParagraph(s.doc, func(p *st) { p.Justification = aep.Justification(i) })
	})
}

func paragraph(d *aep.TextDocument) aep.ParagraphStyle {
	if len(d.Paragraphs) == 0 {
		return aep.ParagraphStyle{AutoLeadingFactor: 1.2}
	}
	return d.Paragraphs[0].Style
}

func eachParagraph(d *aep.TextDocument, change func(*aep.ParagraphStyle)) {
	if len(d.Paragraphs) == 0 {
		d.Paragraphs = []aep.ParagraphRun{{Length: units(d.Text) + 1, Style: paragraph(d)}}
	}
	for i := range d.Paragraphs {
		change(&d.Paragraphs[i].Style)
	}
}

// choice is which of the possible values the first argument is.
func (m *Machine) choice(c goja.FunctionCall, what string, of []string) int {
	v := m.plain(c.Argument(0)).String()
	i := slices.Index(of, v)
	if i < 0 {
		m.throw("%s: %q is none of %s", what, short(v), strings.Join(of, ", "))
	}
	return i
}

func (m *Machine) styleOthers(proto *goja.Object) {
	type st = aep.CharacterStyle
	m.styleMember(proto, "text", func(d *aep.TextDocument) any { return d.Text }, func(s *styled, c goja.FunctionCall) {
		text := m.plain(c.Argument(0)).String()
		if len(text) > maxText {
			m.throw("setText: the text is too long")
		}
		s.doc.SetText(text)
		s.renewed = true
	})
	m.styleOf(proto, "font", func(x *st) any { return x.Font }, func(v goja.Value) func(*st) {
		name := v.String()
		return func(x *st) { x.Font = name }
	})
	m.stylePaint(proto, "fillColor", func(x *st) (*[4]float64, *bool) { return &x.Fill, &x.ApplyFill })
	m.stylePaint(proto, "strokeColor", func(x *st) (*[4]float64, *bool) { return &x.Stroke, &x.ApplyStroke })
	m.styleMember(proto, "baselineOption", func(d *aep.TextDocument) any {
		switch x := d.Style(); {
		case x.Superscript:
			return baselines()[1]
		case x.Subscript:
			return baselines()[2]
		}
		return baselines()[0]
	}, func(s *styled, c goja.FunctionCall) {
		i := m.choice(c, "setBaselineOption", baselines())
		restyle(s.doc, m.extent(s.doc, c, "setBaselineOption"), func(x *st) { x.Superscript, x.Subscript = i == 1, i == 2 })
	})
	// What is not drawn otherwise with them is refused, by its name.
	for _, name := range []string{"kerning", "kerningType", "ligature", "digitSet", "direction", "lineJoin", "hangingRoman", "everyLineComposer", "leadingType", "baselineDirection"} {
		methods(m, proto, map[string]func(*styled, goja.FunctionCall) any{setter(name): func(*styled, goja.FunctionCall) any {
			m.throw("%s is not available in this renderer", setter(name))
			return nil
		}})
	}
}

func (m *Machine) stylePaint(proto *goja.Object, name string, at func(*aep.CharacterStyle) (*[4]float64, *bool)) {
	m.styleOf(proto, name, func(x *aep.CharacterStyle) any {
		color, _ := at(x)
		return color[:3:3]
	}, func(v goja.Value) func(*aep.CharacterStyle) {
		rgb, _ := m.floats(v, setter(name))
		return func(x *aep.CharacterStyle) {
			color, on := at(x)
			*color, *on = [4]float64{element(rgb, 0), element(rgb, 1), element(rgb, 2), 1}, true
		}
	})
}

func justifications() []string {
	return []string{"alignLeft", "alignRight", "alignCenter", "justifyLastLeft", "justifyLastRight", "justifyLastCenter", "justifyFull"}
}

func baselines() []string { return []string{"default", "superscript", "subscript"} }
