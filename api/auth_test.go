package api

import (
	"testing"

	"overcrank/farm"
)

func TestEveryRouteIsForAKnownAction(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range (&server{}).teamRoutes() {
		if !r.action.Grant().Least.Known() {
			t.Errorf("%s %s is for %q, which no table knows", r.method, r.path, r.action)
		}
		signsIn := r.path == "/api/farm/v1/sign-in-links" // changes nothing of the farm
		if r.method != "GET" && !signsIn && r.action == farm.ActView {
			t.Errorf("%s %s changes something, and everybody may use it", r.method, r.path)
		}
		if key := r.method + " " + r.path; seen[key] {
			t.Errorf("%s stands twice in the table", key)
		} else {
			seen[key] = true
		}
	}
}
