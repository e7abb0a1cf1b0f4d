package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"overcrank/api/input"
	"overcrank/farm"
)

// Decoder reads the JSON body of a kind of request, and has a body that it takes.
type Decoder struct {
	Decode func(body []byte) (any, error)
	Good   string
}

// Reads makes a decoder of a function and a body that it takes.
func Reads(decode func(body []byte) (any, error), good string) Decoder { return Decoder{decode, good} }

// Decoders are the readers of several kinds of bodies, by name. All of them are held to the same: what is refused names a field that is in
// the body, what is taken reads the same when it is written in another way.
type Decoders struct {
	Each map[string]Decoder
	// Check looks at what was taken of a body.
	Check func(t testing.TB, name string, body []byte, got any)
}

const (
	deepest     = 64  // levels of brackets in a body
	longestName = 200 // bytes of a key in the path of a field
)

// jsonText is what encoding/json reads of a body, with the paths of all that is in it.
type jsonText struct {
	value   any
	paths   map[string]bool // of every value
	objects map[string]bool // of every object and list, in which something may be missing
	trouble string          // why a body is none: "" when it is one
}

// readText reads a body by other means than the decoders do.
func readText(body []byte) jsonText {
	d := jsonText{paths: map[string]bool{}, objects: map[string]bool{}}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if !utf8.Valid(body) {
		d.trouble = "is not UTF-8"
		return d
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	d.value = d.read(dec, "", 0)
	if _, err := dec.Token(); d.trouble == "" && !errors.Is(err, io.EOF) {
		d.trouble = "goes on behind its end"
	}
	if _, isObject := d.value.(map[string]any); d.trouble == "" && !isObject {
		d.trouble = "is not an object"
	}
	return d
}

func (d *jsonText) read(dec *json.Decoder, path string, depth int) any {
	token, err := dec.Token()
	if err != nil {
		d.trouble = "is not JSON"
		return nil
	}
	d.paths[path] = true
	delim, nested := token.(json.Delim)
	if !nested {
		return token
	}
	d.objects[path] = true
	if depth == deepest {
		d.trouble = "is too deep"
		return nil
	}
	var value any
	if delim == '[' {
		list := []any{}
		for i := 0; d.trouble == "" && dec.More(); i++ {
			list = append(list, d.read(dec, input.ElementPath(path, i), depth+1))
		}
		value = list
	} else {
		members := map[string]any{}
		for d.trouble == "" && dec.More() {
			key, err := dec.Token()
			name, isText := key.(string)
			if err != nil || !isText {
				d.trouble = "is not JSON"
				return nil
			}
			if _, again := members[name]; again {
				d.trouble = "has a key twice"
			}
			members[name] = d.read(dec, input.MemberPath(path, name), depth+1)
		}
		value = members
	}
	if d.trouble == "" {
		if _, err := dec.Token(); err != nil {
			d.trouble = "is not JSON"
		}
	}
	return value
}

// names tells whether a field of a problem stands in the text, or could stand in one of its objects.
func (d jsonText) names(field string) bool {
	if field == "body" || d.paths[field] || d.trouble == "is not JSON" || d.trouble == "is too deep" || d.trouble == "has a key twice" {
		return true
	}
	for at := range d.objects {
		rest, within := strings.CutPrefix(field, at)
		rest = strings.TrimPrefix(rest, ".")
		if within && rest != "" && !strings.ContainsAny(rest, ".[") {
			return true
		}
	}
	return false
}

// checkDecoding holds one decoder to what goes for all of them. It gives what the body was read as, nil when it was refused.
func checkDecoding(t testing.TB, name string, decoder Decoder, body []byte) any {
	t.Helper()
	d := readText(body)
	got, err := decoder.Decode(slices.Clone(body))
	if err != nil {
		var fe *farm.Error
		if !errors.As(err, &fe) || fe.Code != farm.CodeInvalid || fe.Message == "" || len(fe.Fields) == 0 {
			t.Fatalf("%s: the refusal %v names no field", name, err)
		}
		for _, f := range fe.Fields {
			if f.Message == "" || !utf8.ValidString(f.Field+f.Message) || len(f.Field) > 64*(longestName+20) || !d.names(f.Field) {
				t.Fatalf("%s: the refusal names %q (%s), which is not in the body and would have no place there", name, f.Field, f.Message)
			}
		}
		return nil
	}
	if d.trouble != "" && len(body) > 0 {
		t.Fatalf("%s: a body that %s was taken: %.200q", name, d.trouble, body)
	}
	if len(body) == 0 {
		return got
	}
	again, err := json.Marshal(d.value)
	if err != nil {
		t.Fatal(err)
	}
	second, err := decoder.Decode(again)
	if err != nil {
		t.Fatalf("%s: what was taken is refused when it is written anew: %v\n%s", name, err, again)
	}
	if a, b := Plain(reflect.ValueOf(got)), Plain(reflect.ValueOf(second)); !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: written anew, the body reads\n%v, and before\n%v", name, b, a)
	}
	return got
}

// Plain turns what was decoded into values that can be compared: JSON within it counts by what it says.
func Plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
	}
	switch value := v.Interface().(type) {
	case json.RawMessage:
		var out any
		dec := json.NewDecoder(bytes.NewReader(value))
		dec.UseNumber()
		if dec.Decode(&out) != nil {
			return string(value)
		}
		return out
	case farm.Confidential:
		return value.Reveal()
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano)
	case error:
		return value.Error()
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return Plain(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out[v.Type().Field(i).Name] = Plain(v.Field(i))
			}
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = Plain(v.Index(i))
		}
		return out
	default:
		return v.Interface()
	}
}

// spoilt are bodies that nobody should take, made of a good one.
var spoilt = map[string]func(good string) string{
	"nothing":               func(string) string { return " " },
	"null":                  func(string) string { return "null" },
	"a list":                func(good string) string { return "[" + good + "]" },
	"two":                   func(good string) string { return good + good },
	"cut off":               func(good string) string { return good[:len(good)-1] },
	"a comma too many":      func(good string) string { return strings.TrimSuffix(good, "}") + ",}" },
	"a comment":             func(good string) string { return "/* */" + good },
	"single quotes":         func(good string) string { return strings.ReplaceAll(good, `"`, `'`) },
	"a raw line end":        func(good string) string { return strings.Replace(good, `": `, "\n\": ", 1) },
	"not UTF-8":             func(good string) string { return strings.Replace(good, "{", "{\"\xff\": 1, ", 1) },
	"a key twice":           func(good string) string { return strings.Replace(good, "{", `{"x": 1, "\u0078": 2, `, 1) },
	"a key twice far below": func(good string) string { return strings.Replace(good, "{", `{"x": [[{"a": {"b": 1, "b": 1}}]], `, 1) },
	"too deep": func(good string) string {
		return strings.Replace(good, "{", `{"x": `+strings.Repeat("[", deepest)+strings.Repeat("]", deepest)+`, `, 1)
	},
	"far too deep": func(good string) string {
		return strings.Replace(good, "{", `{"x": `+strings.Repeat(`{"a":`, 1_000_000)+"1"+strings.Repeat("}", 1_000_000)+`, `, 1)
	},
	"a number that is none": func(good string) string { return strings.Replace(good, "{", `{"x": 01, `, 1) },
	"infinity":              func(good string) string { return strings.Replace(good, "{", `{"x": Infinity, `, 1) },
}

// Test gives good and spoilt bodies to every decoder.
func (all Decoders) Test(t *testing.T) {
	for name, d := range all.Each {
		if all.decode(t, name, []byte(d.Good)) == nil {
			_, err := d.Decode([]byte(d.Good))
			t.Errorf("%s: a good body is refused: %v", name, err)
		}
		for what, spoil := range spoilt {
			if got := checkDecoding(t, name, d, []byte(spoil(d.Good))); got != nil {
				t.Errorf("%s: %s was taken as %v", name, what, got)
			}
		}
		// Each member with a value of every other kind: taken or refused, but never by another field's name.
		doc := readText([]byte(d.Good)).value.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(doc)) {
			for _, other := range []any{nil, true, 1.5, "x", []any{}, []any{map[string]any{}}, map[string]any{}, map[string]any{"": nil}} {
				changed := maps.Clone(doc)
				changed[key] = other
				body, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				checkDecoding(t, name, d, body)
			}
		}
	}
}

// Fuzz gives any body to every decoder.
func (all Decoders) Fuzz(f *testing.F) {
	for _, d := range all.Each {
		f.Add([]byte(d.Good))
		for what, spoil := range spoilt {
			if body := spoil(d.Good); len(body) < 4096 && what != "nothing" {
				f.Add([]byte(body))
			}
		}
	}
	f.Add([]byte(`{"a":[[[[]]]],"b":1e999,"c":"\ud800"}`))
	f.Add([]byte("\ufeff" + `{"template": {"id": null, "src": "data:,"}, "assets": [], "settings": null, "webhook": {}, "upload": {}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 64<<10 {
			t.Skip("long bodies have a test of their own")
		}
		for name := range all.Each {
			all.decode(t, name, body)
		}
	})
}

// decode holds one decoder to what goes for all of them, and has a look at what it took.
func (all Decoders) decode(t testing.TB, name string, body []byte) any {
	t.Helper()
	got := checkDecoding(t, name, all.Each[name], body)
	if got != nil && all.Check != nil {
		all.Check(t, name, body, got)
	}
	return got
}
