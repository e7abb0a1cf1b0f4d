package public

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/api/answer"
	"overcrank/api/apitest"
	"overcrank/api/input"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// decoders are the readers of JSON bodies, with a body that each takes.
var decoders = apitest.Decoders{Check: checkDecoded, Each: map[string]apitest.Decoder{
	"job": apitest.Reads(func(b []byte) (any, error) { return ReadJob(b) }, `{"template": {"id": "T", "composition": "main"}, "name": "n", "tags": ["a", "b"],
		"priority": 3, "level": "rush", "hold": true, "fonts": ["A.ttf"], "assets": [
		{"type": "text", "layerName": "t", "value": 1.50}, {"type": "data", "layerName": "d", "property": "Transform.Opacity", "value": {"z": [1, 2e3], "a": null}},
		{"type": "video", "layerIndex": 2, "src": "HTTPS://a.example/b.mp4", "conform": true}, {"type": "function", "name": "nx-layer-remove", "layerName": ["a"]},
		{"type": "script", "src": "data:,x", "parameters": [{"key": "k", "value": [null]}]},
		{"type": "job", "layerName": "j", "template": {"src": "data:,x", "composition": "c"}, "assets": [{"type": "static", "src": "data:,x", "name": "x.csv"}]}],
		"settings": {"type": "image", "frames": [1, 2]}, "webhook": {"url": "https://a.example", "headers": {"X-A": "b"}, "data": {"b": 1, "a": "<&>"}},
		"upload": {"provider": "s3", "params": {"region": "r", "bucket": "bucket", "accessKeyId": "i", "accessKeySecret": "s"}}}`),
	"join":     apitest.Reads(func(b []byte) (any, error) { return decodeJoin(b, &input.Problems{}) }, `{"assets": [{"type": "video", "src": "data:,x"}, {"type": "job", "template": {"id": "T"}}], "settings": {"preset": "mp4"}}`),
	"batch":    apitest.Reads(func(b []byte) (any, error) { return decodeBatch(b, &input.Problems{}) }, `{"jobs": [{"template": {"id": "T"}}, {"template": {"id": "T"}, "assets": [{"type": "text", "layerName": "t", "value": "v"}]}]}`),
	"ids":      apitest.Reads(func(b []byte) (any, error) { return input.ReadJobIDs(b) }, `{"jobs": ["01JD7000000000000000000JBA"]}`),
	"template": apitest.Reads(func(b []byte) (any, error) { return decodeTemplate(b) }, `{"type": "aep", "displayName": "d", "src": "https://a.example/b.aep"}`),
	"rename":   apitest.Reads(func(b []byte) (any, error) { return decodeRename(b) }, `{"displayName": "d"}`),
	"secret": apitest.Reads(func(b []byte) (any, error) {
		name, value, tags, err := decodeSecret(b)
		return []any{name, value, tags}, err
	}, `{"name": "KEY", "value": "v", "machineTags": ["vault"]}`),
}}

func TestEveryDecoder(t *testing.T) { decoders.Test(t) }

func FuzzDecode(f *testing.F) { decoders.Fuzz(f) }

// checkDecoded looks at jobs that were taken.
func checkDecoded(t testing.TB, name string, body []byte, got any) {
	t.Helper()
	if job, isJob := got.(farm.Job); isJob && name == "job" {
		checkJob(t, body, job)
	}
}

// checkJob holds a job that was taken against what encoding/json reads of its body.
func checkJob(t testing.TB, body []byte, job farm.Job) {
	t.Helper()
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
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
			if got := apitest.Plain(reflect.ValueOf(job.Assets[i].Value)); !reflect.DeepEqual(got, value) {
				t.Fatalf("the value of asset %d reads %v, want %v", i, got, value)
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
			if !input.PlainFileName(name) {
				t.Fatalf("the font %q came in, which is not a plain file name", name)
			}
			_, err := io.Copy(io.Discard, file)
			return library.FontFile{}, err
		}}
		_, family, err := upload.read()
		if received > 1 || err == nil && received != 1 || !utf8.ValidString(family) {
			t.Fatalf("%d fonts came in, family %q, %v", received, family, err)
		}
		if err != nil && answer.StatusOf(input.FormError(err)) != 400 {
			t.Fatalf("the refusal is %v", fmt.Sprint(input.FormError(err)))
		}
	})
}
