package api

import (
	"net/http"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
)

func TestEveryRouteIsForAKnownAction(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range (&server{farm: partsOf(&coordinator.Coordinator{})}).teamRoutes() {
		if !r.Action.Grant().Least.Known() {
			t.Errorf("%s %s is for %q, which no table knows", r.Method, r.Path, r.Action)
		}
		own := r.Path == "/api/farm/v1/sign-in-links" || strings.HasPrefix(r.Path, "/api/farm/v1/me/") // changes nothing but for the caller
		if r.Method != http.MethodGet && !own && r.Action == farm.ActView {
			t.Errorf("%s %s changes something, and everybody may use it", r.Method, r.Path)
		}
		if key := r.Method + " " + r.Path; seen[key] {
			t.Errorf("%s stands twice in the table", key)
		} else {
			seen[key] = true
		}
	}
}
