package terminal

import (
	"unicode"

	"golang.org/x/text/width"
)

// columns is how wide text is on a terminal, in columns: a wide character takes two (Unicode Standard Annex 11), a combining mark or a format
// character none. The parts of a sequence of emoji are counted one by one, as most terminals show them.
func columns(s string) (n int) {
	for _, r := range s {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
