package api

import (
	"testing"

	"overcrank/farm"
)

func TestEveryRouteAsksForAKnownRole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range (&server{}).teamRoutes() {
		if !r.role.Known() {
			t.Errorf("%s %s asks for the role %q, which does not exist", r.method, r.path, r.role)
		}
		signsIn := r.path == "/api/farm/v1/sign-in-links" // changes nothing of the farm
		if r.method != "GET" && !signsIn && farm.RoleViewer.Allows(r.role) {
			t.Errorf("%s %s changes something, and a %s may use it", r.method, r.path, r.role)
		}
		if key := r.method + " " + r.path; seen[key] {
			t.Errorf("%s stands twice in the table", key)
		} else {
			seen[key] = true
		}
	}
}
