package web_test

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcrank/api/openapi"
)

func TestTheReferenceIsReadableByAnyone(t *testing.T) {
	r := start(t)
	res, err := http.Get(r.base + "/api/reference")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("the reference answers %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'") {
		t.Errorf("its policy is %q", policy)
	}
	public, err := openapi.Public()
	if err != nil {
		t.Fatal(err)
	}
	own, err := openapi.Farm()
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, g := range slices.Concat(public.Reference(r.base).Groups, own.Reference(r.base).Groups) {
		for _, o := range g.Operations {
			shown++
			for _, want := range []string{`id="` + o.ID + `"`, `href="#` + o.ID + `"`, html.EscapeString(o.Path), html.EscapeString(o.Summary)} {
				if !strings.Contains(text, want) {
					t.Errorf("the reference lacks %s of %s", want, o.ID)
				}
			}
		}
	}
	if shown < 30 {
		t.Errorf("the reference has %d operations", shown)
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, `id="`+link[1]+`"`) {
			t.Errorf("nothing is at #%s", link[1])
		}
	}
	for _, raw := range []string{"**", "](", "<script>", "style=", "`"} {
		if strings.Contains(text, raw) {
			t.Errorf("the reference shows %q", raw)
		}
	}
	if !strings.Contains(text, r.base+"/api/v2/jobs") {
		t.Error("its commands do not name this farm")
	}
}

func TestTheReferenceIsFoundFromThePages(t *testing.T) {
	r := start(t)
	if home := r.as("ada").get("/"); !strings.Contains(home.body, `href="/api/reference"`) {
		t.Error("no page leads to the reference")
	}
}
