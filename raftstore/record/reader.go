package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A lease and its end read each a job's head and a task several times. reader reads what text writes, in a third of the time that it
// takes by reflection.

// reader reads JSON as text writes it, without spaces. It is odd once it has met anything else: then nothing that it read counts, and
// the record is read by reflection, which also says what is wrong.
type reader struct {
	text  []byte // that is left
	odd   bool
	known knownStrings
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// knownStrings are strings that were read lately: most of a record's are those of the record before.
type knownStrings [256]string

const knownLength = 64 // bytes of the longest that is kept

func (k *knownStrings) make(text []byte) string {
	if len(text) == 0 || len(text) > knownLength {
		return string(text)
	}
	known := &k[xxhash.Sum64(text)%uint64(len(k))]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}

// fields is how the fields of a record are read, by their names.
type fields[R any] map[string]func(r *reader, to *R)

// withReader lends a reader of some text. Its known strings serve one record after the other.
func withReader(data []byte, read func(r *reader)) {
	r := readers.Get().(*reader)
	r.text, r.odd = data, false
	read(r)
	r.text = nil
	readers.Put(r)
}

// readWhole reads a record, and says whether it was as text writes it.
func readWhole[R any](data []byte, fields fields[R], to *R) (plain bool) {
	withReader(data, func(r *reader) {
		readObject(r, fields, to)
		plain = !r.odd && len(r.text) == 0
	})
	return plain
}

func readObject[R any](r *reader, fields fields[R], to *R) {
	r.must('{')
	if r.is('}') {
		return
	}
	for !r.odd {
		name, plain := r.quoted()
		r.must(':')
		if r.odd || !plain {
			r.odd = true
			return
		}
		read := fields[string(name[1:len(name)-1])]
		if read == nil {
			r.odd = true
			return
		}
		if read(r, to); r.is('}') {
			return
		}
		r.must(',')
	}
}

// is says whether c comes next, and passes it.
func (r *reader) is(c byte) bool {
	if len(r.text) == 0 || r.text[0] != c {
		return false
	}
	r.text = r.text[1:]
	return true
}

func (r *reader) must(c byte) {
	if !r.is(c) {
		r.odd = true
	}
}

// word passes what comes next, which has to be that.
func (r *reader) word(text string) {
	after, is := bytes.CutPrefix(r.text, []byte(text))
	r.text, r.odd = after, r.odd || !is
}

// list reads a list; item reads each of its values.
func (r *reader) list(item func()) {
	r.must('[')
	if r.is(']') {
		return
	}
	for !r.odd {
		if item(); r.is(']') {
			return
		}
		r.must(',')
	}
}

func readList[R any](r *reader, fields fields[R]) []R {
	var all []R
	readInto(r, fields, &all)
	return all
}

// readInto is readList into a list that may have room already.
func readInto[R any](r *reader, fields fields[R], all *[]R) {
	if *all == nil {
		*all = []R{} // which [] gives, too
	}
	*all = (*all)[:0]
	r.list(func() {
		var none R
		*all = append(*all, none)
		readObject(r, fields, &(*all)[len(*all)-1])
	})
}

// quoted reads a string with its quotes; plain says that it is what stands between them.
func (r *reader) quoted() (text []byte, plain bool) {
	plain = true
	for i, c := range r.text {
		switch {
		case i == 0 && c != '"':
			r.odd = true
			return nil, false
		case i == 0:
		case c == '"':
			text, r.text = r.text[:i+1], r.text[i+1:]
			return text, plain
		case c == '\\':
			return r.escaped(i)
		case c < ' ' || c > '~':
			plain = false
		}
	}
	r.odd = true
	return nil, false
}

// escaped is quoted from the first backslash on.
func (r *reader) escaped(at int) (text []byte, plain bool) {
	for i := at; i < len(r.text); i++ {
		switch r.text[i] {
		case '\\':
			i++
		case '"':
			text, r.text = r.text[:i+1], r.text[i+1:]
			return text, false
		}
	}
	r.odd = true
	return nil, false
}

func (r *reader) string() string {
	text, plain := r.quoted()
	if plain {
		return r.known.make(text[1 : len(text)-1])
	}
	value, err := jsontext.AppendUnquote(nil, text)
	r.odd = r.odd || err != nil
	return string(value)
}

func (r *reader) strings() []string {
	all := []string{}
	r.list(func() { all = append(all, r.string()) })
	return all
}

func (r *reader) bool() bool {
	if after, is := bytes.CutPrefix(r.text, []byte("true")); is {
		r.text = after
		return true
	}
	r.odd = true // what is false is not written
	return false
}

func (r *reader) int64() int64 {
	n := 0
	for n < len(r.text) && (r.text[n] == '-' || '0' <= r.text[n] && r.text[n] <= '9') {
		n++
	}
	digits := string(r.text[:n])
	value, err := strconv.ParseInt(digits, 10, 64)
	padded := n > 1 && strings.HasPrefix(strings.TrimPrefix(digits, "-"), "0") // which is not a number in JSON
	r.odd = r.odd || err != nil || padded
	r.text = r.text[n:]
	return value
}

func (r *reader) int() int { return int(r.int64()) }

func (r *reader) time() (at time.Time) {
	const zulu = len(`"2006-01-02T15:04:05Z"`)
	text, plain := r.quoted()
	switch {
	case !plain:
		r.odd = true
	case len(text) < zulu || text[len(text)-2] != 'Z' || text[14] != ':' || text[20] == ',': // the last two package time takes, and JSON does not
		return r.otherTime(text)
	default:
		r.odd = at.UnmarshalText(text[1:len(text)-1]) != nil
	}
	return at
}

// otherTime reads a time that is not UTC, as few are.
func (r *reader) otherTime(text []byte) (at time.Time) {
	r.odd = jsonv2.Unmarshal(text, &at, options) != nil
	return at
}

// raw reads a value as it stands.
func (r *reader) raw() json.RawMessage {
	text, plain := r.value()
	if plain || len(bytes.TrimSpace(text)) == len(text) && jsontext.Value(text).IsValid(recordSyntax) {
		return bytes.Clone(text)
	}
	r.odd = true
	return nil
}

// other reads a value by reflection.
func (r *reader) other(value any) {
	text, _ := r.value()
	if !r.odd {
		r.odd = jsonv2.Unmarshal(text, value, options) != nil
	}
}

// value passes a value, of which it only sees where it ends; plain says that it is a string as quoted has it.
func (r *reader) value() (text []byte, plain bool) {
	if len(r.text) > 0 && r.text[0] == '"' {
		return r.quoted()
	}
	from, depth := r.text, 0
	for !r.odd && len(r.text) > 0 {
		switch r.text[0] {
		case '"':
			r.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return from[:len(from)-len(r.text)], false
			}
			if r.text[0] != ',' {
				depth--
			}
		}
		r.text = r.text[1:]
	}
	r.odd = true // no record ends with such a value
	return nil, false
}
