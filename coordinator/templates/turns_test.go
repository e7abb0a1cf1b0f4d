package templates

import (
	"fmt"
	"testing"

	"overcrank/farm"
)

func TestATeamsTemplatesLeaveOthersTheirTurn(t *testing.T) {
	for kind, want := range map[turnKind]struct{ all, each int }{turnDownload: {4, 3}, turnRead: {2, 1}} {
		turns := newReading(&Catalog{}).turns[kind]
		var waiting []farm.Template
		of := func(team string) {
			for i := range 9 {
				waiting = append(waiting, farm.Template{ID: fmt.Sprint(team, i), Team: team})
			}
		}
		take := func() (teams map[string]int) {
			teams = map[string]int{}
			for _, chosen := range turns.choose(waiting) {
				teams[chosen.Team]++
			}
			return teams
		}
		of("a")
		if got := take(); got["a"] != want.each || turns.choose(waiting) != nil {
			t.Errorf("one team alone takes %v, want %d", got, want.each)
		}
		of("b")
		if got := take(); got["b"] != want.all-want.each || got["a"] != 0 {
			t.Errorf("beside it %v is taken, want %d of b", got, want.all-want.each)
		}
		turns.end("a")
		if got := take(); kind == turnDownload && got["b"] != 1 || got["a"]+got["b"] != 1 {
			t.Errorf("a place that a team leaves is taken by %v", got)
		}
	}
}
