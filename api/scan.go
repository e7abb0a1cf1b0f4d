package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sound says that body is certainly as checkJSON wants it. When it says no, the slower walker looks, and words what is
// wrong.
func sound(body []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	most := valuesWithin(body)
	for tokens := 0; tokens <= most; tokens++ {
		kind := dec.PeekKind()
		var err error
		switch kind {
		case '{', '[', '}', ']':
			_, err = dec.ReadToken()
		default:
			var scalar jsontext.Value
			scalar, err = dec.ReadValue()
			if kind == '0' && !ordinary(string(scalar)) {
				return false
			}
		}
		depth := dec.StackDepth()
		if err != nil {
			_, values := dec.StackIndex(0)
			return errors.Is(err, io.EOF) && depth == 0 && values == 1
		}
		if depth > jsonDepth {
			return false
		}
		if in, length := dec.StackIndex(depth); in == '{' && length > 2*jsonKeys {
			return false
		}
	}
	return false
}

// eachMember visits the members of an object, and eachElement the elements of a list, in their order. They only find where
// each begins and ends: the text has passed checkJSON.
func eachMember(raw json.RawMessage, visit func(key string, value json.RawMessage)) {
	for at := skipSpace(raw, 0) + 1; ; {
		at = skipSpace(raw, at)
		if at >= len(raw) || raw[at] != '"' {
			return
		}
		end := skipString(raw, at)
		key := unquote(raw[at:end])
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

// unquote gives the text of a string that has passed checkJSON.
func unquote(raw json.RawMessage) string {
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return s
}
