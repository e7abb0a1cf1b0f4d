package text

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/font"
)

// look is what distinguishes the members of a family.
type look struct {
	weight float64 // 100 thin to 950 black, 400 regular
	italic bool
	narrow bool
}

// distance is how different a font of look have is from the look want.
func (want look) distance(have look) float64 {
	d := want.weight - have.weight
	if d < 0 {
		d = -d
	}
	if want.italic != have.italic {
		d += 1000
	}
	if want.narrow != have.narrow {
		d += 2000
	}
	return d
}

func lookOf(a font.Aspect) look {
	return look{weight: float64(a.Weight), italic: a.Style == font.StyleItalic, narrow: a.Stretch < 0.95}
}

// weights are the words for weights in style names, longer words before the words they contain.
var weights = []struct {
	word   string
	weight float64
}{
	{"ultrablack", 950}, {"extrablack", 950},
	{"ultralight", 200}, {"extralight", 200}, {"hairline", 100}, {"thin", 100},
	{"semilight", 350}, {"demilight", 350}, {"light", 300},
	{"ultrabold", 800}, {"extrabold", 800}, {"semibold", 600}, {"demibold", 600},
	{"heavy", 900}, {"black", 900}, {"bold", 700}, {"demi", 600},
	{"medium", 500}, {"book", 400}, {"regular", 400}, {"roman", 400}, {"normal", 400},
}

// parseName splits a font's name, PostScript or display, into family and look: "AvenirNext-DemiBoldItalic" is
// avenirnext, 600, italic. The family is returned as key makes it.
func parseName(name string) (family string, l look) {
	l = look{weight: 400}
	base, style, hyphen := strings.Cut(name, "-")
	if !hyphen {
		base, style = splitStyle(name)
	}
	s := key(style)
	for _, w := range weights {
		if strings.Contains(s, w.word) {
			l.weight = w.weight
			break
		}
	}
	l.italic = strings.Contains(s, "ital") || strings.Contains(s, "obl") || strings.Contains(s, "slant") ||
		s == "it" || strings.HasSuffix(style, "It")
	whole := key(name)
	l.narrow = strings.Contains(whole, "cond") || strings.Contains(whole, "narrow") || strings.Contains(whole, "compressed")
	return key(base), l
}

// splitStyle cuts style words off the end of a name without a hyphen, such as "Inter Semi Bold" or "ArialBold".
func splitStyle(name string) (base, style string) {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '_' || r == ',' })
	n := len(words)
	for n > 1 && isStyleWord(words[n-1]) {
		n--
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

func isStyleWord(w string) bool {
	k := key(w)
	switch k {
	case "italic", "oblique", "it", "semi", "extra", "ultra", "cond", "condensed", "narrow":
		return true
	}
	for _, s := range weights {
		if k == s.word {
			return true
		}
	}
	return false
}

// key is a name reduced to letters and digits in lower case, so that "Avenir Next", "avenir-next" and "AvenirNext" have
// the same key.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
