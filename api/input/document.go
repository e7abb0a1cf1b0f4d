// Package input reads what callers send as JSON objects, queries and forms, and says of every field that is wrong what it should be.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"overcrank/farm"
)

const (
	// JSONLimit bounds a JSON body.
	JSONLimit = 10 << 20
	jsonDepth = 64
	// jsonValues and jsonKeys bound what a small body may grow to in memory.
	jsonValues = 1_000_000
	jsonKeys   = 10_000
	// ProblemLimit bounds the list of problems in one answer.
	ProblemLimit = 100
)

// Problems collects what is wrong with a request, so that a caller learns of everything at once.
type Problems struct {
	List []farm.FieldError
	more bool
	// room is for the members of all objects of the request.
	room []member
	// Strict refuses fields that nobody knows; warnings tell of them, and of what else is taken and hardly meant.
	Strict   bool
	Warnings []string
}

func (p *Problems) Add(field, format string, args ...any) {
	if len(p.List) == ProblemLimit {
		p.more = true
		return
	}
	p.List = append(p.List, farm.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
}

// Err is nil when nothing is wrong.
func (p *Problems) Err() error {
	switch {
	case len(p.List) == 0:
		return nil
	case p.more:
		return farm.Invalid(fmt.Sprintf("the request is not valid; these are the first %d problems", ProblemLimit), p.List...)
	case len(p.List) == 1:
		return farm.Invalid(fmt.Sprintf("the request is not valid: %s %s", p.List[0].Field, p.List[0].Message), p.List...)
	default:
		return farm.Invalid("the request is not valid", p.List...)
	}
}

// valuesWithin is how many values a body may hold: more than jsonValues only when it is large itself, as a batch can be.
func valuesWithin(body []byte) int { return max(jsonValues, len(body)/10) }

// CheckJSON makes sure that body is one JSON value in UTF-8 without repeated keys, within the bounds above. Everything
// later relies on it and may unmarshal parts of the body, or hand them on as they are, without a second look.
func CheckJSON(body []byte) error {
	mendSurrogates(body)
	if len(bytes.TrimSpace(body)) == 0 {
		return farm.Invalid("the body is empty; send a JSON object", farm.FieldError{Field: "body", Message: "is empty"})
	}
	if !utf8.Valid(body) {
		return farm.Invalid("the body is not valid UTF-8", farm.FieldError{Field: "body", Message: "is not valid UTF-8"})
	}
	if sound(body) {
		return nil
	}
	w := walker{dec: json.NewDecoder(bytes.NewReader(body)), most: valuesWithin(body)}
	w.dec.UseNumber()
	if err := w.value("", 0); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return w.refuse("", "has more content after the JSON value")
	}
	return nil
}

// mendSurrogates replaces halves of surrogate pairs, such as a program leaves that cuts a text within an emoji, by the
// replacement character, in place. Strict readers of what is handed on would stumble over them.
func mendSurrogates(body []byte) {
	const escape = len(`\u0000`)
	unit := func(i int) rune {
		if i+escape > len(body) || body[i] != '\\' || body[i+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(body[i+2:i+escape]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(body); {
		next := bytes.IndexByte(body[i:], '\\')
		if next < 0 {
			return
		}
		i += next
		switch {
		case !utf16.IsSurrogate(unit(i)):
			i += 2 // an escape, or something that is no JSON
		case utf16.DecodeRune(unit(i), unit(i+escape)) != unicode.ReplacementChar:
			i += 2 * escape
		default:
			copy(body[i:], `\ufffd`)
			i += escape
		}
	}
}

type walker struct {
	dec    *json.Decoder
	values int
	most   int
}

func (w *walker) refuse(path, format string, args ...any) error {
	if path == "" {
		path = "body"
	}
	message := fmt.Sprintf(format, args...)
	return farm.Invalid(fmt.Sprintf("the body cannot be read as JSON: %s %s", path, message), farm.FieldError{Field: path, Message: message})
}

func (w *walker) broken(path string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return w.refuse(path, "is not JSON at byte %d: %s", syntax.Offset, strings.TrimPrefix(err.Error(), "json: "))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return w.refuse(path, "ends too early")
	default:
		return w.refuse(path, "is not JSON at byte %d: %s", w.dec.InputOffset(), err)
	}
}

func (w *walker) value(path string, depth int) error {
	if w.values++; w.values > w.most {
		return w.refuse(path, "brings the body over %d values", w.most)
	}
	token, err := w.dec.Token()
	if err != nil {
		return w.broken(path, err)
	}
	if number, isNumber := token.(json.Number); isNumber && !ordinary([]byte(number)) {
		return w.refuse(path, "is a number that no program can hold")
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth == jsonDepth {
		return w.refuse(path, "is nested more than %d deep", jsonDepth)
	}
	if delim == '[' {
		err = w.elements(path, depth)
	} else {
		err = w.members(path, depth)
	}
	if err != nil {
		return err
	}
	if _, err := w.dec.Token(); err != nil { // the closing bracket
		return w.broken(path, err)
	}
	return nil
}

// ordinary tells whether a number is one of double precision. Others would come back in answers that typed clients cannot
// read.
func ordinary(number []byte) bool {
	if len(number) < 300 && !bytes.ContainsAny(number, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err == nil
}

func (w *walker) elements(path string, depth int) error {
	for i := 0; w.dec.More(); i++ {
		if err := w.value(ElementPath(path, i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) members(path string, depth int) error {
	seen := map[string]struct{}{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return w.broken(path, err)
		}
		key, isKey := token.(string)
		if !isKey {
			return w.refuse(path, "has a key that is no string")
		}
		at := MemberPath(path, key)
		if _, again := seen[key]; again {
			return w.refuse(at, "stands twice in the same object")
		}
		if len(seen) == jsonKeys {
			return w.refuse(path, "has more than %d keys", jsonKeys)
		}
		seen[key] = struct{}{}
		if err := w.value(at, depth+1); err != nil {
			return err
		}
	}
	return nil
}
