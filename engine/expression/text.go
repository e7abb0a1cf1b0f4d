package expression

import (
	"slices"
	"unicode/utf16"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// styled is the text document that a chain of set… calls builds.
type styled struct {
	doc     *aep.TextDocument
	renewed bool // the chain set the text; otherwise only the style is used
}

// on is the document with the style, and the text if that was set, in the place of before.
func (s *styled) on(before *aep.TextDocument) *aep.TextDocument {
	doc := cloneDocument(before)
	if s.renewed || s.doc.Text == before.Text {
		doc.Text, doc.Runs, doc.Paragraphs = s.doc.Text, s.doc.Runs, s.doc.Paragraphs
		return doc
	}
	n := units(doc.Text) + 1
	doc.Runs = []aep.TextRun{{Length: n, Style: s.doc.Style()}}
	if len(s.doc.Paragraphs) > 0 {
		doc.Paragraphs = []aep.ParagraphRun{{Length: n, Style: s.doc.Paragraphs[0].Style}}
	}
	return doc
}

// units is the length of a text in the units in which its runs are counted.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

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
		return m.styleObject(&styled{doc: styleAt(doc, 0)})
	})
	_ = m.classes.text.DefineAccessorProperty("style", style, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	m.global("style", func() goja.Value {
		doc, ok := m.own().(*aep.TextDocument)
		if !ok {
			return goja.Undefined()
		}
		return m.styleObject(&styled{doc: styleAt(doc, 0)})
	})
	_ = m.classes.text.Set("getStyleAt", func(c goja.FunctionCall) goja.Value {
		n := m.nodeOf(c.This)
		doc, ok := m.valueAt(n, m.arg(c, 1, m.cur.time, "getStyleAt")).(*aep.TextDocument)
		if !ok {
			m.throw("%q has no text style", n.name())
		}
		return m.styleObject(&styled{doc: styleAt(doc, int(m.arg(c, 0, 0, "getStyleAt")))})
	})
	_ = m.classes.text.Set("createStyle", func(c goja.FunctionCall) goja.Value {
		doc, ok := m.valueAt(m.nodeOf(c.This), m.cur.time).(*aep.TextDocument)
		if !ok {
			m.throw("createStyle is called on something that is not a text")
		}
		return m.styleObject(&styled{doc: styleAt(doc, 0)})
	})
	m.styleNumbers(proto)
	m.styleFlags(proto)
	m.styleParagraphs(proto)
	m.styleOthers(proto)
}

// styleAt is the text with the style of the character i, from 0, throughout.
func styleAt(doc *aep.TextDocument, i int) *aep.TextDocument {
	out := cloneDocument(doc)
	out.Runs = []aep.TextRun{{Length: units(doc.Text) + 1, Style: doc.Style()}}
	for _, run := range doc.Runs {
		if i < run.Length {
			out.Runs[0].Style = run.Style
			break
		}
		i -= run.Length
	}
	return out
}

func (m *Machine) styleObject(s *styled) goja.Value {
	o := m.rt.CreateObject(m.classes.style)
	m.things[o] = s
	// The objects of a chain live for one evaluation, so they must be removed from things after it.
	m.cur.styles = append(m.cur.styles, o)
	return o
}
