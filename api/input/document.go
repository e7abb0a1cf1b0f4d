// Package input reads what callers send as JSON objects, queries and forms, and says of every field that is wrong what it should be.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"overcrank/farm"
)

const (
	// JSONLimit bounds a JSON body, in bytes.
	JSONLimit = 10 << 20
	// jsonDepth is how deep lists and objects may be nested.
	jsonDepth = 64
	// jsonValues and jsonKeys bound what a small body may grow to in memory: values of all, and keys of one object.
	jsonValues = 1_000_000
	jsonKeys   = 10_000
)

// document is one JSON value in UTF-8 without repeated keys, within the bounds above, and where each value within it stands. What is read of it
// may be unmarshalled, or handed on as it is, without a second look.
type document struct {
	body   []byte
	values []value // the root first, each before those within it
	keys   int     // of all objects
}

// value is where a value of a document stands.
type value struct {
	place
	key    place // of its key, with the quotation marks; none for an element of a list
	parent int32 // index of the list or object that it stands in, -1 for the root
	next   int32 // index of the value behind it and all within it
}

// valuesWithin is how many values a body may hold: more than jsonValues only when it is large itself, as a batch can be.
func valuesWithin(body []byte) int { return max(jsonValues, len(body)/10) }

// CheckJSON makes sure that a body is one JSON value in UTF-8 without repeated keys, within bounds, for those who unmarshal it whole.
func CheckJSON(body []byte) error {
	_, err := readDocument(body)
	return err
}

// readDocument checks a body and finds what is in it.
func readDocument(body []byte) (*document, error) { return readAround(body, "") }

// readAround is readDocument for a body with a list of that name at its root, whose elements are looked into later, each as a document of its
// own. Here they are only checked to be JSON.
func readAround(body []byte, list string) (*document, error) {
	mendSurrogates(body)
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, farm.Invalid("the body is empty; send a JSON object", farm.Field("body", "is empty"))
	}
	if !utf8.Valid(body) {
		return nil, farm.Invalid("the body is not valid UTF-8", farm.Field("body", "is not valid UTF-8"))
	}
	s := scanners.Get().(*scanner)
	defer s.release()
	d := &document{body: body, values: make([]value, 0, min(fewValues, len(body)/8+1))}
	return d, s.read(d, list)
}

// fewValues are those of an ordinary job.
const fewValues = 96

// raw is a value as it stands in the body.
func (d *document) raw(at int32) json.RawMessage {
	v := d.values[at]
	return d.body[v.from:v.to:v.to]
}

// key is the key of a value that stands in an object.
func (d *document) key(at int32) []byte {
	v := d.values[at]
	if quoted := d.body[v.key.from:v.key.to:v.key.to]; !unescaped(quoted) {
		return []byte(unquote(quoted))
	}
	return d.body[v.key.from+1 : v.key.to-1 : v.key.to-1]
}

// path names a value from the root on, as problems do.
func (d *document) path(at int32) string {
	v := d.values[at]
	if v.parent < 0 {
		return ""
	}
	if v.key.to > 0 {
		return MemberPath(d.path(v.parent), string(d.key(at)))
	}
	before := 0
	for sibling := v.parent + 1; sibling < at; sibling = d.values[sibling].next {
		before++
	}
	return ElementPath(d.path(v.parent), before)
}

// scanner reads the values of a document.
type scanner struct {
	*document
	dec    *jsontext.Decoder
	src    bytes.Buffer
	in     int32 // index of the list or object that is being read, -1 outside the root
	around int32 // index of the list whose elements are not looked into, 0 for none
	key    place // of the key that was read, until its value is
	counts []int // keys so far: of each list and object that is open, the innermost last
}

// place is where something stands in a body.
type place struct{ from, to uint32 }

// scanners are kept: a new one takes more memory than an ordinary body.
var scanners = sync.Pool{New: func() any { return &scanner{dec: jsontext.NewDecoder(strings.NewReader(""))} }}

// release puts a scanner back for the next body, without the one that it has read.
func (s *scanner) release() {
	*s = scanner{dec: s.dec, counts: s.counts[:0]}
	s.dec.Reset(&s.src)
	scanners.Put(s)
}

func (s *scanner) read(d *document, around string) error {
	s.document, s.in = d, -1
	s.src = *bytes.NewBuffer(d.body)
	s.dec.Reset(&s.src)
	most := valuesWithin(d.body)
	for done := false; !done; done = s.in < 0 {
		if err := s.next(); err != nil {
			return err
		}
		if around != "" && s.around == 0 && s.in > 0 && s.values[s.in].parent == 0 && string(s.document.key(s.in)) == around {
			s.around = s.in
		}
		if len(s.values) > most {
			return refusedJSON(s.path(int32(len(s.values)-1)), "brings the body over %d values", most)
		}
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return refusedJSON("", "has more content after the JSON value")
	}
	return nil
}

// next reads a key, a value, or the beginning or the end of a list or an object.
func (s *scanner) next() error {
	kind := s.dec.PeekKind()
	switch {
	case (kind == '{' || kind == '[') && (s.around == 0 || s.in != s.around):
		return s.open()
	case kind == '}' || kind == ']':
		return s.close()
	}
	raw, err := s.dec.ReadValue()
	if err != nil {
		return s.broken(err)
	}
	end := uint32(s.dec.InputOffset())
	at := place{end - uint32(len(raw)), end}
	if s.in >= 0 && s.body[s.values[s.in].from] == '{' && s.key.to == 0 {
		return s.named(at)
	}
	if kind == '0' && !ordinary(raw) {
		return s.refuse("is a number that no program can hold")
	}
	s.add(at)
	return nil
}

// named notes where the key of the value to come stands.
func (s *scanner) named(at place) error {
	s.key = at
	s.keys++
	s.counts[len(s.counts)-1]++
	if s.counts[len(s.counts)-1] > jsonKeys {
		s.key = place{}
		return refusedJSON(s.path(s.in), "has more than %d keys", jsonKeys)
	}
	return nil
}

// add notes where a value stands.
func (s *scanner) add(at place) {
	s.values = append(s.values, value{place: at, key: s.key, parent: s.in, next: int32(len(s.values) + 1)})
	s.key = place{}
}

// open begins a list or an object.
func (s *scanner) open() error {
	if len(s.counts) == jsonDepth {
		return s.refuse("is nested more than %d deep", jsonDepth)
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return s.broken(err)
	}
	s.add(place{from: uint32(s.dec.InputOffset()) - 1})
	s.in = int32(len(s.values) - 1)
	s.counts = append(s.counts, 0)
	return nil
}

// close ends the list or object that is being read.
func (s *scanner) close() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return s.broken(err)
	}
	ended := &s.values[s.in]
	ended.to, ended.next = uint32(s.dec.InputOffset()), int32(len(s.values))
	s.in = ended.parent
	s.counts = s.counts[:len(s.counts)-1]
	return nil
}

// refuse says what is wrong with the value that comes next.
func (s *scanner) refuse(format string, args ...any) error {
	s.add(place{})
	return refusedJSON(s.path(int32(len(s.values)-1)), format, args...)
}

func refusedJSON(path, format string, args ...any) error {
	if path == "" {
		path = "body"
	}
	wrong := farm.Field(path, format, args...)
	return farm.Errorf(farm.CodeInvalid, "the body cannot be read as JSON: %s %s", path, wrong.Text()).With(wrong)
}

// broken words what the decoder says.
func (s *scanner) broken(err error) error {
	offset := s.dec.InputOffset()
	path := pathOf(s.dec.StackPointer())
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset, path, err = syntax.ByteOffset, pathOf(syntax.JSONPointer), syntax.Err
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return refusedJSON(path, "stands twice in the same object")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refusedJSON(path, "ends too early")
	default:
		return refusedJSON(path, "is not JSON at byte %d: %s", offset, strings.TrimPrefix(err.Error(), "jsontext: "))
	}
}

// pathOf words a JSON pointer as problems do. A number may be a place in a list as well as a key: it is taken for the first.
func pathOf(pointer jsontext.Pointer) (path string) {
	depth := 0
	for token := range pointer.Tokens() {
		if depth++; depth > jsonDepth {
			break
		}
		if i, err := strconv.Atoi(token); err == nil {
			path = ElementPath(path, i)
		} else {
			path = MemberPath(path, token)
		}
	}
	return path
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

// ordinary tells whether a number is one of double precision. Others would come back in answers that typed clients cannot
// read.
func ordinary(number []byte) bool {
	if len(number) < 300 && !bytes.ContainsAny(number, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err == nil
}

// pathLimit keeps hostile keys from filling an answer, in bytes.
const pathLimit = 200

// MemberPath names a field of what path names.
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

// ElementPath names an element of the list that path names.
func ElementPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// unescaped says that a string's text is what stands between its quotes.
func unescaped(raw json.RawMessage) bool { return len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 }

// unquote gives the text of a string of a document.
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
