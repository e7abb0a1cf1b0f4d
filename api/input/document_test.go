package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// bodies are documents of all kinds; some of them are not in order.
func bodies() []string {
	return []string{
		`{}`, ` { "a" : 1 , "b":[ true,false , null ],"c":{"d":{"e":"f"}}} `, `{"a":"x\"y\\","b\n":"\u00e9\ud83d\ude00","":""}`,
		`{"a":[[],{},[{}],"]}",{"x":"}"}],"n":-1.5e+3,"t":true}`, `[1,"two",{"three":3},[4],null]`, `"text"`, `12`, `null`, ``, `{`, `[1,]`, `{"a":1,"a":2}`,
		`{"a":1}{`, `{"a":1} 2`, `{"a":1e999}`, `{"a" 1}`, `{"a":tru}`, `{"a":"` + "\x01" + `"}`, `{"a":"\x"}`, `{"\u0061":1,"a":2}`, "{\"a\":\t[\r\n1 ]\n}",
		strings.Repeat("[", jsonDepth) + strings.Repeat("]", jsonDepth), strings.Repeat("[", jsonDepth+1) + strings.Repeat("]", jsonDepth+1),
		`{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `[01]`, `[1.]`, `[-]`, `{"a":1,}`, `{,}`, `[,]`, "\ufeff{}",
		`{"jobs":[{"a":[1,[2]]}, "two" ,3,[[]],null],"more":{"list":[1]},"other":[true]}`, `{"jobs":[1 2]}`, `{"jobs":["a"1]}`, `{"jobs":[{}{}]}`,
		`{"jobs":[1,]}`, `{"jobs":[}]}`, `{"jobs":[0{}]}`, `{"jobs":[1}}`, `{"jobs":[1],"jobs":[2]}`, `{"jobs":["a\"]"]}`, `{"jobs":[-]}`, `[[1,2],[3]]`,
	}
}

// TestADocumentIsWhatEncodingJSONReads holds documents against encoding/json.
func TestADocumentIsWhatEncodingJSONReads(t *testing.T) {
	taken := 0
	for _, body := range bodies() {
		if compareDocument(t, []byte(body)) {
			taken++
		}
	}
	if taken < 8 || taken > len(bodies())-8 {
		t.Errorf("%d of %d bodies were taken", taken, len(bodies()))
	}
}

func TestWhatIsWrongWithABodyIsSaidWhereItStands(t *testing.T) {
	deep := strings.Repeat(`{"a":`, jsonDepth)
	for body, want := range map[string]string{
		"":                                      "body is empty",
		"{\"a\":\"\xff\"}":                      "body is not valid UTF-8",
		`{"a":[1,{"b":1,"b":2}]}`:               "a[1].b stands twice in the same object",
		`{"a":[1,{"b":`:                         "a[1].b ends too early",
		`{"a":[1,2`:                             "a ends too early",
		`{"a":[1,1e999]}`:                       "a[1] is a number that no program can hold",
		`{"a":{"n":-1e999}}`:                    "a.n is a number that no program can hold",
		`{"a":1}{`:                              "body has more content after the JSON value",
		`{"a":1} 2`:                             "body has more content after the JSON value",
		`{"a":tru}`:                             "a is not JSON at byte 8",
		`{"a" 1}`:                               "is not JSON at byte 5",
		deep + "[]" + deep:                      "is nested more than 64 deep",
		`[` + strings.Repeat(`[],`, 1e6):        "[999999] brings the body over 1000000 values",
		"{" + strings.Repeat(`"k":1,`, 2) + "}": "k stands twice in the same object",
	} {
		_, err := readDocument([]byte(body))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", body, err, want)
		}
	}
}

func TestAnObjectHasSoManyKeysAndNoMore(t *testing.T) {
	var keys []string
	for i := range jsonKeys + 1 {
		keys = append(keys, fmt.Sprintf(`"k%d":0`, i))
	}
	if _, err := readDocument([]byte("{" + strings.Join(keys[1:], ",") + "}")); err != nil {
		t.Errorf("as many keys as are allowed: %v", err)
	}
	if _, err := readDocument([]byte("{" + strings.Join(keys, ",") + "}")); err == nil || !strings.Contains(err.Error(), "more than 10000 keys") {
		t.Errorf("one key too many: %v", err)
	}
}

// FuzzDocument holds documents against encoding/json on any body.
func FuzzDocument(f *testing.F) {
	for _, body := range bodies() {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { compareDocument(t, bytes.Clone(body)) })
}

// compareDocument checks that a body is taken, with its jobs or without, when encoding/json takes it, and reads the same. Documents have
// bounds that encoding/json has not, and no key twice.
func compareDocument(t *testing.T, body []byte) (taken bool) {
	t.Helper()
	doc, err := readDocument(body)
	if _, around := readAround(body, "jobs"); err == nil && around != nil {
		t.Fatalf("%q is taken, and is not when its jobs are left for later: %v", body, around)
	} else if err != nil && around == nil && !bounded(err) {
		t.Fatalf("%q is refused (%v), and is not when its jobs are left for later", body, err)
	}
	if err != nil {
		return false
	}
	if !json.Valid(body) {
		t.Fatalf("%q is taken, and is no JSON", body)
	}
	compareValue(t, doc, 0)
	return true
}

// bounded says that a body was refused for what is not looked at in jobs that are left for later.
func bounded(err error) bool {
	for _, bound := range []string{"no program can hold", "nested more than", "more than 10000 keys", "brings the body over"} {
		if strings.Contains(err.Error(), bound) {
			return true
		}
	}
	return false
}

// compareValue checks what a document makes of a value, and of those in it.
func compareValue(t *testing.T, doc *document, at int32) {
	t.Helper()
	raw := doc.raw(at)
	switch KindOf(raw) {
	case KindObject:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		o, _ := objectAt(doc, at, &Problems{})
		got := map[string]json.RawMessage{}
		for _, field := range o.fields {
			got[string(field.key)] = doc.raw(field.at)
			compareValue(t, doc, field.at)
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) || len(o.fields) != len(want) {
			t.Fatalf("%q has the members %q, want %q", raw, got, want)
		}
	case KindList:
		var want []json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		i := 0
		for within := at + 1; within < doc.values[at].next; within = doc.values[within].next {
			if i == len(want) || !bytes.Equal(doc.raw(within), want[i]) {
				t.Fatalf("element %d of %q is %q", i, raw, doc.raw(within))
			}
			compareValue(t, doc, within)
			i++
		}
		if i != len(want) {
			t.Fatalf("%q has %d elements, want %d", raw, i, len(want))
		}
	case KindString:
		var want string
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if got := unquote(raw); got != want {
			t.Fatalf("%q reads as %q, want %q", raw, got, want)
		}
	default:
		if !json.Valid(raw) {
			t.Fatalf("%q is no value", raw)
		}
	}
}

func TestHalvesOfSurrogatePairsAreReplaced(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d"`: `"\ufffd"`, `"a\ude00b"`: `"a\ufffdb"`, `"\ud83d\ude00"`: `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`: `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`: `"\\ud83d"`, `"\\\ud83d"`: `"\\\ufffd"`, `"\uD83Dx"`: `"\ufffdx"`, `"\ud83d\u0041"`: `"\ufffd\u0041"`, `"\ud83`: `"\ud83`, `"\`: `"\`,
	} {
		got := []byte(in)
		mendSurrogates(got)
		if string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
