package input

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"overcrank/farm"
)

// Object is one JSON object of a request. Its readers report what is wrong under the field's full path and give zero
// values then; null counts as absent.
type Object struct {
	Wrong  *Problems
	doc    *document
	at     int32    // where it stands in doc, which gives its path
	fields []member // in their order
}

// member is a field of an object, and where its value stands.
type member struct {
	key []byte
	at  int32
}

// Element is a value in a list.
type Element struct {
	doc *document
	at  int32
}

// Raw is the value as it stands in the body.
func (e Element) Raw() json.RawMessage { return e.doc.raw(e.at) }

// Path names the value from the root on, as problems do.
func (e Element) Path() string { return e.doc.path(e.at) }

// Problem keeps what is wrong with the value.
func (e Element) Problem(wrong *Problems, format string, args ...any) {
	if !wrong.Full() {
		wrong.Add(e.Path(), format, args...)
	}
}

// Names are the names of the object's fields, in their order.
func (o Object) Names() []string {
	names := make([]string, len(o.fields))
	for i, field := range o.fields {
		names[i] = string(field.key)
	}
	return names
}

// Bare is the object without its fields.
func (o Object) Bare() Object {
	o.fields = nil
	return o
}

// Take gives the object a field of another object of the same body, in place of the one that it has.
func (o *Object) Take(key string, from Object) {
	at := from.find(key)
	for i := range o.fields {
		if string(o.fields[i].key) == key {
			o.fields[i].at = at
			return
		}
	}
	o.fields = append(o.fields, member{[]byte(key), at})
}

// find gives the place of a field's value, below 0 when it is not there. Objects are small: looking through their fields costs less than a
// map of them.
func (o Object) find(key string) int32 {
	for i := range o.fields {
		if string(o.fields[i].key) == key {
			return o.fields[i].at
		}
	}
	return -1
}

// Raw is the value of a field as it stands in the body, nil when it is not there.
func (o Object) Raw(key string) json.RawMessage {
	if at := o.find(key); at >= 0 {
		return o.doc.raw(at)
	}
	return nil
}

// byteOrderMark is what Windows programs put before UTF-8.
var byteOrderMark = []byte("\ufeff")

// Read reads a body that has to be an object.
func Read(body []byte, wrong *Problems) (Object, error) {
	doc, err := readDocument(bytes.TrimPrefix(body, byteOrderMark))
	if err != nil {
		return Object{}, err
	}
	return rootOf(doc, wrong)
}

// ReadAround is Read for a large body with a list of that name, whose elements are looked into later, each by Read: here they are only checked
// to be JSON.
func ReadAround(body []byte, list string, wrong *Problems) (Object, error) {
	doc, err := readAround(bytes.TrimPrefix(body, byteOrderMark), list)
	if err != nil {
		return Object{}, err
	}
	return rootOf(doc, wrong)
}

// rootOf is the object that a document has to be.
func rootOf(doc *document, wrong *Problems) (Object, error) {
	root := doc.raw(0)
	o, isObject := objectAt(doc, 0, wrong)
	if !isObject {
		return Object{}, farm.Errorf(farm.CodeInvalid, "the body has to be a JSON object, not %s", KindOf(root)).
			With(farm.Field("body", "has to be an object, not %s", KindOf(root)))
	}
	return o, nil
}

// objectAt is the object that stands at a place of a document.
func objectAt(doc *document, at int32, wrong *Problems) (Object, bool) {
	o := Object{doc: doc, at: at, Wrong: wrong}
	if KindOf(doc.raw(at)) != KindObject {
		return o, false
	}
	if wrong.room == nil {
		wrong.room = make([]member, 0, doc.keys)
	}
	from := len(wrong.room)
	for field := at + 1; field < doc.values[at].next; field = doc.values[field].next {
		wrong.room = append(wrong.room, member{doc.key(field), field})
	}
	o.fields = slices.Clip(wrong.room[from:])
	return o, true
}

// Encode writes the object with its fields in the order of their names.
func (o Object) Encode() (json.RawMessage, error) {
	fields := slices.Clone(o.fields)
	slices.SortFunc(fields, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	text := append(make(jsontext.Value, 0, len(o.doc.raw(o.at))), '{')
	for i, field := range fields {
		if i > 0 {
			text = append(text, ',')
		}
		quoted, err := jsontext.AppendQuote(text, field.key)
		if err != nil {
			return nil, err
		}
		text = append(append(quoted, ':'), o.doc.raw(field.at)...)
	}
	text = append(text, '}')
	err := text.Compact()
	return json.RawMessage(text), err
}

// Kind is a kind of JSON value, as problems name it.
type Kind string

// The kinds of JSON values.
const (
	KindObject Kind = "an object"
	KindList   Kind = "a list"
	KindString Kind = "a string"
	KindBool   Kind = "true or false"
	KindNumber Kind = "a number"
	KindNull   Kind = "null"
)

// Text is the kind as people read it, each in their language.
func (k Kind) Text() farm.Text { return farm.Say(string(k)) }

// KindOf is what kind of value stands in a body; one that is not there counts as null.
func KindOf(raw json.RawMessage) Kind {
	if len(raw) == 0 {
		return KindNull
	}
	switch raw[0] {
	case '{':
		return KindObject
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

// Path names the object from the root on, as problems do.
func (o Object) Path() string { return o.doc.path(o.at) }

// Field names one of its fields from the root on.
func (o Object) Field(key string) string { return MemberPath(o.Path(), key) }

// Problem reports what is wrong with a field.
func (o Object) Problem(key, format string, args ...any) {
	if !o.Wrong.Full() {
		o.Wrong.Add(o.Field(key), format, args...)
	}
}

// Mistyped reports a field whose value is of another kind than the one that is wanted.
func (o Object) Mistyped(key string, want Kind) {
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

// TextLimit bounds a string, in bytes, where nothing smaller does. Whole files may come as data: addresses.
const TextLimit = JSONLimit

// Text reads a string of at most limit bytes, "" when it is not there.
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

// Choice reads a string that has to be one of values, "" when it is not there.
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

// Boolean reads true or false, nil when it is not there.
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

// Flag reads true or false, false when it is not there.
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
	if !problem.IsZero() {
		o.Problem(key, "%s", problem)
		return 0, false
	}
	return n, true
}

// WholeOf reads a whole number between bounds, or says what is wrong with it.
func WholeOf(raw json.RawMessage, low, high int) (int, farm.Text) {
	if KindOf(raw) != KindNumber {
		return 0, farm.Say("has to be a whole number, not %s", KindOf(raw))
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || f != float64(int64(f)) {
		return 0, farm.Say("has to be a whole number")
	}
	if f < float64(low) || f > float64(high) {
		return 0, farm.Say("has to be between %d and %d", low, high)
	}
	return int(f), farm.Text{}
}

// Number reads a number, and whether it is there.
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

// Child reads an object, and whether it is one.
func (o Object) Child(key string) (Object, bool) {
	if !o.Has(key) {
		return Object{}, false
	}
	child, isObject := objectAt(o.doc, o.find(key), o.Wrong)
	if !isObject {
		o.Mistyped(key, KindObject)
	}
	return child, isObject
}

// Filled is a child that says something. An empty one, such as forms send that were left as they were, counts as absent.
func (o Object) Filled(key string) (Object, bool) {
	child, isObject := o.Child(key)
	return child, isObject && len(child.fields) > 0
}

// List reads a list, none when it is not there.
func (o Object) List(key string) []Element {
	if !o.Has(key) {
		return nil
	}
	at := o.find(key)
	if KindOf(o.doc.raw(at)) != KindList {
		o.Mistyped(key, KindList)
		return nil
	}
	list := make([]Element, 0, 8)
	for within := at + 1; within < o.doc.values[at].next; within = o.doc.values[within].next {
		list = append(list, Element{o.doc, within})
	}
	return list
}

// Objects visits the objects of a list. What is none is reported; wanted says what it has to be.
func (o Object) Objects(list []Element, wanted Kind, visit func(Object)) {
	for _, e := range list {
		each, isObject := objectAt(e.doc, e.at, o.Wrong)
		if !isObject {
			e.Problem(o.Wrong, "has to be %s, not %s", wanted, KindOf(e.Raw()))
			continue
		}
		visit(each)
	}
}

// Texts reads a list of strings that are not blank. It gives none when one of them is wrong.
func (o Object) Texts(key string, limit int) []string {
	var out []string
	before := len(o.Wrong.List)
	for _, e := range o.List(key) {
		if KindOf(e.Raw()) != KindString {
			e.Problem(o.Wrong, "has to be a string, not %s", KindOf(e.Raw()))
			continue
		}
		s := unquote(e.Raw())
		switch {
		case strings.TrimSpace(s) == "":
			e.Problem(o.Wrong, "is empty")
		case len(s) > limit:
			e.Problem(o.Wrong, "is longer than %d bytes", limit)
		case strings.ContainsRune(s, 0):
			e.Problem(o.Wrong, "holds a NUL character")
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
