package page

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

// daysOf is a report of days on which machines worked for some hours.
func daysOf(hours ...float64) ReportValues {
	r := ReportValues{From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	for _, h := range hours {
		r.Days = append(r.Days, ReportLine{Sum: farm.Sum{Time: int64(h * 3_600_000)}})
	}
	return r
}

func TestTheChartOfAReportHasARoundScale(t *testing.T) {
	t.Parallel()
	for hours, want := range map[float64]string{
		0: "10 s, 0 h", 0.01: "40 s, 30 s, 20 s, 10 s, 0 h", 0.4: "30 min, 20 min, 10 min, 0 h", 1.3: "1.5 h, 1 h, 30 min, 0 h", 7: "8 h, 6 h, 4 h, 2 h, 0 h",
		20: "20 h, 15 h, 10 h, 5 h, 0 h", 31: "40 h, 30 h, 20 h, 10 h, 0 h", 4000: "4,000 h, 3,000 h, 2,000 h, 1,000 h, 0 h", 4001: "6,000 h, 4,000 h, 2,000 h, 0 h",
	} {
		r := daysOf(hours)
		var said []string
		for _, m := range r.hourMarks(t.Context()) {
			said = append(said, m.Label)
		}
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("the scale for %v hours is %s, want %s", hours, got, want)
		}
	}
	if b := daysOf(3, 4).bars(t.Context()); b[0].Height != "75.00%" || b[0].Y != "25.00%" || b[1].X != "55.00%" || b[1].Title != "2 Nov: 4 h" {
		t.Errorf("the bars are %+v", b)
	}
}

func TestTheChartOfAReportNamesAsManyDaysAsFit(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]string{0: "", 1: "1 Nov", 7: "7 Nov, 5 Nov, 3 Nov, 1 Nov", 30: "30 Nov, 25 Nov, 20 Nov, 15 Nov, 10 Nov, 5 Nov", 365: "31 Oct, 31 Aug, 1 Jul, 1 May, 1 Mar, 30 Dec"} {
		var said []string
		for _, m := range daysOf(make([]float64, days)...).dayMarks(t.Context()) {
			said = append(said, m.Label)
		}
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("of %d days it names %s, want %s", days, got, want)
		}
	}
	marks := daysOf(make([]float64, 365)...).dayMarks(t.Context())
	if last := marks[0]; last.At != "100.00%" || last.Anchor != "end" {
		t.Errorf("the last day stands at %+v", last)
	}
}
