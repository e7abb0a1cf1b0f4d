package web

import (
	"context"
	"testing"

	"overcrank/farm"
)

// TestATeamsWorkbooksLeaveOthersTheirTurn: while one of a team's is read its next one waits, and another team's is read.
func TestATeamsWorkbooksLeaveOthersTheirTurn(t *testing.T) {
	turns := newWorkbookTurns()
	turn := func(team string) func() {
		t.Helper()
		done, err := turns.await(t.Context(), team)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	refused := func(team string) {
		t.Helper()
		if _, err := turns.await(ended, team); farm.CodeOf(err) != farm.CodeUnavailable {
			t.Errorf("a turn of %s that does not come gives %v", team, err)
		}
	}
	first := turn("greedy")
	for range 20 {
		refused("greedy")
	}
	next := make(chan func())
	go func() { next <- turn("greedy") }()
	other := turn("other")
	refused("third") // as many are read as may be
	first()
	second := <-next
	refused("greedy")
	other()
	turn("third")()
	second()
	if len(turns.teams) != 0 || len(turns.all) != 0 {
		t.Errorf("%d teams and %d turns are left", len(turns.teams), len(turns.all))
	}
}
