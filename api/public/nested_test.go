package public

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/api/input"
	"overcrank/farm"
)

// nested wraps an asset into jobs, each in the next one.
func nested(asset string, depth int) string {
	for range depth {
		asset = `{"type": "job", "layerName": "inner", "template": {"id": "T"}, "assets": [` + asset + `]}`
	}
	return asset
}

const textAsset = `{"type": "text", "layerName": "title", "value": "x"}`

func TestNestedJobsAreRead(t *testing.T) {
	job, err := ReadJob([]byte(withAsset(textAsset + `, {"type": "job", "layerIndex": 3, "composition": "main->inner", "name": "logo", "surprise": 1,
		"template": {"id": "U", "composition": "loop", "name": "tolerated"}, "settings": {"type": "image", "frames": 4}, "fonts": ["Inter.ttf"],
		"assets": [` + textAsset + `, ` + nested(textAsset, 7) + `]}`)))
	if err != nil {
		t.Fatal(err)
	}
	a := job.Assets[1]
	if a.Type != "job" || a.LayerIndex != 3 || a.Composition != "main->inner" || a.Nested == nil {
		t.Fatalf("the asset is %+v", a)
	}
	n := a.Nested
	if n.Template != (farm.JobTemplate{ID: "U", Composition: "loop"}) || n.Name != "logo" || n.Settings.Type != "image" || len(n.Fonts) != 1 || len(n.Assets) != 2 {
		t.Errorf("the nested job is %+v", n)
	}
	if inner := n.Assets[1].Nested; inner == nil || inner.Assets[0].Nested == nil {
		t.Error("what is nested further is not there")
	}
}

func TestJoinsAreRead(t *testing.T) {
	job, err := decodeJoin([]byte(`{"name": "reel", "settings": {"preset": "mp4"}, "priority": 3, "assets": [
		{"type": "video", "src": "https://files.example/a.mp4"}, {"type": "job", "template": {"id": "T", "composition": "c"}, "assets": [`+textAsset+`]},
		{"type": "video", "src": "https://files.example/b.mov", "name": "b.mov"}]}`), &input.Problems{})
	if err != nil {
		t.Fatal(err)
	}
	if !job.Join || job.Name != "reel" || job.Priority != 3 || job.Settings.Preset != "mp4" || len(job.Assets) != 3 {
		t.Errorf("the job is %+v", job)
	}
	if job.Assets[0].Src != "https://files.example/a.mp4" || job.Assets[1].Nested == nil || job.Assets[2].Name != "b.mov" {
		t.Errorf("the clips are %+v", job.Assets)
	}
}

func TestWhatIsWrongWithNestedJobsAndClipsIsNamed(t *testing.T) {
	join := func(clips string) string { return `{"assets": [` + clips + `]}` }
	for body, want := range map[string][]string{
		withAsset(nested(textAsset, 9)):                                                                                                                                    {strings.Repeat("assets[0].", 8) + "assets[0]"},
		withAsset(textAsset + `, ` + nested(`{"type": "text"}`, 2)):                                                                                                        {"assets[1].assets[0].assets[0].layerName", "assets[1].assets[0].assets[0].value"},
		withAsset(`{"type": "job", "template": {"id": "T"}}`):                                                                                                              {"assets[0].layerName"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": ""}}`):                                                                                             {"assets[0].template.id"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "settings": {"fps": 1}}`):                                                                    {"assets[0].settings.fps"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "settings": {"type": "aep"}}`):                                                               {"assets[0].settings.type"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "settings": {"type": "image", "frames": [0, 4]}}`):                                           {"assets[0].settings.frames"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "preview": true, "settings": {"quality": "full"}}`):                                          {"assets[0].settings"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "assets": [{"type": "static", "src": "data:,x", "name": "${secrets.A}"}]}`):                  {"assets[0].assets[0].name"},
		withAsset(`{"type": "job", "layerName": "x", "template": {"id": "T"}, "assets": [` + strings.Repeat(nested(textAsset, 1)+`, `, 999) + nested(textAsset, 1) + `]}`): {"assets"},

		`JOIN {}`:             {"assets"},
		`JOIN {"assets": []}`: {"assets"},
		`JOIN {"assets": {}}`: {"assets"},
		`JOIN ` + join(`7`):   {"assets[0]"},
		`JOIN ` + join(`{}`):  {"assets[0].type"},
		`JOIN ` + join(`{"type": "image", "src": "https://x.example/a.png"}`):                                  {"assets[0].type"},
		`JOIN ` + join(`{"type": "video"}`):                                                                    {"assets[0].src"},
		`JOIN ` + join(`{"type": "video", "src": "x"}`):                                                        {"assets[0].src"},
		`JOIN ` + join(`{"type": "job", "template": {"id": "T"}, "settings": {"type": "image", "frames": 1}}`): {"assets[0].settings.type"},
		`JOIN ` + join(`{"type": "job", "template": {"id": "T"}, "assets": [{"type": "text"}]}`):               {"assets[0].assets[0].layerName", "assets[0].assets[0].value"},
		`JOIN {"assets": [{"type": "video", "src": "data:,x"}], "settings": {"preset": "gif", "codec": "x"}}`:  {"settings.codec", "settings.preset"},
	} {
		t.Run(fmt.Sprintf("%.120s", body), func(t *testing.T) {
			decode := ReadJob
			if rest, joined := strings.CutPrefix(body, "JOIN "); joined {
				body, decode = rest, func(b []byte) (farm.Job, error) { return decodeJoin(b, &input.Problems{}) }
			}
			_, err := decode([]byte(body))
			got := fieldsOf(t, err)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the problems are at %v, want %v\n%v", got, want, err)
			}
		})
	}
}
