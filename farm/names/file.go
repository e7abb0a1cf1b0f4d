package names

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestFile is how many bytes a file name may have without its extension; file systems take 255 with it.
const longestFile = 180

// File makes a file name, valid on every system, of any text. It is "" when nothing is left of the text.
func File(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	for len(name) > longestFile {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	// Windows drops dots and spaces at the end; a dot in front hides a file, and two of them are a folder.
	name = strings.TrimRight(strings.TrimLeft(name, " ."), " .")
	return freed(name)
}

// Files names the files of one folder: no two names are the same, even when case is ignored.
type Files struct{ taken map[string]bool }

// Name makes a file name of text, or of other when nothing is left of text, with the extension ext (".mp4").
func (f *Files) Name(text, other, ext string) string {
	if f.taken == nil {
		f.taken = map[string]bool{}
	}
	// A name that has the ending already does not get it twice.
	if len(text) > len(ext) && strings.EqualFold(text[len(text)-len(ext):], ext) {
		text = text[:len(text)-len(ext)]
	}
	name := File(text)
	if name == "" {
		name = File(other)
	}
	unique := name + ext
	for n := 2; f.taken[strings.ToLower(unique)]; n++ {
		unique = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
	f.taken[strings.ToLower(unique)] = true
	return unique
}
