package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// keep hands a file over and gives its address.
func (r *rig) keep(content []byte, header ...string) string {
	r.t.Helper()
	var kept struct{ Src string }
	r.send(http.MethodPost, "/api/farm/v1/files", content, header...).into(http.StatusCreated, &kept)
	return kept.Src
}

func TestAPreflightTellsWhatTheFarmHas(t *testing.T) {
	r := start(t)
	r.enrol("suite-1") // its inventory is that of inventory()
	sum := sha256.Sum256([]byte("plate"))
	plate, unknown := hex.EncodeToString(sum[:]), strings.Repeat("0", 64)
	src := r.keep([]byte("plate"))
	other := r.makeTeam("other")

	type answer struct {
		Machines, EngineMachines int
		Files                    []struct{ SHA256, Src string }
		Fonts                    []struct {
			Name     string
			Library  bool
			Machines int
		}
		Effects []struct {
			Name     string
			Own      bool
			Machines int
		}
	}
	question := fmt.Sprintf(`{"files": [{"sha256": %q, "size": 5}, {"sha256": %q, "size": 6}, {"sha256": %q, "size": 5}],
		"fonts": ["Inter-Bold", "Nobody-Has"], "effects": ["ADBE Gaussian Blur 2", "Glow Of Nobody"]}`, plate, plate, unknown)
	var got answer
	r.send(http.MethodPost, "/api/farm/v1/preflight", question).into(http.StatusOK, &got)
	var sources []string
	for _, f := range got.Files {
		sources = append(sources, f.Src)
	}
	if want := []string{src, "", ""}; !reflect.DeepEqual(sources, want) {
		t.Errorf("the files are kept as %q, not %q", sources, want)
	}
	if got.Machines != 1 || len(got.Fonts) != 2 || got.Fonts[1].Machines != 0 || got.Fonts[1].Library {
		t.Errorf("machines and fonts: %+v", got)
	}
	if len(got.Effects) != 2 || !got.Effects[0].Own || got.Effects[1].Own || got.Effects[1].Machines != 0 {
		t.Errorf("effects: %+v", got.Effects)
	}

	var theirs answer
	token := r.makeToken("artist", `, "team": "`+other.ID+`"`)
	r.send(http.MethodPost, "/api/farm/v1/preflight", question, bearer(token.Secret)).into(http.StatusOK, &theirs)
	if theirs.Files[0].Src != "" {
		t.Error("another team learns of a file")
	}
}

func TestATemplateIsPutTogetherOfKeptFiles(t *testing.T) {
	r := start(t)
	spot, plate := r.keep(project(t, 1)), r.keep([]byte("plate"))
	body := fmt.Sprintf(`{"displayName": "Spot", "files": [{"name": "ae/spot.aep", "src": %q}, {"name": "footage/plåte 100%%.mov", "src": %q}]}`, spot, plate)
	var first, again, second struct{ ID, DisplayName string }
	r.send(http.MethodPost, "/api/farm/v1/templates", body, "Idempotency-Key: one").into(http.StatusCreated, &first)
	r.send(http.MethodPost, "/api/farm/v1/templates", body, "Idempotency-Key: one").into(http.StatusCreated, &again)
	r.send(http.MethodPost, "/api/farm/v1/templates", body).into(http.StatusCreated, &second)
	if first.ID != again.ID || first.ID == second.ID || first.DisplayName != "Spot" {
		t.Errorf("templates %+v, %+v and %+v", first, again, second)
	}
	archive := func(id string) string {
		var at struct{ URL string }
		r.get("/api/v2/templates/"+id+"/download").into(http.StatusOK, &at)
		return string(r.get(strings.TrimPrefix(at.URL, r.base)).body)
	}
	if one := archive(first.ID); one == "" || one != archive(second.ID) {
		t.Error("the same files give another archive")
	}
	r.eventually("read the template", func() bool {
		var t struct {
			Status       string
			Compositions []string
		}
		r.get("/api/v2/templates/"+first.ID).into(http.StatusOK, &t)
		return t.Status == "uploaded" && len(t.Compositions) > 0
	})
}

func TestWhatNoTemplateIsPutTogetherOf(t *testing.T) {
	r := start(t)
	spot := r.keep(project(t, 1))
	other := r.makeTeam("other")
	theirs := r.keep([]byte("theirs"), bearer(r.makeToken("artist", `, "team": "`+other.ID+`"`).Secret))
	file := func(name, src string) string { return fmt.Sprintf(`{"name": %q, "src": %q}`, name, src) }
	for files, what := range map[string]string{
		"":                         "holds no project",
		file("plate.mov", spot):    "holds no project",
		file("../spot.aep", spot):  "every system",
		file("/spot.aep", spot):    "every system",
		file(`a\spot.aep`, spot):   "every system",
		file("con/spot.aep", spot): "every system",
		file(strings.Repeat("a/", 600)+"s.aep", spot):         "longer",
		file("spot.aep", spot) + "," + file("SPOT.aep", spot): "files[0] too",
		file("spot.aep", spot) + "," + file("x.mov", theirs):  "your team keeps",
		file("spot.aep", "farm://"+strings.Repeat("0", 64)):   "hand it over again",
		file("spot.aep", "https://example.com/spot.aep"):      "farm://",
	} {
		r.send(http.MethodPost, "/api/farm/v1/templates", `{"displayName": "x", "files": [`+files+`]}`).refused(http.StatusBadRequest, what)
	}
}
