package singlesignon_test

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/singlesignon"
	"overcrank/coordinator/singlesignon/providertest"
	"overcrank/farm"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const public = "https://farm.studio.example"

// farmOf is what a coordinator of a farm has, with a clock that tests set.
func farmOf(t *testing.T, s singlesignon.Settings, now *time.Time) *singlesignon.Provider {
	t.Helper()
	clock := time.Now
	if now != nil {
		clock = func() time.Time { return *now }
	}
	p, err := singlesignon.New(s, singlesignon.Parts{
		Derive:        func(purpose string, size int) []byte { sum := sha256.Sum256([]byte(purpose)); return sum[:size] },
		PublicAddress: func() string { return public }, Now: clock, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// visit is the way to the provider and back.
func visit(t *testing.T, p *singlesignon.Provider, idp *providertest.Provider) singlesignon.Return {
	t.Helper()
	address, kept, _, err := p.Begin(t.Context(), "/jobs", false)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(idp.Visit(address))
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Scheme + "://" + back.Host + back.Path; got != p.Callback() || got != public+singlesignon.CallbackPath {
		t.Fatalf("the provider sends browsers back to %s", got)
	}
	return singlesignon.Return{State: back.Query().Get("state"), Code: back.Query().Get("code"), Kept: kept}
}

func TestTheProviderIsBelieved(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	p := farmOf(t, idp.Settings(), nil)
	idp.Next(providertest.Person{Subject: "8f1c", Claims: map[string]any{
		"name": "Mia \u202eWong\n", "email": "Mia@Studio.example", "email_verified": true, "groups": []string{"artists", "", "berlin"},
	}})
	got, err := p.Finish(t.Context(), visit(t, p, idp))
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != "8f1c" || got.Issuer != idp.Issuer() || got.Name != "Mia Wong" || got.Email != "mia@studio.example" || got.To != "/jobs" || got.Test ||
		!slices.Equal(got.Groups, []string{"artists", "berlin"}) || got.Use.Hash == "" {
		t.Errorf("somebody came in as %+v", got)
	}
}

func TestWhatAProviderSaysInOtherWays(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	s := idp.Settings()
	for name, tc := range map[string]struct {
		claim  string
		person providertest.Person
		want   singlesignon.Visitor
	}{
		"an address that nobody verified": {"groups", providertest.Person{Claims: map[string]any{"email": "mia@studio.example", "groups": []string{"a"}, "name": "Mia"}},
			singlesignon.Visitor{Name: "Mia", Unverified: "mia@studio.example", Groups: []string{"a"}}},
		"verified as a text": {"groups", providertest.Person{Claims: map[string]any{"email": "m@s.example", "email_verified": "true", "groups": []string{"a"}, "preferred_username": "mia"}},
			singlesignon.Visitor{Name: "mia", Email: "m@s.example", Groups: []string{"a"}}},
		"a domain in the place of groups": {"hd", providertest.Person{Claims: map[string]any{"hd": "studio.example", "name": "Mia"}},
			singlesignon.Visitor{Name: "Mia", Groups: []string{"studio.example"}}},
		"groups that are told when asked": {"groups", providertest.Person{Claims: map[string]any{"name": "Mia"}, Told: map[string]any{"groups": []string{"b"}, "name": "Eve"}},
			singlesignon.Visitor{Name: "Mia", Groups: []string{"b"}}},
		"too many groups": {"groups", providertest.Person{Claims: map[string]any{"name": "Mia", "_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.example"}}}},
			singlesignon.Visitor{Name: "Mia", TooMany: true}},
		"no name at all": {"groups", providertest.Person{}, singlesignon.Visitor{Name: "s"}},
	} {
		s.GroupsClaim, tc.person.Subject = tc.claim, "s"
		p := farmOf(t, s, nil)
		idp.Next(tc.person)
		got, err := p.Finish(t.Context(), visit(t, p, idp))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Name != tc.want.Name || got.Email != tc.want.Email || got.Unverified != tc.want.Unverified || got.TooMany != tc.want.TooMany || !slices.Equal(got.Groups, tc.want.Groups) {
			t.Errorf("%s: somebody came in as %+v", name, got.Visitor)
		}
	}
}

func TestATokenThatIsNotForThisSignInLetsNobodyIn(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	p := farmOf(t, idp.Settings(), nil)
	hour := int64(time.Hour / time.Second)
	for name, claims := range map[string]map[string]any{
		"another nonce":             {"nonce": "of another sign-in"},
		"no nonce":                  {"nonce": ""},
		"another audience":          {"aud": "another client"},
		"several, and for another":  {"aud": []string{idp.ClientID, "another client"}, "azp": "another client"},
		"several, and nobody named": {"aud": []string{idp.ClientID, "another client"}},
		"another issuer":            {"iss": "https://id.elsewhere.example"},
		"expired":                   {"exp": time.Now().Unix() - hour},
		"not yet good":              {"nbf": time.Now().Unix() + hour},
		"another access token":      {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
		"nobody":                    {"sub": ""},
		"an endless subject":        {"sub": strings.Repeat("s", 256)},
	} {
		idp.Next(providertest.Person{Subject: "s", Claims: claims})
		if got, err := p.Finish(t.Context(), visit(t, p, idp)); farm.CodeOf(err) != farm.CodeUnauthorized {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	idp.Forge(true)
	idp.Next(providertest.Person{Subject: "s"})
	if got, err := p.Finish(t.Context(), visit(t, p, idp)); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("signed by another key: %+v, %v", got, err)
	}
	idp.Forge(false)
	if _, err := p.Finish(t.Context(), visit(t, p, idp)); err != nil {
		t.Errorf("a good one after that: %v", err)
	}
}

func TestTheProvidersClockMayBeALittleWrong(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	now := time.Now()
	p := farmOf(t, idp.Settings(), &now)
	for late, want := range map[time.Duration]farm.Code{30 * time.Second: "", 5 * time.Minute: farm.CodeUnauthorized} {
		idp.Next(providertest.Person{Subject: "s", Claims: map[string]any{"exp": now.Add(-late).Unix()}})
		if _, err := p.Finish(t.Context(), visit(t, p, idp)); err != nil && want == "" || err == nil && want != "" || want != "" && farm.CodeOf(err) != want {
			t.Errorf("expired %v ago: %v", late, err)
		}
	}
}

func TestASignInBelongsToTheBrowserThatBeganIt(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	now := time.Now()
	p := farmOf(t, idp.Settings(), &now)
	mine, theirs := visit(t, p, idp), visit(t, p, idp)
	for name, r := range map[string]singlesignon.Return{
		"no cookie":                   {State: mine.State, Code: mine.Code},
		"another browser’s cookie":    {State: theirs.State, Code: theirs.Code, Kept: mine.Kept},
		"a cookie that was changed":   {State: mine.State, Code: mine.Code, Kept: "A" + mine.Kept[1:]},
		"no state":                    {Code: mine.Code, Kept: mine.Kept},
		"an endless cookie":           {State: mine.State, Code: mine.Code, Kept: strings.Repeat("A", 1<<20)},
		"an error without its cookie": {State: mine.State, Error: "access_denied"},
	} {
		if name == "a cookie that was changed" && mine.Kept[0] == 'A' {
			r.Kept = "B" + mine.Kept[1:]
		}
		if got, err := p.Finish(t.Context(), r); farm.CodeOf(err) != farm.CodeGone {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// A code that was given to another sign-in does not fit this one's verifier, even with this one's state.
	mixed := singlesignon.Return{State: mine.State, Code: theirs.Code, Kept: mine.Kept}
	if got, err := p.Finish(t.Context(), mixed); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("the code of another browser: %+v, %v", got, err)
	}
	elsewhere := mine
	elsewhere.Issuer = "https://id.elsewhere.example"
	if got, err := p.Finish(t.Context(), elsewhere); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("sent back by another issuer: %+v, %v", got, err)
	}
	if _, err := p.Finish(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Finish(t.Context(), mine); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("the same code again: %+v, %v", got, err)
	}
	late := visit(t, p, idp)
	now = now.Add(time.Hour)
	if got, err := p.Finish(t.Context(), late); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("an hour later: %+v, %v", got, err)
	}
}

func TestAnyCoordinatorTakesTheReturn(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	began, ends := farmOf(t, idp.Settings(), nil), farmOf(t, idp.Settings(), nil)
	if _, err := ends.Finish(t.Context(), visit(t, began, idp)); err != nil {
		t.Error(err)
	}
}

func TestAProviderThatRefusesOrIsGone(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	p := farmOf(t, idp.Settings(), nil)
	for code, want := range map[string]farm.Code{"access_denied": farm.CodeUnauthorized, "server_error": farm.CodeUnavailable, "<b>invalid_scope": farm.CodeUnavailable} {
		r := visit(t, p, idp)
		r.Code, r.Error = "", code
		if _, err := p.Finish(t.Context(), r); farm.CodeOf(err) != want || strings.Contains(err.Error(), "<b>") {
			t.Errorf("%s: %v", code, err)
		}
	}
	r := visit(t, p, idp)
	idp.Hang()
	hurry, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Finish(hurry, r); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("a provider that hangs: %v", err)
	}
	another := farmOf(t, idp.Settings(), nil)
	if _, _, _, err := another.Begin(hurry, "/", false); farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "password") {
		t.Errorf("a provider that never answered: %v", err)
	}
	if _, _, _, err := p.Begin(hurry, "/", false); err != nil {
		t.Errorf("its address is known: %v", err)
	}
	idp.Answer()
	if _, err := another.Finish(t.Context(), visit(t, another, idp)); err != nil {
		t.Errorf("once it answers again: %v", err)
	}
}

func TestAnIssuerThatNamesItselfDifferently(t *testing.T) {
	t.Parallel()
	idp := providertest.Start(t)
	s := idp.Settings()
	s.Issuer += "/"
	if _, _, _, err := farmOf(t, s, nil).Begin(t.Context(), "/", false); farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "administrator") {
		t.Errorf("got %v", err)
	}
}

func TestSettingsWithWhichNobodyCouldSignInSafely(t *testing.T) {
	t.Parallel()
	good := singlesignon.Settings{Issuer: "https://id.studio.example/realms/studio", ClientID: "farm", Scopes: []string{"openid"}, GroupsClaim: "groups", Label: "Studio account"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*singlesignon.Settings){
		"plain HTTP":       func(s *singlesignon.Settings) { s.Issuer = "http://id.studio.example" },
		"no host":          func(s *singlesignon.Settings) { s.Issuer = "https://" },
		"with a password":  func(s *singlesignon.Settings) { s.Issuer = "https://u:p@id.studio.example" },
		"no client":        func(s *singlesignon.Settings) { s.ClientID = "" },
		"no scope":         func(s *singlesignon.Settings) { s.Scopes = []string{"profile"} },
		"no groups":        func(s *singlesignon.Settings) { s.GroupsClaim = "" },
		"an endless label": func(s *singlesignon.Settings) { s.Label = strings.Repeat("a", 41) },
	} {
		s := good
		if change(&s); s.Check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if secret, err := singlesignon.ReadSecret(path); err != nil || secret != "s3cret" {
		t.Errorf("the secret is %q, %v", secret, err)
	}
	if err := os.WriteFile(path, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := singlesignon.ReadSecret(path); err == nil {
		t.Error("an empty file holds a secret")
	}
}
