package api

import (
	"testing"

	"overcrank/farm"
)

func TestEachRoleMayDoWhatTheOnesBeforeItMay(t *testing.T) {
	for i, has := range rank {
		for j, needed := range rank {
			if got, want := atLeast(has, needed), i >= j; got != want {
				t.Errorf("a %s on an address for %ss: %v, want %v", has, needed, got, want)
			}
		}
		if atLeast("stranger", has) {
			t.Errorf("an unknown role passes for a %s", has)
		}
	}
}

func TestEveryRouteAsksForAKnownRole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range (&server{}).teamRoutes() {
		if !atLeast(r.role, farm.RoleViewer) {
			t.Errorf("%s %s asks for the role %q, which does not exist", r.method, r.path, r.role)
		}
		if r.method != "GET" && !atLeast(r.role, farm.RoleArtist) {
			t.Errorf("%s %s changes something, and a %s may use it", r.method, r.path, r.role)
		}
		if key := r.method + " " + r.path; seen[key] {
			t.Errorf("%s stands twice in the table", key)
		} else {
			seen[key] = true
		}
	}
}
