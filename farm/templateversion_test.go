package farm

import (
	"testing"
	"time"
)

func TestAJobRendersTheVersionThatItsTemplateHad(t *testing.T) {
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	of := func(first int) Template {
		return Template{Versions: []TemplateVersion{{Number: first, ReplacedAt: noon}, {Number: first + 1, ReplacedAt: noon.Add(time.Hour)}}}
	}
	held := of(1)
	held.Versions[0].File.SHA256, held.Versions[1].File.SHA256, held.File = "a", "b", &FileRef{SHA256: "a"}
	for name, c := range map[string]struct {
		template Template
		job      Job
		want     int
	}{
		"of a template with one file":     {Template{}, Job{StartedAt: noon}, 1},
		"begun with the first":            {of(1), Job{StartedAt: noon.Add(-time.Minute)}, 1},
		"begun when the second had come":  {of(1), Job{StartedAt: noon}, 2},
		"begun with the present one":      {of(1), Job{StartedAt: noon.Add(2 * time.Hour)}, 3},
		"not begun":                       {of(1), Job{Status: JobQueued}, 3},
		"cancelled before it began":       {of(1), Job{Status: JobCancelled}, 0},
		"that asks for one":               {of(1), Job{Template: JobTemplate{Version: 2}, StartedAt: noon.Add(2 * time.Hour)}, 2},
		"that holds a file of before":     {held, Job{Project: &FileRef{SHA256: "a"}, CreatedAt: noon.Add(-time.Hour), StartedAt: noon.Add(2 * time.Hour)}, 1},
		"that holds it since it returned": {held, Job{Project: &FileRef{SHA256: "a"}, CreatedAt: noon.Add(2 * time.Hour)}, 3},
		"begun before what is remembered": {of(5), Job{StartedAt: noon.Add(-time.Minute)}, 0},
	} {
		if got := c.template.VersionFor(c.job); got != c.want {
			t.Errorf("a job %s renders version %d, want %d", name, got, c.want)
		}
	}
}
