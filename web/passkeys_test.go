package web_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// What a device says of itself and of its owner (Web Authentication, 6.1).
const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

// device has a passkey, as a phone or a security key does.
type device struct {
	t      *testing.T
	origin string // of the page that it believes to be asked by
	domain string
	id     []byte
	key    *ecdsa.PrivateKey
	owner  string // base64url, as it was told when the passkey was made
	signs  uint32
	flags  byte
}

func newDevice(t *testing.T) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &device{t: t, origin: passkeyFarm, domain: "farm.studio.example", id: []byte(rand.Text()), key: key, flags: present | verified}
}

const passkeyFarm = "https://farm.studio.example"

// challenge is what a page is told to ask devices for.
type challenge struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		User      struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"user"`
		RelyingParty struct {
			ID string `json:"id"`
		} `json:"rp"`
		RPID             string `json:"rpId"`
		UserVerification string `json:"userVerification"`
		Selection        struct {
			ResidentKey      string `json:"residentKey"`
			UserVerification string `json:"userVerification"`
		} `json:"authenticatorSelection"`
		Exclude []struct {
			ID string `json:"id"`
		} `json:"excludeCredentials"`
	} `json:"publicKey"`
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// clientData is what a browser signs along.
func (d *device) clientData(kind, challenge string) []byte {
	body, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return body
}

func (d *device) data(flags byte) []byte {
	domain := sha256.Sum256([]byte(d.domain))
	return binary.BigEndian.AppendUint32(append(domain[:], flags), d.signs)
}

// creates makes the passkey, and gives the answer to a challenge (CBOR, written out).
func (d *device) creates(c challenge) json.RawMessage {
	d.owner = c.PublicKey.User.ID
	data := append(d.data(d.flags|attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(d.id))), d.id...)
	public, err := d.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		d.t.Fatal(err)
	}
	data = append(data, 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20)
	data = append(append(data, public[1:33]...), 0x22, 0x58, 0x20)
	data = append(data, public[33:]...)
	object := bytes.NewBuffer([]byte{0xa3})
	object.WriteString("\x63fmt\x64none\x67attStmt\xa0\x68authData\x58")
	object.WriteByte(byte(len(data)))
	object.Write(data)
	return d.answer(map[string]any{"clientDataJSON": b64(d.clientData("webauthn.create", c.PublicKey.Challenge)), "attestationObject": b64(object.Bytes()), "transports": []string{"internal", "<b>"}})
}

// signs gives the answer to a challenge.
func (d *device) answers(c challenge) json.RawMessage {
	d.signs++
	data, client := d.data(d.flags), d.clientData("webauthn.get", c.PublicKey.Challenge)
	sum := sha256.Sum256(client)
	all := sha256.Sum256(append(bytes.Clone(data), sum[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, all[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature), "userHandle": d.owner})
}

func (d *device) answer(response map[string]any) json.RawMessage {
	body, err := json.Marshal(map[string]any{"id": b64(d.id), "rawId": b64(d.id), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response})
	if err != nil {
		d.t.Fatal(err)
	}
	return body
}

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

func (v *visitor) challenge(path string) (c challenge) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.asks(path, nil).is(http.StatusOK).body), &c); err != nil {
		v.t.Fatal(err)
	}
	return c
}

// gets gives a visitor a passkey, on a device of its own.
func (v *visitor) gets(name string) *device {
	v.t.Helper()
	d := newDevice(v.t)
	v.asks("/account/passkeys", map[string]any{"name": name, "answer": d.creates(v.challenge("/account/passkeys/challenge"))}).is(http.StatusOK, "/account")
	return d
}

// signsIn answers a challenge of the sign-in page.
func (v *visitor) signsIn(d *device) answer {
	v.t.Helper()
	return v.asks("/passkey/sign-in", map[string]any{"answer": d.answers(v.challenge("/passkey/challenge")), "to": "/jobs"})
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
	if c := eve.challenge("/account/passkeys/challenge"); len(c.PublicKey.Exclude) != 1 || c.PublicKey.Exclude[0].ID != b64(phone.id) {
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
	for name, change := range map[string]func(d *device){
		"a page of another site":     func(d *device) { d.origin = "https://farm.studio.example.evil.example" },
		"another domain":             func(d *device) { d.domain = "evil.example" },
		"nobody at the device":       func(d *device) { d.flags = 0 },
		"an owner who was not asked": func(d *device) { d.flags = present },
		"somebody else’s account":    func(d *device) { d.owner = b64([]byte(staff[0].ID)) },
		"nobody’s account":           func(d *device) { d.owner = b64([]byte("nobody")) },
		"no account":                 func(d *device) { d.owner = "" },
		"another key":                func(d *device) { d.key = newDevice(t).key },
		"an unknown passkey":         func(d *device) { d.id = []byte("unknown") },
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
	copied.signs -= 1 // signs as often as the one that it is a copy of did already
	r.visit().signsIn(&copied).is(http.StatusUnauthorized)
	r.visit().signsIn(phone).is(http.StatusOK)
}

func TestAChallengeIsForOneAnswerOfItsKind(t *testing.T) {
	r := withPasskeys(t)
	eve := r.as("eve")
	phone := eve.gets("Phone")
	v := r.visit()
	c := v.challenge("/passkey/challenge")
	body := map[string]any{"answer": phone.answers(c)}
	v.asks("/passkey/sign-in", body).is(http.StatusOK)
	r.visit().asks("/passkey/sign-in", body).is(http.StatusGone)
	again := r.visit()
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.answers(c)}).is(http.StatusGone)
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.answers(eve.challenge("/account/passkeys/challenge"))}).is(http.StatusGone)
	made := challenge{}
	made.PublicKey.Challenge = b64([]byte(strings.Repeat("A", 69)))
	again.asks("/passkey/sign-in", map[string]any{"answer": phone.answers(made)}).is(http.StatusGone)
	again.asks("/passkey/sign-in", map[string]any{"answer": "x"}).is(http.StatusBadRequest)
	again.asks("/passkey/sign-in", "x").is(http.StatusBadRequest)
	again.get("/account").is(http.StatusOK, "<h1>Sign in</h1>")

	theirs := eve.challenge("/account/passkeys/challenge")
	d := newDevice(t)
	r.as("ada").asks("/account/passkeys", map[string]any{"name": "Mine", "answer": d.creates(theirs)}).is(http.StatusGone)
	eve.asks("/account/passkeys", map[string]any{"name": strings.Repeat("n", 101), "answer": d.creates(theirs)}).is(http.StatusBadRequest)
	d.flags = present
	eve.asks("/account/passkeys", map[string]any{"name": "Unverified", "answer": d.creates(theirs)}).is(http.StatusBadRequest)
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
