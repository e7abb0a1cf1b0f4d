package names

import (
	"fmt"
	"path"
	"strings"
	"unicode"
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
		if isUnseen(r) || strings.ContainsRune(reserved, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
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

// IsElement tells whether a name, as it stands, is one element of a path on every machine that a job may render on, and reads as
// what it is: no character that Windows reserves, that ends or turns a line, and no dot or space at the end, which Windows drops.
func IsElement(name string) bool {
	return IsLabel(name) && name != "." && name != ".." && !strings.ContainsAny(name, reserved) && strings.TrimRight(name, " .") == name && !isDevice(name)
}

// IsLabel tells whether a name from outside can stand in a line that people read, in a log and in a header: text that is not empty,
// without characters that control a terminal, end the line, or turn the order of those that follow.
func IsLabel(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, isUnseen)
}

// maxTitle is how long a title may be, in bytes.
const maxTitle = 200

// TitleWords says what IsTitle asks for.
var TitleWords = fmt.Sprintf("has to be 1 to %d bytes of text in one line, without control characters", maxTitle)

// IsTitle tells whether a name from outside may be that of a machine, a tag or an invitation: a label that is not too long.
func IsTitle(name string) bool { return len(name) <= maxTitle && IsLabel(name) }

// reserved are the characters that Windows takes in no name of a file.
const reserved = `<>:"/\|?*`

// isUnseen tells whether a character changes how the ones around it are read and is not seen itself: controls, separators of lines, and
// those embeddings, overrides and isolates of direction that show "exe.png" for "gnp.exe". Marks and joiners that scripts need are none.
func isUnseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

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
