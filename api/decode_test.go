package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/coordinator/library"
	"overcrank/farm"
)

// decoders are all readers of JSON bodies, with a body that each takes.
var decoders = map[string]struct {
	decode func(body []byte) (any, error)
	good   string
}{
	"job": {func(b []byte) (any, error) { return ReadJob(b) }, `{"template": {"id": "T", "composition": "main"}, "name": "n", "tags": ["a", "b"],
		"priority": 3, "level": "rush", "hold": true, "fonts": ["A.ttf"], "assets": [
		{"type": "text", "layerName": "t", "value": 1.50}, {"type": "data", "layerName": "d", "property": "Transform.Opacity", "value": {"z": [1, 2e3], "a": null}},
		{"type": "video", "layerIndex": 2, "src": "HTTPS://a.example/b.mp4", "conform": true}, {"type": "function", "name": "nx-layer-remove", "layerName": ["a"]},
		{"type": "script", "src": "data:,x", "parameters": [{"key": "k", "value": [null]}]},
		{"type": "job", "layerName": "j", "template": {"src": "data:,x", "composition": "c"}, "assets": [{"type": "static", "src": "data:,x", "name": "x.csv"}]}],
		"settings": {"type": "image", "frames": [1, 2]}, "webhook": {"url": "https://a.example", "headers": {"X-A": "b"}, "data": {"b": 1, "a": "<&>"}},
		"upload": {"provider": "s3", "params": {"region": "r", "bucket": "bucket", "accessKeyId": "i", "accessKeySecret": "s"}}}`},
	"join":     {func(b []byte) (any, error) { return decodeJoin(b, &problems{}) }, `{"assets": [{"type": "video", "src": "data:,x"}, {"type": "job", "template": {"id": "T"}}], "settings": {"preset": "mp4"}}`},
	"batch":    {func(b []byte) (any, error) { return decodeBatch(b, &problems{}) }, `{"jobs": [{"template": {"id": "T"}}, {"template": {"id": "T"}, "assets": [{"type": "text", "layerName": "t", "value": "v"}]}]}`},
	"ids":      {func(b []byte) (any, error) { return decodeIDs(b) }, `{"jobs": ["01JD7000000000000000000JBA"]}`},
	"template": {func(b []byte) (any, error) { return decodeTemplate(b) }, `{"type": "aep", "displayName": "d", "src": "https://a.example/b.aep"}`},
	"rename":   {func(b []byte) (any, error) { return decodeRename(b) }, `{"displayName": "d"}`},
	"secret": {func(b []byte) (any, error) {
		name, value, tags, err := decodeSecret(b)
		return []any{name, value, tags}, err
	}, `{"name": "KEY", "value": "v", "machineTags": ["vault"]}`},
	"secret change": {func(b []byte) (any, error) { return decodeSecretChange(b) }, `{"machineTags": ["vault"]}`},
	"key change":    {func(b []byte) (any, error) { return decodeKeyChange(b) }, `{"dropOld": true}`},
	"team":          {func(b []byte) (any, error) { return decodeTeam(b) }, `{"name": "n"}`},
	"token":         {func(b []byte) (any, error) { return decodeToken(b) }, `{"name": "n", "role": "artist", "expiresAt": "2030-01-01T00:00:00Z"}`},
	"token change":  {func(b []byte) (any, error) { return decodeTokenChange(b) }, `{"name": "n", "role": "viewer", "expiresAt": null}`},
}

// document is what encoding/json reads of a body, with the paths of all that is in it.
type document struct {
	value   any
	paths   map[string]bool // of every value
	objects map[string]bool // of every object and list, in which something may be missing
	trouble string          // why a body is none: "" when it is one
}

// readDocument reads a body by other means than the decoders do.
func readDocument(body []byte) document {
	d := document{paths: map[string]bool{}, objects: map[string]bool{}}
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
		d.trouble = "is no object"
	}
	return d
}

func (d *document) read(dec *json.Decoder, path string, depth int) any {
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
	if depth == jsonDepth {
		d.trouble = "is too deep"
		return nil
	}
	var value any
	if delim == '[' {
		list := []any{}
		for i := 0; d.trouble == "" && dec.More(); i++ {
			list = append(list, d.read(dec, elementPath(path, i), depth+1))
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
			members[name] = d.read(dec, memberPath(path, name), depth+1)
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

// names tells whether a field of a problem stands in the document, or could stand in one of its objects.
func (d document) names(field string) bool {
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
func checkDecoding(t testing.TB, name string, body []byte) any {
	t.Helper()
	d := readDocument(body)
	got, err := decoders[name].decode(slices.Clone(body))
	if err != nil {
		var fe *farm.Error
		if !errors.As(err, &fe) || fe.Code != farm.CodeInvalid || fe.Message == "" || len(fe.Fields) == 0 {
			t.Fatalf("%s: the refusal %v names no field", name, err)
		}
		for _, f := range fe.Fields {
			if f.Message == "" || !utf8.ValidString(f.Field+f.Message) || len(f.Field) > 64*(pathLimit+20) || !d.names(f.Field) {
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
	second, err := decoders[name].decode(again)
	if err != nil {
		t.Fatalf("%s: what was taken is refused when it is written anew: %v\n%s", name, err, again)
	}
	if a, b := plain(reflect.ValueOf(got)), plain(reflect.ValueOf(second)); !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: written anew, the body reads\n%v, and before\n%v", name, b, a)
	}
	return got
}

// plain turns what was decoded into values that can be compared: JSON within it counts by what it says.
func plain(v reflect.Value) any {
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
		return plain(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out[v.Type().Field(i).Name] = plain(v.Field(i))
			}
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	default:
		return v.Interface()
	}
}

// checkJob holds a job that was taken against what encoding/json reads of its body.
func checkJob(t testing.TB, body []byte, job farm.Job) {
	t.Helper()
	doc := readDocument(body).value.(map[string]any)
	text := func(of map[string]any, key string) string { s, _ := of[key].(string); return s }
	template, _ := doc["template"].(map[string]any)
	if job.Name != text(doc, "name") || job.Template.ID != strings.TrimSpace(text(template, "id")) || job.Template.Composition != text(template, "composition") {
		t.Fatalf("the job reads %q, %+v", job.Name, job.Template)
	}
	if hold, _ := doc["hold"].(bool); job.Hold != hold {
		t.Fatalf("hold reads %t", job.Hold)
	}
	assets, _ := doc["assets"].([]any)
	if len(assets) != len(job.Assets) {
		t.Fatalf("%d assets read as %d", len(assets), len(job.Assets))
	}
	for i, raw := range assets {
		a := raw.(map[string]any)
		if job.Assets[i].Type != text(a, "type") || job.Assets[i].LayerName != text(a, "layerName") {
			t.Fatalf("asset %d reads %+v", i, job.Assets[i])
		}
		value, given := a["value"]
		if kind := job.Assets[i].Type; given && (kind == "data" || kind == "essential") && value != nil {
			if got := plain(reflect.ValueOf(job.Assets[i].Value)); !reflect.DeepEqual(got, value) {
				t.Fatalf("the value of asset %d reads %v, want %v", i, got, value)
			}
		}
	}
}

func TestEveryDecoderTakesWhatIsRight(t *testing.T) {
	for name, d := range decoders {
		got := checkDecoding(t, name, []byte(d.good))
		if got == nil {
			_, err := d.decode([]byte(d.good))
			t.Errorf("%s: a good body is refused: %v", name, err)
		}
		if job, isJob := got.(farm.Job); isJob && name == "job" {
			checkJob(t, []byte(d.good), job)
		}
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
		return strings.Replace(good, "{", `{"x": `+strings.Repeat("[", jsonDepth)+strings.Repeat("]", jsonDepth)+`, `, 1)
	},
	"far too deep": func(good string) string {
		return strings.Replace(good, "{", `{"x": `+strings.Repeat(`{"a":`, 1_000_000)+"1"+strings.Repeat("}", 1_000_000)+`, `, 1)
	},
	"a number that is none": func(good string) string { return strings.Replace(good, "{", `{"x": 01, `, 1) },
	"infinity":              func(good string) string { return strings.Replace(good, "{", `{"x": Infinity, `, 1) },
}

func TestNoDecoderTakesWhatIsSpoilt(t *testing.T) {
	for name, d := range decoders {
		for what, spoil := range spoilt {
			if got := checkDecoding(t, name, []byte(spoil(d.good))); got != nil {
				t.Errorf("%s: %s was taken as %v", name, what, got)
			}
		}
		// Each member with a value of every other kind: taken or refused, but never by another field's name.
		doc := readDocument([]byte(d.good)).value.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(doc)) {
			for _, other := range []any{nil, true, 1.5, "x", []any{}, []any{map[string]any{}}, map[string]any{}, map[string]any{"": nil}} {
				changed := maps.Clone(doc)
				changed[key] = other
				body, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				checkDecoding(t, name, body)
			}
		}
	}
}

func TestReadingABodyTakesMemoryInProportion(t *testing.T) {
	const size = 1 << 20
	for what, body := range map[string]string{
		"brackets": `{"a": ` + strings.Repeat("[", size),
		"lists":    `{"a": [` + strings.Repeat("[],", size/3) + `[]]}`,
		"numbers":  `{"template": {"id": "T"}, "a": [` + strings.Repeat("1,", size/2) + `1]}`,
		"keys":     `{"a": {` + strings.Repeat(`"":1,`, size/5) + `"":1}}`,
		"escapes":  `{"name": "` + strings.Repeat(`\u0000`, size/6) + `"}`,
		"problems": `{"template": {"id": "T"}, "assets": [` + strings.Repeat(`{},`, size/3) + `{}]}`,
		"strings":  `{"fonts": [` + strings.Repeat(`"",`, size/3) + `""]}`,
		"one text": `{"template": {"id": "T"}, "assets": [{"type": "text", "layerName": "x", "value": "` + strings.Repeat("x", size) + `"}]}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadJob([]byte(body))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 256*size {
			t.Errorf("%s: reading %d bytes took %d bytes of memory", what, len(body), taken)
		}
		if err != nil && len(err.Error()) > 64<<10 {
			t.Errorf("%s: the refusal is %d bytes long", what, len(err.Error()))
		}
	}
}

// FuzzDecode gives any body to every decoder.
func FuzzDecode(f *testing.F) {
	for _, d := range decoders {
		f.Add([]byte(d.good))
		for what, spoil := range spoilt {
			if body := spoil(d.good); len(body) < 4096 && what != "nothing" {
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
		for name := range decoders {
			got := checkDecoding(t, name, body)
			if job, isJob := got.(farm.Job); isJob && name == "job" {
				checkJob(t, body, job)
			}
		}
	})
}

// FuzzFontForm gives any form to the reader of fonts.
func FuzzFontForm(f *testing.F) {
	form := func(parts ...string) []byte {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		if err := w.SetBoundary("b"); err != nil {
			f.Fatal(err)
		}
		for _, name := range parts {
			part, err := w.CreateFormFile(name, name+".ttf")
			if err != nil {
				f.Fatal(err)
			}
			if _, err := part.Write(goregular.TTF[:64]); err != nil {
				f.Fatal(err)
			}
		}
		w.Close()
		return b.Bytes()
	}
	f.Add(form("font"))
	f.Add(form("font", "font"))
	f.Add(form("file"))
	f.Add(form())
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"familyName\"\r\n\r\nInter\r\n--b--\r\n"))
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=font; filename=\"..\\\\x\"\r\n\r\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		received := 0
		upload := fontUpload{multipart.NewReader(bytes.NewReader(body), "b"), func(name string, file io.Reader) (library.FontFile, error) {
			received++
			if !plainFileName(name) {
				t.Fatalf("the font %q came in, which is no plain file name", name)
			}
			_, err := io.Copy(io.Discard, file)
			return library.FontFile{}, err
		}}
		_, family, err := upload.read()
		if received > 1 || err == nil && received != 1 || !utf8.ValidString(family) {
			t.Fatalf("%d fonts came in, family %q, %v", received, family, err)
		}
		if err != nil && StatusOf(formError(err)) != 400 {
			t.Fatalf("the refusal is %v", fmt.Sprint(formError(err)))
		}
	})
}
