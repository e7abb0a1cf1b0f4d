package node

import (
	"errors"
	"fmt"

	"overcrank/coordinator/singlesignon"
)

// signOnFlags are the flags of a coordinator that say with whose accounts people sign in besides passwords.
type signOnFlags struct {
	OIDCIssuer       string   `name:"oidc-issuer" help:"OpenID Connect provider with whose accounts people sign in, such as https://id.studio.example/realms/studio, exactly as it names itself; passwords alone when left out. The same for all coordinators." placeholder:"URL" env:"OVERCRANK_OIDC_ISSUER"`
	OIDCClientID     string   `name:"oidc-client-id" help:"Id of the farm at the provider; needed with --oidc-issuer." placeholder:"ID" env:"OVERCRANK_OIDC_CLIENT_ID"`
	OIDCClientSecret string   `name:"oidc-client-secret-file" help:"File with the secret of the farm at the provider; none for a public client. It is read when the coordinator starts or is reloaded." type:"path" placeholder:"FILE" env:"OVERCRANK_OIDC_CLIENT_SECRET_FILE"`
	OIDCScopes       []string `name:"oidc-scopes" help:"What the farm asks the provider for; openid has to be part of it." default:"openid,profile,email" placeholder:"SCOPE" env:"OVERCRANK_OIDC_SCOPES"`
	OIDCGroupsClaim  string   `name:"oidc-groups-claim" help:"Claim in which the provider lists a person's groups." default:"groups" placeholder:"NAME" env:"OVERCRANK_OIDC_GROUPS_CLAIM"`
	OIDCLabel        string   `name:"oidc-label" help:"What people call their account there, on the button that signs them in." default:"Studio account" placeholder:"WORDS" env:"OVERCRANK_OIDC_LABEL"`
}

// check refuses flags with which nobody could sign in. It does not read the secret, which may be on another machine.
func (f signOnFlags) check() error {
	if f.OIDCIssuer == "" {
		if f.OIDCClientID != "" || f.OIDCClientSecret != "" {
			return errors.New("--oidc-client-id and --oidc-client-secret-file need --oidc-issuer")
		}
		return nil
	}
	if err := f.settings().Check(); err != nil {
		return fmt.Errorf("single sign-on: %w", err)
	}
	return nil
}

func (f signOnFlags) settings() singlesignon.Settings {
	return singlesignon.Settings{Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, Scopes: f.OIDCScopes, GroupsClaim: f.OIDCGroupsClaim, Label: f.OIDCLabel}
}

// signOn is with whose accounts people sign in, nil for none.
func (f signOnFlags) signOn() (*singlesignon.Settings, error) {
	if f.OIDCIssuer == "" {
		return nil, nil
	}
	s := f.settings()
	if f.OIDCClientSecret == "" {
		return &s, nil
	}
	var err error
	if s.Secret, err = singlesignon.ReadSecret(f.OIDCClientSecret); err != nil {
		return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
	}
	return &s, nil
}
