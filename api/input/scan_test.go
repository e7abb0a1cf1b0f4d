package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
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

// walked is what the walker alone says of a body.
func walked(body []byte) error {
	w := walker{dec: json.NewDecoder(bytes.NewReader(body)), most: valuesWithin(body)}
	w.dec.UseNumber()
	if err := w.value("", 0); err != nil {
		return err
	}
	if _, err := w.dec.Token(); err == nil {
		return w.refuse("", "has more content after the JSON value")
	}
	return nil
}

func TestWhatIsSoundIsSoundForTheWalkerToo(t *testing.T) {
	taken := 0
	for _, body := range bodies() {
		if !sound([]byte(body)) {
			continue
		}
		taken++
		if err := walked([]byte(body)); err != nil {
			t.Errorf("%q is sound, and the walker says %v", body, err)
		}
	}
	if taken < 8 {
		t.Errorf("only %d bodies were taken at the first look", taken)
	}
	var keys []string
	for i := range jsonKeys + 1 {
		keys = append(keys, fmt.Sprintf(`"k%d":0`, i))
	}
	if fits := []byte("{" + strings.Join(keys[1:], ",") + "}"); !sound(fits) || walked(fits) != nil {
		t.Error("an object with as many keys as are allowed is not sound")
	}
	if many := []byte("{" + strings.Join(keys, ",") + "}"); sound(many) {
		t.Error("an object with too many keys is sound")
	}
}

// FuzzScan holds the scanner against encoding/json on everything that checkJSON lets pass.
func FuzzScan(f *testing.F) {
	for _, body := range bodies() {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = bytes.Clone(body)
		if sound(body) && walked(body) != nil {
			t.Fatalf("%q is sound, and the walker says %v", body, walked(body))
		}
		if whole := jsontext.Value(body).IsValid(); whole != soundInPieces(body) {
			t.Fatalf("%q is JSON: %v, in pieces %v", body, whole, !whole)
		}
		if CheckJSON(body) != nil {
			return
		}
		scanned(t, body)
	})
}

// scanned checks what the scanner makes of a value that is in order, and of those in it.
func scanned(t *testing.T, raw json.RawMessage) {
	t.Helper()
	switch KindOf(raw) {
	case kindObject:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		eachMember(raw, func(key []byte, value json.RawMessage) { got[string(key)] = value })
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%q has the members %q, want %q", raw, got, want)
		}
		for _, value := range got {
			scanned(t, value)
		}
	case KindList:
		var want, got []json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		eachElement(raw, func(value json.RawMessage) { got = append(got, value) })
		if !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%q has the elements %q, want %q", raw, got, want)
		}
		for _, value := range got {
			scanned(t, value)
		}
	case KindString:
		var want string
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if got := unquote(bytes.TrimSpace(raw)); got != want {
			t.Fatalf("%q reads as %q, want %q", raw, got, want)
		}
	}
}
