package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/api/public"
	"overcrank/farm"
)

func TestTheFormSetsTheResultAndWhereItGoes(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	form := url.Values{"template": {card.ID}, "composition": {"main"}, "name": {"Spring"}, "codec": {"image_png"}, "first": {"2"}, "last": {"4"},
		"quality": {"draft"}, "webhook": {"https://shop.example/hook"}, "notify": {"1"}}
	a := v.post("/new", form).is(http.StatusOK, "Spring")
	job, err := r.farm.Job(t.Context(), r.principal("ada"), strings.TrimPrefix(a.path, "/jobs/"))
	if err != nil {
		t.Fatal(err)
	}
	want := farm.Settings{Type: "image", Codec: "image_png", Quality: "draft", Frames: &farm.Frames{Start: 2, End: 4}}
	if got, want := r.text(farm.Job{Settings: job.Settings}), r.text(farm.Job{Settings: want}); got != want || job.Webhook == nil || job.Webhook.URL != "https://shop.example/hook" {
		t.Errorf("the settings are %s, want %s; the webhook is %+v", got, want, job.Webhook)
	}
	if w, err := r.farm.Notices().Watches(t.Context(), r.principal("ada"), job.ID); err != nil || !w.On {
		t.Errorf("who submitted it is not told when it is done: %+v, %v", w, err)
	}
	form.Set("first", "x")
	v.post("/new", form).is(http.StatusBadRequest, `role="alert"`, `value="x"`)
}

func TestPresetsAreKeptForTheTeam(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	project, err := r.farm.AddProject(t.Context(), r.principal("ada"), "Spring spots", nil)
	if err != nil {
		t.Fatal(err)
	}
	preset := url.Values{"presetName": {"Broadcast"}, "project": {project.ID}, "presetDefault": {"1"}, "codec": {"video_prores_422"}, "quality": {""}, "bucket": {"films"}, "region": {"eu-central-1"},
		"provider": {"s3"}, "keyId": {"STORAGE_ID"}, "keySecret": {"STORAGE_KEY"}, "first": {"3"}, "token": {"x"}}
	v.post("/new/presets", preset).is(http.StatusOK)
	v.get("/new?template="+card.ID).is(http.StatusOK, "Broadcast (default)", `<option value="video_prores_422" selected`, "ProRes 422 · to films", `value="STORAGE_KEY"`, `<option value="`+project.ID+`" selected>Spring spots`).lacks("${secrets")
	r.as("zoe").post("/new/presets/delete", url.Values{"presetName": {"Broadcast"}}).is(http.StatusNotFound)
	v.post("/new/presets", url.Values{"presetName": {"Other"}, "project": {"nobody"}}).is(http.StatusBadRequest, "project")
	v.post("/new/presets", url.Values{"presetName": {""}, "codec": {"video_prores_422"}}).is(http.StatusBadRequest)
	v.post("/new/presets/delete", url.Values{"presetName": {"broadcast"}}).is(http.StatusOK)
	v.get("/new?template=" + card.ID).is(http.StatusOK).lacks("Broadcast")
}

func TestAFormAsksForFrames(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	for _, c := range []struct {
		first, last, codec string
		want               farm.Frames
	}{
		{"3", "3", "", farm.Frames{Start: 3, End: 3, Single: true}},
		{"3", "3", "image_png", farm.Frames{Start: 3, End: 3, Single: true}},
		{"", "2", "", farm.Frames{End: 2}},
		{"", "0", "image_jpeg", farm.Frames{Single: true}},
		{"1", "", "", farm.Frames{Start: 1, End: 49}},
		{"", "", "image_png", farm.Frames{End: 49}},
	} {
		a := v.post("/new", url.Values{"template": {card.ID}, "composition": {"main"}, "first": {c.first}, "last": {c.last}, "codec": {c.codec}}).is(http.StatusOK)
		if sent := r.definition(strings.TrimPrefix(a.path, "/jobs/")); sent.Settings.Frames == nil || *sent.Settings.Frames != c.want {
			t.Errorf("from %q to %q as %q: %v, not %v", c.first, c.last, c.codec, sent.Settings.Frames, c.want)
		}
	}
	wrong := url.Values{"template": {card.ID}, "composition": {"main"}, "first": {"4"}, "last": {"2"}}
	v.post("/new", wrong).is(http.StatusBadRequest, "The job cannot be submitted. Frames: the last, 2, comes before the first, 4.").lacks("settings.frames", "request")
	wrong = url.Values{"template": {card.ID}, "composition": {"main"}, "webhook": {"nowhere"}}
	v.post("/new", wrong).is(http.StatusBadRequest, "The job cannot be submitted. Webhook: ").lacks("webhook.url", "The request")
}

func TestTheCallIsWhatTheFormSends(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	form := url.Values{"template": {card.ID}, "composition": {"main"}, "name": {"It's <Spring> & more"}, "field0": {"Zeit für “Neues”\nEND"}, "codec": {"video_prores_422"}, "first": {"0"}, "last": {"4"}}
	var calls struct{ Curl, Python, JSON string }
	if err := json.Unmarshal([]byte(v.post("/new/call", form).is(http.StatusOK).body), &calls); err != nil {
		t.Fatal(err)
	}
	shown, err := public.ReadJob([]byte(calls.JSON))
	if err != nil {
		t.Fatalf("%v of\n%s", err, calls.JSON)
	}
	a := v.post("/new", form).is(http.StatusOK)
	id := strings.TrimPrefix(a.path, "/jobs/")
	sent := r.definition(id)
	if shown.Name != sent.Name || len(sent.Assets) != 2 || string(shown.Assets[0].Value) != string(sent.Assets[0].Value) || *shown.Settings.Frames != *sent.Settings.Frames || shown.Settings.Codec != sent.Settings.Codec {
		t.Errorf("the call is\n%s\nand the job %s", calls.JSON, r.text(sent))
	}
	if !strings.Contains(calls.Curl, calls.JSON+"\nEND") || !strings.Contains(calls.Curl, "Bearer $OVERCRANK_TOKEN") || strings.Contains(calls.JSON, "\nEND") {
		t.Errorf("the call with curl is\n%s", calls.Curl)
	}
	if !strings.Contains(calls.Python, `os.environ["OVERCRANK_TOKEN"]`) || !strings.Contains(calls.Python, `"frames": [0,4]`) {
		t.Errorf("the call with Python is\n%s", calls.Python)
	}
}
