package page

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/web/language"
)

func TestWhatALevelMayHaveIsDrawn(t *testing.T) {
	t.Parallel()
	night := farm.Hours{From: 19 * 60, To: 8 * 60}
	sunday := time.Date(2026, 11, 29, 20, 30, 0, 0, time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		policy farm.LevelPolicy
		want   []string
	}{
		"share":   {farm.LevelPolicy{MaxShare: 0.25}, []string{`width="25.0"`}},
		"hours":   {farm.LevelPolicy{Hours: []farm.Hours{night}}, []string{`x="1140" width="300"`, `x="0" width="480"`, `class="present" x="1230"`}},
		"neither": {},
	} {
		var b strings.Builder
		if err := levelDrawn(c.policy, sunday).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if len(c.want) == 0 && b.Len() > 0 {
			t.Errorf("%s: %s is drawn", name, b.String())
		}
		for _, part := range c.want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: %q is missing in %s", name, part, b.String())
			}
		}
	}
}

func TestAJobOfWhichNothingCanBeSeenHasNoStrip(t *testing.T) {
	t.Parallel()
	for status, want := range map[farm.JobStatus]bool{farm.JobFailed: false, farm.JobCancelled: false, farm.JobQueued: true, farm.JobRendering: true} {
		var b strings.Builder
		if err := JobBody(Shell{}, JobView{Job: Job{Job: farm.Job{ID: "J", Status: status}}}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `id="film"`); got != want {
			t.Errorf("a job that is %s has a strip: %v", status, got)
		}
	}
}

func TestHoursAreSaidInTheReadersWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mon-fri 19:00-08:00": "Mo–Fr 19:00–08:00", "sat,sun 00:00-24:00": "Sa, So 00:00–24:00", "22:30-06:00": "22:30–06:00", "fri-mon 9:00-10:00": "Fr–Mo 09:00–10:00",
	} {
		h, err := farm.ParseHours(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := hoursSaid(language.With(t.Context(), farm.German), []farm.Hours{h}); got != want {
			t.Errorf("%s is said %q, not %q", text, got, want)
		}
	}
}
