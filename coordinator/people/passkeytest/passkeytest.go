// Package passkeytest is a device that makes passkeys and answers challenges, for tests.
package passkeytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"testing"
)

// Flags of what a device says of its owner (Web Authentication, 6.1).
const (
	Present  = 0x01
	Verified = 0x04
	attested = 0x40
)

// Device has a passkey, as a phone or a security key does. Tests change its fields to have it misbehave.
type Device struct {
	Origin string // of the page that it believes to be asked by
	Domain string // for which it has the passkey
	ID     []byte
	Key    *ecdsa.PrivateKey
	Owner  string // base64url, as it was told when the passkey was made
	Signs  uint32 // how often it has signed
	Flags  byte
	t      testing.TB
}

// New is a device that a farm at an address asks, without a passkey as yet.
func New(t testing.TB, farm string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(farm)
	if err != nil {
		t.Fatal(err)
	}
	return &Device{t: t, Origin: farm, Domain: u.Hostname(), ID: []byte(rand.Text()), Key: key, Flags: Present | Verified}
}

// Challenge is what a page is told to ask devices for.
type Challenge struct {
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

// Base64 is how browsers write bytes.
func Base64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// clientData is what a browser signs along.
func (d *Device) clientData(kind, challenge string) []byte {
	body, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return body
}

func (d *Device) data(flags byte) []byte {
	domain := sha256.Sum256([]byte(d.Domain))
	return binary.BigEndian.AppendUint32(append(domain[:], flags), d.Signs)
}

// Creates makes the passkey, and gives the answer to a challenge (CBOR, written out).
func (d *Device) Creates(c Challenge) json.RawMessage {
	d.Owner = c.PublicKey.User.ID
	data := append(d.data(d.Flags|attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(d.ID))), d.ID...)
	public, err := d.Key.PublicKey.Bytes() // 4, x, y
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
	return d.answer(map[string]any{"clientDataJSON": Base64(d.clientData("webauthn.create", c.PublicKey.Challenge)), "attestationObject": Base64(object.Bytes()), "transports": []string{"internal", "<b>"}})
}

// Answers gives the answer to a challenge.
func (d *Device) Answers(c Challenge) json.RawMessage {
	d.Signs++
	data, client := d.data(d.Flags), d.clientData("webauthn.get", c.PublicKey.Challenge)
	sum := sha256.Sum256(client)
	all := sha256.Sum256(append(bytes.Clone(data), sum[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.Key, all[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{"clientDataJSON": Base64(client), "authenticatorData": Base64(data), "signature": Base64(signature), "userHandle": d.Owner})
}

func (d *Device) answer(response map[string]any) json.RawMessage {
	body, err := json.Marshal(map[string]any{"id": Base64(d.ID), "rawId": Base64(d.ID), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response})
	if err != nil {
		d.t.Fatal(err)
	}
	return body
}
