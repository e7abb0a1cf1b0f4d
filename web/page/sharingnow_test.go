package page

import (
	"testing"

	"overcrank/farm"
)

func TestSharesStandBesideWhatWeightsGive(t *testing.T) {
	now := farm.SharingNow{
		Teams:  map[string]farm.TeamUse{"a": {Tasks: 3, Machines: 2, Waiting: 5}, "b": {Tasks: 1, Machines: 1}, "c": {}},
		Limits: map[string]farm.LimitUse{"particles": {Taken: 2, Machines: []string{"suite-1", "suite-4"}}},
	}
	policy := farm.Policy{
		Teams:  map[string]farm.TeamPolicy{"a": {Weight: 3, MaxMachines: 4}, "c": {Weight: 9}},
		Limits: map[string]farm.LimitPolicy{"particles": {Total: 4}, "unused": {Total: 1}},
	}
	v := ShareNow(now, policy, []farm.Team{{ID: "a", Name: "Film"}, {ID: "b", Name: "News"}, {ID: "c", Name: "Sport"}, {ID: "d", Name: "Web"}})
	if len(v.Teams) != 4 {
		t.Fatalf("%+v", v.Teams)
	}
	film, news, sport := v.Teams[0], v.Teams[1], v.Teams[2]
	if film.Due != 75 || film.Has != 75 || film.hasWords(t.Context()) != "3 tasks on 2 machines of at most 4" {
		t.Errorf("%+v: %s", film, film.hasWords(t.Context()))
	}
	if news.Due != 25 || news.Has != 25 || news.hasWords(t.Context()) != "1 task on 1 machine" {
		t.Errorf("%+v: %s", news, news.hasWords(t.Context()))
	}
	if got := sport.dueWords(t.Context()); !sport.Idle || sport.bar() != 0 || got != "nothing waits; 64\u00a0% if all teams asked" {
		t.Errorf("a team that wants nothing: %+v, %q", sport, got)
	}
	if web := v.Teams[3]; !web.Idle || web.Tasks != 0 {
		t.Errorf("a team that has had nothing yet: %+v", web)
	}
	if l := v.Limits[0]; l.full() != 50 || l.holders() != "suite-1, suite-4" || v.Limits[1].Taken != 0 {
		t.Errorf("%+v", v.Limits)
	}
}

func TestWhatAPolicyWouldGiveStandsBesideWhatIs(t *testing.T) {
	now := farm.SharingNow{Teams: map[string]farm.TeamUse{"a": {Tasks: 1}, "b": {Waiting: 1}, "c": {}}, Limits: map[string]farm.LimitUse{"particles": {Taken: 2}}}
	was := farm.Policy{Limits: map[string]farm.LimitPolicy{"particles": {Total: 4}, "unused": {Total: 1}}}
	then := farm.Policy{
		Teams:  map[string]farm.TeamPolicy{"a": {Weight: 3}, "c": {MaxMachines: 2}},
		Limits: map[string]farm.LimitPolicy{"particles": {Total: 6}, "glow": {Total: 2}},
	}
	teams := []farm.Team{{ID: "a", Name: "Film"}, {ID: "b", Name: "News"}, {ID: "c", Name: "Sport"}}
	v := SharesThen(now, was, then, teams)
	if film, news, sport := v.Teams[0], v.Teams[1], v.Teams[2]; film.Due != 50 || film.Then.Due != 75 || news.Then.Due != 25 || sport.Then.mostWords(t.Context()) != "then at most 2 machines" {
		t.Errorf("%+v", v.Teams)
	}
	if v.Limits[0].totalWords(t.Context()) != "then 2 of 6" || v.Limits[1].totalWords(t.Context()) != "then no limit" {
		t.Errorf("%+v", v.Limits)
	}
	if glow := v.Limits[2]; glow.Name != "glow" || glow.taken(t.Context()) != "no limit yet" || glow.totalWords(t.Context()) != "then at most 2 at once" || glow.full() != 0 {
		t.Errorf("a limit that is being added: %+v", glow)
	}
	if same := SharesThen(now, was, was, teams); same.changes() || same.thenWords(t.Context()) != "Not saved yet: it would change nothing of who gets machines now." {
		t.Errorf("%+v", same)
	}
}
