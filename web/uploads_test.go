package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// uploadTold is what a page's script is told of an upload.
type uploadTold struct {
	ID       string
	PartSize int64
	Missing  []int
	Arrived  int64
	Src      string
}

// gives posts bytes as the pages' script does.
func (v *visitor) gives(path string, content []byte) (a answer, told uploadTold) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, bytes.NewReader(content))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Origin", v.origin)
	a = v.do(req)
	if err := json.Unmarshal([]byte(a.body), &told); err != nil {
		v.t.Fatalf("%s answers %.200s", path, a.body)
	}
	return a, told
}

func TestAPagesUploadGoesOnAfterItIsLoadedAgain(t *testing.T) {
	r := start(t)
	v := r.as("art")
	content := bytes.Repeat([]byte("sixteen bytes..."), 1<<20)
	begin := "/files/uploads?" + url.Values{"name": {"spot.zip"}, "size": {fmt.Sprint(len(content))}, "key": {"spot.zip 1764270000000"}}.Encode()
	a, up := v.gives(begin, nil)
	a.is(http.StatusCreated)
	if len(up.Missing) != 2 {
		t.Fatalf("a new upload lacks the parts %v", up.Missing)
	}
	part := func(n int) {
		t.Helper()
		a, _ := v.gives(fmt.Sprintf("/files/uploads/%s/parts/%d", up.ID, n), content[int64(n)*up.PartSize:][:up.PartSize])
		a.is(http.StatusOK)
	}
	part(0)
	if _, again := v.gives(begin, nil); again.ID != up.ID || !slices.Equal(again.Missing, []int{1}) || again.Arrived != up.PartSize {
		t.Errorf("begun again after a part has come: %+v", again)
	}
	if _, other := r.as("ada").gives(begin, nil); other.ID == up.ID {
		t.Error("somebody else goes on with it")
	}
	a, _ = r.as("zoe").gives("/files/uploads/"+up.ID+"/finish", nil)
	a.is(http.StatusNotFound)
	a, _ = v.gives("/files/uploads/"+up.ID+"/finish", nil)
	a.is(http.StatusConflict, "1 of 2 parts have not arrived")
	part(1)
	a, done := v.gives("/files/uploads/"+up.ID+"/finish", nil)
	a.is(http.StatusCreated)

	var made struct{ ID string }
	if err := json.Unmarshal([]byte(v.post("/templates", url.Values{"type": {"zip"}, "displayName": {"Spot"}, "src": {done.Src}}).is(http.StatusCreated).body), &made); err != nil {
		t.Fatal(err)
	}
	r.eventually("the template has the file", func() bool {
		is, err := r.farm.Templates().Get(t.Context(), r.principal("art"), made.ID)
		return err == nil && is.File != nil && is.File.Size == int64(len(content))
	})
	if _, up = v.gives("/files/uploads?name=b.zip&size=9000000&key=b", nil); up.ID != "" {
		a, _ = v.gives("/files/uploads/"+up.ID+"/cancel", nil)
		a.is(http.StatusOK)
		a, _ = v.gives("/files/uploads/"+up.ID+"/parts/0", nil)
		a.is(http.StatusNotFound)
	}
}

func TestATemplateGetsItsNextVersionOnItsPage(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("art")
	v.get("/templates/"+card.ID).is(http.StatusOK, "New version", ".aep, .aet, .aepx", `data-replaces="/templates/`+card.ID+`/replace"`)
	_, kept := v.gives("/files/handover?name=card.aep", []byte("another project"))
	replace := "/templates/" + card.ID + "/replace"
	v.post(replace, url.Values{"type": {"zip"}, "src": {kept.Src}}).is(http.StatusBadRequest, "takes files of the type aep")
	v.post(replace, url.Values{"type": {"aep"}, "src": {"farm://0"}}).is(http.StatusGone)
	r.as("zoe").post(replace, url.Values{"type": {"aep"}, "src": {kept.Src}}).is(http.StatusNotFound)
	v.post(replace, url.Values{"type": {"aep"}, "src": {kept.Src}}).is(http.StatusCreated)
	is, err := r.farm.Templates().Get(t.Context(), r.principal("art"), card.ID)
	if err != nil || is.File.Size != int64(len("another project")) || is.VersionNow() != 2 {
		t.Errorf("the template has %+v, version %d: %v", is.File, is.VersionNow(), err)
	}
	r.as("vic").get("/templates/" + card.ID).is(http.StatusOK).lacks("New version")
}
