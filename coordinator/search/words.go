package search

import (
	"iter"
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
	eachWord(text, func(word string) bool {
		if len(l.words) == mostWords {
			return false
		}
		if l.words == nil {
			l.words = make([]string, 0, someWords)
		}
		if !slices.Contains(l.words, word) {
			l.words = append(l.words, word)
		}
		return true
	})
}

// splitWords gives the words of a text, folded: without case and accents, so that "ÉTÉ" and "ete" are the same, and in the compatible forms of
// Unicode, so that full-width letters are the plain ones. A word is a run of letters and digits. Scripts that are written without spaces have
// no such runs, so each of their characters is a word.
func splitWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) { eachWord(text, yield) }
}

func eachWord(text string, yield func(string) bool) {
	if isASCII(text) {
		eachASCII(strings.ToLower(text), yield)
	} else {
		eachFolded(text, yield)
	}
}

// eachFolded is eachWord for any text.
func eachFolded(text string, yield func(string) bool) {
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

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// eachASCII is eachWord for a text of small letters and other characters of ASCII: the words are parts of it.
func eachASCII(text string, yield func(string) bool) {
	for i := 0; i < len(text); i++ {
		begin := i
		for i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9') {
			i++
		}
		if i > begin && !yield(text[begin:min(i, begin+mostBytes)]) {
			return
		}
	}
}

// fold takes the case off a letter. The sharp s stays one letter, since it has no capital of its own in most texts.
func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
