package people

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// challengeLife is how long somebody may take to answer a challenge. Pages ask for another before that.
	challengeLife = 10 * time.Minute
	// freshFor is how long after signing in somebody may add a passkey: a browser that was left alone must not give others a way in for good.
	freshFor = 30 * time.Minute
	// passkeyNameMost bounds the name of a passkey, in characters.
	passkeyNameMost = 100
	// passkeyAnswerMost bounds what a browser answers to a challenge, in bytes.
	passkeyAnswerMost = 64 << 10
)

// What challenges of each kind are signed with.
const (
	addingPasskey  = "passkeys that are added"
	signingPasskey = "sign-ins by passkey"
)

// Passkeys let people sign in with their devices (Web Authentication). A challenge is signed and not kept, so that any coordinator takes the answer; it
// is used up by that.
type Passkeys struct {
	d             *Directory
	publicAddress func() string
}

// NewPasskeys makes them for a farm's people. Passkeys are good for the name in the farm's public address.
func NewPasskeys(d *Directory, publicAddress func() string) *Passkeys {
	return &Passkeys{d: d, publicAddress: publicAddress}
}

var errNoPasskeys = farm.Errorf(farm.CodeConflict, "passkeys need a farm whose public address has a name and begins with https")

// Domain is the name that passkeys are good for, "" when the farm can have none: its address is a number, or not secure.
func (k *Passkeys) Domain() string {
	u, err := url.Parse(k.publicAddress())
	if err != nil || net.ParseIP(u.Hostname()) != nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return ""
	}
	return u.Hostname()
}

// party is the farm as browsers and devices see it.
func (k *Passkeys) party() (*webauthn.WebAuthn, error) {
	domain := k.Domain()
	u, err := url.Parse(k.publicAddress())
	if domain == "" || err != nil {
		return nil, errNoPasskeys
	}
	return webauthn.New(&webauthn.Config{
		RPID: domain, RPDisplayName: "Overcrank", RPOrigins: []string{u.Scheme + "://" + u.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired,
		},
	})
}

// holder is a person as the library asks for one.
type holder struct {
	farm.Token
	passkeys []farm.Passkey
}

// WebAuthnID is what devices keep of a person: nothing that tells who it is.
func (h holder) WebAuthnID() []byte { return []byte(h.ID) }

// WebAuthnName tells a person's accounts apart, on their device.
func (h holder) WebAuthnName() string {
	if h.Email != "" {
		return h.Email
	}
	return h.Name
}

// WebAuthnDisplayName is what devices call a person.
func (h holder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials are a person's passkeys.
func (h holder) WebAuthnCredentials() []webauthn.Credential {
	list := make([]webauthn.Credential, len(h.passkeys))
	for i, p := range h.passkeys {
		kind, _ := hex.DecodeString(p.Kind)
		list[i] = webauthn.Credential{
			ID: p.Credential, PublicKey: p.Key, AttestationType: "none",
			Flags:         webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: p.Synced, BackupState: p.Backed},
			Authenticator: webauthn.Authenticator{AAGUID: kind, SignCount: p.Signs},
		}
		for _, t := range p.Transports {
			list[i].Transport = append(list[i].Transport, protocol.AuthenticatorTransport(t))
		}
	}
	return list
}

func (k *Passkeys) holder(id string) (h holder, err error) {
	err = k.d.state.View(func(tx *raftstore.Tx) error {
		if h.Token, err = tx.Token(id); err != nil {
			return err
		}
		h.passkeys, err = tx.Passkeys(id)
		return err
	})
	return h, err
}

// fresh refuses somebody who has not signed in just now, in a browser.
func (k *Passkeys) fresh(ctx context.Context, p farm.Principal) error {
	open, err := k.d.openSession(ctx, p.TokenID, p.Session)
	if err != nil {
		return err
	}
	if k.d.state.Now().After(open.BegunAt.Add(freshFor)) {
		return farm.Errorf(farm.CodeForbidden, "to add a passkey, sign in again: you signed in more than %d minutes ago", int(freshFor.Minutes()))
	}
	return nil
}

// MayAdd says whether the caller has signed in so lately that they may add a passkey.
func (k *Passkeys) MayAdd(ctx context.Context, p farm.Principal) bool { return k.fresh(ctx, p) == nil }

// BeginAdding gives what the caller's browser asks a device for. CodeForbidden when they signed in too long ago, CodeConflict where there can be no passkeys.
func (k *Passkeys) BeginAdding(ctx context.Context, p farm.Principal) (*protocol.CredentialCreation, error) {
	party, err := k.party()
	if err != nil {
		return nil, err
	}
	if err := k.fresh(ctx, p); err != nil {
		return nil, err
	}
	h, err := k.holder(p.TokenID)
	if err != nil {
		return nil, err
	}
	if !h.Person {
		return nil, farm.Errorf(farm.CodeConflict, "%q is a program and has no passkeys", h.Name)
	}
	challenge := k.d.signInCode(addingPasskey, p.TokenID, challengeLife)
	var has []protocol.CredentialDescriptor
	for _, c := range h.WebAuthnCredentials() {
		has = append(has, c.Descriptor())
	}
	options, _, err := party.BeginRegistration(h, webauthn.WithExclusions(has), webauthn.WithCredentialParameters(webauthn.CredentialParametersDefault()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = []byte(challenge.Code)
			return nil
		})
	return options, err
}

var errPasskey = farm.Errorf(farm.CodeUnauthorized, "this passkey does not open this farm; it may have been removed")

// Add keeps a passkey that a device has made for the caller, under a name. CodeInvalid for an answer that is not good, CodeGone for one that comes too
// late or twice.
func (k *Passkeys) Add(ctx context.Context, p farm.Principal, name string, answer []byte) error {
	party, err := k.party()
	if err != nil {
		return err
	}
	if err := k.fresh(ctx, p); err != nil {
		return err
	}
	if name, err = passkeyName(name); err != nil {
		return err
	}
	h, err := k.holder(p.TokenID)
	if err != nil {
		return err
	}
	parsed, err := parseAnswer(answer, protocol.ParseCredentialCreationResponseBytes)
	if err != nil {
		return err
	}
	use, subject, err := k.challenge(parsed.Response.CollectedClientData.Challenge, addingPasskey)
	if err != nil || subject != p.TokenID {
		return errChallenge
	}
	made, err := party.CreateCredential(h, webauthn.SessionData{
		Challenge: parsed.Response.CollectedClientData.Challenge, RelyingPartyID: k.Domain(), UserID: h.WebAuthnID(), UserVerification: protocol.VerificationRequired,
		CredParams: webauthn.CredentialParametersDefault(),
	}, parsed)
	if err != nil {
		k.d.log.Warn("a passkey was not added", "person", p.Name, "error", err, "details", detailsOf(err))
		return farm.Errorf(farm.CodeInvalid, "this device’s answer cannot be used; try again, or with another device")
	}
	kept := farm.Passkey{
		ID: passkeyID(made.ID), Token: p.TokenID, Name: name, Credential: made.ID, Key: made.PublicKey, Domain: k.Domain(), Kind: hex.EncodeToString(made.Authenticator.AAGUID),
		Synced: made.Flags.BackupEligible, Backed: made.Flags.BackupState, Signs: made.Authenticator.SignCount, AddedAt: use.At,
	}
	for _, t := range made.Transport[:min(len(made.Transport), 10)] {
		if slices.Contains([]string{"usb", "nfc", "ble", "smart-card", "hybrid", "internal"}, string(t)) { // others the standard does not know
			kept.Transports = append(kept.Transports, string(t))
		}
	}
	if _, err := k.d.state.Apply(ctx, command.PutPasskey{Passkey: kept, Code: use, At: use.At}); err != nil {
		return err
	}
	k.d.log.Info("a passkey was added", "person", p.Name, "id", p.TokenID)
	return nil
}

// BeginSignIn gives what a browser asks its devices for that signs in by passkey, whoever's it is.
func (k *Passkeys) BeginSignIn() (*protocol.CredentialAssertion, error) {
	party, err := k.party()
	if err != nil {
		return nil, err
	}
	id, err := k.d.state.NewID() // nobody's: who it is the answer tells
	if err != nil {
		return nil, err
	}
	challenge := k.d.signInCode(signingPasskey, id, challengeLife)
	options, _, err := party.BeginDiscoverableLogin(webauthn.WithChallenge([]byte(challenge.Code)), webauthn.WithUserVerification(protocol.VerificationRequired))
	return options, err
}

// SignIn finds who signs in by what their device answers. CodeUnauthorized for a passkey that opens nothing, CodeGone for an answer that comes too late
// or twice.
func (k *Passkeys) SignIn(ctx context.Context, answer []byte) (farm.Principal, error) {
	party, err := k.party()
	if err != nil {
		return farm.Principal{}, err
	}
	parsed, err := parseAnswer(answer, protocol.ParseCredentialRequestResponseBytes)
	if err != nil {
		return farm.Principal{}, err
	}
	use, _, err := k.challenge(parsed.Response.CollectedClientData.Challenge, signingPasskey)
	if err != nil {
		return farm.Principal{}, err
	}
	var who holder
	_, used, err := party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		who, err = k.holder(string(handle))
		return who, err
	}, webauthn.SessionData{Challenge: parsed.Response.CollectedClientData.Challenge, RelyingPartyID: k.Domain(), UserVerification: protocol.VerificationRequired}, parsed)
	if err != nil {
		k.d.log.Info("a passkey opened nothing", "error", err, "details", detailsOf(err))
		return farm.Principal{}, errPasskey
	}
	if used.Authenticator.CloneWarning {
		k.d.log.Warn("a passkey has signed less often than before: somebody may have a copy of it", "person", who.Name, "id", who.ID)
		return farm.Principal{}, errPasskey
	}
	_, err = k.d.state.Apply(ctx, command.ChangePasskey{Token: who.ID, ID: passkeyID(used.ID), At: use.At, Use: &command.PasskeyUse{
		Code: use, Signs: used.Authenticator.SignCount, Backed: used.Flags.BackupState,
	}})
	switch farm.CodeOf(err) {
	case farm.CodeGone:
		return farm.Principal{}, errChallenge
	case farm.CodeNotFound:
		return farm.Principal{}, errPasskey
	}
	if err != nil {
		return farm.Principal{}, err
	}
	p, err := k.d.PrincipalOf(ctx, who.ID)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		err = errPasskey
	}
	return p, err
}

// Rename gives a passkey of the caller's another name.
func (k *Passkeys) Rename(ctx context.Context, p farm.Principal, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	_, err = k.d.state.Apply(ctx, command.ChangePasskey{Token: p.TokenID, ID: id, Name: name, At: k.d.state.Now()})
	return err
}

// Remove takes a passkey of the caller's away. CodeConflict when they could not sign in any more.
func (k *Passkeys) Remove(ctx context.Context, p farm.Principal, id string) error {
	_, err := k.d.state.Apply(ctx, command.ChangePasskey{Token: p.TokenID, ID: id, Remove: true, At: k.d.state.Now()})
	if err == nil {
		k.d.log.Info("a passkey was removed", "person", p.Name, "id", p.TokenID)
	}
	return err
}

var errChallenge = farm.Errorf(farm.CodeGone, "that took too long, or was answered before; try again")

// challenge is what a device has answered: a challenge of a kind that this farm made for a subject, and that is used up by the answer.
func (k *Passkeys) challenge(text, kind string) (use command.UseCode, subject string, err error) {
	code, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return use, "", errChallenge
	}
	subject, until, _ := k.d.readCode(string(code), kind)
	now := k.d.state.Now()
	if subject == "" || !now.Before(until) {
		return use, "", errChallenge
	}
	if used, err := k.d.used(string(code), until); err != nil || used {
		return use, "", cmp.Or[error](err, errChallenge)
	}
	return command.UseCode{Hash: hashCode(string(code)), Until: until, At: now}, subject, nil
}

// parseAnswer reads what a browser answers.
func parseAnswer[R any](answer []byte, parse func([]byte) (R, error)) (parsed R, err error) {
	if len(answer) > passkeyAnswerMost {
		return parsed, farm.Errorf(farm.CodeTooLarge, "the browser’s answer has %d bytes, and may have %d", len(answer), passkeyAnswerMost)
	}
	if parsed, err = parse(answer); err != nil {
		return parsed, farm.Errorf(farm.CodeInvalid, "the browser’s answer cannot be read")
	}
	return parsed, nil
}

// passkeyID is by what the farm finds a passkey.
func passkeyID(credential []byte) string {
	sum := sha256.Sum256(credential)
	return hex.EncodeToString(sum[:])
}

func passkeyName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || utf8.RuneCountInString(name) > passkeyNameMost || strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }) {
		return "", farm.Errorf(farm.CodeInvalid, "the name of a passkey needs 1 to %d characters", passkeyNameMost)
	}
	return name, nil
}

// detailsOf is what the library says beside an error, for the log.
func detailsOf(err error) string {
	var p *protocol.Error
	if errors.As(err, &p) {
		return p.DevInfo
	}
	return ""
}
