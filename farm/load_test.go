package farm_test

import (
	"math"
	"testing"
	"time"

	"overcrank/farm"
)

func TestWhatAMachineTellsOfItselfStaysWithinBounds(t *testing.T) {
	l := farm.Load{Processor: 4000, Memory: -5, DiskFree: -9}.Within()
	if l != (farm.Load{Processor: 100, Memory: 0, DiskFree: -1}) {
		t.Errorf("%+v", l)
	}
	if l := (farm.Load{Processor: math.NaN()}).Within(); l.Processor != -1 {
		t.Errorf("%+v", l)
	}
	hours := []farm.Hours{{From: 60, To: 120}, {From: -1, To: 5}, {From: 5, To: 1440}, {Days: []time.Weekday{7}}}
	r := farm.WorkRules{Hours: hours, ZoneOffset: 1e6, Programs: make([]string, 5000), IdleMinutes: -1}.Within()
	if len(r.Hours) != 1 || len(hours) != 4 || r.ZoneOffset != 840 || len(r.Programs) > 100 || r.IdleMinutes != 0 {
		t.Errorf("%+v", r)
	}
	if !(farm.WorkRules{Zone: "CET"}).Always() || (farm.WorkRules{Programs: []string{"Premiere"}}).Always() {
		t.Error("which rules keep a machine from work is not told")
	}
	if got := (farm.WorkRules{ZoneOffset: 90}).Clock(time.Date(2026, 1, 1, 23, 0, 0, 0, time.UTC)); got.Hour() != 0 || got.Minute() != 30 {
		t.Errorf("its clock shows %v", got)
	}
}
