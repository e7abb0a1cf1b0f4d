package public

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/api/input"
	"overcrank/farm"
)

// fieldsOf lists the fields that an error names.
func fieldsOf(t testing.TB, err error) []string {
	t.Helper()
	var fe *farm.Error
	if !errors.As(err, &fe) || fe.Code != farm.CodeInvalid {
		t.Fatalf("got %v, want an error of code invalid", err)
	}
	if len(fe.Fields) == 0 {
		t.Fatalf("the error %q names no field", err)
	}
	out := make([]string, len(fe.Fields))
	for i, f := range fe.Fields {
		if f.Field == "" || f.Message == "" {
			t.Fatalf("the error %q has a detail without field or message", err)
		}
		out[i] = f.Field
	}
	return out
}

func TestAJobIsReadWhole(t *testing.T) {
	job, err := ReadJob([]byte(`{
		"template": {"id": "01J0000000000000000000000A", "composition": "main", "surprise": 1},
		"name": "opener", "tags": "news, sport", "priority": 10, "level": "rush", "notBefore": "2026-11-21T18:30:00+01:00",
		"requireTags": ["gpu"], "hold": true, "sequential": true, "fonts": ["Inter.ttf"], "unknown": {"at": "the root"},
		"settings": {"type": "video", "frames": [10, 20], "quality": "draft", "codec": "video_prores_4444", "engine": "ae2026"},
		"assets": [
			{"type": "text", "layerName": "title", "value": "Hi ${name}", "composition": "main->inner", "extra": true},
			{"type": "text", "layerName": "year", "value": 2026},
			{"type": "data", "layerName": "bg", "property": "Effects.Fill.Color", "value": [1, 0, 0.5]},
			{"type": "data", "layerName": "bg", "property": "Transform.Opacity", "expression": "time*10"},
			{"type": "image", "layerIndex": 2, "src": "HTTPS://example.com/A.png", "name": "a.png", "conform": false},
			{"type": "static", "src": "data:text/plain,hello", "name": "data.json"},
			{"type": "essential", "layerName": "Headline", "value": {"any": "thing"}},
			{"type": "script", "src": "farm://` + strings.Repeat("ab", 32) + `", "parameters": [{"key": "k", "value": null}]},
			{"type": "function", "name": "nx-layer-state-set", "params": {"layerName": ["a", "b"]}, "visible": false}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := job.NotBefore; !got.Equal(time.Date(2026, 11, 21, 17, 30, 0, 0, time.UTC)) {
		t.Errorf("notBefore is %v", got)
	}
	if !slices.Equal(job.Tags, []string{"news", "sport"}) || job.Priority != 10 || job.Level != farm.LevelRush || !job.Hold || !job.Sequential {
		t.Errorf("the farm's own fields are %v %v %v %v %v", job.Tags, job.Priority, job.Level, job.Hold, job.Sequential)
	}
	if job.Template != (farm.JobTemplate{ID: "01J0000000000000000000000A", Composition: "main"}) {
		t.Errorf("the template is %+v", job.Template)
	}
	if f := job.Settings.Frames; f == nil || *f != (farm.Frames{Start: 10, End: 20}) {
		t.Errorf("the frames are %+v", f)
	}
	if len(job.Assets) != 9 {
		t.Fatalf("there are %d assets, want 9", len(job.Assets))
	}
	if got := string(job.Assets[1].Value); got != `"2026"` {
		t.Errorf("the number given as a text became %s", got)
	}
	if a := job.Assets[4]; a.LayerIndex != 2 || a.Conform == nil || *a.Conform || a.Name != "a.png" || a.Src != "https://example.com/A.png" {
		t.Errorf("the image is %+v", a)
	}
	last := job.Assets[8]
	var params map[string]any
	if err := json.Unmarshal(last.Params, &params); err != nil {
		t.Fatal(err)
	}
	if last.Name != "nx:layer-state-set" || params["visible"] != false || len(params["layerName"].([]any)) != 2 {
		t.Errorf("the function is %s %v", last.Name, params)
	}
}

// withJob is the smallest valid job with one more member.
func withJob(member string) string {
	return `{"template": {"id": "T", "composition": "c"}, ` + member + `}`
}

func withAsset(asset string) string { return withJob(`"assets": [` + asset + `]`) }

// withUpload is a job whose upload has one parameter otherwise than a good one.
func withUpload(parameter string) string {
	params := map[string]string{"region": "r", "bucket": "films", "accessKeyId": "k", "accessKeySecret": "s"}
	var changed map[string]string
	if err := json.Unmarshal([]byte("{"+parameter+"}"), &changed); err != nil {
		panic(err)
	}
	maps.Copy(params, changed)
	text, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return withJob(`"upload": {"provider": "s3", "params": ` + string(text) + `}`)
}

func TestWhatIsWrongWithAJobIsNamed(t *testing.T) {
	for body, want := range map[string][]string{
		``:                                   {"body"},
		`[]`:                                 {"body"},
		`"x"`:                                {"body"},
		`{} {}`:                              {"body"},
		`{"template": {"id": "T"}`:           {"body"},
		"{\"template\": {\"id\": \"\xff\"}}": {"body"},
		`{}`:                                 {"template"},
		`{"template": null}`:                 {"template"},
		`{"template": "T"}`:                  {"template"},
		`{"template": {}}`:                   {"template.id"},
		`{"template": {"id": ""}}`:           {"template.id"},
		`{"template": {"id": 7}}`:            {"template.id"},
		`{"template": {"id": "T", "composition": []}}`:                                          {"template.composition"},
		`{"template": {"src": "ftp://example.com/x"}}`:                                          {"template.src"},
		`{"template": {"src": "https:///x"}}`:                                                   {"template.src"},
		`{"template": {"id": "T"}, "template": {}}`:                                             {"template"},
		`{"template": {"id": "T", "id": "U"}}`:                                                  {"template.id"},
		withJob(`"preview": true, "settings": {"quality": "full"}`):                             {"settings"},
		withJob(`"settings": {"type": "aep", "frames": 3}`):                                     {"settings.frames"},
		withUpload(`"endpoint": "s3.example.com"`):                                              {"upload.params.endpoint"},
		withUpload(`"endpoint": "127.0.0.1:9"`):                                                 {"upload.params.endpoint"},
		withUpload(`"bucket": "b"`):                                                             {"upload.params.bucket"},
		withUpload(`"bucket": "films..2026"`):                                                   {"upload.params.bucket"},
		withUpload(`"acl": "world-writable"`):                                                   {"upload.params.acl"},
		withJob(`"preview": 1`):                                                                 {"preview"},
		withJob(`"priority": 1001`):                                                             {"priority"},
		withJob(`"priority": 1.5`):                                                              {"priority"},
		withJob(`"priority": 1e400`):                                                            {"priority"},
		withJob(`"priority": "high"`):                                                           {"priority"},
		withJob(`"level": "yesterday"`):                                                         {"level"},
		withJob(`"notBefore": "tomorrow"`):                                                      {"notBefore"},
		withJob(`"assets": [{"type": "image", "layerName": "a", "src": "data:nothing"}]`):       {"assets[0].src"},
		withJob(`"notBefore": "9999-12-31T23:00:00-02:00"`):                                     {"notBefore"},
		withJob(`"tags": [1, "", "a,b"]`):                                                       {"tags[0]", "tags[1]"},
		withJob(`"tags": {}`):                                                                   {"tags"},
		withJob(`"tags": ["ok", "a,b"]`):                                                        {"tags[1]"},
		withJob(`"fonts": ["../Inter.ttf"]`):                                                    {"fonts[0]"},
		withJob(`"name": "a\u0000b"`):                                                           {"name"},
		withJob(`"settings": []`):                                                               {"settings"},
		withJob(`"settings": {"fps": 25, "a": 1}`):                                              {"settings.a", "settings.fps"},
		withJob(`"settings": {"type": "gif"}`):                                                  {"settings.type"},
		withJob(`"settings": {"type": "image"}`):                                                {"settings.frames"},
		withJob(`"settings": {"frames": -1}`):                                                   {"settings.frames"},
		withJob(`"settings": {"frames": "1"}`):                                                  {"settings.frames"},
		withJob(`"settings": {"frames": [5, 5]}`):                                               {"settings.frames"},
		withJob(`"settings": {"frames": [1]}`):                                                  {"settings.frames"},
		withJob(`"settings": {"frames": [0, 1e99]}`):                                            {"settings.frames[1]"},
		withJob(`"settings": {"codec": "image_png"}`):                                           {"settings.codec"},
		withJob(`"settings": {"type": "aep", "codec": "image_png"}`):                            {"settings.codec"},
		withJob(`"settings": {"type": "image", "frames": 1, "codec": "video_prores_422"}`):      {"settings.codec"},
		withJob(`"settings": {"engine": "ae2019"}`):                                             {"settings.engine"},
		withAsset(`{"type": "image", "layerName": "x", "src": "s3://key:secret@bucket/x.png"}`): {"assets[0].src"},
		withJob(`"upload": {"provider": "ftp", "a": 1, "params": {"region": "r", "b": 2}}`):     {"upload.a", "upload.provider", "upload.params.b", "upload.params.bucket", "upload.params.accessKeyId", "upload.params.accessKeySecret"},
		withJob(`"upload": {"provider": "s3", "outputUrl": "https://cdn.example/\r\nSet-Cookie: a=b", "params": {"region": "r", "bucket": "films", "accessKeyId": "k", "accessKeySecret": "s"}}`): {"upload.outputUrl"},
		withJob(`"upload": {"provider": "s3", "outputUrl": "https:///${secrets.A}\n", "params": {"region": "r", "bucket": "films", "accessKeyId": "k", "accessKeySecret": "s"}}`):                 {"upload.outputUrl"},
		withJob(`"upload": {"provider": "s3", "prefix": "../", "outputUrl": "x", "params": {"region": "r", "bucket": "a/b", "accessKeyId": "k", "accessKeySecret": "s"}}`):                        {"upload.prefix", "upload.outputUrl", "upload.params.bucket"},
		withJob(`"upload": {"provider": "s3", "params": {"region": "r", "bucket": "films", "accessKeyId": "k", "accessKeySecret": "s", "endpoint": "https://u:p@x"}}`):                            {"upload.params.endpoint"},
		withJob(`"webhook": {"url": "gopher://x", "method": "BREW"}`): {"webhook.method", "webhook.url"},
		withJob(`"webhook": {"method": "POST"}`):                      {"webhook.url"},
		withJob(`"webhook": {"url": "https://"}`):                     {"webhook.url"},
		withJob(`"webhook": {"url": "https://x", "headers": {"A": "b\r\nc: d", "Host": "y", "content-length": "1", "X-Signature": "z", "b c": "d", "": "e", "e": [1], "Q": "1", "q": "2"}}`): {
			"webhook.headers.", "webhook.headers.A", "webhook.headers.Host", "webhook.headers.content-length", "webhook.headers.X-Signature",
			"webhook.headers.b c", "webhook.headers.e", "webhook.headers.q"},
		withJob(`"assets": {}`):                                       {"assets"},
		withAsset(`1`):                                                {"assets[0]"},
		withAsset(`{}`):                                               {"assets[0].type"},
		withAsset(`{"type": "hologram"}`):                             {"assets[0].type"},
		withAsset(`{"type": "job", "layerName": "x"}`):                {"assets[0].template"},
		withAsset(`{"type": "text"}`):                                 {"assets[0].layerName", "assets[0].value"},
		withAsset(`{"type": "text", "layerName": "", "value": true}`): {"assets[0].layerName", "assets[0].value"},
		withAsset(`{"type": "data", "layerName": "x"}`):               {"assets[0].property", "assets[0].value"},
		withAsset(`{"type": "data", "layerName": "x", "property": "p", "value": 1, "expression": "1"}`):             {"assets[0].expression"},
		withAsset(`{"type": "image", "src": "https://example.com"}`):                                                {"assets[0].layerName"},
		withAsset(`{"type": "video", "layerIndex": 0, "src": "https://example.com"}`):                               {"assets[0].layerIndex"},
		withAsset(`{"type": "audio", "layerName": "x", "src": 7}`):                                                  {"assets[0].src"},
		withAsset(`{"type": "audio", "layerName": "x", "src": " "}`):                                                {"assets[0].src"},
		withAsset(`{"type": "text", "layerName": "x", "value": "` + strings.Repeat("x", valueLimit+1) + `"}`):       {"assets[0].value"},
		withAsset(`{"type": "audio", "layerName": "x"}`):                                                            {"assets[0].src"},
		withAsset(`{"type": "image", "layerName": "x", "src": "/etc/passwd"}`):                                      {"assets[0].src"},
		withAsset(`{"type": "static", "src": "s3://b/k", "name": "con.json"}`):                                      {"assets[0].name"},
		withAsset(`{"type": "static", "src": "s3://b/k", "name": "Lpt1"}`):                                          {"assets[0].name"},
		withAsset(`{"type": "image", "layerName": "x", "src": "s3://b/k", "name": "../x"}`):                         {"assets[0].name"},
		withAsset(`{"type": "image", "layerName": "x", "src": "s3://b/k", "name": "a*?.png"}`):                      {"assets[0].name"},
		withAsset(`{"type": "static", "src": "data:,x"}`):                                                           {"assets[0].name"},
		withAsset(`{"type": "static", "src": "data:,x", "name": "C:\\x"}`):                                          {"assets[0].name"},
		withAsset(`{"type": "essential"}`):                                                                          {"assets[0].layerName", "assets[0].value"},
		withAsset(`{"type": "script", "src": "data:,x", "parameters": [{"value": 1}, 2]}`):                          {"assets[0].parameters[0].key", "assets[0].parameters[1]"},
		withAsset(`{"type": "function"}`):                                                                           {"assets[0].name"},
		withAsset(`{"type": "function", "name": "layer-remove"}`):                                                   {"assets[0].name"},
		withAsset(`{"type": "function", "name": "nx:explode"}`):                                                     {"assets[0].name"},
		withAsset(`{"type": "function", "name": "nx:genai"}`):                                                       {"assets[0].name"},
		withAsset(`{"type": "function", "name": "nx-gen-ai"}`):                                                      {"assets[0].name"},
		withAsset(`{"type": "function", "name": "nx:layer-remove", "params": []}`):                                  {"assets[0].params"},
		withAsset(`{"type": "function", "name": "nx:layer-remove"}`):                                                {"assets[0].layerIndex"},
		withAsset(`{"type": "function", "name": "nx:layer-start-set", "params": {"layerName": []}}`):                {"assets[0].params.layerName", "assets[0].params.value"},
		withAsset(`{"type": "function", "name": "nx:comp-duration-set", "value": 0}`):                               {"assets[0].value"},
		withAsset(`{"type": "function", "name": "nx:solid-color-set", "layerName": "x", "color": [255, 0, 0]}`):     {"assets[0].color[0]"},
		withAsset(`{"type": "function", "name": "nx:layer-autoscale", "params": {"layerName": 1, "type": "wide"}}`): {"assets[0].params.layerName", "assets[0].params.type"},
		withAsset(`{"type": "function", "name": "nx:text-params-set", "params": {"layerName": "x"}}`):               {"assets[0].params.textValue"},
		withAsset(`{"type": "function", "name": "nx:preview"}`):                                                     {"assets[0].quality"},
		strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat(`}`, 70):                                                 {strings.TrimSuffix(strings.Repeat("a.", 64), ".")},
	} {
		t.Run(fmt.Sprintf("%.100s", body), func(t *testing.T) {
			_, err := ReadJob([]byte(body))
			got := fieldsOf(t, err)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("the problems are at %v, want %v\n%v", got, want, err)
			}
		})
	}
}

func TestSettingsThatAreValid(t *testing.T) {
	for settings, want := range map[string]farm.Settings{
		`{}`:                 {},
		`{"frames": 0}`:      {Frames: &farm.Frames{Single: true}},
		`{"frames": 3.0}`:    {Frames: &farm.Frames{Start: 3, End: 3, Single: true}},
		`{"frames": [0, 1]}`: {Frames: &farm.Frames{End: 1}},
		`{"type": "image", "frames": [2, 9], "codec": "image_jpeg"}`: {Type: "image", Codec: "image_jpeg", Frames: &farm.Frames{Start: 2, End: 9}},
		`{"type": null, "frames": null, "quality": null}`:            {},
		`{"missingFootage": "bars", "reuseFrames": false}`:           {MissingFootage: farm.FootageBars, DrawAll: true},
		`{"missingFootage": "fail", "reuseFrames": true}`:            {},
	} {
		job, err := ReadJob([]byte(withJob(`"settings": ` + settings)))
		if err != nil {
			t.Errorf("%s: %v", settings, err)
			continue
		}
		got, _ := json.Marshal(job.Settings)
		wanted, _ := json.Marshal(want)
		if !bytes.Equal(got, wanted) {
			t.Errorf("%s became %s, want %s", settings, got, wanted)
		}
	}
}

// TestHeadersAreTakenAsClientsWriteThem: the public contract allows any value.
func TestHeadersAreTakenAsClientsWriteThem(t *testing.T) {
	job, err := ReadJob([]byte(withJob(`"webhook": {"url": "https://x", "headers": {"A": "b", "N": 1.50, "B": true, "none": null}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := job.Webhook.Headers, (map[string]string{"A": "b", "N": "1.50", "B": "true"}); !maps.Equal(got, want) {
		t.Errorf("the headers are %v, want %v", got, want)
	}
}

func TestTheListOfProblemsHasAnEnd(t *testing.T) {
	body := withJob(`"assets": [` + strings.TrimSuffix(strings.Repeat(`{},`, 5000), ",") + `]`)
	_, err := ReadJob([]byte(body))
	if n := len(fieldsOf(t, err)); n != input.ProblemLimit {
		t.Errorf("the error names %d fields, want %d", n, input.ProblemLimit)
	}
}

func TestBodiesThatWouldGrowAreRefused(t *testing.T) {
	for name, body := range map[string]string{
		"values": `{"a": [` + strings.Repeat("1,", 1_000_000) + `1]}`,
		"keys":   `{"a": {` + strings.Join(numberedKeys(10_001), ",") + `}}`,
	} {
		if _, err := ReadJob([]byte(body)); err == nil {
			t.Errorf("%s: a body far over the bounds was taken", name)
		} else {
			fieldsOf(t, err)
		}
	}
}

func numberedKeys(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`"k%d": 0`, i)
	}
	return out
}

func TestCancelRequests(t *testing.T) {
	a, b := "01J0000000000000000000000A", "01J0000000000000000000000B"
	ids, err := input.ReadJobIDs([]byte(`{"jobs": ["` + a + `", "` + b + `"]}`))
	if err != nil || !slices.Equal(ids, []string{a, b}) {
		t.Fatalf("got %v and %v", ids, err)
	}
	for body, want := range map[string]string{
		`{}`:                                   "jobs",
		`{"jobs": "` + a + `"}`:                "jobs",
		`{"jobs": []}`:                         "jobs",
		`{"jobs": ["x"]}`:                      "jobs[0]",
		`{"jobs": ["` + a + `", null]}`:        "jobs[1]",
		`{"jobs": ["` + a + `", "` + a + `"]}`: "jobs[1]",
		`{"jobs": [` + strings.Repeat(`"`+a+`",`, 1000) + `"` + b + `"]}`: "jobs",
	} {
		_, err := input.ReadJobIDs([]byte(body))
		if got := fieldsOf(t, err); !slices.Contains(got, want) {
			t.Errorf("%.60s: the problems are at %v, want %s", body, got, want)
		}
	}
}

// assertDecodes checks what holds for every body: reading it does not panic, and a refusal names a field. A job that
// was taken can be written and read again.
func assertDecodes(t testing.TB, body []byte) {
	job, err := ReadJob(body)
	if err != nil {
		fieldsOf(t, err)
		return
	}
	if _, err := json.Marshal(job); err != nil {
		t.Fatalf("a job was taken that cannot be written: %v", err)
	}
	if job.Template.ID == "" && job.Template.Src == "" {
		t.Fatal("a job was taken that names no project")
	}
}

func FuzzDecodeJob(f *testing.F) {
	f.Add([]byte(withAsset(`{"type": "text", "layerName": "x", "value": "y"}`)))
	f.Add([]byte(withAsset(`{"type": "function", "name": "nx:layer-remove", "params": {"layerName": ["a"]}}`)))
	f.Add([]byte(withJob(`"settings": {"frames": [1, 2]}, "tags": "a,b", "webhook": {"url": "https://x"}`)))
	f.Add([]byte(`{"a":[[[[]]]],"b":1e999,"c":"\ud800"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		assertDecodes(t, body)
		if _, err := decodeTemplate(body); err != nil {
			fieldsOf(t, err)
		}
		if _, err := input.ReadJobIDs(body); err != nil {
			fieldsOf(t, err)
		}
	})
}

// words are the keys and values that a job may hold, so that random bodies reach far into the reading.
var words = []string{
	"template", "id", "src", "composition", "assets", "type", "text", "data", "image", "static", "script", "function", "name",
	"nx:layer-remove", "nx:text-params-set", "nx:solid-color-set", "params", "layerName", "layerIndex", "value", "property",
	"settings", "frames", "codec", "upload", "webhook", "tags", "fonts", "preview", "priority", "https://example.com/a.png",
	"${secrets.X}", "parameters", "key", "color", "", "\x00", "../x",
}

func randomJSON(depth int) *rapid.Generator[any] {
	plain := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.Float64Range(-10, 2000).AsAny(),
		rapid.IntRange(-5, 30).AsAny(),
		rapid.SampledFrom(words).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(plain...)
	}
	return rapid.OneOf(append(plain,
		rapid.SliceOfN(randomJSON(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(rapid.SampledFrom(words), randomJSON(depth-1), 0, 8).AsAny(),
	)...)
}

func TestAnyBodyIsReadOrRefusedByField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		job := map[string]any{"template": map[string]any{"id": "T"}}
		maps.Copy(job, rapid.MapOfN(rapid.SampledFrom(words), randomJSON(4), 0, 10).Draw(t, "job"))
		assets := rapid.SliceOfN(rapid.MapOfN(rapid.SampledFrom(words), randomJSON(2), 0, 8), 0, 4).Draw(t, "assets")
		for _, a := range assets {
			if rapid.Bool().Draw(t, "known") {
				a["type"] = rapid.SampledFrom(assetTypes).Draw(t, "type")
			}
		}
		job["assets"] = assets
		body, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		job2, err := ReadJob(body)
		var fe *farm.Error
		switch {
		case err == nil:
			if _, err := json.Marshal(job2); err != nil {
				t.Fatalf("a job was taken that cannot be written: %v", err)
			}
		case !errors.As(err, &fe) || len(fe.Fields) == 0 || fe.Fields[0].Field == "":
			t.Fatalf("the refusal %v names no field", err)
		}
	})
}

func TestAJobHandsOnNoHalfOfASurrogatePair(t *testing.T) {
	job, err := ReadJob([]byte(`{"template": {"id": "T"}, "assets": [{"type": "text", "layerName": "x", "value": "cut \ud83d"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := json.Marshal(job); err != nil || bytes.Contains(out, []byte(`\ud83d`)) {
		t.Errorf("the job hands on %s, %v", out, err)
	}
}

func TestTheMarkBeforeUTF8IsPassedOver(t *testing.T) {
	job, err := ReadJob([]byte("\ufeff" + `{"template": {"id": "T", "composition": "main"}}`))
	if err != nil || job.Template.Composition != "main" {
		t.Errorf("%+v, %v", job.Template, err)
	}
}
