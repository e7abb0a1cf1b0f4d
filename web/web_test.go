package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/coordinator/people"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

func TestPagesAskForASignIn(t *testing.T) {
	r := start(t)
	for _, path := range []string{"/", "/jobs", "/jobs/x", "/templates", "/new", "/machines", "/nowhere"} {
		if a := r.visit().get(path).is(http.StatusOK, "Name or e-mail"); a.path != "/sign-in" && a.path != "/sign-in?to="+url.QueryEscape(path) {
			t.Errorf("%s leads to %s", path, a.path)
		}
	}
	r.visit().post("/new", nil).is(http.StatusUnauthorized, "Sign in again")
	r.visit().post("/sign-in", url.Values{"token": {"nobody"}}).is(http.StatusUnauthorized, "does not know this secret")
}

func TestSigningInLeadsToWhatWasAskedFor(t *testing.T) {
	r := start(t)
	ada := r.as("ada")
	invited := ada.post("/settings/people", url.Values{"name": {"Mia"}, "role": {"artist"}, "life": {"90"}}).is(http.StatusOK)
	link := regexp.MustCompile(`/sign-in/[A-Za-z0-9]+`).FindString(invited.body)
	r.visit().post(link, url.Values{"password": {"correct horse battery"}}).is(http.StatusOK, "Mia")
	v, filtered := r.visit(), "/jobs?q=spring+%26+fall&state=failed"
	v.get(filtered).is(http.StatusOK, "Name or e-mail", `name="to" value="/jobs?q=spring+%26+fall&amp;state=failed"`)
	a := v.post("/sign-in", url.Values{"name": {"Mia"}, "password": {"correct horse battery"}, "to": {filtered}}).is(http.StatusOK)
	if a.path != filtered {
		t.Errorf("signing in leads to %s", a.path)
	}
	if a := ada.get("/sign-in?to=" + url.QueryEscape(filtered)).is(http.StatusOK); a.path != filtered {
		t.Errorf("who is signed in is led to %s", a.path)
	}
	if a := r.visit().get("/jobs?q="+strings.Repeat("long", 1000)).is(http.StatusOK, "Name or e-mail"); a.path != "/sign-in" {
		t.Errorf("a long address leads to %s", a.path)
	}
}

func TestASessionOutlivesTheFarmAndEndsWithSigningOut(t *testing.T) {
	r := &rig{t: t, dir: t.TempDir()}
	r.people()
	stop := r.serve("127.0.0.1:0")
	v := r.as("ada")
	stop()
	stop = r.serve(strings.TrimPrefix(r.base, "http://"))
	defer func() { stop() }()
	v.get("/jobs").is(http.StatusOK, "No jobs yet")

	if a := v.post("/sign-out", nil).is(http.StatusOK, "Name or e-mail"); a.path != "/sign-in" {
		t.Errorf("signing out leads to %s", a.path)
	}
	v.get("/jobs").is(http.StatusOK, "Name or e-mail")
}

func TestASignInLinkIsMadeWithATokenAndWorksOnce(t *testing.T) {
	r := start(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/api/farm/v1/sign-in-links", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := r.visit()
	v.do(req).is(http.StatusUnauthorized)
	req.Header.Set("Authorization", "Bearer ada")
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(v.do(req).is(http.StatusCreated).body), &made); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(made.URL, r.base)
	for range 3 { // gateways and previews look as often as they like
		v.get(path).is(http.StatusOK, "signs this browser in as", "ada", "of the team")
		v.ask(http.MethodHead, path).is(http.StatusOK)
	}
	v.get("/jobs").is(http.StatusOK, "Name or e-mail")
	v.post(path, nil).is(http.StatusOK, "<h1>Overview</h1>")
	r.visit().get(path).is(http.StatusGone, "has been used")
	r.visit().post(path, nil).is(http.StatusGone, "has been used")
}

func TestALinkSignsNobodyInUnasked(t *testing.T) {
	r := start(t)
	path := "/sign-in/" + r.farm.SignIn(r.principal("zoe")).Code
	v := r.as("art")
	v.get(path).is(http.StatusOK, "You are signed in as", "Sign in as zoe", "Stay signed in as art")
	v.origin = "https://evil.example"
	v.post(path, nil).is(http.StatusOK, "Sign in as zoe", "Stay signed in as art")
	r.visit().get(path).is(http.StatusOK, "Sign in as zoe").lacks("You are signed in as")
	v.get("/settings").is(http.StatusOK, "Signed in as art")

	before := v.copy()
	v.origin = r.base
	v.post(path, nil).is(http.StatusOK, "Signed in as zoe")
	before.get("/jobs").is(http.StatusOK, "Name or e-mail") // art's session has ended with it
	own := "/sign-in/" + r.farm.SignIn(r.principal("zoe")).Code
	if a := v.get(own + "?to=/jobs").is(http.StatusOK); a.path != "/jobs" {
		t.Errorf("a link of one's own leads to %s", a.path)
	}
}

func TestSigningOutEndsTheSessionEverywhere(t *testing.T) {
	r := start(t)
	v, other := r.as("ada"), r.as("ada")
	tab := v.copy()
	page := tab.live("home")
	page.shows("home", "Nothing has been rendered yet")
	elsewhere := other.live("home")
	elsewhere.shows("home", "Nothing has been rendered yet")
	v.post("/sign-out", nil).is(http.StatusOK, "Name or e-mail")
	page.isSentAway()
	tab.get("/jobs").is(http.StatusOK, "Name or e-mail")
	tab.get("/api/farm/v1/events?kinds=job").is(http.StatusUnauthorized)
	tab.live("home").isSentAway()
	other.get("/jobs").is(http.StatusOK, "No jobs yet") // another browser of the same person
	r.submit("ada", "Spot")
	elsewhere.shows("home", "Spot")
}

func TestAnOpenPageFollowsTheRole(t *testing.T) {
	r := start(t)
	admin := r.principal("ada")
	person, _, err := r.farm.MakeToken(t.Context(), admin, people.NewToken{Name: "Peer", Role: farm.RoleAdmin, Person: true})
	if err != nil {
		t.Fatal(err)
	}
	v := r.visit()
	v.post("/sign-in/"+r.farm.SignIn(farm.Principal{TokenID: person.ID}).Code, nil).is(http.StatusOK, "Peer")
	page := v.live("coordinators")
	page.next(func(p part) bool { return p.ID == "coordinators" })
	viewer := farm.RoleViewer
	if _, err := r.farm.ChangeToken(t.Context(), admin, person.ID, true, people.TokenChange{Role: &viewer}); err != nil {
		t.Fatal(err)
	}
	page.isSentAway()
	v.get("/settings/coordinators").is(http.StatusForbidden)
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Spot")
	v := r.as("ada")
	for _, origin := range []string{"", "https://evil.example", "null", strings.Replace(r.base, "http://", "http://evil.", 1)} {
		v.origin = origin
		for _, path := range []string{"/jobs/" + job.ID + "/cancel", "/sign-in", "/sign-out", "/theme", "/new", "/templates"} {
			v.post(path, url.Values{"token": {"zoe"}}).is(http.StatusForbidden, "another site")
		}
	}
	v.get("/jobs/"+job.ID).is(http.StatusOK, "Spot", "Waiting")
}

func TestRolesDecideWhatAPageOffersAndTakes(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Spot")
	template, err := r.farm.Templates().Create(t.Context(), r.principal("ada"), templates.New{Type: "aep", DisplayName: "Card"})
	if err != nil {
		t.Fatal(err)
	}
	vic := r.as("vic")
	vic.get("/").is(http.StatusOK).lacks("New job")
	vic.get("/jobs/"+job.ID).is(http.StatusOK, "Spot").lacks("Cancel</button>")
	vic.get("/templates").is(http.StatusOK, "Card").lacks("Drop an After Effects")
	vic.get("/new").is(http.StatusForbidden, "You don’t have access to this page", "role Viewer", "Artist or higher")
	vic.post("/new", nil).is(http.StatusForbidden, "role Viewer")
	vic.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusForbidden, "role Viewer")
	vic.post("/jobs/"+job.ID+"/call-again", nil).is(http.StatusForbidden, "role Viewer")
	r.as("art").post("/jobs/"+job.ID+"/call-again", nil).is(http.StatusNotFound, "has no webhook")
	r.as("zoe").post("/jobs/"+job.ID+"/call-again", nil).is(http.StatusNotFound).lacks("has no webhook")
	vic.post("/templates", url.Values{"type": {"aep"}, "displayName": {"x"}}).is(http.StatusForbidden)
	vic.post("/files/handover?name=x", nil).is(http.StatusForbidden, `"error"`)

	art := r.as("art")
	art.get("/templates/"+template.ID).is(http.StatusOK, "Card").lacks("Delete</button>")
	vic.post("/templates/"+template.ID+"/mark", url.Values{"sequential": {"1"}}).is(http.StatusForbidden)
	art.post("/templates/"+template.ID+"/mark", url.Values{"sequential": {"1"}}).is(http.StatusOK, "Rendered on one machine, from the first frame on.", "Allow several machines")
	art.post("/templates/"+template.ID+"/mark", nil).is(http.StatusOK, "Several machines may share a film")
	art.post("/templates/"+template.ID+"/delete", nil).is(http.StatusForbidden, "role Artist", "Producer or higher")
	art.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusOK, "Cancelled")
	art.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusConflict, "That did not work")

	if a := r.as("ada").post("/templates/"+template.ID+"/delete", nil).is(http.StatusOK, "No templates yet"); a.path != "/templates" {
		t.Errorf("deleting leads to %s", a.path)
	}
}

func TestAnotherTeamsThingsAreNotThere(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Moonshot spot")
	template, err := r.farm.Templates().Create(t.Context(), r.principal("ada"), templates.New{Type: "aep", DisplayName: "Moonshot card"})
	if err != nil {
		t.Fatal(err)
	}
	zoe := r.as("zoe")
	for _, path := range []string{
		"/jobs/" + job.ID, "/jobs/" + job.ID + "/log", "/jobs/" + job.ID + "/poster", "/jobs/" + job.ID + "/thumbnails/0.jpg",
		"/new?again=" + job.ID, "/templates/" + template.ID, "/templates/" + template.ID + "/file", "/templates/" + template.ID + "/poster",
		"/new?template=" + template.ID, "/nowhere", "/jobs/" + strings.Repeat("x", 300), "/jobs/%3Cscript%3E",
	} {
		zoe.get(path).is(http.StatusNotFound, "Page not found").lacks("Moonshot", "<script>")
	}
	zoe.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusNotFound)
	for _, path := range []string{"/", "/jobs", "/templates"} {
		zoe.get(path).is(http.StatusOK).lacks("Moonshot")
	}
}

func TestHostileNamesAreShownAndDoNothing(t *testing.T) {
	r := start(t)
	names := []string{
		`<script>alert(1)</script>`, `" onmouseover="alert(1)`, `'><img src=x onerror=alert(1)>`, strings.Repeat("W", 300), "שלום \u202Eevil", "a\x00b\x1b[2J", "{{7*7}}",
	}
	v := r.as("ada")
	for _, name := range names {
		job, err := r.farm.Submit(t.Context(), r.principal("ada"), farm.Job{
			Name: name, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: name}, Tags: []string{"t"},
			Assets: []farm.Asset{{Type: "text", LayerName: name, Value: json.RawMessage(`"</dd><script>alert(2)</script>"`)}},
		})
		if farm.CodeOf(err) == farm.CodeInvalid {
			continue // some names are refused at the door
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/jobs", "/jobs/" + job.ID} {
			v.get(path).is(http.StatusOK).lacks("<script>alert", "<img src=x", `" onmouseover="`)
		}
	}
	template, err := r.farm.Templates().Create(t.Context(), r.principal("ada"), templates.New{Type: "aep", DisplayName: names[0]})
	if err != nil {
		t.Fatal(err)
	}
	v.get("/templates").is(http.StatusOK, "&lt;script&gt;").lacks("<script>alert")
	v.get("/templates/"+template.ID).is(http.StatusOK, "&lt;script&gt;").lacks("<script>alert")
	v.get("/jobs?state=%3Cscript%3Ealert(1)%3C/script%3E").is(http.StatusOK).lacks("<script>alert")
	v.get("/jobs?cursor=%3Cscript%3Ealert(1)").lacks("<script>alert")
}

func TestABrokenProjectSaysWhatIsWrong(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	var made struct{ ID string }
	_, kept := v.gives("/files/handover?name=broken.aep", []byte("this is no project"))
	a := v.post("/templates", url.Values{"type": {"aep"}, "displayName": {"Broken"}, "src": {kept.Src}}).is(http.StatusCreated)
	if err := json.Unmarshal([]byte(a.body), &made); err != nil {
		t.Fatal(err)
	}
	r.eventually("the template is read", func() bool {
		t, err := r.farm.Templates().Get(r.t.Context(), r.principal("ada"), made.ID)
		return err == nil && t.Status == farm.TemplateError
	})
	v.get("/templates/"+made.ID).is(http.StatusOK, "The file can’t be used:").lacks("/new?template=")
	v.get("/templates").is(http.StatusOK, "Unusable")
	v.get("/new?template="+made.ID).is(http.StatusConflict, "has not been read")
}

func TestTheThemeIsRemembered(t *testing.T) {
	r := start(t)
	v := r.as("vic")
	v.get("/").is(http.StatusOK, `data-theme="auto"`)
	v.post("/theme", url.Values{"theme": {"dark"}}).is(http.StatusOK, `data-theme="dark"`)
	v.post("/theme", url.Values{"theme": {`x"><script>`}}).is(http.StatusOK, `data-theme="auto"`)
}

func TestTheThemeLeadsBackToThisSiteOnly(t *testing.T) {
	r := start(t)
	v := r.as("vic")
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for from, back := range map[string]string{
		r.base + "/jobs?states=error": "/jobs?states=error", r.base + "//evil.example/x": "/", "https://evil.example/x": "/", "": "/",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/theme", strings.NewReader("theme=dark"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", v.origin)
		req.Header.Set("Referer", from)
		if to := v.do(req).header.Get("Location"); to != back {
			t.Errorf("from %q it leads to %q, want %q", from, to, back)
		}
	}
}

func TestOnlyPeopleGetPagesForUnknownAddresses(t *testing.T) {
	r := start(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/nowhere", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	r.as("ada").do(req).is(http.StatusNotFound, `"error"`)
	r.visit().get("/static/live.js").is(http.StatusOK)
	r.visit().get("/static/..%2Fweb.go").is(http.StatusNotFound)
}

func TestAPersonIsOutAtOnceWhenTheirAccessEnds(t *testing.T) {
	r := start(t)
	admin := r.principal("ada")
	person, _, err := r.farm.MakeToken(t.Context(), admin, people.NewToken{Name: "Peer", Role: farm.RoleArtist, Person: true})
	if err != nil {
		t.Fatal(err)
	}
	invitation, err := r.farm.InvitePerson(t.Context(), admin, person.ID)
	if err != nil {
		t.Fatal(err)
	}
	v := r.visit()
	v.post("/sign-in/"+invitation.Code, url.Values{"password": {"correct horse battery"}}).is(http.StatusOK, "<h1>Overview</h1>", "Peer")
	page := v.live("home")
	page.shows("home", "Nothing has been rendered yet")
	if err := r.farm.RevokeToken(t.Context(), admin, person.ID, true); err != nil {
		t.Fatal(err)
	}
	page.isSentAway()
	if a := v.get("/jobs").is(http.StatusOK, "Name or e-mail"); a.path != "/sign-in?to=%2Fjobs" {
		t.Errorf("the browser was led to %s", a.path)
	}
}

func TestGuessingTokensIsSlowedDownAndLocksNobodyOut(t *testing.T) {
	r := start(t)
	v := r.visit()
	wrong := url.Values{"token": {"nobody"}}
	a := v.post("/sign-in", wrong).is(http.StatusUnauthorized, "does not know this secret")
	for tries := 0; a.status == http.StatusUnauthorized && tries < 500; tries++ {
		a = v.post("/sign-in", wrong)
	}
	a.is(http.StatusTooManyRequests, "try again in a moment")
	if a.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to come again")
	}
	r.as("ada")
}
