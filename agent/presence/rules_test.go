package presence

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func hours(t interface{ Fatal(...any) }, texts ...string) (all []farm.Hours) {
	for _, text := range texts {
		h, err := farm.ParseHours(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

func TestEachRuleKeepsTheMachineForItsOwner(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 14, 0, 0, 0, berlin) // a Monday
	at := func(hour int) time.Time { return time.Date(2026, 11, 23, hour, 0, 0, 0, berlin) }
	all := Rules{
		IdleAfter: 10 * time.Minute, LockedIsIdle: true, MaxOtherLoad: 50, Hours: hours(t, "mon-fri 12:00-20:00"),
		Programs: []string{"AfterFX", "Maya*", "Cinema 4D"}, NotOnBattery: true,
	}
	idle := Sight{Session: SessionActive, Input: time.Hour, InputKnown: true, OtherLoad: 10}
	with := func(change func(*Rules, *Pause, *Sight)) (Rules, Pause, Sight) {
		r, p, s := all, Pause{}, idle
		if change != nil {
			change(&r, &p, &s)
		}
		return r, p, s
	}
	running := func(names ...string) func(*Rules, *Pause, *Sight) {
		return func(_ *Rules, _ *Pause, s *Sight) {
			for _, n := range names {
				s.Processes = append(s.Processes, Process{Name: n})
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*Rules, *Pause, *Sight)
		reason string // "" when it may work
		until  time.Time
	}{
		"nobody there":             {nil, "", at(20)},
		"no rules at all":          {func(r *Rules, _ *Pause, s *Sight) { *r, *s = Rules{}, Sight{Session: SessionActive, InputKnown: true} }, "", time.Time{}},
		"paused":                   {func(_ *Rules, p *Pause, _ *Sight) { p.On = true }, "paused by somebody at the machine", time.Time{}},
		"paused for a while":       {func(_ *Rules, p *Pause, _ *Sight) { *p = Pause{On: true, Until: at(15)} }, "paused by somebody at the machine", at(15)},
		"the pause has passed":     {func(_ *Rules, p *Pause, _ *Sight) { *p = Pause{On: true, Until: at(14)} }, "", at(20)},
		"paused without any rules": {func(r *Rules, p *Pause, _ *Sight) { *r, p.On = Rules{}, true }, "paused by somebody at the machine", time.Time{}},
		"outside its hours":        {func(r *Rules, _ *Pause, _ *Sight) { r.Hours = hours(t, "20:00-08:00", "sat,sun 00:00-24:00") }, "outside its hours (20:00-08:00; sat,sun 00:00-24:00)", at(20)},
		"outside the farm's hours": {func(r *Rules, _ *Pause, _ *Sight) { r.FarmHours = hours(t, "18:00-08:00") }, "outside the hours that the farm has set (18:00-08:00)", at(18)},
		"within the hours of both": {func(r *Rules, _ *Pause, _ *Sight) { r.FarmHours = hours(t, "08:00-16:00") }, "", at(16)},
		"outside its hours, within those of the farm": {func(r *Rules, _ *Pause, _ *Sight) {
			r.Hours, r.FarmHours = hours(t, "20:00-08:00"), hours(t, "08:00-16:00")
		}, "outside its hours (20:00-08:00)", at(20)},
		"a program that means work":         {running("bash", "afterfx.exe"), "afterfx.exe is running", time.Time{}},
		"one by the beginning of its name":  {running("maya.bin"), "maya.bin is running", time.Time{}},
		"another program":                   {running("AfterFXHelper", "Cinema"), "", at(20)},
		"the farm's own After Effects":      {func(_ *Rules, _ *Pause, s *Sight) { s.Processes = []Process{{Name: "AfterFX", Ours: true}} }, "", at(20)},
		"on its battery":                    {func(_ *Rules, _ *Pause, s *Sight) { s.OnBattery = true }, "it runs on its battery", time.Time{}},
		"somebody types":                    {func(_ *Rules, _ *Pause, s *Sight) { s.Input = 0 }, "somebody works at it", now.Add(10 * time.Minute)},
		"somebody typed nine minutes ago":   {func(_ *Rules, _ *Pause, s *Sight) { s.Input = 9 * time.Minute }, "somebody works at it", now.Add(time.Minute)},
		"locked":                            {func(_ *Rules, _ *Pause, s *Sight) { s.Session, s.Input = SessionLocked, 0 }, "", at(20)},
		"locked, which does not count":      {func(r *Rules, _ *Pause, s *Sight) { s.Session, s.Input, r.LockedIsIdle = SessionLocked, 0, false }, "somebody works at it", now.Add(10 * time.Minute)},
		"nobody is logged in":               {func(r *Rules, _ *Pause, s *Sight) { s.Session, s.Input, r.LockedIsIdle = SessionNone, 0, false }, "", at(20)},
		"input cannot be seen":              {func(_ *Rules, _ *Pause, s *Sight) { s.Input, s.InputKnown = 0, false }, "", at(20)},
		"other programs need the processor": {func(_ *Rules, _ *Pause, s *Sight) { s.OtherLoad = 51 }, "other programs take more than 50 % of its processors", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			r, p, s := with(c.change)
			got := r.Judge(now, p, s)
			want := farm.PresenceAway
			if c.reason == "" {
				want = farm.PresenceFree
			}
			if got.Presence != want || got.Reason != c.reason || !got.Until.Equal(c.until) {
				t.Errorf("%s, %q until %v; want %q until %v", got.Presence, got.Reason, got.Until, c.reason, c.until)
			}
		})
	}
}

// TestMoreRulesNeverLetAMachineWorkMore: each rule can only take away.
func TestMoreRulesNeverLetAMachineWorkMore(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"}
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1.6e9, 1.9e9).Draw(t, "now"), 0).In(loc)
		seen := Sight{
			Session: rapid.SampledFrom([]Session{SessionUnknown, SessionNone, SessionLocked, SessionActive}).Draw(t, "session"),
			Input:   time.Duration(rapid.IntRange(0, 3600).Draw(t, "input")) * time.Second, InputKnown: rapid.Bool().Draw(t, "known"),
			OtherLoad: rapid.Float64Range(0, 100).Draw(t, "load"), OnBattery: rapid.Bool().Draw(t, "battery"),
			Processes: []Process{{Name: rapid.SampledFrom([]string{"maya", "bash"}).Draw(t, "program"), Ours: rapid.Bool().Draw(t, "ours")}},
		}
		parts := []func(*Rules){
			func(r *Rules) { r.IdleAfter = time.Duration(rapid.IntRange(1, 3600).Draw(t, "after")) * time.Second },
			func(r *Rules) { r.MaxOtherLoad = rapid.IntRange(1, 100).Draw(t, "max") },
			func(r *Rules) { r.Programs = []string{"Maya"} },
			func(r *Rules) { r.NotOnBattery = true },
			func(r *Rules) {
				r.Hours = hours(t, rapid.SampledFrom([]string{"mon-fri 19:00-08:00", "02:30-03:00", "sun 00:00-24:00"}).Draw(t, "hours"))
			},
		}
		r := Rules{LockedIsIdle: rapid.Bool().Draw(t, "locked is idle")}
		before := farm.PresenceFree
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order") {
			parts[i](&r)
			got := r.Judge(now, Pause{}, seen)
			if before == farm.PresenceAway && got.Presence != farm.PresenceAway {
				t.Fatalf("%+v lets it work, fewer rules did not", r)
			}
			if got.Presence == farm.PresenceAway && got.Reason == "" {
				t.Fatal("no reason is given")
			}
			if !got.Until.IsZero() && !got.Until.After(now) {
				t.Fatalf("it may change at %v, which has passed at %v", got.Until, now)
			}
			before = got.Presence
		}
		if got := r.Judge(now, Pause{On: true}, seen); got.Presence != farm.PresenceAway {
			t.Fatalf("a pause lets it work: %+v", got)
		}
	})
}

func TestNamesOfPrograms(t *testing.T) {
	for _, c := range []struct {
		program, name string
		same          bool
	}{
		{"AfterFX.exe", "afterfx", true}, {"After Effects.app", "After Effects", true}, {"After Effects", "after effects.exe", true},
		{"Adobe Premiere Pro 2026", "adobe premiere pro*", true}, {"AfterFX", "After", false}, {"bash", "", false}, {"bash", "*", true},
	} {
		if Named(c.program, c.name) != c.same {
			t.Errorf("%q by the name %q: %v", c.program, c.name, !c.same)
		}
	}
}
