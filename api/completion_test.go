package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"overcrank/aep/aeptest"
)

func TestATemplateIsCompletedWithFilesThatItLacks(t *testing.T) {
	r := start(t)
	tpl := r.createTemplate("aep")
	r.upload(tpl.UploadInfo.URL, aeptest.BareProject(t)).into(http.StatusOK, nil)
	reads := func(kind string, missing ...string) {
		t.Helper()
		r.eventually(fmt.Sprintf("the template is a %s that lacks %q", kind, missing), func() bool {
			var now struct {
				Type, Status   string
				MissingFootage []string
			}
			r.get("/api/v2/templates/"+tpl.ID).into(http.StatusOK, &now)
			return now.Status == "uploaded" && now.Type == kind && slices.Equal(now.MissingFootage, missing)
		})
	}
	reads("aep", "nm.png")
	path, src := "/api/farm/v1/templates/"+tpl.ID+"/footage", r.keep([]byte("picture"))
	r.send(http.MethodPost, path, `{"files": [{"name": "other.png", "src": "`+src+`"}]}`).refused(http.StatusBadRequest, "files[0].name", "nm.png")
	var got struct{ ID string }
	r.send(http.MethodPost, path, `{"files": [{"name": "nm.png", "src": "`+src+`"}]}`).into(http.StatusOK, &got)
	if got.ID != tpl.ID {
		t.Errorf("the answer is of the template %s", got.ID)
	}
	reads("zip")
	r.send(http.MethodPost, path, `{"files": [{"name": "nm.png", "src": "`+src+`"}]}`).refused(http.StatusConflict, "lacks no files")
}
