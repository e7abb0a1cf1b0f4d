package names

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestElement is how many bytes Element keeps of a name; longestEnding is how many of these the extension may take.
const (
	longestElement = 100
	longestEnding  = 10
)

// Element makes one element of a path, valid on every system, of an untrusted name, which may be a path itself. Unlike
// File it keeps as much as it can, since projects look for their files by name: spaces of all kinds, punctuation, a
// leading dot. It is fallback when nothing is left of the name.
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

// IsElement tells whether a name is, unchanged, one element of a path on every machine that a job may render on, and
// looks like what it is: it has no character that Windows reserves, that ends a line or changes its direction, and no
// dot or space at the end, which Windows drops.
func IsElement(name string) bool {
	return IsLabel(name) && name != "." && name != ".." && !strings.ContainsAny(name, reserved) && strings.TrimRight(name, " .") == name && !isDevice(name)
}

// IsLabel tells whether an untrusted name can appear in a line of text, in a log and in a header: it is not empty, and
// has no characters that control a terminal, end the line, or change the direction of the text.
func IsLabel(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, isUnseen)
}

// maxTitle is how long a title may be, in bytes, and TitleWords the rule of IsTitle, for messages.
const (
	maxTitle   = 200
	TitleWords = "has to be 1 to 200 bytes of text in one line, without control characters"
)

// IsTitle tells whether an untrusted name may name a machine, a tag or an invitation: a label that is not too long.
func IsTitle(name string) bool { return len(name) <= maxTitle && IsLabel(name) }

// reserved are the characters that Windows allows in no file name.
const reserved = `<>:"/\|?*`

// isUnseen tells whether a character is invisible and changes how the ones around it are read: controls, line
// separators, and the embeddings, overrides and isolates of direction that show "exe.png" for "gnp.exe". Combining marks
// and joiners are not among them: scripts need these.
func isUnseen(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// isDevice tells whether Windows takes a name for one of its devices, which it does whatever the extension.
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

// freed is the name, changed if it is that of a Windows device.
func freed(name string) string {
	if isDevice(name) {
		return "_" + name
	}
	return name
}
