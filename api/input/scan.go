package input

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// sound says that body is certainly as checkJSON wants it. When it says no, the slower walker looks, and words what is
// wrong.
func sound(body []byte) bool {
	switch {
	case !bounded(body): // first: what is read within bounds takes little memory
		return false
	case len(body) < largeBody:
		return jsontext.Value(body).IsValid()
	default:
		return soundInPieces(body)
	}
}

// largeBody is from how many bytes on a body is looked at by all processors.
const largeBody = 128 << 10

// soundInPieces says that a body is JSON. The elements of the lists right below its root are, each by itself; and so is the body with a
// zero in the place of each.
func soundInPieces(body []byte) bool {
	outline, elements := parted(body)
	if !jsontext.Value(outline).IsValid() {
		return false
	}
	var broken atomic.Bool
	Spread(len(elements), func(i int) {
		if !broken.Load() && !jsontext.Value(elements[i]).IsValid() {
			broken.Store(true)
		}
	})
	return !broken.Load()
}

// parted takes the elements of the lists right below a body's root out of it, and puts a zero in the place of each.
func parted(body []byte) (outline []byte, elements []json.RawMessage) {
	depth, within := 0, false // a list right below the root
	for at := 0; at < len(body); {
		from := at
		switch body[at] {
		case ' ', '\t', '\r', '\n', ',':
			at++
		case ']', '}':
			depth--
			within = within && depth >= 2
			at++
		default:
			switch {
			case within:
				at = skipValue(body, at)
				elements = append(elements, body[from:at:at])
				outline = append(outline, '0')
				continue
			case body[at] == '"':
				at = skipString(body, at)
			case body[at] == '{' || body[at] == '[':
				within = depth == 1 && body[at] == '['
				depth++
				at++
			default:
				at++
			}
		}
		outline = append(outline, body[from:at]...)
	}
	return outline, elements
}

// bounded says that a body, if it is JSON, keeps the bounds of checkJSON.
func bounded(body []byte) bool {
	var open [jsonDepth]struct {
		object bool
		commas int
	}
	depth, values, most := 0, 1, valuesWithin(body)
	for at := 0; at < len(body); {
		switch body[at] {
		case '"':
			at = skipString(body, at)
			continue
		case '{', '[':
			if depth == jsonDepth {
				return false
			}
			open[depth].object, open[depth].commas = body[at] == '{', 0
			depth++
			values++ // its first
		case '}', ']':
			if depth--; depth < 0 {
				return false
			}
		case ',':
			if depth == 0 {
				return false
			}
			in := &open[depth-1]
			if in.commas++; in.object && in.commas == jsonKeys {
				return false
			}
			values++
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := skipScalar(body, at)
			if !ordinary(body[at:end]) {
				return false
			}
			at = end
			continue
		}
		at++
	}
	return values <= most
}

// eachMember visits the members of an object, and eachElement the elements of a list, in their order. They only find where
// each begins and ends: the text has passed checkJSON.
func eachMember(raw json.RawMessage, visit func(key []byte, value json.RawMessage)) {
	for at := skipSpace(raw, 0) + 1; ; {
		at = skipSpace(raw, at)
		if at >= len(raw) || raw[at] != '"' {
			return
		}
		end := skipString(raw, at)
		key := []byte(nil)
		if unescaped(raw[at:end]) {
			key = raw[at+1 : end-1 : end-1]
		} else {
			key = []byte(unquote(raw[at:end]))
		}
		at = skipSpace(raw, skipSpace(raw, end)+1) // the colon
		end = skipValue(raw, at)
		visit(key, raw[at:end:end])
		at = skipSpace(raw, end) + 1 // the comma, or the end
	}
}

func eachElement(raw json.RawMessage, visit func(value json.RawMessage)) {
	for at := skipSpace(raw, 0) + 1; ; {
		at = skipSpace(raw, at)
		if at >= len(raw) || raw[at] == ']' {
			return
		}
		end := skipValue(raw, at)
		visit(raw[at:end:end])
		at = skipSpace(raw, end) + 1
	}
}

func skipSpace(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\r' || raw[at] == '\n') {
		at++
	}
	return min(at, len(raw))
}

// skipString gives the place behind the string that begins at at.
func skipString(raw []byte, at int) int {
	for at++; at < len(raw); {
		quote := bytes.IndexByte(raw[at:], '"')
		if quote < 0 {
			break
		}
		escape := bytes.IndexByte(raw[at:at+quote], '\\')
		if escape < 0 {
			return at + quote + 1
		}
		at += escape + 2
	}
	return len(raw)
}

// skipValue gives the place behind the value that begins at at.
func skipValue(raw []byte, at int) int {
	for depth := 0; at < len(raw); {
		switch raw[at] {
		case '"':
			at = skipString(raw, at)
		case '{', '[':
			depth++
			at++
			continue
		case '}', ']':
			depth--
			at++
		default:
			if at = skipScalar(raw, at); depth > 0 {
				continue
			}
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

// skipScalar gives the place behind what begins at at and is no string, list or object; within those it passes over what
// stands between values, too.
func skipScalar(raw []byte, at int) int {
	for at++; at < len(raw); at++ {
		switch raw[at] {
		case ',', '{', '[', ']', '}', '"', ' ', '\t', '\r', '\n':
			return at
		}
	}
	return at
}

// unescaped says that a string's text is what stands between its quotes.
func unescaped(raw json.RawMessage) bool { return len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 }

// unquote gives the text of a string that has passed checkJSON.
func unquote(raw json.RawMessage) string {
	if unescaped(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return s
}
