package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"overcrank/farm"
)

const (
	// jsonLimit bounds a JSON body (wire.md, "Limits").
	jsonLimit = 10 << 20
	jsonDepth = 64
	// jsonValues and jsonKeys bound what a small body may grow to in memory.
	jsonValues = 1_000_000
	jsonKeys   = 10_000
	// problemLimit bounds the list of problems in one answer.
	problemLimit = 100
)

// problems collects what is wrong with a request, so that a caller learns of everything at once.
type problems struct {
	list []farm.FieldError
	more bool
}

func (p *problems) add(field, format string, args ...any) {
	if len(p.list) == problemLimit {
		p.more = true
		return
	}
	p.list = append(p.list, farm.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err is nil when nothing is wrong.
func (p *problems) err() error {
	switch {
	case len(p.list) == 0:
		return nil
	case p.more:
		return farm.Invalid(fmt.Sprintf("the request is not valid; these are the first %d problems", problemLimit), p.list...)
	case len(p.list) == 1:
		return farm.Invalid(fmt.Sprintf("the request is not valid: %s %s", p.list[0].Field, p.list[0].Message), p.list...)
	default:
		return farm.Invalid("the request is not valid", p.list...)
	}
}

// checkJSON makes sure that body is one JSON value in UTF-8 without repeated keys, within the bounds above. Everything
// later relies on it and may unmarshal parts of the body without a second look.
func checkJSON(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return farm.Invalid("the body is empty; send a JSON object", farm.FieldError{Field: "body", Message: "is empty"})
	}
	if !utf8.Valid(body) {
		return farm.Invalid("the body is not valid UTF-8", farm.FieldError{Field: "body", Message: "is not valid UTF-8"})
	}
	w := walker{dec: json.NewDecoder(bytes.NewReader(body))}
	w.dec.UseNumber()
	if err := w.value("", 0); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return w.refuse("", "holds something after the end of its JSON")
	}
	return nil
}

type walker struct {
	dec    *json.Decoder
	values int
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
	if w.values++; w.values > jsonValues {
		return w.refuse(path, "brings the body over %d values", jsonValues)
	}
	token, err := w.dec.Token()
	if err != nil {
		return w.broken(path, err)
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

func (w *walker) elements(path string, depth int) error {
	for i := 0; w.dec.More(); i++ {
		if err := w.value(elementPath(path, i), depth+1); err != nil {
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
		at := memberPath(path, key)
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

// pathLimit keeps hostile keys from filling an answer.
const pathLimit = 200

func memberPath(path, key string) string {
	if len(key) > pathLimit {
		key = strings.ToValidUTF8(key[:pathLimit], "") + "…"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func elementPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// object is one JSON object of a request. Its readers report what is wrong under the field's full path and give zero
// values then; null counts as absent.
type object struct {
	path   string
	fields map[string]json.RawMessage
	wrong  *problems
}

// readObject reads a checked body that has to be an object.
func readObject(body []byte, wrong *problems) (object, error) {
	if err := checkJSON(body); err != nil {
		return object{}, err
	}
	o, isObject := objectOf(body, "", wrong)
	if !isObject {
		return object{}, farm.Invalid("the body has to be a JSON object, not "+kindOf(body),
			farm.FieldError{Field: "body", Message: "has to be an object, not " + kindOf(body)})
	}
	return o, nil
}

func objectOf(raw json.RawMessage, path string, wrong *problems) (object, bool) {
	o := object{path: path, wrong: wrong}
	if kindOf(raw) != kindObject || json.Unmarshal(raw, &o.fields) != nil {
		return o, false
	}
	return o, true
}

// The kinds of JSON values, as problems name them.
const (
	kindObject = "an object"
	kindList   = "a list"
	kindString = "a string"
	kindBool   = "true or false"
	kindNumber = "a number"
	kindNull   = "null"
)

func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case '{':
		return kindObject
	case '[':
		return kindList
	case '"':
		return kindString
	case 't', 'f':
		return kindBool
	case 'n':
		return kindNull
	default:
		return kindNumber
	}
}

func (o object) field(key string) string { return memberPath(o.path, key) }

func (o object) problem(key, format string, args ...any) {
	o.wrong.add(o.field(key), format, args...)
}

func (o object) mistyped(key, want string) {
	o.problem(key, "has to be %s, not %s", want, kindOf(o.fields[key]))
}

// has tells whether a field is there and not null.
func (o object) has(key string) bool {
	raw, there := o.fields[key]
	return there && kindOf(raw) != kindNull
}

// need reports a field that is missing.
func (o object) need(key string) bool {
	if !o.has(key) {
		o.problem(key, "is missing")
		return false
	}
	return true
}

// only refuses fields with other names.
func (o object) only(keys ...string) {
	unknown := []string{}
	for key := range o.fields {
		if !slices.Contains(keys, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		o.problem(key, "is not known here; known are %s", strings.Join(keys, ", "))
	}
}

// textLimit bounds a string, in bytes, where nothing smaller does. Whole files may come as data: addresses.
const textLimit = jsonLimit

func (o object) text(key string, limit int) string {
	if !o.has(key) {
		return ""
	}
	var s string
	if kindOf(o.fields[key]) != kindString || json.Unmarshal(o.fields[key], &s) != nil {
		o.mistyped(key, kindString)
		return ""
	}
	switch {
	case len(s) > limit:
		o.problem(key, "is longer than %d bytes", limit)
		return ""
	case strings.ContainsRune(s, 0):
		o.problem(key, "holds a NUL character")
		return ""
	}
	return s
}

// needText is text that has to be there and not be blank.
func (o object) needText(key string, limit int) string {
	if !o.need(key) {
		return ""
	}
	before := len(o.wrong.list)
	s := o.text(key, limit)
	if len(o.wrong.list) == before && strings.TrimSpace(s) == "" {
		o.problem(key, "is empty")
	}
	return s
}

func (o object) choice(key string, values ...string) string {
	before := len(o.wrong.list)
	s := o.text(key, 64)
	if !o.has(key) || len(o.wrong.list) > before {
		return ""
	}
	if !slices.Contains(values, s) {
		o.problem(key, "has to be one of %s, not %q", strings.Join(values, ", "), s)
		return ""
	}
	return s
}

func (o object) boolean(key string) *bool {
	if !o.has(key) {
		return nil
	}
	var b bool
	if kindOf(o.fields[key]) != kindBool || json.Unmarshal(o.fields[key], &b) != nil {
		o.mistyped(key, kindBool)
		return nil
	}
	return &b
}

func (o object) flag(key string) bool {
	b := o.boolean(key)
	return b != nil && *b
}

// whole reads a whole number between low and high; 3.0 is one.
func (o object) whole(key string, low, high int) (int, bool) {
	if !o.has(key) {
		return 0, false
	}
	n, problem := wholeOf(o.fields[key], low, high)
	if problem != "" {
		o.problem(key, "%s", problem)
		return 0, false
	}
	return n, true
}

func wholeOf(raw json.RawMessage, low, high int) (int, string) {
	if kindOf(raw) != kindNumber {
		return 0, "has to be a whole number, not " + kindOf(raw)
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || f != float64(int64(f)) {
		return 0, "has to be a whole number"
	}
	if f < float64(low) || f > float64(high) {
		return 0, fmt.Sprintf("has to be between %d and %d", low, high)
	}
	return int(f), ""
}

func (o object) number(key string) (float64, bool) {
	if !o.has(key) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(o.fields[key])), 64)
	if kindOf(o.fields[key]) != kindNumber || err != nil {
		o.mistyped(key, "a number of ordinary size")
		return 0, false
	}
	return f, true
}

func (o object) child(key string) (object, bool) {
	if !o.has(key) {
		return object{}, false
	}
	child, isObject := objectOf(o.fields[key], o.field(key), o.wrong)
	if !isObject {
		o.mistyped(key, kindObject)
	}
	return child, isObject
}

func (o object) list(key string) []json.RawMessage {
	if !o.has(key) {
		return nil
	}
	var list []json.RawMessage
	if kindOf(o.fields[key]) != kindList || json.Unmarshal(o.fields[key], &list) != nil {
		o.mistyped(key, kindList)
		return nil
	}
	return list
}

// texts reads a list of strings that are not blank. It gives none when one of them is wrong.
func (o object) texts(key string, limit int) []string {
	var out []string
	before := len(o.wrong.list)
	for i, raw := range o.list(key) {
		var s string
		at := elementPath(o.field(key), i)
		switch {
		case kindOf(raw) != kindString || json.Unmarshal(raw, &s) != nil:
			o.wrong.add(at, "has to be a string, not %s", kindOf(raw))
		case strings.TrimSpace(s) == "":
			o.wrong.add(at, "is empty")
		case len(s) > limit:
			o.wrong.add(at, "is longer than %d bytes", limit)
		case strings.ContainsRune(s, 0):
			o.wrong.add(at, "holds a NUL character")
		default:
			out = append(out, s)
		}
	}
	if len(o.wrong.list) > before {
		return nil
	}
	return out
}
