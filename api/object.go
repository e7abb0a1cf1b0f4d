package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"overcrank/farm"
)

// object is one JSON object of a request. Its readers report what is wrong under the field's full path and give zero
// values then; null counts as absent.
type object struct {
	path   string
	fields []member // in their order
	wrong  *problems
}

// member is a field of an object with its value as it stands in the body.
type member struct {
	key   []byte
	value json.RawMessage
}

// raw is the value of a field as it stands in the body, nil when it is not there. Objects are small: looking through their
// fields costs less than a map of them.
func (o object) raw(key string) json.RawMessage {
	for i := range o.fields {
		if string(o.fields[i].key) == key {
			return o.fields[i].value
		}
	}
	return nil
}

// readObject reads a checked body that has to be an object. The mark that Windows programs put before UTF-8 is passed over.
func readObject(body []byte, wrong *problems) (object, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
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

// set gives a field a value, in place of the one it had.
func (o *object) set(key string, value json.RawMessage) {
	for i := range o.fields {
		if string(o.fields[i].key) == key {
			o.fields[i].value = value
			return
		}
	}
	o.fields = append(o.fields, member{[]byte(key), value})
}

// encode writes the object with its fields in the order of their names.
func (o object) encode() (json.RawMessage, error) {
	fields := slices.Clone(o.fields)
	slices.SortFunc(fields, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	text := jsontext.Value("{")
	for i, field := range fields {
		if i > 0 {
			text = append(text, ',')
		}
		quoted, err := jsontext.AppendQuote(text, field.key)
		if err != nil {
			return nil, err
		}
		text = append(append(quoted, ':'), field.value...)
	}
	text = append(text, '}')
	err := text.Compact()
	return json.RawMessage(text), err
}

func objectOf(raw json.RawMessage, path string, wrong *problems) (object, bool) {
	o := object{path: path, wrong: wrong}
	if kindOf(raw) != kindObject {
		return o, false
	}
	if wrong.room == nil {
		wrong.room = make([]member, 0, fewMembers)
	}
	from := len(wrong.room)
	eachMember(raw, func(key []byte, value json.RawMessage) { wrong.room = append(wrong.room, member{key, value}) })
	o.fields = slices.Clip(wrong.room[from:])
	return o, true
}

// fewMembers are those of all objects in an ordinary job.
const fewMembers = 48

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
	at := skipSpace(raw, 0)
	if at >= len(raw) {
		return kindNull
	}
	switch raw[at] {
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
	o.problem(key, "has to be %s, not %s", want, kindOf(o.raw(key)))
}

// has tells whether a field is there and not null.
func (o object) has(key string) bool {
	return kindOf(o.raw(key)) != kindNull
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
	var unknown []string
	for _, field := range o.fields {
		if key := string(field.key); !slices.Contains(keys, key) {
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
	raw := o.raw(key)
	switch kindOf(raw) {
	case kindNull:
		return ""
	case kindString:
	default:
		o.mistyped(key, kindString)
		return ""
	}
	s := unquote(raw)
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

// checkText is text for whoever hands a value on as it stands.
func (o object) checkText(key string, limit int) {
	raw := o.raw(key)
	if kindOf(raw) == kindString && unescaped(raw) && len(raw) <= limit {
		return // a NUL would be escaped
	}
	o.text(key, limit)
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
	if raw := o.raw(key); kindOf(raw) == kindString && unescaped(raw) {
		for _, value := range values {
			if string(raw[1:len(raw)-1]) == value {
				return value
			}
		}
	}
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
	if kindOf(o.raw(key)) != kindBool {
		o.mistyped(key, kindBool)
		return nil
	}
	b := string(bytes.TrimSpace(o.raw(key))) == "true"
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
	n, problem := wholeOf(o.raw(key), low, high)
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
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(o.raw(key))), 64)
	if kindOf(o.raw(key)) != kindNumber || err != nil {
		o.mistyped(key, "a number of ordinary size")
		return 0, false
	}
	return f, true
}

func (o object) child(key string) (object, bool) {
	if !o.has(key) {
		return object{}, false
	}
	child, isObject := objectOf(o.raw(key), o.field(key), o.wrong)
	if !isObject {
		o.mistyped(key, kindObject)
	}
	return child, isObject
}

// filled is a child that says something. An empty one, such as forms send that were left as they were, counts as absent.
func (o object) filled(key string) (object, bool) {
	child, isObject := o.child(key)
	return child, isObject && len(child.fields) > 0
}

func (o object) list(key string) []json.RawMessage {
	if !o.has(key) {
		return nil
	}
	list := make([]json.RawMessage, 0, 8)
	if kindOf(o.raw(key)) != kindList {
		o.mistyped(key, kindList)
		return nil
	}
	eachElement(o.raw(key), func(value json.RawMessage) { list = append(list, value) })
	return list
}

// objects visits the objects of a list that stands at key. What is none is reported; wanted says what it has to be.
func (o object) objects(key string, list []json.RawMessage, wanted string, visit func(object)) {
	for i, raw := range list {
		element, isObject := objectOf(raw, elementPath(o.field(key), i), o.wrong)
		if !isObject {
			o.wrong.add(element.path, "has to be %s, not %s", wanted, kindOf(raw))
			continue
		}
		visit(element)
	}
}

// texts reads a list of strings that are not blank. It gives none when one of them is wrong.
func (o object) texts(key string, limit int) []string {
	var out []string
	before := len(o.wrong.list)
	for i, raw := range o.list(key) {
		at := func() string { return elementPath(o.field(key), i) }
		if kindOf(raw) != kindString {
			o.wrong.add(at(), "has to be a string, not %s", kindOf(raw))
			continue
		}
		s := unquote(raw)
		switch {
		case strings.TrimSpace(s) == "":
			o.wrong.add(at(), "is empty")
		case len(s) > limit:
			o.wrong.add(at(), "is longer than %d bytes", limit)
		case strings.ContainsRune(s, 0):
			o.wrong.add(at(), "holds a NUL character")
		default:
			out = append(out, s)
		}
	}
	if len(o.wrong.list) > before {
		return nil
	}
	return out
}

// fewTexts is texts for a list of at most so many.
func (o object) fewTexts(key string, limit, most int) []string {
	list := o.texts(key, limit)
	if len(list) > most {
		o.problem(key, "holds %d entries; %d are allowed", len(list), most)
		return nil
	}
	return list
}

// pathLimit keeps hostile keys from filling an answer.
const pathLimit = 200

func memberPath(path, key string) string {
	if len(key) > pathLimit {
		key = strings.ToValidUTF8(key[:pathLimit], "") + "…"
	}
	switch {
	case path != "":
	case key == "":
		return `""` // an error has to name the field
	default:
		return key
	}
	return path + "." + key
}

func elementPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
