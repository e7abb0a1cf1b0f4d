package page

import (
	"testing"
	"time"

	"overcrank/farm"
)

func TestHoursAreDrawnAndReadBack(t *testing.T) {
	read := func(texts ...string) (hours []farm.Hours) {
		t.Helper()
		for _, text := range texts {
			h, err := farm.ParseHours(text)
			if err != nil {
				t.Fatal(err)
			}
			hours = append(hours, h)
		}
		return hours
	}
	for _, texts := range [][]string{{"mon-fri 19:00-08:00", "sat,sun 00:00-24:00"}, {"wed 09:00-10:00"}, {"fri 22:00-02:00"}, {}} {
		v := MachineHours{Hours: read(texts...)}
		back, any := HoursOf(MarksOf(v.Hours))
		if !any || !farm.CheckHours(back).IsZero() {
			t.Errorf("%v come back as %v", texts, back)
		}
		begin := time.Date(2026, 3, 2, 0, 30, 0, 0, time.UTC)
		for hour := range 7 * 24 {
			at := begin.Add(time.Duration(hour) * time.Hour)
			if farm.Within(v.Hours, at) != farm.Within(back, at) {
				t.Errorf("%v come back as %s, which differs on %v", texts, farm.JoinHours(back), at)
			}
		}
	}
	if hours, any := HoursOf([]string{"9-1", "x", "1-24", "-1-3"}); any || len(hours) > 0 {
		t.Errorf("what is no hour became %v", hours)
	}
	if exactly(read("22:30-06:00")) {
		t.Error("half an hour is said to be drawn as it is")
	}
}
