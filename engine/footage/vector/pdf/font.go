package pdf

import (
	"errors"
	"fmt"
	"strings"

	"overcrank/aep"
	"overcrank/engine/geom"
	typeset "overcrank/engine/text"
	"overcrank/engine/text/program"
)

// face is a font of a page.
type face struct {
	file    *file
	words   *glyphNames
	name    string // without the mark of a subset
	dict    dict
	book    *typeset.Book
	own     *program.Font // nil for a font that is not in the file
	program int           // bytes of own
	codes   *codes        // of a font whose codes have several bytes
	widths  map[int]float64
	width   float64 // of codes that have none of their own, below 0 for that of the glyph
	named   encoding
	based   bool // the encoding says a base
	symbol  bool // its codes are the font's own
	cidGID  []byte
	unicode *codes // to Unicode
	known   map[int]figure
	drawn   *drawnFont // of a font whose letters are content streams
}

// figure is what a code draws: an outline in ems, and how far it moves the pen.
type figure struct {
	outline geom.Outline
	advance float64
}

const (
	maxFaces  = 500     // of a page
	maxWidths = 1 << 17 // of a font
	maxCodes  = 20_000  // of a font, that are kept
	faceSteps = 1_000   // the work of reading a font
	faceStep  = 64      // bytes of a font that are a step more
	symbolic  = 4       // the flag of fonts with characters of their own
)

// readFace reads a font.
func (c *content) readFace(d dict) (*face, error) {
	f := c.file
	k := &face{file: f, words: c.words, dict: d, book: c.fonts, known: map[int]figure{}, width: -1, unicode: f.codesOf(d["ToUnicode"])}
	defer func() { c.steps += k.bytes() / faceStep }() // also of one that cannot be read, which is read again when it is asked for again
	base := string(f.name(d["BaseFont"]))
	if mark, rest, ok := strings.Cut(base, "+"); ok && len(mark) == 6 {
		base = rest
	}
	k.name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, base)
	about := d
	switch kind := f.name(d["Subtype"]); kind {
	case "Type0":
		if about = k.descendant(); about == nil {
			return nil, errors.New("text in a broken font")
		}
		if k.codes = f.codesOf(d["Encoding"]); k.codes == nil {
			return nil, errors.New("text in an encoding that is not read")
		}
		if f.name(d["Encoding"]) == "Identity-V" || f.number(f.dict(d["Encoding"])["WMode"], 0) == 1 {
			return nil, errors.New("vertical text")
		}
	case "Type3":
		return k, k.readDrawn()
	default:
		k.named, k.based = f.encodingOf(d["Encoding"], c.words)
		k.simpleWidths()
	}
	descriptor := f.dict(about["FontDescriptor"])
	k.symbol = int(f.number(descriptor["Flags"], 0))&symbolic != 0
	if v, ok := f.get(descriptor["MissingWidth"]).(float64); ok && k.codes == nil {
		k.width = v / 1000
	}
	for _, key := range []name{"FontFile2", "FontFile3", "FontFile"} {
		s, ok := f.get(descriptor[key]).(*stream)
		if !ok {
			continue
		}
		data, err := f.decoded(s)
		if err == nil {
			k.program = len(data)
			k.own, err = program.Read(data)
		}
		if err != nil {
			if tooMuch(err) {
				return nil, err
			}
			return nil, fmt.Errorf("text in the font '%.60s'", k.name)
		}
	}
	return k, k.standIn(c)
}

// bytes is about how much a font takes, since many fonts can share the lists and programs of a small file.
func (k *face) bytes() int {
	const entry = 64 // of a list
	return k.program + len(k.cidGID) + entry*(len(k.widths)+k.unicode.size()+k.codes.size())
}

// standIn prepares to draw with a font of the book.
func (k *face) standIn(c *content) error {
	switch {
	case k.own != nil:
		return nil
	case c.fonts == nil:
		return errors.New("text in fonts that are not in the file")
	case k.name == "Symbol" || k.name == "ZapfDingbats" || k.codes != nil && k.unicode == nil:
		return fmt.Errorf("text in the font '%.60s'", k.name)
	}
	if !k.based && k.codes == nil {
		var all encoding
		all.known("StandardEncoding", k.words)
		for code, n := range all {
			if k.named[code] == "" {
				k.named[code] = n
			}
		}
	}
	c.out.Font(k.name)
	return nil
}

// descendant is the font with the glyphs of one whose codes have several bytes, with its widths.
func (k *face) descendant() dict {
	f := k.file
	list := f.array(k.dict["DescendantFonts"])
	if len(list) == 0 {
		return nil
	}
	d := f.dict(list[0])
	k.width, k.widths = f.number(d["DW"], 1000)/1000, map[int]float64{}
	w := f.array(d["W"])
	for i := 0; i+1 < len(w); {
		first := int(f.number(w[i], 0))
		if each := f.array(w[i+1]); each != nil {
			for n, v := range each[:min(len(each), maxWidths-len(k.widths))] {
				k.widths[first+n] = f.number(v, 0) / 1000
			}
			i += 2
			continue
		}
		if i+2 >= len(w) {
			break
		}
		for n := first; n <= min(int(f.number(w[i+1], 0)), first+1<<16) && len(k.widths) < maxWidths; n++ {
			k.widths[n] = f.number(w[i+2], 0) / 1000
		}
		i += 3
	}
	if s, ok := f.get(d["CIDToGIDMap"]).(*stream); ok {
		k.cidGID, _ = f.decoded(s)
	}
	return d
}

func (k *face) simpleWidths() {
	first := int(k.file.number(k.dict["FirstChar"], 0))
	k.widths = map[int]float64{}
	for i, v := range k.file.array(k.dict["Widths"]) {
		if i < 256 {
			k.widths[first+i] = k.file.number(v, 0) / 1000
		}
	}
}

// next takes the next code off a string.
func (k *face) next(s []byte) (code, length int) {
	if k.codes != nil {
		return k.codes.next(s)
	}
	return int(s[0]), 1
}

// figure is what a code draws.
func (k *face) figure(code int) (figure, error) {
	if fig, ok := k.known[code]; ok {
		return fig, nil
	}
	var fig figure
	var err error
	char := code
	if k.codes != nil {
		char, _ = k.codes.means(code)
	}
	switch {
	case k.drawn != nil: // which is drawn otherwise
	case k.own != nil:
		fig.outline, err = k.own.Outline(k.glyph(code, char))
	default:
		fig, err = k.lent(k.runeOf(code))
	}
	if w, ok := k.widths[char]; ok {
		fig.fit(w, k.own == nil)
	} else if k.width >= 0 {
		fig.fit(k.width, k.own == nil)
	}
	if len(k.known) < maxCodes {
		k.known[code] = fig
	}
	return fig, err
}

// fit gives a figure its width in the file. That of a font that stands in for another one is made as wide.
func (g *figure) fit(width float64, scaled bool) {
	if scaled && width > 0 && g.advance > 0 {
		g.outline = g.outline.Transform(geom.Scale(width/g.advance, 1))
	}
	g.advance = width
}

// glyph is the glyph of a code in the font of the file.
func (k *face) glyph(code, char int) int {
	p := k.own
	switch {
	case k.codes != nil && p.CIDs != nil:
		return p.CIDs[char]
	case k.codes != nil && k.cidGID != nil:
		if 2*char+1 < len(k.cidGID) {
			return whole(k.cidGID[2*char : 2*char+2])
		}
		return 0
	case k.codes != nil:
		return char
	}
	of := k.named[code]
	if p.Codes != nil { // CFF and Type 1
		if g, ok := p.Names[of]; ok && of != "" {
			return g
		}
		if of == "" {
			return p.Codes[byte(code)]
		}
	}
	if k.symbol && !k.based {
		if g, ok := k.coded(code); ok {
			return g
		}
	}
	if g, ok := k.byName(of); ok {
		return g
	}
	g, _ := k.coded(code)
	return g
}

// byName is the glyph of a name in a TrueType font.
func (k *face) byName(of string) (int, bool) {
	if of == "" {
		return 0, false
	}
	r := k.words.runeOf(of)
	if g, ok := k.own.Mapped(program.Microsoft, program.Unicode, r); ok && r != 0 {
		return g, true
	}
	mac := rune(k.words.mac[r])
	if r < 0x80 {
		mac = r
	}
	if g, ok := k.own.Mapped(program.Macintosh, program.Roman, mac); ok && mac != 0 {
		return g, true
	}
	g, ok := k.own.Names[of]
	return g, ok
}

// coded is the glyph of a code by the tables of a TrueType font.
func (k *face) coded(code int) (int, bool) {
	for _, t := range []struct{ platform, encoding, add int }{
		{program.Microsoft, program.Symbol, 0xf000}, {program.Microsoft, program.Symbol, 0}, {program.Macintosh, program.Roman, 0},
		{program.Microsoft, program.Unicode, 0},
	} {
		if g, ok := k.own.Mapped(t.platform, t.encoding, rune(code+t.add)); ok {
			return g, true
		}
	}
	return 0, false
}

// runeOf is the character of a code, as far as it is known.
func (k *face) runeOf(code int) rune {
	if k.unicode != nil {
		if r, ok := k.unicode.means(code); ok {
			return rune(r)
		}
	}
	if k.codes != nil || code > 255 {
		return 0
	}
	return k.words.runeOf(k.named[code])
}

// lent is a character as the book's font has it that is called as this one, or that stands in for it.
func (k *face) lent(r rune) (fig figure, err error) {
	if r < ' ' {
		return fig, nil
	}
	l, err := k.book.Glyphs(&aep.TextDocument{Text: string(r), Runs: []aep.TextRun{{Length: 2, Style: aep.CharacterStyle{Font: k.name, Size: 1, HScale: 100, VScale: 100}}}})
	if err != nil {
		return fig, err
	}
	for _, g := range l.Glyphs {
		fig.outline.Append(g.Outline.Transform(geom.Translate(g.X, g.Y)))
		fig.advance = g.X + g.Advance
	}
	return fig, nil
}
