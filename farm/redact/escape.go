package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// entities are HTML's escapes for the characters that have a meaning there.
var entities = []struct{ written, text string }{
	{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&#34;", `"`}, {"&#39;", "'"},
}

// escape reads the escape at the beginning of s: the text that it stands for and its length in bytes, 0 when there is
// none.
func escape(s string) (text string, size int) {
	switch s[0] {
	case '%':
		if c, ok := hexAt(s, 1, 2); ok {
			return string([]byte{byte(c)}), 3
		}
	case '&':
		for _, e := range entities {
			if strings.HasPrefix(s, e.written) {
				return e.text, len(e.written)
			}
		}
	case '\\':
		return backslash(s)
	}
	return "", 0
}

// backslash reads an escape of JSON, JavaScript or Go.
func backslash(s string) (text string, size int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'x':
		if c, ok := hexAt(s, 2, 2); ok {
			return string([]byte{byte(c)}), 4
		}
	case 'U':
		if c, ok := hexAt(s, 2, 8); ok && c <= utf8.MaxRune {
			return string(rune(c)), 10
		}
	case 'u':
		high, ok := hexAt(s, 2, 4)
		if !ok {
			return "", 0
		}
		if utf16.IsSurrogate(rune(high)) && strings.HasPrefix(s[6:], `\u`) {
			if low, ok := hexAt(s, 8, 4); ok {
				return string(utf16.DecodeRune(rune(high), rune(low))), 12
			}
		}
		return string(rune(high)), 6
	case '"', '\'', '\\', '/':
		return s[1:2], 2
	}
	return "", 0
}

// hexAt reads so many hexadecimal digits of s.
func hexAt(s string, at, digits int) (uint64, bool) {
	if len(s) < at+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(s[at:at+digits], 16, 32)
	return n, err == nil && utf8.ValidString(s[at:at+digits])
}
