package text

import (
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/segmenter"

	"overcrank/aep"
)

// line is a line that is being set.
type line struct {
	chars       []char // of its segment; [from, to) are the line's
	from, to    int
	runs        [][]glyph // in visual order
	para        *aep.ParagraphStyle
	end         *aep.CharacterStyle
	firstInPara bool
	lastInPara  bool // or before a soft break
	width       float64
	spaces      int // spaces that justification may widen
}

// breakLines sets a paragraph as lines, wrapped to the box's width if that is positive.
func (s *setter) breakLines(p paragraph, width float64) ([]line, error) {
	var lines []line
	for start := 0; start <= len(p.chars); {
		end := start
		for end < len(p.chars) && p.chars[end].r != softBreak {
			end++
		}
		chars := p.chars[start:end]
		runs, err := s.shape(chars)
		if err != nil {
			return nil, err
		}
		endStyle := p.end
		if end < len(p.chars) {
			endStyle = p.chars[end].style
		}
		indent := p.style.StartIndent + p.style.EndIndent
		for i, c := range cuts(chars, runs, width, indent, firstIndent(p.style, start == 0)) {
			l := line{
				chars: chars, from: c[0], to: c[1], para: p.style, end: endStyle,
				firstInPara: start == 0 && i == 0, lastInPara: c[1] == len(chars),
			}
			l.take(runs, s.down)
			lines = append(lines, l)
		}
		start = end + 1
	}
	return lines, nil
}

func firstIndent(p *aep.ParagraphStyle, first bool) float64 {
	if first {
		return p.FirstLineIndent
	}
	return 0
}

// cuts divides the characters into lines. Spaces at the end of a line may extend beyond the box; a word that is wider
// than the line is cut where it overflows.
func cuts(chars []char, runs [][]glyph, width, indent, first float64) [][2]int {
	if width <= 0 || len(chars) == 0 {
		return [][2]int{{0, len(chars)}}
	}
	advances := make([]float64, len(chars)+1)
	tracks := make([]float64, len(chars)+1)
	for _, run := range runs {
		for i := range run {
			advances[run[i].first] += run[i].advance + run[i].track
			tracks[run[i].first] = run[i].track
		}
	}
	var out [][2]int
	from, lastBreak := 0, 0
	room := width - indent - first
	used := 0.0 // up to and including the character before i
	breaks := breakAfter(chars)
	for i := range chars {
		if !unicode.IsSpace(chars[i].r) && i > from && used+advances[i]-tracks[i] > room+0.01 {
			cut := i
			if lastBreak > from {
				cut = lastBreak
			}
			out = append(out, [2]int{from, cut})
			from, used, room = cut, 0, width-indent
			for j := cut; j < i; j++ {
				used += advances[j]
			}
		}
		used += advances[i]
		if breaks[i+1] {
			lastBreak = i + 1
		}
	}
	return append(out, [2]int{from, len(chars)})
}

// breakAfter marks the places where Unicode allows a line break: index i is the gap before character i.
func breakAfter(chars []char) []bool {
	text := make([]rune, len(chars))
	for i, c := range chars {
		text[i] = c.r
	}
	var seg segmenter.Segmenter
	seg.Init(text)
	ok := make([]bool, len(chars)+1)
	for it := seg.LineIterator(); it.Next(); {
		l := it.Line()
		ok[min(l.Offset+len(l.Text), len(chars))] = true
	}
	return ok
}

// take takes the line's glyphs from the runs of its segment, measures them and puts the runs in visual order, which in vertical lines is that of the text.
func (l *line) take(runs [][]glyph, down bool) {
	last := l.to
	for last > l.from && unicode.IsSpace(l.chars[last-1].r) {
		last--
	}
	for _, run := range runs {
		var mine []glyph
		for _, g := range run {
			if g.first >= l.from && g.first < l.to {
				mine = append(mine, g)
			}
		}
		if len(mine) > 0 {
			l.runs = append(l.runs, mine)
		}
	}
	track := 0.0
	for _, run := range l.runs {
		for i := range run {
			g := &run[i]
			if g.first >= last {
				continue // spaces at the end do not count
			}
			l.width += g.advance + g.track
			if g.first+g.chars >= last && g.track != 0 {
				track = g.track
			}
			if isGap(l.chars[g.first].r) {
				l.spaces++
			}
		}
	}
	l.width -= track
	if !down {
		l.reorder(last)
	}
}

// reorder puts runs in order from left to right. In a right-to-left paragraph all runs are reversed, and each stretch of
// left-to-right runs is reversed back; in a left-to-right paragraph only stretches of right-to-left runs are reversed.
func (l *line) reorder(last int) {
	text := make([]rune, 0, len(l.chars))
	for _, c := range l.chars {
		text = append(text, c.r)
	}
	leftward := baseDirection(text) == di.DirectionRTL
	if leftward {
		reverse(l.runs)
	}
	for i := 0; i < len(l.runs); {
		j := i
		for j < len(l.runs) && l.runs[j][0].rtl != leftward {
			j++
		}
		reverse(l.runs[i:j])
		i = max(j, i+1)
	}
	if leftward {
		l.hang(last)
	}
}

// hang removes the spaces at the end of a right-to-left line, where they would push the rest aside.
func (l *line) hang(last int) {
	for r := range l.runs {
		kept := l.runs[r][:0]
		for _, g := range l.runs[r] {
			if g.first < last {
				kept = append(kept, g)
			}
		}
		l.runs[r] = kept
	}
}

func reverse(runs [][]glyph) {
	for i, j := 0, len(runs)-1; i < j; i, j = i+1, j-1 {
		runs[i], runs[j] = runs[j], runs[i]
	}
}

func isGap(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\t' }

// leading is the distance from the line above: the largest of the line's characters.
func (l *line) leading() float64 {
	most := 0.0
	for _, st := range l.styles() {
		v := st.Leading
		if st.AutoLeading || v <= 0 {
			factor := l.para.AutoLeadingFactor
			if factor <= 0 {
				factor = 1.2
			}
			v = st.Size * factor
		}
		most = max(most, v)
	}
	return most
}

// styles are those of the line's characters, or of its end when it is empty.
func (l *line) styles() []*aep.CharacterStyle {
	if l.from == l.to {
		return []*aep.CharacterStyle{l.end}
	}
	var out []*aep.CharacterStyle
	for _, c := range l.chars[l.from:l.to] {
		if len(out) == 0 || out[len(out)-1] != c.style {
			out = append(out, c.style)
		}
	}
	return out
}

// height is how far the line extends above and below its baseline: as far as "d" and "p" of its fonts.
func (l *line) height(s *setter) (ascent, descent float64) {
	for _, run := range l.runs {
		for i := range run {
			across, _ := run[i].size()
			if s.down { // around its middle
				ascent, descent = max(ascent, across/2), max(descent, across/2)
				continue
			}
			ascent = max(ascent, run[i].tf.ascent*across+run[i].rise())
			descent = max(descent, run[i].tf.descent*across-run[i].rise())
		}
	}
	if len(l.runs) == 0 && s.down {
		return l.end.Size / 2, l.end.Size / 2
	}
	if len(l.runs) == 0 {
		if m, err := s.book.match(l.end.Font); err == nil {
			return m.ascent * l.end.Size, m.descent * l.end.Size
		}
	}
	return ascent, descent
}
