package names

import (
	"path"
	"strings"
)

// longestElement is how many bytes Element leaves of a name, and longestEnding how many of these an ending may be.
const (
	longestElement = 100
	longestEnding  = 10
)

// Element makes one element of a path, in whatever system, of a name from outside, which may be a path itself. Other than File
// it keeps what it can, since projects look for their files by name: spaces of all kinds, marks, a dot in front. It is fallback
// when nothing is left of the name.
func Element(name, fallback string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name)
	if len(name) > longestElement {
		ending := path.Ext(name)
		if len(ending) > longestEnding {
			ending = ""
		}
		name = strings.ToValidUTF8(name[:longestElement-len("_")-len(ending)], "") + ending
	}
	name = strings.TrimLeft(strings.TrimRight(name, " ."), " ") // Windows drops dots and spaces at the end
	if name == "" {
		return fallback
	}
	return freed(name)
}

// freed is a name that no device of Windows has.
func freed(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	if reserved[strings.ToLower(strings.TrimSpace(stem))] {
		return "_" + name
	}
	return name
}
