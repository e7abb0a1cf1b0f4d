package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
)

const (
	pathTeams  = "/api/farm/v1/teams"
	pathTokens = "/api/farm/v1/tokens"
	pathPeople = "/api/farm/v1/people"
)

type teamAnswer struct {
	ID, Name  string
	Default   bool
	CreatedAt time.Time
}

type tokenAnswer struct {
	ID, Team, Name, Role  string
	CreatedAt             time.Time
	ExpiresAt, LastUsedAt *time.Time
	Current               bool
	Secret                string
	SignIn                *struct {
		URL       string
		ExpiresIn int
	}
}

// makeToken makes a token with the administrator's; extra is what the body holds beside name and role.
func (r *rig) makeToken(role, extra string) tokenAnswer {
	r.t.Helper()
	var token tokenAnswer
	r.send(http.MethodPost, pathTokens, fmt.Sprintf(`{"name": "a %s", "role": %q%s}`, role, role, extra)).into(http.StatusCreated, &token)
	return token
}

func (r *rig) makeTeam(name string) teamAnswer {
	r.t.Helper()
	var team teamAnswer
	r.send(http.MethodPost, pathTeams, map[string]string{"name": name}).into(http.StatusCreated, &team)
	return team
}

func bearer(secret string) string { return "Authorization: Bearer " + secret }

func TestATokenFromItsMakingToItsEnd(t *testing.T) {
	r := start(t)
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	token := r.makeToken("artist", `, "expiresAt": "`+until.Format(time.RFC3339)+`"`)
	if !strings.HasPrefix(token.Secret, "oct_") || token.Role != "artist" || token.Current || token.ExpiresAt == nil || !token.ExpiresAt.Equal(until) || token.LastUsedAt != nil {
		t.Fatalf("the new token is %+v", token)
	}
	var self struct {
		ID, Name, Role    string
		Person, FarmAdmin bool
		Team              teamAnswer
	}
	r.get("/api/farm/v1/me", bearer(token.Secret)).into(http.StatusOK, &self)
	if self.ID != token.ID || self.Role != "artist" || self.Person || self.FarmAdmin || self.Team.ID != token.Team || !self.Team.Default {
		t.Errorf("the token says that it is %+v", self)
	}
	var list []tokenAnswer
	a := r.get(pathTokens).into(http.StatusOK, &list)
	if len(list) != 2 || !list[0].Current || list[1].Current || list[1].ID != token.ID || list[1].LastUsedAt == nil {
		t.Errorf("the list is %s", a.body)
	}
	if strings.Contains(string(a.body), "secret") || strings.Contains(string(a.body), "hash") {
		t.Errorf("the list shows more than it should: %s", a.body)
	}
	one := pathTokens + "/" + token.ID
	r.send(http.MethodPatch, one, `{"name": "other", "role": "viewer", "expiresAt": null}`).into(http.StatusOK, &token)
	if token.Name != "other" || token.Role != "viewer" || token.ExpiresAt != nil {
		t.Errorf("the changed token is %+v", token)
	}
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, bearer(token.Secret)).refused(http.StatusForbidden, "viewer", "artist")
	r.get(pathPeople + "/" + token.ID).refused(http.StatusNotFound)
	r.send(http.MethodDelete, one, nil).into(http.StatusNoContent, nil)
	r.get("/api/v2/jobs", bearer(token.Secret)).refused(http.StatusUnauthorized)
	r.send(http.MethodDelete, one, nil).refused(http.StatusNotFound)
	if strings.Contains(r.logs.String(), token.Secret) {
		t.Error("the log holds the secret of a token")
	}
}

func TestTheLastAdministratorStays(t *testing.T) {
	r := start(t)
	var self struct{ ID string }
	r.get("/api/farm/v1/me").into(http.StatusOK, &self)
	r.send(http.MethodDelete, pathTokens+"/"+self.ID, nil).refused(http.StatusConflict, "--new-admin-token")
	r.send(http.MethodPatch, pathTokens+"/"+self.ID, `{"role": "operator"}`).refused(http.StatusConflict, "--new-admin-token")
	second := r.makeToken("admin", "")
	r.send(http.MethodDelete, pathTokens+"/"+self.ID, nil).into(http.StatusNoContent, nil)
	r.get(pathTokens).refused(http.StatusUnauthorized)
	r.get(pathTokens, bearer(second.Secret)).into(http.StatusOK, nil)
}

func TestTeamsKeepTheirTokensApart(t *testing.T) {
	r := start(t)
	team := r.makeTeam("Trailers")
	boss := r.makeToken("admin", `, "team": "`+team.ID+`"`)
	if boss.Team != team.ID || team.Default {
		t.Fatalf("the team is %+v, its token %+v", team, boss)
	}
	as := bearer(boss.Secret)
	var teams []teamAnswer
	r.get(pathTeams, as).into(http.StatusOK, &teams)
	if len(teams) != 1 || teams[0].ID != team.ID {
		t.Errorf("a team sees the teams %+v", teams)
	}
	r.get(pathTeams).into(http.StatusOK, &teams)
	if len(teams) != 2 || !teams[0].Default || teams[1].Default {
		t.Errorf("the farm's administrator sees the teams %+v", teams)
	}
	farmTeam := teams[0].ID
	r.get(pathTeams+"/"+farmTeam, as).refused(http.StatusNotFound)
	r.get(pathTokens+"?team="+farmTeam, as).refused(http.StatusNotFound)
	r.send(http.MethodPost, pathTokens, `{"name": "x", "role": "viewer", "team": "`+farmTeam+`"}`, as).refused(http.StatusNotFound)
	r.send(http.MethodPost, pathTeams, `{"name": "x"}`, as).refused(http.StatusForbidden, "first team")
	r.send(http.MethodDelete, pathTeams+"/"+team.ID, nil, as).refused(http.StatusForbidden, "first team")
	r.send(http.MethodDelete, pathTeams+"/"+farmTeam, nil).refused(http.StatusConflict, "first team")
	r.send(http.MethodPatch, pathTeams+"/"+team.ID, `{"name": "Spots"}`, as).into(http.StatusOK, &team)
	if team.Name != "Spots" {
		t.Errorf("the renamed team is %+v", team)
	}
	var list []tokenAnswer
	r.get(pathTokens+"?team="+team.ID).into(http.StatusOK, &list)
	if len(list) != 1 || list[0].ID != boss.ID {
		t.Errorf("the team's tokens are %+v", list)
	}

	var job jobAnswer
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, as).into(http.StatusCreated, &job)
	r.send(http.MethodDelete, pathTeams+"/"+team.ID, nil).refused(http.StatusConflict, "queued")
	r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", nil, as).into(http.StatusOK, nil)
	r.send(http.MethodDelete, pathTeams+"/"+team.ID, nil).into(http.StatusNoContent, nil)
	r.get("/api/v2/jobs", as).refused(http.StatusUnauthorized)
	r.get(pathTeams + "/" + team.ID).refused(http.StatusNotFound)
	r.get(pathTokens + "?team=" + team.ID).refused(http.StatusNotFound)
}

func TestPeopleComeInByLink(t *testing.T) {
	r := start(t)
	var ada tokenAnswer
	r.send(http.MethodPost, pathPeople, `{"name": "Ada", "role": "producer"}`).into(http.StatusCreated, &ada)
	if ada.Secret != "" || ada.SignIn == nil || !strings.HasPrefix(ada.SignIn.URL, r.base+"/sign-in/") || ada.SignIn.ExpiresIn != 86_400 {
		t.Fatalf("the new person is %+v", ada)
	}
	var again struct {
		URL       string
		ExpiresIn int
	}
	r.send(http.MethodPost, pathPeople+"/"+ada.ID+"/sign-in-links", nil).into(http.StatusCreated, &again)
	if again.URL == ada.SignIn.URL || again.URL == "" {
		t.Errorf("another link is %+v", again)
	}
	var people, tokens []tokenAnswer
	r.get(pathPeople).into(http.StatusOK, &people)
	r.get(pathTokens).into(http.StatusOK, &tokens)
	if len(people) != 1 || people[0].ID != ada.ID || slices.ContainsFunc(tokens, func(k tokenAnswer) bool { return k.ID == ada.ID }) {
		t.Errorf("the people are %+v, the tokens %+v", people, tokens)
	}
	r.send(http.MethodPost, pathPeople+"/"+tokens[0].ID+"/sign-in-links", nil).refused(http.StatusNotFound)
	r.send(http.MethodDelete, pathTokens+"/"+ada.ID, nil).refused(http.StatusNotFound)
	r.send(http.MethodDelete, pathPeople+"/"+ada.ID, nil).into(http.StatusNoContent, nil)
	r.send(http.MethodPost, pathPeople+"/"+ada.ID+"/sign-in-links", nil).refused(http.StatusNotFound)
}

// TestAPersonIsMovedToAnotherTeam is done by whoever looks after all teams, to anybody but themselves.
func TestAPersonIsMovedToAnotherTeam(t *testing.T) {
	r := start(t)
	team := r.makeTeam("Trailers")
	boss := bearer(r.makeToken("admin", `, "team": "`+team.ID+`"`).Secret)
	var mia tokenAnswer
	r.send(http.MethodPost, pathPeople, `{"name": "Mia", "role": "artist"}`).into(http.StatusCreated, &mia)
	farmTeam, to := mia.Team, `{"role": "producer", "team": "`+team.ID+`"}`
	r.send(http.MethodPatch, pathPeople+"/"+mia.ID, `{"team": "nowhere"}`).refused(http.StatusBadRequest, "team", "does not exist")
	r.send(http.MethodPatch, pathPeople+"/"+mia.ID, `{"team": ""}`).refused(http.StatusBadRequest, "team")
	r.send(http.MethodPatch, pathTokens+"/"+r.makeToken("artist", "").ID, `{"team": "`+team.ID+`"}`).refused(http.StatusBadRequest, "team")
	r.send(http.MethodPatch, pathPeople+"/"+mia.ID, to).into(http.StatusOK, &mia)
	if mia.Team != team.ID || mia.Role != "producer" {
		t.Errorf("moved she is %+v", mia)
	}
	var people []tokenAnswer
	r.get(pathPeople, boss).into(http.StatusOK, &people)
	if len(people) != 1 || people[0].ID != mia.ID {
		t.Errorf("the people of the other team are %+v", people)
	}
	r.send(http.MethodPatch, pathPeople+"/"+mia.ID, `{"team": "`+farmTeam+`"}`, boss).refused(http.StatusForbidden, "first team")
	r.send(http.MethodPatch, pathPeople+"/"+mia.ID, `{"role": "artist", "team": "`+team.ID+`"}`, boss).into(http.StatusOK, &mia) // where she is
}

// TestALinkForAPersonNamesTheFarmsAddress is asked at an address that is not the one with which links begin.
func TestALinkForAPersonNamesTheFarmsAddress(t *testing.T) {
	const public = "https://farm.example.com"
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), PublicAddress: public})
	var ada tokenAnswer
	r.send(http.MethodPost, pathPeople, `{"name": "Ada", "role": "producer"}`).into(http.StatusCreated, &ada)
	var again struct{ URL string }
	r.send(http.MethodPost, pathPeople+"/"+ada.ID+"/sign-in-links", nil).into(http.StatusCreated, &again)
	for _, link := range []string{ada.SignIn.URL, again.URL} {
		if !strings.HasPrefix(link, public+"/sign-in/") {
			t.Errorf("the link is %s", link)
		}
	}
}

func TestTokensThatCannotBeMade(t *testing.T) {
	r := start(t)
	for body, fields := range map[string][]string{
		`{}`:                            {"name", "role"},
		`{"name": " ", "role": "king"}`: {"name", "role", "viewer, artist, producer, operator, admin"},
		`{"name": 3, "role": true, "expiresAt": "soon", "team": []}`:        {"name", "role", "expiresAt", "team"},
		`{"name": "x", "role": "viewer", "secret": "mine"}`:                 {"secret"},
		`{"name": "x", "role": "viewer", "expiresAt": "2020-01-01T00:00Z"}`: {"expiresAt"},
	} {
		r.send(http.MethodPost, pathTokens, body).refused(http.StatusBadRequest, fields...)
		r.send(http.MethodPost, pathPeople, body).refused(http.StatusBadRequest, fields...)
	}
	r.send(http.MethodPost, pathTokens, `{"name": "x", "role": "viewer", "expiresAt": "2020-01-01T00:00:00Z"}`).refused(http.StatusBadRequest, "expiresAt", "passed")
	r.send(http.MethodPost, pathTeams, `{"name": "x", "id": "mine"}`).refused(http.StatusBadRequest, `"id"`)
	r.send(http.MethodPost, pathTeams, `{"name": ""}`).refused(http.StatusBadRequest, "name")
}

func TestTheSecretOfATokenIsKeptNowhere(t *testing.T) {
	r := start(t)
	var token, again tokenAnswer
	for _, answer := range []*tokenAnswer{&token, &again} { // an answer that can be had again is kept too
		r.send(http.MethodPost, pathTokens, `{"name": "x", "role": "artist"}`, "Idempotency-Key: once").into(http.StatusCreated, answer)
	}
	if again.Secret != token.Secret {
		t.Errorf("the repeated request made another token: %+v", again)
	}
	raw, err := json.Marshal(token)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), token.Secret) {
		t.Fatal("the answer to the making does not hold the secret")
	}
	for _, path := range []string{pathTokens, pathTokens + "/" + token.ID, "/api/farm/v1/me"} {
		if a := r.get(path); strings.Contains(string(a.body), token.Secret) {
			t.Errorf("%s shows the secret", path)
		}
	}
	searched := 0
	err = filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(token.Secret)) {
			t.Errorf("the farm wrote the secret into %s", path)
		}
		searched++
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	if searched < 4 {
		t.Errorf("only %d files were searched", searched)
	}
}
