package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/coordinator/singlesignon/providertest"
	"overcrank/farm"
)

// withProvider is a farm whose people sign in with a provider: its group "artists" is of the first team.
func withProvider(t *testing.T) (*rig, *providertest.Provider) {
	t.Helper()
	idp := providertest.Start(t)
	settings := idp.Settings()
	r := start(t, func(r *rig) { r.signOn = &settings })
	r.as("ada").post("/settings/sign-in/groups", url.Values{"group": {"artists"}, "team": {staff[0].Team}, "role": {"artist"}}).is(http.StatusOK, "artists", "Remove")
	return r, idp
}

func mia(groups ...string) providertest.Person {
	return providertest.Person{Subject: "8f1c", Claims: map[string]any{"name": "Mia Wong", "email": "mia@studio.example", "email_verified": true, "groups": groups}}
}

// person is the person of a name, in either team.
func (r *rig) person(name string) (farm.Token, bool) {
	r.t.Helper()
	for _, team := range []string{staff[0].Team, "01JD7000000000000000000020"} {
		if p, there := r.personOf(team, name); there {
			return p, true
		}
	}
	return farm.Token{}, false
}

// personOf is who has a name in a team.
func (r *rig) personOf(team, name string) (farm.Token, bool) {
	r.t.Helper()
	all, err := r.farm.Tokens(r.t.Context(), r.principal("ada"), team, true)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range all {
		if p.Name == name {
			return p, true
		}
	}
	return farm.Token{}, false
}

func TestPeopleSignInWithTheStudiosAccounts(t *testing.T) {
	r, idp := withProvider(t)
	v := r.visit()
	v.get("/sign-in").is(http.StatusOK, "Sign in with Studio account", `href="/single-sign-on"`, "Password").lacks("oken")
	idp.Next(mia("artists"))
	if a := v.get("/single-sign-on?to=/templates").is(http.StatusOK, "<h1>Templates</h1>"); a.path != "/templates" {
		t.Errorf("they arrive at %s", a.path)
	}
	v.get("/account").is(http.StatusOK, "Mia Wong", "mia@studio.example", "Artist")
	p, _ := r.person("Mia Wong")
	r.as("ada").get("/settings/people").is(http.StatusOK, "Mia Wong", "Signs in with", `title="`+idp.Issuer()+`">Studio account`)

	r.as("ada").post("/settings/sign-in/groups", url.Values{"group": {"leads"}, "team": {staff[0].Team}, "role": {"producer"}}).is(http.StatusOK, "leads")
	idp.Next(mia("artists", "leads"))
	r.visit().get("/single-sign-on").is(http.StatusOK, "<h1>Overview</h1>")
	if again, _ := r.person("Mia Wong"); again.ID != p.ID || again.Role != farm.RoleProducer {
		t.Errorf("with another group they are %+v", again)
	}
	r.as("ada").post("/settings/people/"+p.ID+"/revoke", nil).is(http.StatusOK)
	v.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")
}

func TestWhoeverLosesTheGroupIsSignedOutAndToldWhomToAsk(t *testing.T) {
	r, idp := withProvider(t)
	v := r.visit()
	idp.Next(mia("artists"))
	v.get("/single-sign-on").is(http.StatusOK, "<h1>Overview</h1>")
	idp.Next(mia("accounting"))
	r.visit().get("/single-sign-on").is(http.StatusForbidden, "You have no access yet", "none of your groups", "administrator", "Try again with Studio account")
	v.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")
	idp.Next(mia("artists"))
	v.get("/single-sign-on").is(http.StatusOK, "<h1>Overview</h1>")

	idp.Next(providertest.Person{Subject: "other", Claims: map[string]any{"name": "Nobody", "groups": []string{"accounting"}}})
	r.visit().get("/single-sign-on").is(http.StatusForbidden, "none of your groups")
	if p, there := r.person("Nobody"); there {
		t.Errorf("somebody without a group became %+v", p)
	}
}

// back is the address at which the provider sends a browser back that has begun to sign in.
func (v *visitor) back() string {
	v.t.Helper()
	var at string
	follow := v.client.CheckRedirect
	v.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(req.URL.Path, "/single-sign-on/callback") {
			at = req.URL.RequestURI()
			return http.ErrUseLastResponse
		}
		return nil
	}
	defer func() { v.client.CheckRedirect = follow }()
	res, err := v.client.Get(v.base + "/single-sign-on")
	if err != nil {
		v.t.Fatal(err)
	}
	_ = res.Body.Close()
	return at
}

func TestASignInOfAnotherBrowserIsRefused(t *testing.T) {
	r, idp := withProvider(t)
	attacker, victim := r.visit(), r.visit()
	idp.Next(mia("artists"))
	theirs := attacker.back()
	victim.get(theirs).is(http.StatusGone, "begun in another browser")
	victim.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")
	idp.Next(mia("artists"))
	victim.back() // a sign-in of their own is under way
	victim.get(theirs).is(http.StatusGone)
	victim.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")

	copied := attacker.copy() // has no cookie of the sign-in, which is for its own path
	attacker.get(theirs).is(http.StatusOK, "<h1>Overview</h1>")
	attacker.get(theirs).is(http.StatusGone)
	copied.get(theirs).is(http.StatusGone)
}

func TestAnAddressOfTheProviderLinksOnlyWhereAllowed(t *testing.T) {
	r, idp := withProvider(t)
	ada := r.as("ada")
	ada.post("/settings/people", url.Values{"name": {"Mia W."}, "email": {"mia@studio.example"}, "role": {"viewer"}}).is(http.StatusOK)
	invited, _ := r.person("Mia W.")
	unverified := mia("artists")
	unverified.Subject, unverified.Claims["email_verified"], unverified.Claims["name"] = "evil", false, "Eve Elsewhere"
	ada.post("/settings/sign-in/link", url.Values{"link": {"1"}}).is(http.StatusOK, "checked")
	idp.Next(unverified)
	r.visit().get("/single-sign-on").is(http.StatusOK)
	if eve, there := r.person("Eve Elsewhere"); !there || eve.ID == invited.ID || eve.Email != "" {
		t.Errorf("an address that nobody verified made %+v", eve)
	}
	idp.Next(mia("artists"))
	r.visit().get("/single-sign-on").is(http.StatusOK)
	if p, there := r.person("Mia Wong"); !there || p.ID != invited.ID || p.Role != farm.RoleArtist {
		t.Errorf("linked they are %+v", p)
	}
}

func TestATestOfSingleSignOnShowsWhatCame(t *testing.T) {
	r, idp := withProvider(t)
	ada := r.as("ada")
	ada.get("/settings/sign-in").is(http.StatusOK, idp.Issuer(), r.base+"/single-sign-on/callback", "Test sign-in").lacks(idp.ClientSecret)
	idp.Next(mia("artists"))
	ada.get("/settings/sign-in/test").is(http.StatusOK, "This works", "as artist", "8f1c", "mia@studio.example", "email_verified")
	idp.Next(mia())
	ada.get("/settings/sign-in/test").is(http.StatusOK, "You would have no access", "named no groups")
	if p, there := r.person("Mia Wong"); there {
		t.Errorf("a test made %+v", p)
	}
	ada.get("/account").is(http.StatusOK, "ada")
	r.as("zoe").get("/settings/sign-in").is(http.StatusForbidden)
}

func TestRulesAreChangedInTheirOrder(t *testing.T) {
	r, _ := withProvider(t)
	ada := r.as("ada")
	second := url.Values{"group": {"leads"}, "team": {staff[0].Team}, "role": {"producer"}}
	ada.post("/settings/sign-in/groups", second)
	ada.post("/settings/sign-in/groups", second).is(http.StatusBadRequest, "Nothing was saved", "has a rule for this team already")
	a := ada.post("/settings/sign-in/groups/up", second).is(http.StatusOK)
	if strings.Index(a.body, ">leads<") > strings.Index(a.body, ">artists<") {
		t.Error("the rule was not moved up")
	}
	ada.post("/settings/sign-in/groups/remove", second).is(http.StatusOK).lacks(">leads<")
	ada.post("/settings/sign-in/groups", url.Values{"group": {""}, "team": {staff[0].Team}, "role": {"producer"}}).is(http.StatusBadRequest, "Nothing was saved")
}

func TestAProviderThatIsDownLeavesPasswords(t *testing.T) {
	r, idp := withProvider(t)
	_ = idp.Server.Close()
	r.visit().get("/single-sign-on").is(http.StatusServiceUnavailable, "does not answer", "Sign in another way")
	r.as("ada")
}

func TestAFarmWithoutAProviderHasNoButton(t *testing.T) {
	r := start(t)
	r.visit().get("/sign-in").is(http.StatusOK).lacks("single-sign-on")
	r.visit().get("/single-sign-on").is(http.StatusNotFound)
	r.visit().get("/single-sign-on/callback?code=x&state=y").is(http.StatusNotFound)
	r.as("ada").get("/settings/sign-in").is(http.StatusOK, "--oidc-issuer", r.base+"/single-sign-on/callback")
}

func TestANewFarmWithSingleSignOnSaysHowToGoOn(t *testing.T) {
	idp := providertest.Start(t)
	settings := idp.Settings()
	r := start(t, func(r *rig) { r.signOn = &settings })
	if err := r.farm.RevokeToken(t.Context(), r.principal("zoe"), "01JD7000000000000000000009", true); err != nil { // nobody is left
		t.Fatal(err)
	}
	v := r.visit()
	v.get("/sign-in").is(http.StatusOK, "This farm is new", "Studio account is connected, but lets nobody in yet", "which groups may come in").lacks(`href="/single-sign-on"`)
	r.as("ada").post("/settings/sign-in/groups", url.Values{"group": {"leads"}, "team": {staff[0].Team}, "role": {"admin"}}).is(http.StatusOK, "leads")
	v.get("/sign-in").is(http.StatusOK, "This farm is new", `href="/single-sign-on"`, "setup link").lacks("lets nobody in yet")
	idp.Next(mia("leads"))
	v.get("/single-sign-on").is(http.StatusOK, "<h1>Overview</h1>")
	r.visit().get("/sign-in").is(http.StatusOK, "<h1>Sign in</h1>")
}
