package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds on what one record brings into the index: records come from callers.
const (
	mostWords = 64      // of a record
	someWords = 24      // that there is room for at first
	mostBytes = 40      // of a word; the rest of a longer one is not looked at, neither here nor in what is asked for
	mostText  = 4 << 10 // bytes of one text that are looked at
)

// wordList gathers the words of a record, each once.
type wordList struct{ words []string }

// add takes up the words of a text, as far as there is room.
func (l *wordList) add(text string) {
	if len(text) > mostText {
		text = text[:mostText]
	}
	for word := range splitWords(text) {
		if len(l.words) == mostWords {
			return
		}
		if l.words == nil {
			l.words = make([]string, 0, someWords)
		}
		if !slices.Contains(l.words, word) {
			l.words = append(l.words, word)
		}
	}
}

// splitWords gives the words of a text, folded: without case and accents, so that "ÉTÉ" and "ete" are the same, and in the compatible forms of
// Unicode, so that full-width letters are the plain ones. A word is a run of letters and digits. Scripts that are written without spaces have
// no such runs, so each of their characters is a word.
func splitWords(text string) func(yield func(string) bool) {
	if isASCII(text) {
		return splitASCII(strings.ToLower(text))
	}
	return splitFolded(text)
}

// splitFolded is splitWords for any text.
func splitFolded(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var word strings.Builder
		end := func() bool {
			if word.Len() == 0 {
				return true
			}
			whole := word.String()
			word.Reset()
			return yield(whole)
		}
		for _, r := range norm.NFKD.String(text) {
			switch {
			case unicode.Is(unicode.Mn, r) || r == utf8.RuneError: // accents, and what is no character
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
				if !end() || !yield(string(r)) {
					return
				}
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				if r = fold(r); word.Len()+utf8.RuneLen(r) <= mostBytes {
					word.WriteRune(r)
				}
			default:
				if !end() {
					return
				}
			}
		}
		end()
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitASCII is splitWords for a text of small letters and other characters of ASCII: the words are parts of it.
func splitASCII(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			begin := i
			for i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9') {
				i++
			}
			if i > begin && !yield(text[begin:min(i, begin+mostBytes)]) {
				return
			}
			i++
		}
	}
}

// fold takes the case off a letter. The sharp s stays one letter, since it has no capital of its own in most texts.
func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
