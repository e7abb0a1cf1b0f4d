package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"overcrank/aep"
)

// bareProject is a project with a picture that does not come with it.
func bareProject(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := aep.Write(&file, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
				Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2,
				Layers: []*aep.Layer{{ID: 10, Name: "Logo", Kind: aep.LayerAV, Source: 2, Out: 2, Stretch: 100, Enabled: true,
					Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}},
			}},
			{ID: 2, Name: "nm.png", Kind: aep.ItemFootage, Footage: &aep.Footage{
				Kind: aep.FootageFile, Width: 64, Height: 48, HasVideo: true, PixelAspect: 1, Still: true,
				File: aep.FileReference{FullPath: `C:\Work\nm.png`, Platform: "windows", AscendBase: 1, AscendTarget: 1},
			}},
		},
	}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestATemplateIsCompletedWithFilesThatItLacks(t *testing.T) {
	r := start(t)
	tpl := r.createTemplate("aep")
	r.upload(tpl.UploadInfo.URL, bareProject(t)).into(http.StatusOK, nil)
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
