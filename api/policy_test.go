package api_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestAChangeOfATeamsShareLeavesWhatItDoesNotName: a team that gets another weight keeps its cap, and the other way round.
func TestAChangeOfATeamsShareLeavesWhatItDoesNotName(t *testing.T) {
	r := start(t)
	var team struct{ ID string }
	r.send(http.MethodPost, "/api/farm/v1/teams", `{"name": "features"}`).into(http.StatusCreated, &team)
	for _, c := range []struct {
		method, share string
		weight        float64
		maxMachines   int
	}{
		{http.MethodPatch, `{"maxMachines": 3}`, 1, 3},
		{http.MethodPatch, `{"weight": 2}`, 2, 3},
		{http.MethodPatch, `{"maxMachines": 0}`, 2, 0},
		{http.MethodPut, `{"maxMachines": 5}`, 1, 5}, // replaces all of it
	} {
		body := fmt.Sprintf(`{"revision": %s, "teams": {%q: %s}}`, r.revision("{revision}"), team.ID, c.share)
		var policy struct {
			Teams map[string]struct {
				Weight      float64
				MaxMachines int
			}
		}
		r.send(c.method, "/api/farm/v1/policy", body).into(http.StatusOK, &policy)
		if got := policy.Teams[team.ID]; got.Weight != c.weight || got.MaxMachines != c.maxMachines {
			t.Errorf("%s %s: %+v", c.method, c.share, got)
		}
	}
}
