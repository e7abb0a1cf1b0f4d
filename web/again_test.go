package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
)

func TestSubmittingAgainKeepsWhatTheFormHasNoFieldsFor(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	earlier, err := r.farm.Submit(t.Context(), r.principal("ada"), farm.Job{
		Name: "Spring", Level: farm.LevelNormal, Tags: []string{"spring"}, Template: farm.JobTemplate{ID: card.ID, Composition: "main"},
		Settings:    farm.Settings{Codec: "video_prores_422", Frames: &farm.Frames{Start: 0, End: 9}, Engine: "ae2026", MissingFootage: farm.FootageBars, DrawAll: true},
		MaxMachines: 3, MaxAttempts: 2, MinMemory: 8 << 30, OS: "linux", NoTags: []string{"laptop"},
		Webhook: &farm.Webhook{URL: "https://shop.example/hook"},
		Assets: []farm.Asset{
			{Type: "text", LayerName: "Title", Value: json.RawMessage(`"Earlier"`)},
			{Type: "data", LayerName: "Title", Property: "Opacity", Value: json.RawMessage(`50`)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := r.as("ada")
	v.get("/new?again="+earlier.ID).is(http.StatusOK, `name="again"`, "Earlier", "These stay as they were", "As before: video_prores_422, frames 0 to 9")
	form := url.Values{"again": {earlier.ID}, "template": {card.ID}, "composition": {"main"}, "name": {"Summer"}, "field0": {"Later"}, "codec": {""}}
	a := v.post("/new", form).is(http.StatusOK, "Summer")
	made, err := r.farm.Job(t.Context(), r.principal("ada"), strings.TrimPrefix(a.path, "/jobs/"))
	if err != nil {
		t.Fatal(err)
	}
	got, want := made.Definition(), r.definition(earlier.ID)
	want.Name = "Summer"
	if len(got.Assets) < 2 || string(got.Assets[0].Value) != "50" || string(got.Assets[1].Value) != `"Later"` {
		t.Errorf("the assets are %+v", got.Assets)
	}
	got.Assets, want.Assets = nil, nil
	if got, want := r.text(got), r.text(want); got != want {
		t.Errorf("submitted again it is\n%s, want\n%s", got, want)
	}
	r.as("zoe").post("/new", form).is(http.StatusNotFound)

	form.Set("missing", "fail")
	form.Set("reuse", "yes")
	a = v.post("/new", form).is(http.StatusOK, "Summer")
	if made, err = r.farm.Job(t.Context(), r.principal("ada"), strings.TrimPrefix(a.path, "/jobs/")); err != nil || made.Settings.MissingFootage != "" || made.Settings.DrawAll || made.Settings.Codec != want.Settings.Codec {
		t.Errorf("with other settings it has %+v, %v", made.Settings, err)
	}
}

func (r *rig) definition(id string) farm.Job {
	r.t.Helper()
	job, err := r.farm.Job(r.t.Context(), r.principal("ada"), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return job.Definition()
}

func (r *rig) text(job farm.Job) string {
	r.t.Helper()
	raw, err := json.Marshal(job)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(raw)
}

func TestTheFormIsCheckedAsTheInterfaceChecks(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	form := func(key, value string) url.Values {
		return url.Values{"template": {card.ID}, "composition": {"main"}, "name": {"Spring"}, key: {value}}
	}
	page := v.get("/new?template=" + card.ID).is(http.StatusOK).body
	picture := regexp.MustCompile(`<input type="hidden" name="(field[0-9]+)"`).FindStringSubmatch(page)
	wrong := map[string]string{"name": strings.Repeat("n", 5000), "codec": "gif"}
	if picture != nil {
		wrong[picture[1]] = "file:///etc/passwd"
	}
	for key, value := range wrong {
		v.post("/new", form(key, value)).is(http.StatusBadRequest, "role=\"alert\"")
	}
	// Browsers send numbers; scripts and old browsers send what was typed. All of it stays in the form, and the error stands at its field.
	typed := form("priority", "soon")
	typed.Set("notBefore", "tomorrow")
	typed.Set("first", "two")
	typed.Set("requireTags", "gpu")
	typed.Set("level", "overnight")
	v.post("/new", typed).is(http.StatusBadRequest, `value="Spring"`, `value="soon"`, `value="tomorrow"`, `value="two"`, `value="gpu"`, `value="overnight" selected`,
		`id="priority-wrong">Has to be a whole number from -1000 to 1000`, `aria-describedby="priority-wrong"`, `id="notBefore-wrong">Has to be a day and a time`,
		`id="settings-frames-wrong">Are whole numbers, from 0`)
	v.reads = "de"
	v.post("/new", form("field0", "${secrets.NOBODY}")).is(http.StatusBadRequest, "Der Job verweist auf Geheimnisse, die es nicht gibt: „Title“ nennt ", `aria-describedby="field0-wrong"`).lacks("assets[0]")
	v.post("/new", typed).is(http.StatusBadRequest, "Priorität: muss eine ganze Zahl", "Nicht vor: ").lacks("priority:", "notBefore:")
	v.reads = ""
	v.post("/new", form("level", "soon")).is(http.StatusBadRequest, `value="Spring"`, `id="level-wrong"`)
	if jobs, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{Limit: 10}); err != nil || len(jobs) != 0 {
		t.Errorf("what is wrong became %d jobs, %v", len(jobs), err)
	}
}

// TestSubmittingAgainTakesThePresentVersionWhereTheFormerIsGone replaces a template until the farm no longer keeps the file that a job was rendered with.
func TestSubmittingAgainTakesThePresentVersionWhereTheFormerIsGone(t *testing.T) {
	r := start(t)
	card := r.readTemplate("ada", "Card", projectOf(t, 1))
	earlier, err := r.farm.Submit(t.Context(), r.principal("ada"), farm.Job{Name: "Spring", Level: farm.LevelNormal, Template: farm.JobTemplate{ID: card.ID, Composition: "main", Version: 1}})
	if err != nil {
		t.Fatal(err)
	}
	v := r.as("ada")
	const gone = "whose file is no longer kept"
	v.get("/new?again="+earlier.ID).is(http.StatusOK, `name="version" value="1"`).lacks(gone)
	for n := range farm.KeptVersions + 1 {
		card = r.replaceTemplate("ada", card, projectOf(t, n+2))
	}
	v.get("/new?again="+earlier.ID).is(http.StatusOK, "The earlier job rendered version 1 of the template, "+gone+". This form is for the current version, 12.", `value="Spring"`).lacks(`name="version"`)
	v.post("/new", url.Values{"again": {earlier.ID}, "template": {card.ID}, "composition": {"main"}, "name": {strings.Repeat("x", 5000)}}).is(http.StatusBadRequest, gone)
	a := v.post("/new", url.Values{"again": {earlier.ID}, "template": {card.ID}, "composition": {"main"}, "name": {"Summer"}}).is(http.StatusOK, "Summer")
	if made := r.definition(strings.TrimPrefix(a.path, "/jobs/")); made.Template.Version != 0 {
		t.Errorf("submitted again it asks for version %d", made.Template.Version)
	}
}

// projectOf is a project whose composition is some seconds long.
func projectOf(t *testing.T, seconds int) []byte {
	t.Helper()
	var b bytes.Buffer
	err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
			Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: float64(seconds), WorkAreaDuration: float64(seconds),
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
