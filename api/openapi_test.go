package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func TestTheInterfaceDescribesItself(t *testing.T) {
	r := start(t)
	a := r.get("/api/openapi.json", "Authorization:").into(http.StatusOK, nil)
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
	r.inParts("/api/openapi.json", a.body)
}
