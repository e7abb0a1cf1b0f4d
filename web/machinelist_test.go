package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/web"
)

func TestMachinesAreFoundSortedAndShownAsPictures(t *testing.T) {
	r := start(t)
	big := r.enrol("Suite 10", farm.Inventory{OS: "windows", Memory: 64 << 30, DiskFree: 9 << 40, Version: "1.2.3", Engines: []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0.2"}}})
	small := r.enrol("<Attic>", farm.Inventory{OS: "linux", Memory: 8 << 30, DiskFree: 1 << 30, Version: "1.2.3", Tags: []string{"night"}})
	v := r.as("ops")
	page := v.get("/machines?sort=disk").is(http.StatusOK, "&lt;Attic&gt;", "Suite 10", "2 machines", `aria-sort="ascending"`, "/machines?order=down&amp;sort=load").lacks("<Attic>")
	if strings.Index(page.body, "machine-"+small) > strings.Index(page.body, "machine-"+big) {
		t.Error("the disk with the least room is not first")
	}
	v.get("/machines?q=night").is(http.StatusOK, "&lt;Attic&gt;", "1 machine").lacks("machine-" + big)
	v.get("/machines?ae=26.0.2").is(http.StatusOK, "Suite 10").lacks("machine-" + small)
	v.get("/machines?q=nothing+of+the+kind").is(http.StatusOK, "No machine fits this filter", "Show all")
	v.get("/machines?view=wall").is(http.StatusOK, `class="tiles"`, `id="machine-`+big+`" data-row`).lacks("<table")
	v.get("/machines/"+big+"/now").is(http.StatusOK, "<svg")
	v.get("/machines/nobody/now").is(http.StatusNotFound)
	r.as("vic").get("/machines").is(http.StatusOK, "Suite 10").lacks("data-pick", `id="selection"`)
}

func TestAJobWithoutANameIsCalledByItsTemplateWhereMachinesRenderIt(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("art")
	job, err := r.farm.Submit(t.Context(), r.principal("art"), farm.Job{Template: farm.JobTemplate{ID: card.ID, Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	m := farm.Machine{Running: []farm.RunningTask{{Job: job.ID}, {Job: "gone"}}}
	runs, err := web.RunsOf(t.Context(), r.farm, r.principal("art"), m)
	if err != nil || len(runs) != 1 || runs[0].Title != card.DisplayName+" · main" {
		t.Errorf("the machine works on %+v, %v", runs, err)
	}
}

func TestManyMachinesAreSteeredAtOnce(t *testing.T) {
	r := start(t)
	one, two := r.enrol("Suite 1", farm.Inventory{OS: "linux"}), r.enrol("Suite 2", farm.Inventory{OS: "linux"})
	v := r.as("ops")
	both := url.Values{"id": {one, two}}
	do := func(what string, more url.Values) answer {
		form := url.Values{"do": {what}}
		for _, values := range []url.Values{both, more} {
			for k, list := range values {
				form[k] = list
			}
		}
		return v.post("/machines/change", form)
	}
	do("drain", nil).is(http.StatusOK, "Suite 1")
	r.holds(one, func(m farm.Machine) bool { return m.Drained })
	r.holds(two, func(m farm.Machine) bool { return m.Drained })
	do("pause", nil).is(http.StatusOK)
	r.holds(two, func(m farm.Machine) bool { return m.Paused })
	do("resume", url.Values{"id": {two}}).is(http.StatusOK)
	r.holds(two, func(m farm.Machine) bool { return !m.Paused && !m.Drained })
	r.holds(one, func(m farm.Machine) bool { return m.Paused && m.Drained })
	do("tag", url.Values{"word": {" night "}}).is(http.StatusOK, "night")
	r.holds(one, func(m farm.Machine) bool { return len(m.Tags) == 1 && m.Tags[0] == "night" })
	v.post("/machines/change", url.Values{"do": {"untag"}, "word": {"night"}, "all": {"1"}, "q": {"suite 2"}}).is(http.StatusOK)
	r.holds(one, func(m farm.Machine) bool { return len(m.Tags) == 1 })
	r.holds(two, func(m farm.Machine) bool { return len(m.Tags) == 0 })

	do("dance", nil).is(http.StatusBadRequest, "drain, pause, resume, tag or untag")
	do("tag", nil).is(http.StatusBadRequest, "Type the tag")
	v.post("/machines/change", url.Values{"do": {"drain"}}).is(http.StatusBadRequest, "no machine is selected")
	v.post("/machines/change", url.Values{"do": {"drain"}, "id": {"gone"}}).is(http.StatusBadRequest, "no machine is selected")
	r.as("vic").post("/machines/change", url.Values{"do": {"pause"}, "id": {two}}).is(http.StatusForbidden)
	r.holds(two, func(m farm.Machine) bool { return !m.Paused && !m.Drained })
}

func TestABarOverMachinesThatIsRefusedKeepsWhatWasChosenAndTyped(t *testing.T) {
	r := start(t)
	one := r.enrol("Suite 1", farm.Inventory{OS: "linux"})
	r.enrol("Other", farm.Inventory{OS: "linux"})
	v := r.as("ops")
	v.post("/machines/change", url.Values{"do": {"tag"}, "word": {" "}, "id": {one}, "q": {"suite"}}).
		is(http.StatusBadRequest, `value="`+one+`" form="selection" data-pick checked`, `aria-invalid="true"`, "Type the tag", "Nothing was changed.").lacks("Other")
	v.post("/machines/change", url.Values{"do": {"pause"}, "all": {"1"}, "q": {"none"}, "word": {"kept"}}).is(http.StatusBadRequest, "no machine is selected", `value="kept"`)
}

func TestTheHoursOfMachinesAreMarked(t *testing.T) {
	r := start(t)
	r.eventually("the farm's level is the newest", func() bool { return r.farm.Cluster().Level() == command.NewestLevel })
	one, two := r.enrol("Suite 1", farm.Inventory{OS: "linux"}), r.enrol("Suite 2", farm.Inventory{OS: "linux"})
	v := r.as("ops")
	hours := func(id string) string {
		m, err := r.farm.Agent(t.Context(), r.principal("ops"), id)
		if err != nil {
			t.Fatal(err)
		}
		return farm.JoinHours(m.Hours)
	}
	v.get("/machines/"+one).is(http.StatusOK, "The farm gives it work at any hour", "data-hours", `value="1-19" checked`)
	v.post("/machines/hours", url.Values{"id": {one}, "open": {"1-19", "1-20", "2-19", "2-20"}}).is(http.StatusOK, "The farm gives it work mon,tue 19:00-21:00", `value="1-19" checked`).lacks(`value="1-21" checked`)
	v.get("/machines?q=suite").is(http.StatusOK, `formaction="/machines/hours"`)
	v.get("/machines/hours?"+url.Values{"id": {one, two}}.Encode()).is(http.StatusOK, "2 machines are selected", "Suite 2")
	v.post("/machines/hours", url.Values{"id": {one, two}, "open": {"0-0"}}).is(http.StatusOK)
	if hours(one) != "sun 00:00-01:00" || hours(two) != hours(one) {
		t.Errorf("the hours are %q and %q", hours(one), hours(two))
	}
	v.post("/machines/hours", url.Values{"id": {one, two}}).is(http.StatusBadRequest, "Mark at least one hour")
	v.post("/machines/hours", url.Values{"id": {"gone"}, "open": {"0-0"}}).is(http.StatusBadRequest)
	if a := v.get("/machines/hours").is(http.StatusOK); a.path != "/machines" {
		t.Errorf("without a machine the page is %s", a.path)
	}
	r.as("vic").get("/machines/"+one).is(http.StatusOK, "The farm gives it work sun 00:00-01:00").lacks("data-hours")
	r.as("vic").post("/machines/hours", url.Values{"id": {one}, "open": {"0-0"}}).is(http.StatusForbidden)
	if hours(one) != "sun 00:00-01:00" {
		t.Error("somebody who may not has set the hours")
	}
}
