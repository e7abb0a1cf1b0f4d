package language

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"overcrank/farm"
)

// quotedVerb is a verb that writes a name as Go does, with straight quotes around it and backslashes within.
var quotedVerb = regexp.MustCompile(`%(\[\d+\])?q`)

// typeset is a text of the farm with the quotation marks and apostrophes of pages, which the texts of pages have already: the command line and the
// interfaces keep the straight ones. What stands in the holes of the text is not touched.
func typeset(l farm.Language, text string) string {
	text = quotedVerb.ReplaceAllString(text, quotes[l].open+"%${1}s"+quotes[l].shut)
	if !strings.Contains(text, "'") {
		return text
	}
	var b strings.Builder
	before, within := ' ', false
	for i, r := range text {
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r != '\'':
			b.WriteRune(r)
		case !within && !wordly(before) && !unicode.IsSpace(after):
			within = true
			b.WriteString(quotes[l].open)
		case within && !wordly(after):
			within = false
			b.WriteString(quotes[l].shut)
		default:
			b.WriteRune('’')
		}
		before = r
	}
	return b.String()
}

// wordly tells whether a character belongs to a word or to a verb.
func wordly(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%')
}

// quotes are the quotation marks of each language.
var quotes = map[farm.Language]struct{ open, shut string }{
	farm.English: {"“", "”"}, farm.German: {"„", "“"}, farm.French: {"«\u00a0", "\u00a0»"},
}
