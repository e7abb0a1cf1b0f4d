package dispatch

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
)

func TestADayOfAMachineIsCountedInQuarters(t *testing.T) {
	var d day
	at := time.Date(2026, 11, 27, 9, 59, 40, 0, time.UTC)
	d.count(at, farm.UseIdle, "", "") // nothing is known of the time before
	d.count(at.Add(10*time.Second), farm.UseIdle, "", "")
	d.count(at.Add(25*time.Second), farm.UseRendering, "j1", "t1")
	d.end(at.Add(30*time.Second), "j1", "t1", true)
	d.count(at.Add(time.Hour), farm.UseArtist, "", "") // it was away meanwhile
	parts := d.since(at.Add(time.Hour).Add(-farm.DayParts * farm.DayPart))
	if len(parts) != 2 {
		t.Fatalf("%+v", parts)
	}
	if first := parts[0]; first.Seconds[farm.UseIdle] != 10 || first.Job != "" {
		t.Errorf("the first quarter: %+v", first)
	}
	if next := parts[1]; next.Seconds[farm.UseRendering] != 15 || next.Job != "j1" || next.Jobs != 1 || next.Failed != 1 {
		t.Errorf("the quarter behind it: %+v", next)
	}
}

func TestADayOfAMachineForgetsTheDayBefore(t *testing.T) {
	var d day
	begin := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	now := begin
	for ; now.Before(begin.Add(49 * time.Hour)); now = now.Add(30 * time.Second) {
		d.count(now, farm.UseIdle, "", "")
	}
	parts := d.since(now.Add(-farm.DayParts * farm.DayPart))
	if len(parts) != farm.DayParts && len(parts) != farm.DayParts-1 {
		t.Fatalf("%d parts are told", len(parts))
	}
	for i, p := range parts {
		if i > 0 && !p.From.After(parts[i-1].From) || now.Sub(p.From) > 24*time.Hour || p.Seconds[farm.UseIdle] > farm.DayPart.Seconds() {
			t.Errorf("part %d: %+v", i, p)
		}
	}
}

// TestDaysAreWrittenDownAndTakenUp has one leader write a machine's day down, and the next one go on with it in the same quarter.
func TestDaysAreWrittenDownAndTakenUp(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "days.gz"), time.Now().UTC()
	var first day
	first.count(now.Add(-20*time.Minute), farm.UseIdle, "", "")
	first.count(now.Add(-20*time.Minute+30*time.Second), farm.UseRendering, "j1", "t1")
	first.end(now, "j2", "t1", true)
	since := now.Add(-3 * time.Hour)
	if err := (keptDays{Since: since, Days: map[string][]farm.MachinePart{"a1": first.since(now.Add(-24 * time.Hour))}}).write(path); err != nil {
		t.Fatal(err)
	}
	l := &leader{d: &Dispatcher{state: state.New(nil, nil, time.Now), log: slog.New(slog.DiscardHandler)}, days: map[string]*day{}, daysSince: now}
	l.d.cfg.Days = path
	l.dayLocked("a1").end(now, "j3", "t1", false)
	l.recallDays()
	known, err := l.daysNow(t.Context(), struct{}{})
	if err != nil || !known.Since.Equal(since) || len(known.Days["a1"]) < 2 {
		t.Fatalf("%+v, %v", known, err)
	}
	var seconds float64
	for _, p := range known.Days["a1"] {
		seconds += p.Seconds[farm.UseRendering]
	}
	if last := known.Days["a1"][len(known.Days["a1"])-1]; seconds != 30 || last.Jobs != 2 || last.Failed != 1 || last.Job != "j3" {
		t.Errorf("the day is %+v", known.Days["a1"])
	}
	if err := os.WriteFile(path, []byte("no days"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readDays(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
}
