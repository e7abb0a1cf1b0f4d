package page

import (
	"context"
	"net/url"

	"overcrank/farm"
)

// signOnHref is where single sign-on begins that leads to a page.
func signOnHref(to string) string {
	if to == "" || to == "/" {
		return "/single-sign-on"
	}
	return "/single-sign-on?" + url.Values{"to": {to}}.Encode()
}

// teamName is what a team is called, or its id when there is no such team any more.
func teamName(ctx context.Context, teams []farm.Team, id string) string {
	for _, t := range teams {
		if t.ID == id {
			return t.Name
		}
	}
	return say(ctx, "%s (deleted)", id)
}

// nameAutocomplete says what browsers offer in the field for the name: passkeys too, where there are any.
func nameAutocomplete(v SignInForm) string {
	if v.Passkeys != "" {
		return "username webauthn"
	}
	return "username"
}
