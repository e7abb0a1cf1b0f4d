package input

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

// Object is one JSON object of a request. Its readers report what is wrong under the field's full path and give zero
// values then; null counts as absent.
type Object struct {
	Path   string
	Fields []member // in their order
	Wrong  *Problems
}

// member is a field of an object with its value as it stands in the body.
type member struct {
	Key   []byte
	value json.RawMessage
}

// Raw is the value of a field as it stands in the body, nil when it is not there. Objects are small: looking through their
// fields costs less than a map of them.
func (o Object) Raw(key string) json.RawMessage {
	for i := range o.Fields {
		if string(o.Fields[i].Key) == key {
			return o.Fields[i].value
		}
	}
	return nil
}

// Read reads a checked body that has to be an object. The mark that Windows programs put before UTF-8 is passed over.
func Read(body []byte, wrong *Problems) (Object, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if err := CheckJSON(body); err != nil {
		return Object{}, err
	}
	o, isObject := ObjectOf(body, "", wrong)
	if !isObject {
		return Object{}, farm.Invalid("the body has to be a JSON object, not "+KindOf(body),
			farm.FieldError{Field: "body", Message: "has to be an object, not " + KindOf(body)})
	}
	return o, nil
}

// Set gives a field a value, in place of the one it had.
func (o *Object) Set(key string, value json.RawMessage) {
	for i := range o.Fields {
		if string(o.Fields[i].Key) == key {
			o.Fields[i].value = value
			return
		}
	}
	o.Fields = append(o.Fields, member{[]byte(key), value})
}

// Encode writes the object with its fields in the order of their names.
func (o Object) Encode() (json.RawMessage, error) {
	fields := slices.Clone(o.Fields)
	slices.SortFunc(fields, func(a, b member) int { return bytes.Compare(a.Key, b.Key) })
	text := jsontext.Value("{")
	for i, field := range fields {
		if i > 0 {
			text = append(text, ',')
		}
		quoted, err := jsontext.AppendQuote(text, field.Key)
		if err != nil {
			return nil, err
		}
		text = append(append(quoted, ':'), field.value...)
	}
	text = append(text, '}')
	err := text.Compact()
	return json.RawMessage(text), err
}

func ObjectOf(raw json.RawMessage, path string, wrong *Problems) (Object, bool) {
	o := Object{Path: path, Wrong: wrong}
	if KindOf(raw) != kindObject {
		return o, false
	}
	if wrong.room == nil {
		wrong.room = make([]member, 0, fewMembers)
	}
	from := len(wrong.room)
	eachMember(raw, func(key []byte, value json.RawMessage) { wrong.room = append(wrong.room, member{key, value}) })
	o.Fields = slices.Clip(wrong.room[from:])
	return o, true
}

// fewMembers are those of all objects in an ordinary job.
const fewMembers = 48

// The kinds of JSON values, as problems name them.
const (
	kindObject = "an object"
	KindList   = "a list"
	KindString = "a string"
	KindBool   = "true or false"
	KindNumber = "a number"
	KindNull   = "null"
)

func KindOf(raw json.RawMessage) string {
	at := skipSpace(raw, 0)
	if at >= len(raw) {
		return KindNull
	}
	switch raw[at] {
	case '{':
		return kindObject
	case '[':
		return KindList
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	default:
		return KindNumber
	}
}

func (o Object) Field(key string) string { return MemberPath(o.Path, key) }

func (o Object) Problem(key, format string, args ...any) {
	o.Wrong.Add(o.Field(key), format, args...)
}

func (o Object) Mistyped(key, want string) {
	o.Problem(key, "has to be %s, not %s", want, KindOf(o.Raw(key)))
}

// Has tells whether a field is there and not null.
func (o Object) Has(key string) bool {
	return KindOf(o.Raw(key)) != KindNull
}

// Need reports a field that is missing.
func (o Object) Need(key string) bool {
	if !o.Has(key) {
		o.Problem(key, "is missing")
		return false
	}
	return true
}

// Only refuses fields with other names.
func (o Object) Only(keys ...string) {
	var unknown []string
	for _, field := range o.Fields {
		if key := string(field.Key); !slices.Contains(keys, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		o.Problem(key, "is not known here; known are %s", strings.Join(keys, ", "))
	}
}

// TextLimit bounds a string, in bytes, where nothing smaller does. Whole files may come as data: addresses.
const TextLimit = JSONLimit

func (o Object) Text(key string, limit int) string {
	raw := o.Raw(key)
	switch KindOf(raw) {
	case KindNull:
		return ""
	case KindString:
	default:
		o.Mistyped(key, KindString)
		return ""
	}
	s := unquote(raw)
	switch {
	case len(s) > limit:
		o.Problem(key, "is longer than %d bytes", limit)
		return ""
	case strings.ContainsRune(s, 0):
		o.Problem(key, "holds a NUL character")
		return ""
	}
	return s
}

// CheckText is text for whoever hands a value on as it stands.
func (o Object) CheckText(key string, limit int) {
	raw := o.Raw(key)
	if KindOf(raw) == KindString && unescaped(raw) && len(raw) <= limit {
		return // a NUL would be escaped
	}
	o.Text(key, limit)
}

// NeedText is text that has to be there and not be blank.
func (o Object) NeedText(key string, limit int) string {
	if !o.Need(key) {
		return ""
	}
	before := len(o.Wrong.List)
	s := o.Text(key, limit)
	if len(o.Wrong.List) == before && strings.TrimSpace(s) == "" {
		o.Problem(key, "is empty")
	}
	return s
}

func (o Object) Choice(key string, values ...string) string {
	if raw := o.Raw(key); KindOf(raw) == KindString && unescaped(raw) {
		for _, value := range values {
			if string(raw[1:len(raw)-1]) == value {
				return value
			}
		}
	}
	before := len(o.Wrong.List)
	s := o.Text(key, 64)
	if !o.Has(key) || len(o.Wrong.List) > before {
		return ""
	}
	if !slices.Contains(values, s) {
		o.Problem(key, "has to be one of %s, not %q", strings.Join(values, ", "), s)
		return ""
	}
	return s
}

func (o Object) Boolean(key string) *bool {
	if !o.Has(key) {
		return nil
	}
	if KindOf(o.Raw(key)) != KindBool {
		o.Mistyped(key, KindBool)
		return nil
	}
	b := string(bytes.TrimSpace(o.Raw(key))) == "true"
	return &b
}

func (o Object) Flag(key string) bool {
	b := o.Boolean(key)
	return b != nil && *b
}

// Whole reads a whole number between low and high; 3.0 is one.
func (o Object) Whole(key string, low, high int) (int, bool) {
	if !o.Has(key) {
		return 0, false
	}
	n, problem := WholeOf(o.Raw(key), low, high)
	if problem != "" {
		o.Problem(key, "%s", problem)
		return 0, false
	}
	return n, true
}

func WholeOf(raw json.RawMessage, low, high int) (int, string) {
	if KindOf(raw) != KindNumber {
		return 0, "has to be a whole number, not " + KindOf(raw)
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

func (o Object) Number(key string) (float64, bool) {
	if !o.Has(key) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(o.Raw(key))), 64)
	if KindOf(o.Raw(key)) != KindNumber || err != nil {
		o.Mistyped(key, "a number of ordinary size")
		return 0, false
	}
	return f, true
}

func (o Object) Child(key string) (Object, bool) {
	if !o.Has(key) {
		return Object{}, false
	}
	child, isObject := ObjectOf(o.Raw(key), o.Field(key), o.Wrong)
	if !isObject {
		o.Mistyped(key, kindObject)
	}
	return child, isObject
}

// Filled is a child that says something. An empty one, such as forms send that were left as they were, counts as absent.
func (o Object) Filled(key string) (Object, bool) {
	child, isObject := o.Child(key)
	return child, isObject && len(child.Fields) > 0
}

func (o Object) List(key string) []json.RawMessage {
	if !o.Has(key) {
		return nil
	}
	list := make([]json.RawMessage, 0, 8)
	if KindOf(o.Raw(key)) != KindList {
		o.Mistyped(key, KindList)
		return nil
	}
	eachElement(o.Raw(key), func(value json.RawMessage) { list = append(list, value) })
	return list
}

// Objects visits the objects of a list that stands at key. What is none is reported; wanted says what it has to be.
func (o Object) Objects(key string, list []json.RawMessage, wanted string, visit func(Object)) {
	for i, raw := range list {
		element, isObject := ObjectOf(raw, ElementPath(o.Field(key), i), o.Wrong)
		if !isObject {
			o.Wrong.Add(element.Path, "has to be %s, not %s", wanted, KindOf(raw))
			continue
		}
		visit(element)
	}
}

// Texts reads a list of strings that are not blank. It gives none when one of them is wrong.
func (o Object) Texts(key string, limit int) []string {
	var out []string
	before := len(o.Wrong.List)
	for i, raw := range o.List(key) {
		at := func() string { return ElementPath(o.Field(key), i) }
		if KindOf(raw) != KindString {
			o.Wrong.Add(at(), "has to be a string, not %s", KindOf(raw))
			continue
		}
		s := unquote(raw)
		switch {
		case strings.TrimSpace(s) == "":
			o.Wrong.Add(at(), "is empty")
		case len(s) > limit:
			o.Wrong.Add(at(), "is longer than %d bytes", limit)
		case strings.ContainsRune(s, 0):
			o.Wrong.Add(at(), "holds a NUL character")
		default:
			out = append(out, s)
		}
	}
	if len(o.Wrong.List) > before {
		return nil
	}
	return out
}

// FewTexts is texts for a list of at most so many.
func (o Object) FewTexts(key string, limit, most int) []string {
	list := o.Texts(key, limit)
	if len(list) > most {
		o.Problem(key, "holds %d entries; %d are allowed", len(list), most)
		return nil
	}
	return list
}

// pathLimit keeps hostile keys from filling an answer.
const pathLimit = 200

func MemberPath(path, key string) string {
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

func ElementPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
