//go:build linux

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// What an administrator denies is asked by nobody: neither by its number nor by a name, for a file or for a result.
func TestDeniedMachinesAreNotAskedForFilesOrGivenResults(t *testing.T) {
	studio := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a denied machine was asked") }))
	defer studio.Close()
	byName := strings.Replace(studio.URL, "127.0.0.1", "localhost", 1)
	f := farmtest.Up(t, t.TempDir(), "--deny-address", "127.0.0.0/8", "--deny-address", "::1/128")
	template := map[string]string{"id": f.Card(), "composition": titlecard.Composition}
	still := map[string]any{"type": "image", "frames": 1}
	picture := func(src string) map[string]any {
		return map[string]any{"template": template, "settings": still, "assets": []any{map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": src}}}
	}
	upload := map[string]any{"template": template, "settings": still, "upload": map[string]any{"provider": "s3", "params": map[string]any{
		"endpoint": byName, "region": "r", "bucket": "renders", "accessKeyId": "k", "accessKeySecret": "s",
	}}}
	for field, body := range map[string]map[string]any{
		"assets[0].src: names the machine itself":          picture(byName + "/a.png"),
		"upload.params.endpoint: names the machine itself": upload,
	} {
		if job, err := f.Submit(t.Context(), body); !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(fmt.Sprint(err), field) {
			t.Errorf("the job %q was answered with %v; want it refused with %q", job.ID, err, field)
		}
	}
}
