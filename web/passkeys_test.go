package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/coordinator/people/passkeytest"
)

const passkeyFarm = "https://farm.studio.example"

// asks sends what a page's script sends.
func (v *visitor) asks(path string, body any) answer {
	v.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, bytes.NewReader(text))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Origin", v.origin)
	return v.do(req)
}

func (v *visitor) challenge(path string) (c passkeytest.Challenge) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.asks(path, nil).is(http.StatusOK).body), &c); err != nil {
		v.t.Fatal(err)
	}
	return c
}

// gets gives a visitor a passkey, on a device of its own.
func (v *visitor) gets(name string) *passkeytest.Device {
	v.t.Helper()
	d := passkeytest.New(v.t, passkeyFarm)
	v.asks("/account/passkeys", map[string]any{"name": name, "answer": d.Creates(v.challenge("/account/passkeys/challenge"))}).is(http.StatusOK, "/account")
	return d
}

// signsIn answers a challenge of the sign-in page.
func (v *visitor) signsIn(d *passkeytest.Device) answer {
	v.t.Helper()
	return v.asks("/passkey/sign-in", map[string]any{"answer": d.Answers(v.challenge("/passkey/challenge")), "to": "/jobs"})
}

func withPasskeys(t *testing.T) *rig { return start(t, func(r *rig) { r.public = passkeyFarm }) }

var removal = regexp.MustCompile(`/account/passkeys/([0-9a-f]{64})/remove`)

func TestAPersonSignsInWithAPasskey(t *testing.T) {
	r := withPasskeys(t)
	eve := r.as("eve")
	eve.get("/account").is(http.StatusOK, "Add a passkey", `data-domain="farm.studio.example"`)
	c := eve.challenge("/account/passkeys/challenge")
	if p := c.PublicKey; p.RelyingParty.ID != "farm.studio.example" || p.Selection.ResidentKey != "required" || p.Selection.UserVerification != "required" || p.User.Name != "eve" || len(p.Challenge) < 43 {
		t.Errorf("devices are asked for %+v", p)
	}
	phone := eve.gets("Phone")
	eve.get("/account?passkey=added").is(http.StatusOK, "Phone", "has been added", "never")
	if c := eve.challenge("/account/passkeys/challenge"); len(c.PublicKey.Exclude) != 1 || c.PublicKey.Exclude[0].ID != passkeytest.Base64(phone.ID) {
		t.Errorf("a second passkey on the same device is not kept out: %+v", c.PublicKey.Exclude)
	}

	home := r.visit()
	home.get("/sign-in").is(http.StatusOK, "Sign in with a passkey", "username webauthn", "passkeys.js").lacks("oken")
	home.signsIn(phone).is(http.StatusOK, `"to":"/jobs"`)
	home.get("/account").is(http.StatusOK, "eve", "Phone").lacks("never")
	laptop := home.gets("Laptop")
	home.post("/account/sessions/end", nil).is(http.StatusOK, "<h1>Sign in</h1>")
	eve.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")
	home.signsIn(laptop).is(http.StatusOK)
	home.get("/account").is(http.StatusOK, "Laptop")
}

func TestAPasskeyOpensOnlyWhatItIsFor(t *testing.T) {
	r := withPasskeys(t)
	phone := r.as("eve").gets("Phone")
	for name, change := range map[string]func(d *passkeytest.Device){
		"a page of another site":     func(d *passkeytest.Device) { d.Origin = "https://farm.studio.example.evil.example" },
		"another domain":             func(d *passkeytest.Device) { d.Domain = "evil.example" },
		"nobody at the device":       func(d *passkeytest.Device) { d.Flags = 0 },
		"an owner who was not asked": func(d *passkeytest.Device) { d.Flags = passkeytest.Present },
		"somebody else’s account":    func(d *passkeytest.Device) { d.Owner = passkeytest.Base64([]byte(staff[0].ID)) },
		"nobody’s account":           func(d *passkeytest.Device) { d.Owner = passkeytest.Base64([]byte("nobody")) },
		"no account":                 func(d *passkeytest.Device) { d.Owner = "" },
		"another key":                func(d *passkeytest.Device) { d.Key = passkeytest.New(t, passkeyFarm).Key },
		"an unknown passkey":         func(d *passkeytest.Device) { d.ID = []byte("unknown") },
	} {
		other := *phone
		change(&other)
		v := r.visit()
		if a := v.signsIn(&other); a.status != http.StatusUnauthorized && a.status != http.StatusBadRequest {
			t.Errorf("%s: answers %d: %s", name, a.status, a.body)
		}
		v.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")
	}
	r.visit().signsIn(phone).is(http.StatusOK)
	copied := *phone
	copied.Signs -= 1 // signs as often as the one that it is a copy of did already
	r.visit().signsIn(&copied).is(http.StatusUnauthorized)
	r.visit().signsIn(phone).is(http.StatusOK)
}

func TestAChallengeIsForOneAnswerOfItsKind(t *testing.T) {
	r := withPasskeys(t)
	eve := r.as("eve")
	phone := eve.gets("Phone")
	v := r.visit()
	c := v.challenge("/passkey/challenge")
	body := map[string]any{"answer": phone.Answers(c)}
	v.asks("/passkey/sign-in", body).is(http.StatusOK)
	r.visit().asks("/passkey/sign-in", body).is(http.StatusGone)
	again := r.visit()
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.Answers(c)}).is(http.StatusGone)
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.Answers(eve.challenge("/account/passkeys/challenge"))}).is(http.StatusGone)
	made := passkeytest.Challenge{}
	made.PublicKey.Challenge = passkeytest.Base64([]byte(strings.Repeat("A", 69)))
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.Answers(made)}).is(http.StatusGone)
	again.asks("/passkey/sign-in", map[string]any{"answer": "x"}).is(http.StatusBadRequest)
	again.asks("/passkey/sign-in", "x").is(http.StatusBadRequest)
	again.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")

	theirs := eve.challenge("/account/passkeys/challenge")
	d := passkeytest.New(t, passkeyFarm)
	r.as("ada").asks("/account/passkeys", map[string]any{"name": "Mine", "answer": d.Creates(theirs)}).is(http.StatusGone)
	eve.asks("/account/passkeys", map[string]any{"name": strings.Repeat("n", 101), "answer": d.Creates(theirs)}).is(http.StatusBadRequest)
	d.Flags = passkeytest.Present
	eve.asks("/account/passkeys", map[string]any{"name": "Unverified", "answer": d.Creates(theirs)}).is(http.StatusBadRequest)
	foreign := eve.origin
	eve.origin = "https://evil.example"
	eve.asks("/account/passkeys/challenge", nil).is(http.StatusForbidden)
	eve.origin = foreign
}

func TestPasskeysAreNamedAndRemovedButNeverTheLastWayIn(t *testing.T) {
	r := withPasskeys(t)
	eve := r.as("eve")
	phone := eve.gets("Phone")
	page := eve.get("/account").is(http.StatusOK)
	id := removal.FindStringSubmatch(page.body)[1]
	eve.post("/account/passkeys/"+id+"/rename", url.Values{"name": {"Old phone"}}).is(http.StatusOK, "Old phone")
	eve.post("/account/passkeys/"+id+"/rename", url.Values{"name": {" "}}).is(http.StatusBadRequest, "needs 1 to 100 characters")
	eve.post("/account/passkeys/"+id+"/remove", nil).is(http.StatusConflict, "only way to sign in", "Old phone")
	r.as("ada").post("/account/passkeys/"+id+"/remove", nil).is(http.StatusNotFound)
	eve.post("/account/password", url.Values{"password": {"correct horse battery"}}).is(http.StatusOK)
	eve.post("/account/passkeys/"+id+"/remove", nil).is(http.StatusOK).lacks("Old phone")
	r.visit().signsIn(phone).is(http.StatusUnauthorized)
	eve.post("/account/sign-in-again", nil).is(http.StatusOK, "<h1>Sign in</h1>", `name="to" value="/account"`)
	if a := eve.post("/sign-in", url.Values{"name": {"eve"}, "password": {"correct horse battery"}, "to": {"/account"}}).is(http.StatusOK); a.path != "/account" {
		t.Errorf("signed in again, they are at %s", a.path)
	}
	if a := eve.copy().post("/sign-in", url.Values{"name": {"eve"}, "password": {"correct horse battery"}, "to": {"https://evil.example"}}).is(http.StatusOK); a.path != "/" {
		t.Errorf("they were led to %s", a.path)
	}
}

func TestAFarmWithoutANameHasNoPasskeys(t *testing.T) {
	r := start(t) // at 127.0.0.1
	r.visit().get("/sign-in").is(http.StatusOK).lacks("passkey")
	r.as("eve").get("/account").is(http.StatusOK, "browsers offer no passkeys here")
	r.visit().asks("/passkey/challenge", nil).is(http.StatusConflict)
}

func TestAnAdministratorRemovesThePasskeyOfALostDevice(t *testing.T) {
	r := withPasskeys(t)
	eve, zoe := r.as("eve"), r.as("zoe")
	zoe.get("/settings/people").is(http.StatusOK, "A link only")
	phone := eve.gets("Phone")
	at := regexp.MustCompile(`/settings/people/[0-9A-Z]{26}/passkeys/[0-9a-f]{64}/remove`)
	remove := func() string {
		t.Helper()
		path := at.FindString(zoe.get("/settings/people").is(http.StatusOK, "passkey", "Phone", "never used").body)
		if path == "" {
			t.Fatal("no passkey can be removed")
		}
		return path
	}
	zoe.post(remove(), nil).is(http.StatusConflict, "Nothing was changed", "only way in that eve has", "reset the password")
	eve.post("/account/password", url.Values{"password": {"correct horse battery"}}).is(http.StatusOK)
	r.as("art").post(remove(), nil).is(http.StatusForbidden)
	zoe.post(remove(), nil).is(http.StatusOK, "Password").lacks("Phone")
	r.visit().signsIn(phone).is(http.StatusUnauthorized)
}
