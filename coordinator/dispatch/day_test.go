package dispatch

import (
	"testing"
	"time"

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
