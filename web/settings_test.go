package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestATokenIsShownOnceAndEndsWhenItIsRevoked(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	made := v.post("/settings/api-tokens", url.Values{"name": {"nightly"}, "role": {"producer"}, "life": {"30"}}).is(http.StatusOK, "nightly", "it is not shown again")
	secret := regexp.MustCompile(`oct_[a-z0-9]+`).FindString(made.body)
	if secret == "" {
		t.Fatal("the page shows no token")
	}
	p, err := r.farm.Authenticate(t.Context(), secret)
	if err != nil || p.Role != farm.RoleProducer || p.Name != "nightly" {
		t.Fatalf("the token stands for %+v, %v", p, err)
	}
	if list := v.get("/settings/api-tokens").is(http.StatusOK, "nightly"); strings.Contains(list.body, secret) {
		t.Error("the list shows the token's secret")
	}
	v.post("/settings/api-tokens/"+p.TokenID+"/revoke", nil).is(http.StatusOK, "API tokens")
	if _, err := r.farm.Authenticate(t.Context(), secret); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("the revoked token: %v", err)
	}
	v.post("/settings/api-tokens", url.Values{"name": {""}, "role": {"producer"}, "life": {"30"}}).is(http.StatusBadRequest)
	v.post("/settings/api-tokens", url.Values{"name": {"x"}, "role": {"producer"}, "life": {"9999"}}).is(http.StatusBadRequest)
}

func TestAPersonSignsInByLinkAndIsOutWhenRemoved(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	invited := v.post("/settings/people", url.Values{"name": {"Mia"}, "role": {"artist"}, "life": {"90"}}).is(http.StatusOK, "Mia", "once")
	path := regexp.MustCompile(`/sign-in/[A-Za-z0-9]+`).FindString(invited.body)
	mia := r.visit()
	mia.get(path).is(http.StatusOK, "Sign in as Mia")
	mia.post(path, url.Values{"password": {"mia"}}).is(http.StatusBadRequest, "cannot be used", "needs 12 characters")
	mia.post(path, url.Values{"password": {"correct horse battery"}}).is(http.StatusOK, "<h1>Overview</h1>", "Mia")
	r.visit().get(path).is(http.StatusGone)

	id := regexp.MustCompile(`id="token-([0-9A-Z]+)"`).FindStringSubmatch(invited.body)[1]
	v.post("/settings/people/"+id+"/link", nil).is(http.StatusOK, "/sign-in/")
	v.post("/settings/people/"+id+"/revoke", nil).is(http.StatusOK, "People")
	mia.get("/jobs").is(http.StatusOK, "Name or e-mail") // the sign-in page
}

func TestAPersonIsChangedAsOthersLearn(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	invited := v.post("/settings/people", url.Values{"name": {"Mia"}, "role": {"artist"}, "life": {""}}).is(http.StatusOK)
	id := regexp.MustCompile(`id="token-([0-9A-Z]+)"`).FindStringSubmatch(invited.body)[1]
	at := "/settings/people/" + id
	v.get("/settings/people").is(http.StatusOK, `href="`+at+`"`)
	v.get(at).is(http.StatusOK, "<h1>Mia</h1>", "Access does not end by itself")
	form := func(more url.Values) url.Values {
		all := url.Values{"name": {"Mia"}, "email": {""}, "role": {"artist"}, "life": {"as-it-is"}}
		for field, value := range more {
			all[field] = value
		}
		return all
	}
	v.post(at, form(url.Values{"name": {"Mia Wong"}, "email": {"Mia@Studio.example"}, "role": {"producer"}, "life": {"30"}})).is(http.StatusOK, "Mia Wong", "mia@studio.example")
	changed, there := r.person("Mia Wong")
	if end := time.Until(changed.ExpiresAt); !there || changed.Role != farm.RoleProducer || changed.Email != "mia@studio.example" || end < 29*24*time.Hour || end > 30*24*time.Hour {
		t.Fatalf("after the change: %+v", changed)
	}
	v.post(at, url.Values{"name": {"Mia Wong"}, "email": {"mia@studio.example"}, "role": {"producer"}, "life": {"as-it-is"}}).is(http.StatusOK)
	if same, _ := r.person("Mia Wong"); !same.ExpiresAt.Equal(changed.ExpiresAt) {
		t.Errorf("an end that was left as it is became %v, not %v", same.ExpiresAt, changed.ExpiresAt)
	}
	v.get(at).is(http.StatusOK, "Access ends")
	v.post(at, form(url.Values{"name": {" "}})).is(http.StatusBadRequest, "A name is needed", `value="artist" selected`)
	v.post(at, form(url.Values{"email": {"nowhere"}})).is(http.StatusBadRequest, "is not an e-mail address", `value="nowhere"`)
	v.post(at, form(url.Values{"role": {"emperor"}})).is(http.StatusBadRequest)
	v.post(at, form(url.Values{"life": {"9999"}})).is(http.StatusBadRequest)
	v.post("/settings/people/01ARZ3NDEKTSV4RRFFQ69G5FAV", form(nil)).is(http.StatusNotFound)
	v.get("/settings/api-tokens/" + id).is(http.StatusNotFound) // a person is no program
	r.as("zoe").get(at).is(http.StatusNotFound)                 // of another team
}

// TestAPersonIsMovedToAnotherTeam is offered to whoever looks after all teams, and not for themselves.
func TestAPersonIsMovedToAnotherTeam(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	invited := v.post("/settings/people", url.Values{"name": {"Mia"}, "role": {"artist"}, "life": {""}}).is(http.StatusOK)
	id := regexp.MustCompile(`id="token-([0-9A-Z]+)"`).FindStringSubmatch(invited.body)[1]
	mia := r.visit()
	mia.post(regexp.MustCompile(`/sign-in/[A-Za-z0-9]+`).FindString(invited.body), url.Values{"password": {"correct horse battery"}}).is(http.StatusOK, "Mia")
	v.post("/settings/teams", url.Values{"name": {"Trailers"}, "who": {"Tess"}}).is(http.StatusOK)
	trailers, own := teamNamed(t, r, "Trailers"), staff[0].Team
	at := "/settings/people/" + id
	form := func(team string) url.Values {
		return url.Values{"name": {"Mia"}, "email": {""}, "role": {"artist"}, "life": {"as-it-is"}, "team": {team}}
	}
	v.get(at).is(http.StatusOK, `value="`+own+`" selected`, "Their jobs stay with")
	v.post(at, form("nowhere")).is(http.StatusBadRequest, "does not exist")
	v.post(at, form(trailers)).is(http.StatusOK, "Mia is in the team Trailers now", "People of Trailers").lacks(`id="token-` + id)
	mia.get("/jobs").is(http.StatusOK, "Name or e-mail") // signed out

	theirs := "/settings/people?team=" + trailers
	v.get("/settings/teams").is(http.StatusOK, `href="`+theirs+`"`)
	v.get(theirs).is(http.StatusOK, "<h1>People of Trailers</h1>", "Mia", "Tess", `name="team" value="`+trailers+`"`)
	v.post(at+"/link", nil).is(http.StatusOK, "<h1>People of Trailers</h1>", "/sign-in/")
	v.post("/settings/people", url.Values{"name": {"Tom"}, "role": {"artist"}, "life": {""}, "team": {trailers}}).is(http.StatusOK, "<h1>People of Trailers</h1>", "Send this link to Tom")
	v.post(at, form(own)).is(http.StatusOK, "<h1>People of Trailers</h1>", "Mia is in the team").lacks(`id="token-` + id)
	v.get("/settings/audit?action=person.move").is(http.StatusOK, "from “"+own+"” to “Trailers”", "from “Trailers” to “"+own+"”")
	v.get("/settings/audit.csv?action=person.move").is(http.StatusOK, ",left,joined", ",Trailers,"+own+"\n")
	if p, there := r.person("Mia"); !there || p.Team != own {
		t.Errorf("moved back she is %+v", p)
	}
	if tom, there := r.personOf(trailers, "Tom"); !there {
		t.Error("nobody called Tom is in the other team")
	} else {
		v.post("/settings/people/"+tom.ID+"/revoke", nil).is(http.StatusOK, "<h1>People of Trailers</h1>").lacks("Tom")
	}
	r.as("zoe").get(theirs).is(http.StatusNotFound)
}

// TestWhatIsHandedOnNamesTheFarmsAddress is asked at an address that is not the one with which links begin.
func TestWhatIsHandedOnNamesTheFarmsAddress(t *testing.T) {
	const public = "https://farm.example.com"
	r := start(t, func(r *rig) { r.public = public })
	v := r.as("ada")
	invited := v.post("/settings/people", url.Values{"name": {"Mia"}, "role": {"artist"}, "life": {"90"}}).is(http.StatusOK, public+"/sign-in/").lacks(r.base)
	id := regexp.MustCompile(`id="token-([0-9A-Z]+)"`).FindStringSubmatch(invited.body)[1]
	for _, again := range []string{"/link", "/reset"} {
		v.post("/settings/people/"+id+again, nil).is(http.StatusOK, public+"/sign-in/").lacks(r.base)
	}
	v.post("/machines/invite", url.Values{"name": {"suite"}, "uses": {"1"}, "life": {"1h"}}).is(http.StatusOK, "overcrank agent --coordinator "+public).lacks(r.base)
}

func TestTheCoordinatorsAreShownToAdministratorsOfTheFarm(t *testing.T) {
	r := start(t)
	r.as("ada").get("/settings/coordinators").is(http.StatusOK, "Coordinators", "Leads", "serves this page", "any one of them may fail", "which other coordinators cannot reach", " free", "State ", "none yet: the whole log is kept",
		"The farm knows of no backup", "overcrank backup farm.ocbackup").lacks("Make it lead") // it does already
	r.as("ada").post("/settings/coordinators/lead", nil).is(http.StatusBadRequest)
	r.as("ada").post("/settings/coordinators/lead", url.Values{"coordinator": {"nobody"}}).is(http.StatusConflict)
	other := r.as("zoe") // an administrator of another team
	other.get("/settings/coordinators").is(http.StatusForbidden)
	if list := other.get("/settings/fonts").is(http.StatusOK); strings.Contains(list.body, "/settings/coordinators") {
		t.Error("the page is offered to whoever may not read it")
	}
}

func TestASecretIsKeptAndNeverShown(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	const value = "swordfish-4711"
	if a := v.post("/settings/secrets", url.Values{"name": {"BUCKET_KEY"}, "value": {value}}).is(http.StatusOK, "BUCKET_KEY"); strings.Contains(a.body, value) {
		t.Error("the page shows the value")
	}
	if a := v.post("/settings/secrets", url.Values{"name": {"BUCKET_KEY"}, "value": {value}}).is(http.StatusConflict, "BUCKET_KEY"); strings.Contains(a.body, value) {
		t.Error("the page shows the value")
	}
	list, err := r.farm.Secrets().List(t.Context(), r.principal("ada"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	r.as("zoe").post("/settings/secrets/"+list[0].ID+"/delete", nil).is(http.StatusNotFound)
	v.post("/settings/secrets/"+list[0].ID+"/delete", nil).is(http.StatusOK, "No secrets yet")
}

func TestRolesDecideWhichSettingsOpen(t *testing.T) {
	r := start(t)
	for _, c := range []struct {
		who  string
		path string
		want int
	}{
		{"vic", "/settings/fonts", http.StatusOK},
		{"vic", "/settings/secrets", http.StatusForbidden},
		{"vic", "/settings/api-tokens", http.StatusForbidden},
		{"art", "/settings/secrets", http.StatusOK},
		{"art", "/settings/webhooks", http.StatusForbidden},
		{"art", "/settings/people", http.StatusForbidden},
		{"zoe", "/settings/webhooks", http.StatusOK},
	} {
		r.as(c.who).get(c.path).is(c.want)
	}
	r.as("art").post("/settings/secrets", url.Values{"name": {"X"}, "value": {"y"}}).is(http.StatusForbidden)
	r.as("art").post("/settings/api-tokens", url.Values{"name": {"X"}, "role": {"admin"}, "life": {""}}).is(http.StatusForbidden)
	if a := r.as("art").get("/settings"); a.path != "/settings/fonts" {
		t.Errorf("an artist's settings are at %s", a.path)
	}
}

func TestSettingsListWhatTheReaderMaySee(t *testing.T) {
	r := start(t)
	count := map[string]int{}
	for _, name := range []string{"ada", "art", "vic"} {
		v := r.as(name)
		list := v.get("/settings/sharing").is(http.StatusOK, `class="beside"`)
		beside, _, _ := strings.Cut(list.body[strings.Index(list.body, `class="beside"`):], "</nav>")
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(beside, -1) {
			v.get(link[1]).is(http.StatusOK, `href="`+link[1]+`" aria-current="page"`)
			count[name]++
		}
	}
	if count["ada"] < 11 || count["vic"] < 3 || count["vic"] >= count["ada"] {
		t.Errorf("pages of the settings by reader: %v", count)
	}
}
