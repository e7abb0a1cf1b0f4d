package text

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"overcrank/aep"
)

const (
	softBreak = '\x03'
	// maxText limits the characters in one layer.
	maxText = 200000
)

// paragraph is the part of a document up to a "\r".
type paragraph struct {
	chars []char
	style *aep.ParagraphStyle
	end   *aep.CharacterStyle // of its closing "\r", which gives an empty line its height
}

// paragraphs splits a document. Styles that end too early apply to the end of the text; a document without any has the
// style of a new text layer.
func paragraphs(doc *aep.TextDocument) ([]paragraph, error) {
	if len(doc.Text) > 4*maxText {
		return nil, fmt.Errorf("the text has %d bytes, more than can be set", len(doc.Text))
	}
	def := doc.Style()
	runs, paras := newWalker(doc.Runs, runLength), newWalker(doc.Paragraphs, paraLength)
	charStyle := func() *aep.CharacterStyle {
		if r := runs.current(); r != nil {
			return &r.Style
		}
		return &def
	}
	paraStyle := func() *aep.ParagraphStyle {
		if p := paras.current(); p != nil {
			return &p.Style
		}
		return &aep.ParagraphStyle{}
	}
	var out []paragraph
	cur := paragraph{style: paraStyle()}
	text := strings.ReplaceAll(doc.Text, "\r\n", "\r")
	upper := cases.Upper(language.Und)
	for _, r := range text {
		st := charStyle()
		if r == '\r' || r == '\n' || r == '\u2029' {
			cur.end = st
			out = append(out, cur)
			runs.advance(1)
			paras.advance(1)
			cur = paragraph{style: paraStyle()}
			continue
		}
		cur.chars = appendChar(cur.chars, r, st, upper)
		runs.advance(units(r))
		paras.advance(units(r))
	}
	cur.end = charStyle()
	return append(out, cur), nil
}

// appendChar adds r in the case that its style asks for.
func appendChar(chars []char, r rune, st *aep.CharacterStyle, upper cases.Caser) []char {
	if r == '\u2028' {
		r = softBreak
	}
	if !st.AllCaps && !st.SmallCaps {
		return append(chars, char{r: r, style: st})
	}
	small := !st.AllCaps && unicode.IsLower(r)
	for _, u := range upper.String(string(r)) {
		chars = append(chars, char{r: u, style: st, small: small})
	}
	return chars
}

// units is the number of UTF-16 units in r.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// walker follows runs through the text; after the last run it stays there.
type walker[T any] struct {
	runs   []T
	length func(*T) int
	at     int // index of the run
	left   int // units left in it
}

func newWalker[T any](runs []T, length func(*T) int) *walker[T] {
	w := &walker[T]{runs: runs, length: length}
	if len(runs) > 0 {
		w.left = length(&runs[0])
		w.advance(0)
	}
	return w
}

func (w *walker[T]) current() *T {
	if len(w.runs) == 0 {
		return nil
	}
	return &w.runs[w.at]
}

func (w *walker[T]) advance(n int) {
	w.left -= n
	for w.left <= 0 && w.at+1 < len(w.runs) {
		w.at++
		w.left += w.length(&w.runs[w.at])
	}
}

func runLength(r *aep.TextRun) int       { return r.Length }
func paraLength(r *aep.ParagraphRun) int { return r.Length }
