package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/web/page"
)

func TestTheFarmIsSharedByAForm(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	team := staff[3].Team
	form := url.Values{
		"revision": {"0"}, "levels.overnight.hours": {"mon-fri 19:00-08:00\r\nsat,sun 00:00-24:00"}, "levels.rush.maxShare": {"50"},
		"teams." + team + ".weight": {"2.5"}, "teams." + team + ".maxMachines": {"4"},
		"limit": {"0"}, "limit.0.name": {"particular"}, "limit.0.total": {"3"}, "limit.0.effects": {"tc Particular, tc *"}, "limit.0.byMachine": {"1"},
		"split.maxRanges": {"20"}, "retry.maxAttempts": {"5"}, "maxMachinesPerJob": {"8"}, "maxSlotsPerMachine": {"2"},
	}
	var saved answer
	r.eventually("the farm is at the level of this release", func() bool {
		saved = v.post("/settings/sharing", form)
		return saved.status != http.StatusConflict
	})
	saved.is(http.StatusOK, "Saved.", "particular", "sat,sun 00:00-24:00", "2.5", `name="maxSlotsPerMachine" value="2"`)
	policy, err := r.farm.Policy(t.Context(), r.principal("ada"))
	if err != nil || policy.Revision != 1 || policy.Levels[farm.LevelRush].MaxShare != 0.5 || len(policy.Levels[farm.LevelOvernight].Hours) != 2 ||
		policy.Teams[team] != (farm.TeamPolicy{Weight: 2.5, MaxMachines: 4}) || policy.Limits["particular"].Total != 3 || !policy.Limits["particular"].ByMachine ||
		policy.Split.MaxRanges != 20 || policy.Retry.MaxAttempts != 5 || policy.MaxMachinesPerJob != 8 || policy.MaxSlotsPerMachine != 2 {
		t.Fatalf("the policy is %+v, %v", policy, err)
	}

	form.Set("levels.rush.maxShare", "70")
	v.post("/settings/sharing", form).is(http.StatusConflict, "ada changed these settings in the meantime", "Save mine instead", `value="70"`, `name="revision" value="1"`)
	form.Set("revision", "1")
	form.Set("limit.0.was", "particular")
	form.Set("limit.0.remove", "1")
	v.post("/settings/sharing", form).is(http.StatusOK, "Saved.", `value="70"`).lacks(`value="particular"`)
}

func TestTheHoursOfALevelAreDrawnOrTyped(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	const field = "levels.overnight.hours"
	hours := func() string {
		policy, err := r.farm.Policy(t.Context(), r.principal("ada"))
		if err != nil {
			t.Fatal(err)
		}
		return farm.JoinHours(policy.Levels[farm.LevelOvernight].Hours)
	}
	revision := 0
	save := func(was, text string, marked ...string) answer {
		form := url.Values{"revision": {strconv.Itoa(revision)}, field: {text}, field + ".was": {was}, field + ".open": marked}
		return v.post("/settings/sharing", form)
	}
	saved := func(want, was, text string, marked ...string) {
		t.Helper()
		r.eventually("the farm is at the level of this release", func() bool { return save(was, text, marked...).status != http.StatusConflict })
		revision++
		if got := hours(); got != want {
			t.Errorf("text %q in the place of %q, with %d hours marked: the level has %q, want %q", text, was, len(marked), got, want)
		}
	}
	all := page.MarksOf(nil)
	saved("mon,tue 19:00-21:00", "", "", "1-19", "1-20", "2-19", "2-20")
	v.get("/settings/sharing").is(http.StatusOK, `name="`+field+`.open" value="1-19" checked`, "data-hours").lacks(`name="` + field + `.open" value="3-19" checked`)
	saved("22:30-06:00", "mon,tue 19:00-21:00", "22:30-06:00", "1-19", "1-20", "2-19", "2-20")
	half, err := farm.ParseHours("22:30-06:00")
	if err != nil {
		t.Fatal(err)
	}
	saved("22:30-06:00", "22:30-06:00", "22:30-06:00", page.MarksOf([]farm.Hours{half})...) // minutes stay while nothing is marked
	saved("sun 08:00-09:00", "22:30-06:00", "sun 08:00-09:00", all...)                      // the text counts where both are changed
	save("sun 08:00-09:00", "sun 08:00-09:00").is(http.StatusBadRequest, "Mark at least one hour")
	saved("", "sun 08:00-09:00", "sun 08:00-09:00", all...)
	r.as("vic").get("/settings/sharing").is(http.StatusOK).lacks("data-hours")
}

func TestWhatIsWrongWithTheSharingStandsBesideItsField(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	for field, value := range map[string]struct{ value, want string }{
		"levels.rush.maxShare":   {"150", "Has to be from 1 to 100"},
		"levels.overnight.hours": {"sometimes", "is not a weekly window"},
		"retry.maxAttempts":      {"900", "Has to be between 0 and " + strconv.Itoa(farm.MostAttempts)},
		"split.minSeconds":       {"soon", "Has to be a number"},
		"maxMachinesPerJob":      {"1.5", "Has to be a whole number"},
		"maxSlotsPerMachine":     {"many", "Has to be a whole number"},
	} {
		a := v.post("/settings/sharing", url.Values{"revision": {"0"}, field: {value.value}}).is(http.StatusBadRequest, "Nothing was saved", value.want, value.value).lacks("Some fields are not valid")
		if problem := `id="` + field + `-problem">`; !strings.Contains(a.body, problem) {
			t.Errorf("%s is not told beside its field", field)
		}
	}
	v.post("/settings/sharing", url.Values{"revision": {"0"}, "limit": {"0"}, "limit.0.name": {"two words"}, "limit.0.total": {"1"}}).is(http.StatusBadRequest, "not a valid name for a limit")
	for _, who := range []string{"ops", "art", "zoe"} {
		r.as(who).get("/settings/sharing").is(http.StatusOK, "disabled").lacks(`type="submit">Save`)
		r.as(who).post("/settings/sharing", url.Values{"revision": {"0"}}).is(http.StatusForbidden)
	}
}

func TestSharesAreShownToThoseWhomTheyConcern(t *testing.T) {
	r := start(t)
	r.submit("ada", "Spring spot")
	r.submit("zoe", "Autumn spot")
	own, other := staff[0].Team, staff[len(staff)-1].Team
	row := func(team string) string { return `<td class="name" dir="auto">` + team + `</td>` }
	r.eventually("both teams wait", func() bool { // each for one task, with half of the farm
		body := r.as("ada").get("/settings/sharing").body
		return strings.Contains(body, row(own)) && strings.Contains(body, row(other)) && strings.Count(body, "50\u00a0%") == 2
	})
	ada := r.as("ada")
	then := func(form url.Values) answer { return ada.post("/settings/sharing/shares", form) }
	then(url.Values{"revision": {"0"}, "teams." + own + ".weight": {"3"}, "teams." + other + ".maxMachines": {"1"}}).is(http.StatusOK, "then 75\u00a0%", "then 25\u00a0%", "then at most 1 machine", "Not saved yet: what would change")
	then(url.Values{"revision": {"0"}, "limit": {"0"}, "limit.0.name": {"glow"}, "limit.0.total": {"2"}}).is(http.StatusOK, "glow", "no limit yet", "then at most 2 at once")
	then(url.Values{"revision": {"0"}}).is(http.StatusOK, "50\u00a0%", "it would change nothing").lacks("then ")
	then(url.Values{"revision": {"0"}, "teams." + own + ".weight": {"much"}}).is(http.StatusOK, "50\u00a0%", own+", Weight: has to be a number.").lacks("then ")
	then(url.Values{"revision": {"0"}, "limit": {"0"}, "limit.0.name": {"glow"}}).is(http.StatusOK, "Limit “glow”, On the farm: has to say how many there are.").lacks("then ", "and 1 more")
	then(url.Values{"revision": {"0"}, "limit": {"0"}, "limit.0.name": {"two words"}, "limit.0.total": {"x"}}).is(http.StatusOK, "Limit “two words”, On the farm: has to be a whole number, and 1 more.")
	then(url.Values{"revision": {"0"}, "teams." + own + ".weight": {"-3"}, "retry.maxAttempts": {"900"}, "levels.rush.maxShare": {"200"}}).is(http.StatusOK, "Rush, At most, % of the farm: has to be from 1 to 100, and 2 more.").lacks("then ")
	ada.reads = "de"
	then(url.Values{"revision": {"0"}, "limit": {"0"}, "limit.0.name": {"glow"}}).is(http.StatusOK, "Kontingent „glow“, Auf der Farm: muss sagen")
	if policy, err := r.farm.Policy(t.Context(), r.principal("ada")); err != nil || policy.Revision != 0 || len(policy.Teams) != 0 {
		t.Errorf("a look at what would be has made the policy %+v, %v", policy, err)
	}
	r.as("vic").get("/settings/sharing").is(http.StatusOK, row(own)).lacks(row(other), "by weight")
	r.as("zoe").get("/settings/sharing").is(http.StatusOK, row(other)).lacks(row(own))
}
