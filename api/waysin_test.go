package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/coordinator/people/passkeytest"
	"overcrank/farm"
)

type personAnswer struct {
	ID     string
	WaysIn *struct {
		Password     bool
		Passkeys     int
		SingleSignOn []string
	}
}

// administrator is who has the farm's first token.
func (r *rig) administrator() farm.Principal {
	r.t.Helper()
	p, err := r.farm.Authenticate(r.t.Context(), r.token)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// addPasskey gives somebody a passkey, and its id.
func (r *rig) addPasskey(person string) string {
	r.t.Helper()
	ctx := r.t.Context()
	session, err := r.farm.BeginSession(ctx, person, people.Browser{Name: "test"}, time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := r.farm.InSession(ctx, person, session)
	if err != nil {
		r.t.Fatal(err)
	}
	asked, err := r.farm.Passkeys().BeginAdding(ctx, p)
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := json.Marshal(asked)
	var c passkeytest.Challenge
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil {
		err = r.farm.Passkeys().Add(ctx, p, "Phone", passkeytest.New(r.t, r.farm.PublicAddress()).Creates(c))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	var keys []struct{ ID, Name string }
	r.get(pathPeople+"/"+person+"/passkeys").into(http.StatusOK, &keys)
	if len(keys) == 0 || keys[len(keys)-1].Name != "Phone" {
		r.t.Fatalf("the passkeys are %+v", keys)
	}
	return keys[len(keys)-1].ID
}

func TestHowPeopleSignInIsTold(t *testing.T) {
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), PublicAddress: "https://farm.studio.example"})
	leveled(r, r.token)
	var ada personAnswer
	r.send(http.MethodPost, pathPeople, `{"name": "Ada", "role": "artist"}`).into(http.StatusCreated, &ada)
	at := pathPeople + "/" + ada.ID
	tell := func(password bool, passkeys int) {
		t.Helper()
		var all []personAnswer
		var one personAnswer
		r.get(pathPeople).into(http.StatusOK, &all)
		r.get(at).into(http.StatusOK, &one)
		for _, got := range []personAnswer{all[0], one} {
			if w := got.WaysIn; w == nil || w.Password != password || w.Passkeys != passkeys || w.SingleSignOn == nil || len(w.SingleSignOn) != 0 {
				t.Errorf("%s signs in by %+v", got.ID, w)
			}
		}
	}
	if w := ada.WaysIn; w == nil || w.Password || w.Passkeys != 0 {
		t.Errorf("somebody new signs in by %+v", w)
	}
	tell(false, 0)
	phone := r.addPasskey(ada.ID)
	tell(false, 1)
	r.send(http.MethodDelete, at+"/passkeys/"+phone, nil).refused(http.StatusConflict, "Ada", "reset the password")

	link, err := r.farm.InvitePerson(t.Context(), r.administrator(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.farm.UseSignIn(t.Context(), link.Code, "seven brass lanterns"); err != nil {
		t.Fatal(err)
	}
	tell(true, 1)
	r.send(http.MethodDelete, at+"/passkeys/"+phone, nil).into(http.StatusNoContent, nil)
	tell(true, 0)
	var tokens []personAnswer
	r.get(pathTokens).into(http.StatusOK, &tokens)
	if slices.ContainsFunc(tokens, func(p personAnswer) bool { return p.WaysIn != nil }) {
		t.Errorf("programs sign in by %+v", tokens)
	}
}

func TestWhoComesInBySingleSignOnIsSaid(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	team := r.makeTeam("Trailers").ID
	type rule struct{ Group, Team, Role string }
	var rules struct {
		Revision    int
		At, By      *string
		LinkByEmail bool
		Groups      []rule
	}
	const path = "/api/farm/v1/sign-in-rules"
	r.get(path).into(http.StatusOK, &rules)
	if rules.Revision != 0 || rules.At != nil || rules.By != nil || rules.Groups == nil {
		t.Errorf("a new farm has %+v", rules)
	}
	want := []rule{{"leads", team, "producer"}, {"art", team, "artist"}}
	r.send(http.MethodPut, path, map[string]any{"revision": 0, "linkByEmail": true, "groups": []map[string]string{
		{"group": "leads", "team": team, "role": "producer"}, {"group": "art", "team": team, "role": "artist"},
	}}).into(http.StatusOK, &rules)
	if rules.Revision != 1 || rules.At == nil || rules.By == nil || !rules.LinkByEmail || !slices.Equal(rules.Groups, want) {
		t.Errorf("they were changed to %+v", rules)
	}
	if kept, in, err := r.farm.RuleFor(t.Context(), r.administrator(), []string{"art"}); err != nil || !in || kept.Role != farm.RoleArtist {
		t.Errorf("art comes in as %+v, %v, %v", kept, in, err)
	}
	r.send(http.MethodPut, path, map[string]any{"revision": 0, "groups": []string{}}).refused(http.StatusConflict)
	for body, field := range map[string]string{
		`{"revision": 1, "groups": [{"group": "art", "team": "` + team + `", "role": "king"}]}`: "groups[0].role",
		`{"revision": 1, "groups": [{"team": "` + team + `", "role": "artist"}]}`:               "groups[0].group",
		`{"groups": []}`: "revision",
		`{"revision": 1, "groups": [{"group": "art", "team": "` + team + `", "role": "artist"}, {"group": "art", "team": "` + team + `", "role": "viewer"}]}`: "group",
	} {
		r.send(http.MethodPut, path, body).refused(http.StatusBadRequest, field)
	}
}
