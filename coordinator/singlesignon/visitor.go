package singlesignon

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/oauth2"

	"overcrank/farm"
)

const (
	nameLimit    = 200  // characters of a name
	subjectLimit = 255  // bytes of a subject (OpenID Connect Core, 2)
	groupsLimit  = 1000 // groups of a person that are looked at
)

// Visitor is who somebody is by what the provider says.
type Visitor struct {
	Issuer, Subject string
	Name            string
	Email           string // "" unless the provider has verified it
	Groups          []string
	// TooMany says that the provider names groups elsewhere, since there are too many of them.
	TooMany bool
	// Unverified is an address that the provider has not verified, to show to those who test.
	Unverified string
	Claims     map[string]json.RawMessage // all that it says
}

// visitor checks the token by which a provider says who somebody is, and reads it.
func (p *Provider) visitor(ctx context.Context, known *discovered, token *oauth2.Token, nonce string) (v Visitor, err error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return v, p.invalid("there is no id token")
	}
	id, err := known.verifier.Verify(ctx, raw)
	if err != nil {
		return v, p.invalid(err.Error())
	}
	var more struct {
		Party string `json:"azp"`
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return v, p.invalid("the id token is of another sign-in: its nonce is another one")
	case id.Subject == "" || len(id.Subject) > subjectLimit:
		return v, p.invalid(fmt.Sprintf("the subject has %d bytes", len(id.Subject)))
	case id.Claims(&more) != nil || id.Claims(&v.Claims) != nil:
		return v, p.invalid("the claims cannot be read")
	case more.Party != "" && more.Party != p.settings.ClientID, more.Party == "" && len(id.Audience) > 1:
		return v, p.invalid("the id token was made for another client")
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return v, p.invalid("the access token is not the one that the id token is for")
	}
	v.Issuer, v.Subject = p.settings.Issuer, id.Subject
	if _, there := v.Claims[p.settings.GroupsClaim]; !there || v.nameless() {
		p.askMore(ctx, known, token, &v)
	}
	v.read(p.settings.GroupsClaim)
	return v, nil
}

// askMore adds what the provider tells only when it is asked once more. Without an answer the id token alone counts.
func (p *Provider) askMore(ctx context.Context, known *discovered, token *oauth2.Token, v *Visitor) {
	if known.provider.UserInfoEndpoint() == "" {
		return
	}
	info, err := known.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	var claims map[string]json.RawMessage
	switch {
	case err != nil:
		p.log.Info("the provider of single sign-on told no more of somebody", "subject", v.Subject)
		return
	case info.Subject != v.Subject || info.Claims(&claims) != nil:
		p.log.Warn("what the provider of single sign-on told more was about somebody else", "subject", v.Subject)
		return
	}
	for name, value := range claims {
		if _, there := v.Claims[name]; !there { // what is signed counts
			v.Claims[name] = value
		}
	}
}

// text is a claim that is a text, "" for none.
func (v *Visitor) text(claim string) string {
	var text string
	if json.Unmarshal(v.Claims[claim], &text) != nil {
		return ""
	}
	return text
}

func (v *Visitor) nameless() bool { return v.text("name") == "" && v.text("preferred_username") == "" }

// read takes name, address and groups from the claims.
func (v *Visitor) read(groupsClaim string) {
	email := strings.ToLower(strings.TrimSpace(v.text("email")))
	if v.verified() {
		v.Email = email
	} else {
		v.Unverified = email
	}
	for _, name := range []string{v.text("name"), v.text("preferred_username"), email, v.Subject} {
		if v.Name = plainName(name); v.Name != "" {
			break
		}
	}
	v.Groups = groupsOf(v.Claims[groupsClaim])
	var elsewhere map[string]string
	if json.Unmarshal(v.Claims["_claim_names"], &elsewhere) == nil {
		_, v.TooMany = elsewhere[groupsClaim]
	}
}

// verified says whether the provider has verified the e-mail address. Some write it as a text.
func (v *Visitor) verified() bool {
	var yes bool
	return json.Unmarshal(v.Claims["email_verified"], &yes) == nil && yes || v.text("email_verified") == "true"
}

// groupsOf are the groups in a claim, which is a list, or the name of one.
func groupsOf(claim json.RawMessage) []string {
	var list []string
	var one string
	if json.Unmarshal(claim, &list) != nil && json.Unmarshal(claim, &one) == nil && one != "" {
		list = []string{one}
	}
	fits := list[:0]
	for _, group := range list {
		if group != "" && len(group) <= farm.MostGroupName && len(fits) < groupsLimit {
			fits = append(fits, group)
		}
	}
	return fits
}

// plainName is a name from outside on one line, with nothing in it that is not to be seen.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > nameLimit {
		name = strings.TrimSpace(string(runes[:nameLimit]))
	}
	return name
}

// Claim is something that the provider says, as those who test see it.
type Claim struct{ Name, Value string }

// Shown are the claims by name, each value shortened.
func (v Visitor) Shown() []Claim {
	const most, longest = 100, 2000
	var list []Claim
	for _, name := range slices.Sorted(maps.Keys(v.Claims)) {
		if len(list) == most {
			break
		}
		value := string(v.Claims[name])
		if len(value) > longest {
			value = strings.ToValidUTF8(value[:longest], "") + "…"
		}
		list = append(list, Claim{name, value})
	}
	return list
}
