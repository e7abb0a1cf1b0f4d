package membership_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	. "overcrank/coordinator/membership"
)

var limits = Limits{PromoteAfter: 10 * time.Second, RemoveAfter: 72 * time.Hour}

func voter(id string, silent time.Duration) Member {
	return Member{ID: id, Name: id, Voter: true, Silent: silent}
}

func follower(id string, silent, keepsUp time.Duration) Member {
	return Member{ID: id, Name: id, Silent: silent, KeepsUp: keepsUp}
}

func TestNext(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		members []Member
		want    string
	}{
		"a farm of one":                                  {[]Member{voter("a", 0)}, " "},
		"one that has just come":                         {[]Member{voter("a", 0), follower("b", 0, 9*time.Second)}, " "},
		"one that keeps up":                              {[]Member{voter("a", 0), follower("b", 0, 10*time.Second)}, "promote b"},
		"two that keep up, the longer one first":         {[]Member{voter("a", 0), follower("b", 0, 10*time.Second), follower("c", 0, 11*time.Second)}, "promote c"},
		"one that kept up and is silent":                 {[]Member{voter("a", 0), follower("b", DeadAfter, time.Minute)}, " "},
		"a vote comes before a removal":                  {[]Member{voter("a", 0), voter("b", 0), voter("c", 5*day), follower("d", 0, time.Minute)}, "promote d"},
		"one of three is gone over a weekend":            {[]Member{voter("a", 0), voter("b", 0), voter("c", 3*day)}, "remove c"},
		"one of three is gone since yesterday":           {[]Member{voter("a", 0), voter("b", 0), voter("c", day)}, " "},
		"of two that are gone the longer one first":      {[]Member{voter("a", 0), voter("b", 0), voter("c", 0), voter("d", 3*day), voter("e", 4*day)}, "remove e"},
		"the other one of two":                           {[]Member{voter("a", 0), voter("b", 3*day)}, "remove b"},
		"no majority of the rest, three of five are out": {[]Member{voter("a", 0), voter("b", 0), voter("c", 3*day), voter("d", 3*day), voter("e", 3*day)}, " "},
		"a follower that never came":                     {[]Member{voter("a", 0), follower("b", time.Hour, 0)}, "remove b"},
	} {
		step := Next(c.members, limits)
		if got := fmt.Sprintf("%s %s", step.Change, step.Member.ID); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if step := Next([]Member{voter("a", 0), voter("b", 0), voter("c", 100*day)}, Limits{PromoteAfter: time.Second}); step.Change != Nothing {
		t.Errorf("without a limit: %v", step)
	}
}

func drawMembers(t *rapid.T) []Member {
	members := []Member{voter("leader", 0)}
	for i := range rapid.IntRange(0, 6).Draw(t, "others") {
		m := Member{ID: fmt.Sprint("n", i), Voter: rapid.Bool().Draw(t, "voter")}
		m.Silent = rapid.SampledFrom([]time.Duration{0, time.Second, DeadAfter, 2 * time.Hour, 100 * time.Hour}).Draw(t, "silent")
		m.KeepsUp = rapid.SampledFrom([]time.Duration{0, 10 * time.Second, time.Hour}).Draw(t, "keeps up")
		members = append(members, m)
	}
	return members
}

// No step of the rule stops a working farm, and the steps come to an end.
func TestStepsKeepTheMajority(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawMembers(t)
		for range 2 * len(members) {
			before := Stand(members)
			step := Next(members, limits)
			switch step.Change {
			case Nothing:
				return
			case Promote:
				for i := range members {
					if members[i].ID == step.Member.ID {
						members[i].Voter = true
					}
				}
			case Remove:
				var left []Member
				for _, m := range members {
					if m.ID != step.Member.ID {
						left = append(left, m)
					} else if !m.Dead() {
						t.Fatalf("%s is alive and removed", m.ID)
					}
				}
				members = left
			}
			if after := Stand(members); before.Spare >= 0 && after.Spare < 0 {
				t.Fatalf("%v took the majority: %+v, then %+v", step, before, after)
			}
		}
		t.Fatalf("the rule never rests: %+v", members)
	})
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		members []Member
		want    []string
	}{
		"a farm of one":       {[]Member{voter("a", 0)}, nil},
		"three":               {[]Member{voter("a", 0), voter("b", 0), voter("c", 0)}, nil},
		"two":                 {[]Member{voter("a", 0), voter("b", 0)}, []string{"one more", "1, 3 or 5"}},
		"one of three is out": {[]Member{voter("a", 0), voter("b", 0), voter("c", time.Minute)}, []string{"c has not answered for 1 min", "one more"}},
		"a clock is behind":   {[]Member{voter("a", 0), {ID: "b", Name: "b", Skew: -time.Hour}}, []string{"clock of coordinator b is 1 h behind"}},
		"a state differs":     {[]Member{voter("a", 0), {ID: "b", Name: "b", Astray: true}, voter("c", 0)}, []string{"the state of coordinator b differs from the others': stop it", "one more", "1, 3 or 5"}},
		"clocks nearly agree": {[]Member{voter("a", 0), {ID: "b", Name: "b", Skew: 50 * time.Second}}, nil},
		"two of three are":    {[]Member{voter("a", 0), voter("b", time.Minute), voter("c", time.Minute)}, []string{"b has", "c has", "1 of 3"}},
	} {
		got := Warnings(c.members)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: %q, want %q in it", name, got[i], want)
			}
		}
	}
}
