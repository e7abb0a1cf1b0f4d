package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/agent/identity"
	"overcrank/coordinator/enrolment"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// enrol makes a machine that is not connected an agent of the farm, and gives its id.
func (r *rig) enrol(name string, inv farm.Inventory) string {
	r.t.Helper()
	_, text, err := r.farm.Invite(r.t.Context(), r.principal("ada"), enrolment.NewJoinToken{Name: "test"})
	if err != nil {
		r.t.Fatal(err)
	}
	key, err := identity.NewKey()
	if err != nil {
		r.t.Fatal(err)
	}
	request, err := identity.Request(key)
	if err != nil {
		r.t.Fatal(err)
	}
	secret, _, _ := strings.Cut(text, ".")
	enrolled, err := r.farm.Enrol(r.t.Context(), secret, wire.Enrol{Name: name, Inventory: inv, Request: request})
	if err != nil {
		r.t.Fatal(err)
	}
	return enrolled.AgentID
}

func TestAMachineIsInvitedWithACommandThatIsShownOnce(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	made := v.post("/machines/invite", url.Values{"name": {"Suite 4"}, "uses": {"2"}, "tags": {"gpu, big"}, "life": {"1h"}}).
		is(http.StatusOK, "Run this on the machine", "$env:OVERCRANK_JOIN_TOKEN", "overcrank agent --coordinator "+r.base, "Suite 4")
	secret := regexp.MustCompile(`ocj_[A-Za-z0-9]+`).FindString(made.body)
	if secret == "" {
		t.Fatal("the page shows no join token")
	}
	list := v.get("/machines/invite").is(http.StatusOK, "Suite 4", "2 of 2", "gpu, big").lacks(secret)
	id := regexp.MustCompile(`id="invitation-([0-9A-Z]+)"`).FindStringSubmatch(list.body)[1]
	v.post("/machines/invite/"+id+"/revoke", nil).is(http.StatusOK).lacks("Suite 4")
	v.post("/machines/invite", url.Values{"uses": {"0"}, "life": {"1h"}}).is(http.StatusBadRequest, "Enter at least 1")

	for _, who := range []string{"ops", "art", "vic", "zoe"} {
		r.as(who).get("/machines/invite").is(http.StatusForbidden)
		r.as(who).post("/machines/invite", url.Values{"uses": {"1"}}).is(http.StatusForbidden).lacks("ocj_")
		r.as(who).get("/machines").is(http.StatusOK).lacks("/machines/invite\"")
	}
}

func TestAMachineIsSteeredOnItsPage(t *testing.T) {
	r := start(t)
	inv := farm.Inventory{OS: "windows", CPUs: 16, Memory: 64e9, Disk: 2e12, DiskFree: 5e11, Slots: 2, GPU: "RTX 4000",
		Engines: []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0.2", Path: `C:\AE`}, {Kind: farm.EngineAfterEffects, Version: "26.1.0", Beta: true}},
		Fonts:   []farm.FontUse{{Family: "Graphik", Style: "Black", PostScript: "Graphik-Black"}, {Family: "Lora", Style: "Italic"}}, Effects: []string{"tc Particular"}}
	id := r.enrol("Suite 4", inv)
	v := r.as("ops")
	v.get("/machines").is(http.StatusOK, "Suite 4", "Offline", "26.0.2")
	v.get("/machines/"+id).is(http.StatusOK, "After Effects 26.1.0 (Beta)", "Graphik Black", "tc Particular", "RTX 4000", "465.7\u00a0GiB free").lacks("/retire")
	v.get("/machines/"+id+"?fonts=lora").is(http.StatusOK, "Lora Italic").lacks("Graphik Black")
	v.get("/machines/"+id+"?fonts=wingdings").is(http.StatusOK, "no font with that name")

	v.post("/machines/"+id+"/drain", nil).is(http.StatusOK, "Resume")
	r.holds(id, func(m farm.Machine) bool { return m.Drained })
	v.post("/machines/"+id+"/resume", nil).is(http.StatusOK).lacks("Resume")
	v.post("/machines/"+id+"/change", url.Values{"name": {"Edit suite <4>"}, "tags": {"gpu, big , gpu"}}).is(http.StatusOK, "Edit suite &lt;4&gt;", "big, gpu")
	v.post("/machines/"+id+"/retire", url.Values{"name": {"Edit suite <4>"}}).is(http.StatusForbidden)
	v.get("/machines?state=offline").is(http.StatusOK, "Edit suite")
	v.get("/machines?state=free").is(http.StatusOK, "No machine is in this state").lacks("Edit suite &lt;")

	for _, who := range []string{"vic", "art", "zoe"} {
		r.as(who).get("/machines/"+id).is(http.StatusOK, "Graphik").lacks("/drain", "/retire", "/change")
		r.as(who).post("/machines/"+id+"/pause", nil).is(http.StatusForbidden)
	}
	ada := r.as("ada")
	ada.post("/machines/"+id+"/retire", url.Values{"name": {"something else"}}).is(http.StatusBadRequest, "not the name")
	ada.post("/machines/"+id+"/retire", url.Values{"name": {"Edit suite <4>"}}).is(http.StatusOK).lacks("Edit suite")
	ada.get("/machines/" + id).is(http.StatusNotFound)
}

// holds holds a machine's record to something.
func (r *rig) holds(id string, ok func(farm.Machine) bool) {
	r.t.Helper()
	m, err := r.farm.Agent(r.t.Context(), r.principal("ada"), id)
	if err != nil || !ok(m) {
		r.t.Errorf("the machine is %+v, %v", m, err)
	}
}

func TestAMachineIsComparedWithTheOthers(t *testing.T) {
	r := start(t)
	font := func(names ...string) (list []farm.FontUse) {
		for _, n := range names {
			list = append(list, farm.FontUse{PostScript: n})
		}
		return list
	}
	ae := func(v string) []farm.EngineInfo {
		return []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: v}}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		r.enrol(name, farm.Inventory{OS: "linux", Fonts: font("Graphik-Black", "Lora"), Engines: ae("26.0.2"), Effects: []string{"tc Particular"}})
	}
	odd := r.enrol("odd", farm.Inventory{OS: "linux", Fonts: font("Lora"), Engines: ae("25.6")})
	v := r.as("vic")
	v.get("/machines/"+odd).is(http.StatusOK, "Lacks 1 font that most other machines have", "Graphik-Black", "4 of 4 other machines have it",
		"Lacks 1 effect that", "tc Particular", "Lacks 1 version of After Effects that", "Only this machine has After Effects 25.6", "Nothing is known of the last 24 hours yet", "Not known: the machine is offline")
	all, _, err := r.farm.Agents(t.Context(), r.principal("ada"), farm.AgentQuery{})
	if err != nil {
		t.Fatal(err)
	}
	v.get("/machines/"+all[0].ID).is(http.StatusOK, "It has every font, effect and version of After Effects that most of the other 4 machines have")
	ada := r.as("ada")
	for _, m := range all[:3] { // what is left is too little to compare with
		ada.post("/machines/"+m.ID+"/retire", url.Values{"name": {m.Name}}).is(http.StatusOK)
	}
	v.get("/machines/" + odd).is(http.StatusOK).lacks("Against the other machines")
}
