package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"overcrank/api/openapi"
)

func TestTheInterfaceDescribesItself(t *testing.T) {
	r := start(t)
	for _, path := range []string{openapi.PathPublic, openapi.PathFarm} {
		t.Run(path, func(t *testing.T) { describesItself(t, r, path) })
	}
}

func describesItself(t *testing.T, r *rig, path string) {
	t.Helper()
	a := r.get(path, "Authorization:").into(http.StatusOK, nil)
	doc, err := openapi3.NewLoader().LoadFromData(a.body)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.Servers[0].URL != r.base || doc.Info.Version != "0.1.0-test" {
		t.Errorf("the document is for %s, version %s", doc.Servers[0].URL, doc.Info.Version)
	}
	if cache := a.header.Get("Cache-Control"); !strings.HasPrefix(cache, "public, max-age=") {
		t.Errorf("Cache-Control is %q", cache)
	}
	r.inParts(path, a.body)
}
