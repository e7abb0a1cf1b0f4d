package page

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/a-h/templ"

	"overcrank/farm"
)

// spokenWords are what a screen reader reads aloud whenever it changes.
var spokenWords = regexp.MustCompile(`role="(?:status|alert)"[^>]*>([^<]*)`)

// TestFiguresThatChangeAllTheTimeAreNotReadAloud looks at parts of pages that are sent anew as the farm moves on.
func TestFiguresThatChangeAllTheTimeAreNotReadAloud(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	admin := Shell{Reader: farm.Principal{Role: farm.RoleAdmin, FirstTeam: true}}
	job := Job{Job: farm.Job{ID: "j1", Name: "Spot", Status: farm.JobQueued, CreatedAt: at}}
	placed := &farm.Placement{Task: "j1.1", Why: farm.AsIs("It is 7th in line."), Place: 7, Agents: 3, Fitting: 3}
	for name, c := range map[string]struct {
		part  templ.Component
		aloud []string
	}{
		"the queue":        {QueueBody(admin, Queue{Status: farm.Status{Ready: 12, Leased: 3}}), nil},
		"a job that waits": {JobBody(admin, JobView{Job: job, Placement: placed}), []string{"Waiting"}},
		"why a job waits":  {WhyPanel(admin, JobView{Job: job, Placement: placed}), nil},
	} {
		var page bytes.Buffer
		if err := c.part.Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		var aloud []string
		for _, m := range spokenWords.FindAllStringSubmatch(page.String(), -1) {
			aloud = append(aloud, m[1])
		}
		if !slices.Equal(aloud, c.aloud) {
			t.Errorf("of %s is read aloud %q, want %q", name, aloud, c.aloud)
		}
	}
}
