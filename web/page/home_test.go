package page

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestABatchWithoutANameIsCalledAfterItsFirstJob(t *testing.T) {
	first := Job{Job: farm.Job{ID: "first", Name: "Opener, Austria"}}
	for jobs, want := range map[int]string{1: "Opener, Austria", 2: "Opener, Austria and 1 more", 6: "Opener, Austria and 5 more"} {
		b := Batch{Batch: farm.Batch{Jobs: make([]farm.BatchJob, jobs)}, First: first}
		if got := b.Title(t.Context()); got != want {
			t.Errorf("a batch of %d jobs is called %q, not %q", jobs, got, want)
		}
		b.Name = "Spring"
		if got := b.Title(t.Context()); got != "Spring" {
			t.Errorf("a batch with a name is called %q", got)
		}
	}
}

// Work that was not counted to its end is not told as if it had been.
func TestTheOverviewSaysWhereItStopsToCount(t *testing.T) {
	h := Home{Machines: 1, Active: 200, Waiting: 200, More: More{Active: true, Waiting: true}}
	if got, want := h.Answer(t.Context()), "All is well: 200 or more jobs are rendering, 200 or more are waiting."; got != want {
		t.Errorf("the overview says %q, not %q", got, want)
	}
	h.More = More{}
	if got, want := h.Answer(t.Context()), "All is well: 200 jobs are rendering, 200 are waiting."; got != want {
		t.Errorf("the overview says %q, not %q", got, want)
	}
}

func TestWhatIsStuckHasItsWayOutOnTheOverview(t *testing.T) {
	reads := Shell{Reader: farm.Principal{Role: farm.RoleOperator, FirstTeam: true}}
	none := farm.Placement{Agents: 2, Requirements: []farm.Requirement{{Kind: "tags", RulesOut: 2}}}
	for words, stuck := range map[string]Stuck{
		"Change a machine’s tags": {Why: farm.AsIs("no machine has the tag"), Jobs: []Job{{Job: farm.Job{ID: "J"}}}, Placement: none},
		"Look and approve":        {Why: farm.AsIs("approval"), Jobs: []Job{{Job: farm.Job{ID: "J"}}}, Ask: true},
	} {
		var b strings.Builder
		if err := HomeBody(reads, Home{Machines: 1, Stuck: []Stuck{stuck}}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), `class="button"`); n != 1 || !strings.Contains(b.String(), words) {
			t.Errorf("%q has %d actions: %s", stuck.Why, n, b.String())
		}
	}
}
