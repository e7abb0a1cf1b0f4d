package page

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestAWeekIsDrawnOverMidnight(t *testing.T) {
	night, err := farm.ParseHours("fri,sun 19:00-08:00")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]WeekSpan{"Fri": {{1140, 1440}}, "Sat": {{0, 480}}, "Sun": {{1140, 1440}}, "Mon": {{0, 480}}}
	rows := week(farm.WorkRules{Hours: []farm.Hours{night}})
	if rows[0].Day != "Mon" || rows[6].Day != "Sun" {
		t.Errorf("the week is from %s to %s", rows[0].Day, rows[6].Day)
	}
	for _, row := range rows {
		if !reflect.DeepEqual(row.Spans, want[row.Day]) {
			t.Errorf("%s: %v", row.Day, row.Spans)
		}
	}
	whole, err := farm.ParseHours("sat 00:00-24:00")
	if err != nil {
		t.Fatal(err)
	}
	rows = week(farm.WorkRules{Hours: []farm.Hours{whole}})
	if !reflect.DeepEqual(rows[5].Spans, []WeekSpan{{0, 1440}}) || rows[6].Spans != nil {
		t.Errorf("a whole Saturday is %v and %v", rows[5].Spans, rows[6].Spans)
	}
	for _, row := range week(farm.WorkRules{}) {
		if !reflect.DeepEqual(row.Spans, []WeekSpan{{0, 1440}}) {
			t.Errorf("without hours %s is %v", row.Day, row.Spans)
		}
	}
	row, minutes := nowInWeek(farm.WorkRules{ZoneOffset: 120}, time.Date(2026, 11, 29, 22, 30, 0, 0, time.UTC)) // a Sunday, where it is Monday
	if row != 0 || minutes != 30 {
		t.Errorf("now is in row %d at minute %d", row, minutes)
	}
}

func TestRulesAreSaidInSentences(t *testing.T) {
	said := strings.Join(rulesWords(t.Context(), farm.WorkRules{IdleMinutes: 5, LockedIsIdle: true, Programs: []string{"Premiere"}, MaxOtherLoad: 30, NotOnBattery: true}), " ")
	for _, want := range []string{"at any hour", "for 5\u00a0min", "or its screen is locked", "Premiere", "30 %", "battery"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}

func TestADayOfAMachineIsDrawnWhereItWas(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 7, 0, 0, time.UTC)
	part := farm.MachinePart{From: now.Truncate(farm.DayPart), Jobs: 3, Failed: 1}
	part.Seconds[farm.UseRendering], part.Seconds[farm.UseIdle] = 300, 120
	d := MachineDay{Now: now, MachineDay: farm.MachineDay{Parts: []farm.MachinePart{part}}}
	bars := d.bars()
	if len(bars) != 3 || bars[0] != (dayBar{"rendering", "95", "26.7", "1", "13.3"}) || bars[1] != (dayBar{"idle", "95", "21.3", "1", "5.3"}) || bars[2].Class != "failed" {
		t.Errorf("%+v", bars)
	}
	if got := d.sentence(t.Context()); got != "Rendering for 5\u00a0min, idle for 2\u00a0min. 3 attempts ended, 1 of them failed." {
		t.Error(got)
	}
	if got := (MachineDay{}).sentence(t.Context()); !strings.HasPrefix(got, "Nothing is known") {
		t.Error(got)
	}
}
