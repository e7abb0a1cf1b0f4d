package web_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// picturedTemplate is a template whose composition main shows a file, nm.png, that did not come with it.
func (r *rig) picturedTemplate(who string) farm.Template {
	r.t.Helper()
	return r.readTemplate(who, "Bare", aeptest.BareProject(r.t))
}

func TestATemplateThatLacksFootageSaysSoAndTheFormAsksForIt(t *testing.T) {
	r := start(t)
	bare := r.picturedTemplate("ada")
	v := r.as("art")
	v.get("/templates/"+bare.ID).is(http.StatusOK, "Lacks footage", "Footage is missing.", "<b>nm.png</b>", "No machine is connected.", "for the layer “Logo” in “main”").lacks("Ready")
	v.get("/new?template="+bare.ID).is(http.StatusOK, "<b>Needed:</b> ", "nm.png did not come with the template").lacks("Stays as it is")
	order := url.Values{"template": {bare.ID}, "composition": {"main"}, "name": {"Spot"}, "codec": {"video_h264_vbr_15mbps"}}
	v.post("/new", order).is(http.StatusBadRequest, "Footage is missing: the template “Bare” has no file “nm.png” for layer “Logo”")
	order.Set("missing", "bars")
	order.Set("reuse", "no")
	if a := v.post("/new", order).is(http.StatusOK, "Spot", "colour bars are drawn in its place"); !strings.HasPrefix(a.path, "/jobs/") {
		t.Errorf("with colour bars the form leads to %s", a.path)
	} else if job, err := r.farm.Job(t.Context(), r.principal("art"), strings.TrimPrefix(a.path, "/jobs/")); err != nil || job.Settings.MissingFootage != farm.FootageBars || !job.Settings.DrawAll {
		t.Errorf("the settings are %+v, %v", job.Settings, err)
	}
	order.Del("missing")
	order.Del("reuse")

	picture, err := r.farm.StoredFiles().Put(t.Context(), r.principal("art"), "nm.png", strings.NewReader("picture"), 7)
	if err != nil {
		t.Fatal(err)
	}
	order.Set("field0", picture.Src())
	if a := v.post("/new", order).is(http.StatusOK, "Spot"); !strings.HasPrefix(a.path, "/jobs/") {
		t.Errorf("with the file the form leads to %s", a.path)
	}
	table := []field{{name: "template", value: bare.ID}, {name: "composition", value: "main"}, {name: "table", value: "@name\nOne\n"}, {name: "do", value: "order"}}
	v.sends("/files/table", table...).is(http.StatusBadRequest, "no file “nm.png”")
}

// TestFootageIsDroppedOnATemplatesPage completes a bare project, and an archive, with the file that they lack.
func TestFootageIsDroppedOnATemplatesPage(t *testing.T) {
	r := start(t)
	bare := r.picturedTemplate("ada")
	v := r.as("art")
	v.get("/templates/"+bare.ID).is(http.StatusOK, `action="/templates/`+bare.ID+`/footage"`, `name="footage:nm.png"`, "Add the files to the template")
	r.as("vic").get("/templates/"+bare.ID).is(http.StatusOK, "Footage is missing.", "Collect Files").lacks("/footage")
	path := "/templates/" + bare.ID + "/footage"
	v.post(path, url.Values{"footage:nm.png": {""}}).is(http.StatusBadRequest, "choose at least one")
	v.post(path, url.Values{"footage:nm.png": {"farm://" + strings.Repeat("ab", 32)}}).is(http.StatusGone, "choose it again")

	picture, err := r.farm.StoredFiles().Put(t.Context(), r.principal("art"), "nm.png", strings.NewReader("picture"), 7)
	if err != nil {
		t.Fatal(err)
	}
	if a := v.post(path, url.Values{"footage:nm.png": {picture.Src()}}).is(http.StatusOK, "Bare"); a.path != "/templates/"+bare.ID {
		t.Errorf("with the file the page leads to %s", a.path)
	}
	r.eventually("the project with the file is read", func() bool {
		now, err := r.farm.Templates().Get(t.Context(), r.principal("ada"), bare.ID)
		return err == nil && now.Status == farm.TemplateUploaded && now.VersionNow() == 2 && len(now.MissingFootage) == 0 && now.FileType() == "zip"
	})
	v.get("/templates/"+bare.ID).is(http.StatusOK, "Bare", ".aep, .aet, .aepx, .zip").lacks("Footage is missing.", "Collect Files")
	v.post(path, url.Values{"footage:nm.png": {picture.Src()}}).is(http.StatusConflict, "lacks no files")
	for version, warnings := range []int{1: 1, 2: 0} {
		job, err := r.farm.Submit(t.Context(), r.principal("art"), farm.Job{Template: farm.JobTemplate{ID: bare.ID, Composition: "main", Version: version}})
		if err != nil || len(job.Warnings) != warnings {
			t.Errorf("a job of version %d is warned of %q, %v", version, job.Warnings, err)
		}
	}

	packed, err := r.farm.Templates().Create(t.Context(), r.principal("ada"), templates.New{Type: "zip", DisplayName: "Packed"})
	if err != nil {
		t.Fatal(err)
	}
	packed = r.receives("ada", packed, zipped(t, "Spot folder/spot.aep", aeptest.BareProject(t)))
	v.get("/templates/"+packed.ID).is(http.StatusOK, "Footage is missing.", "Add the files to the template")
	path = "/templates/" + packed.ID + "/footage"
	if a := v.post(path, url.Values{"footage:nm.png": {picture.Src()}}).is(http.StatusOK, "Packed"); a.path != "/templates/"+packed.ID {
		t.Errorf("with the file in the archive the page leads to %s", a.path)
	}
	r.eventually("the archive with the file is read", func() bool {
		now, err := r.farm.Templates().Get(t.Context(), r.principal("ada"), packed.ID)
		return err == nil && now.Status == farm.TemplateUploaded && now.VersionNow() == 2 && len(now.MissingFootage) == 0
	})
	v.get("/templates/"+packed.ID).is(http.StatusOK, "Packed").lacks("Footage is missing.")
	v.post(path, url.Values{"footage:nm.png": {picture.Src()}}).is(http.StatusConflict, "lacks no files")
}

// TestAProjectAloneKeepsTheFilesOfTheVersionBefore gives a completed template its project anew, alone, and then an archive: as its page offers.
func TestAProjectAloneKeepsTheFilesOfTheVersionBefore(t *testing.T) {
	r := start(t)
	bare := r.picturedTemplate("ada")
	ada, v := r.principal("ada"), r.as("art")
	picture, err := r.farm.StoredFiles().Put(t.Context(), r.principal("art"), "nm.png", strings.NewReader("picture"), 7)
	if err != nil {
		t.Fatal(err)
	}
	becomes := func(version int, lacking []string, completed bool) (now farm.Template) {
		t.Helper()
		r.eventually("the next version is read", func() bool {
			now, err = r.farm.Templates().Get(t.Context(), ada, bare.ID)
			return err == nil && now.Status == farm.TemplateUploaded && now.VersionNow() == version
		})
		if !slices.Equal(now.MissingFootage, lacking) || (now.FileType() == "zip") != completed {
			t.Errorf("version %d lacks %q and is a %s", version, now.MissingFootage, now.FileType())
		}
		return now
	}
	v.post("/templates/"+bare.ID+"/footage", url.Values{"footage:nm.png": {picture.Src()}}).is(http.StatusOK)
	completed := becomes(2, nil, true)

	r.replaceTemplate("ada", bare, aeptest.BareProject(t, "NM.png", "plate.mov"))
	third := becomes(3, []string{"plate.mov"}, true)
	if third.File.SHA256 == completed.File.SHA256 {
		t.Error("the version before came back instead of the project that was sent")
	}
	v.get("/templates/"+bare.ID).is(http.StatusOK, "Footage is missing.", "plate.mov").lacks("<b>NM.png</b>")

	whole, err := r.farm.StoredFiles().Put(t.Context(), r.principal("art"), "spot.zip", bytes.NewReader(zipped(t, "spot.aep", aeptest.BareProject(t))), -1)
	if err != nil {
		t.Fatal(err)
	}
	v.post("/templates/"+bare.ID+"/replace", url.Values{"type": {"zip"}, "src": {whole.Src()}}).is(http.StatusCreated)
	becomes(4, []string{"nm.png"}, true)
	r.replaceTemplate("ada", bare, aeptest.BareProject(t))
	becomes(5, []string{"nm.png"}, false)
}

// zipped is an archive with one file.
func zipped(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	to, err := archive.Create(name)
	if err == nil {
		_, err = to.Write(data)
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
