package pdf

import (
	"strconv"
	"strings"

	"overcrank/engine/text/program"
)

// The encodings that PDF knows by heart, above ASCII.
const (
	winAnsiMiddle = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ" // from 0x80 to 0x9f; what follows is that of Unicode
	macRomanUpper = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
)

// glyphNames are the names of characters and the characters of names.
type glyphNames struct {
	runes map[string]rune
	names map[rune]string
	mac   map[rune]byte // codes of the Macintosh
}

func newGlyphNames() *glyphNames {
	g := &glyphNames{runes: map[string]rune{}, names: map[rune]string{}, mac: map[rune]byte{}}
	for _, list := range [][]program.Character{program.Latin[1:], program.Further} {
		for _, c := range list {
			g.runes[c.Name], g.names[c.Rune] = c.Rune, c.Name
		}
	}
	g.names['\u00a0'], g.names['\u00ad'] = "space", "hyphen"
	for i, r := range []rune(macRomanUpper) {
		g.mac[r] = byte(0x80 + i)
	}
	return g
}

// runeOf is the character that a glyph's name means; 0 when it means none that is known.
func (g *glyphNames) runeOf(of string) rune {
	if r := g.runes[of]; r != 0 {
		return r
	}
	of, _, _ = strings.Cut(of, ".") // such as "a.alt"
	if r := g.runes[of]; r != 0 {
		return r
	}
	hex, ok := strings.CutPrefix(of, "uni")
	if ok && len(hex) >= 4 {
		hex = hex[:4]
	} else if hex, ok = strings.CutPrefix(of, "u"); !ok || len(hex) < 4 || len(hex) > 6 {
		return 0
	}
	n, err := strconv.ParseUint(hex, 16, 21)
	if err != nil {
		return 0
	}
	return rune(n)
}

// encoding is the names of the glyphs of codes, "" for those that the font itself knows.
type encoding [256]string

// known fills an encoding by its name; false for one that is not known.
func (e *encoding) known(of name, g *glyphNames) bool {
	switch of {
	case "StandardEncoding":
		for code := range e {
			e[code] = program.StandardName(byte(code))
		}
		return true
	case "WinAnsiEncoding", "MacRomanEncoding":
	default:
		return false
	}
	win, mac := []rune(winAnsiMiddle), []rune(macRomanUpper)
	for code := 32; code < 256; code++ {
		r := rune(code)
		switch {
		case of == "MacRomanEncoding" && code >= 0x80:
			r = mac[code-0x80]
		case code == 0x7f:
			r = '•'
		case code >= 0x80 && code < 0xa0:
			r = win[code-0x80]
		}
		e[code] = g.names[r]
	}
	return true
}

// encodingOf reads an encoding with what differs from it. named tells whether it says any base.
func (f *file) encodingOf(v any, g *glyphNames) (e encoding, named bool) {
	if e.known(f.name(v), g) {
		return e, true
	}
	d := f.dict(v)
	named = e.known(f.name(d["BaseEncoding"]), g)
	code := 0
	for _, one := range f.array(d["Differences"]) {
		switch one := f.get(one).(type) {
		case float64:
			code = int(one)
		case name:
			if code >= 0 && code < len(e) {
				e[code] = string(one)
			}
			code++
		}
	}
	return e, named
}
