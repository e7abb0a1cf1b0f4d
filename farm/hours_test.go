package farm_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"overcrank/farm"
)

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func mustParse(t interface{ Fatal(...any) }, texts ...string) (all []farm.Hours) {
	for _, text := range texts {
		h, err := farm.ParseHours(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

func TestHoursAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"mon-fri 19:00-08:00":   "mon,tue,wed,thu,fri 19:00-08:00",
		"SAT,Sun 00:00-24:00":   "sat,sun 00:00-24:00",
		"fri-mon 8:05-9:00":     "fri,sat,sun,mon 08:05-09:00",
		"22:30-06:00":           "22:30-06:00",
		"mon,mon-tue 1:00-2:00": "mon,tue 01:00-02:00",
	} {
		h, err := farm.ParseHours(text)
		if err != nil || h.String() != want {
			t.Errorf("%q is %s (%v), want %s", text, h, err, want)
		}
	}
	for _, text := range []string{"", "mon", "mon-fri", "mon 19-20", "mo 19:00-20:00", "mon 24:00-01:00", "mon 19:60-20:00", "mon 19:00", "mon 1:00-2:00 x", "mon- 1:00-2:00", "mon 1:0-2:00", "-1:00-2:00", "25:00-26:00"} {
		if h, err := farm.ParseHours(text); err == nil {
			t.Errorf("%q is taken as %s", text, h)
		}
	}
}

func TestWindowsOfTheWeek(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, berlin) } // the 23rd is a Monday
	nights := mustParse(t, "mon-fri 19:00-08:00")
	breaks := mustParse(t, "12:00-13:00", "mon 18:00-18:30", "sun 23:00-01:00")
	for _, c := range []struct {
		hours []farm.Hours
		at    time.Time
		in    bool
		next  time.Time
	}{
		{nights, at(23, 18, 59), false, at(23, 19, 0)},
		{nights, at(23, 19, 0), true, at(24, 8, 0)},
		{nights, at(24, 7, 59), true, at(24, 8, 0)},
		{nights, at(24, 8, 0), false, at(24, 19, 0)},
		{nights, at(28, 7, 0), true, at(28, 8, 0)}, // the night that Friday began
		{nights, at(28, 8, 0), false, at(30, 19, 0)},
		{breaks, at(23, 0, 30), true, at(23, 1, 0)},
		{breaks, at(23, 12, 30), true, at(23, 13, 0)},
		{breaks, at(23, 13, 0), false, at(23, 18, 0)},
		{mustParse(t, "sat,sun 00:00-24:00"), at(28, 12, 0), true, at(30, 0, 0)},
		{mustParse(t, "00:00-24:00"), at(28, 12, 0), true, time.Time{}},
		{nil, at(28, 12, 0), true, time.Time{}},
	} {
		if in := farm.Within(c.hours, c.at); in != c.in {
			t.Errorf("%v at %v: %v", c.hours, c.at, in)
		}
		if next := farm.NextChange(c.hours, c.at); !next.Equal(c.next) {
			t.Errorf("%v at %v changes at %v, want %v", c.hours, c.at, next, c.next)
		}
	}
}

func TestTheClockJumpsAndWindowsWithIt(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	nights := mustParse(t, "22:00-06:00")
	for name, c := range map[string]struct {
		begin time.Time
		long  time.Duration
	}{
		"an hour is lost":   {time.Date(2026, 3, 28, 22, 0, 0, 0, berlin), 7 * time.Hour},
		"an hour is won":    {time.Date(2026, 10, 24, 22, 0, 0, 0, berlin), 9 * time.Hour},
		"any other night":   {time.Date(2026, 11, 21, 22, 0, 0, 0, berlin), 8 * time.Hour},
		"from summer to it": {time.Date(2026, 10, 23, 22, 0, 0, 0, berlin), 8 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			if next := farm.NextChange(nights, c.begin.Add(-time.Minute)); !next.Equal(c.begin) {
				t.Errorf("the night begins at %v", next)
			}
			if end := farm.NextChange(nights, c.begin); end.Sub(c.begin) != c.long {
				t.Errorf("the night lasts %v, want %v", end.Sub(c.begin), c.long)
			}
		})
	}
}

// TestNothingChangesBeforeTheNextChange holds NextChange to Within: until then it says the same at every moment, and then it does not.
func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Apia"}
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(1262304000, 1924905600).Draw(t, "at"), 0).In(loc)
		hours := rapid.SliceOfN(genHours, 1, 4).Draw(t, "hours")
		now, next := farm.Within(hours, at), farm.NextChange(hours, at)
		end := next
		switch {
		case next.IsZero():
			end = at.AddDate(0, 0, 7)
		case !next.After(at):
			t.Fatalf("the next change lies %v back", at.Sub(next))
		case farm.Within(hours, next) == now:
			t.Fatalf("nothing changes at %v", next)
		}
		for range 50 {
			between := at.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(at))-1).Draw(t, "later")))
			if farm.Within(hours, between) != now {
				t.Fatalf("it changes before %v, at %v", end, between)
			}
		}
	})
}

// TestWindowsFollowTheClockOnTheWall compares with plain arithmetic on the clock's face, where the clock never jumps.
func TestWindowsFollowTheClockOnTheWall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := time.FixedZone("", rapid.IntRange(-12*3600, 14*3600).Draw(t, "offset"))
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).In(loc)
		hours := rapid.SliceOfN(genHours, 1, 4).Draw(t, "hours")
		const week = 7 * 24 * 60
		now := (int(at.Weekday())*24+at.Hour())*60 + at.Minute()
		want := false
		for _, h := range hours {
			days := h.Days
			if len(days) == 0 {
				days = []time.Weekday{0, 1, 2, 3, 4, 5, 6}
			}
			long := (h.To - h.From + 24*60) % (24 * 60)
			if long == 0 {
				long = 24 * 60
			}
			for _, d := range days {
				if since := (now - (int(d)*24*60 + h.From) + week) % week; since < long {
					want = true
				}
			}
		}
		if got := farm.Within(hours, at); got != want {
			t.Fatalf("%v at %v: %v", hours, at, got)
		}
		for _, h := range hours {
			if again, err := farm.ParseHours(h.String()); err != nil || again.String() != h.String() {
				t.Fatalf("%s is read as %s: %v", h, again, err)
			}
		}
	})
}

var genHours = rapid.Custom(func(t *rapid.T) farm.Hours {
	return farm.Hours{
		Days: rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, 6), func(d int) time.Weekday { return time.Weekday(d) }), 0, 7, rapid.ID).Draw(t, "days"),
		From: rapid.IntRange(0, 24*60-1).Draw(t, "from"), To: rapid.IntRange(0, 24*60-1).Draw(t, "to"),
	}
})
