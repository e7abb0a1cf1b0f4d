package names

import (
	"path"
	"strings"
	"unicode/utf8"
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
		if isControl(r) || strings.ContainsRune(`<>:"/\|?*`, r) {
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

// IsElement tells whether a name, as it stands, is one element of a path on every machine that a job may render on.
func IsElement(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\:`) && !strings.ContainsFunc(name, isControl) && !isDevice(name)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isDevice tells whether Windows takes a name for one of its devices, which it does whatever the ending.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	stem = strings.TrimSpace(stem)
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	port, known := strings.CutPrefix(stem, "com")
	if !known {
		port, known = strings.CutPrefix(stem, "lpt")
	}
	return known && utf8.RuneCountInString(port) == 1 && strings.ContainsAny(port, "0123456789¹²³")
}

// freed is a name that no device of Windows has.
func freed(name string) string {
	if isDevice(name) {
		return "_" + name
	}
	return name
}
