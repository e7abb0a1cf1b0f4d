package singlesignon

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Settings say which provider signs people in, and how the farm asks it.
type Settings struct {
	Issuer      string // the provider's address, exactly as it names itself
	ClientID    string // of the farm at the provider
	Secret      string // of the farm at the provider, "" for a client without one
	Scopes      []string
	GroupsClaim string // in which claim a person's groups are
	Label       string // what people call their account there, on the button
}

const (
	secretLimit = 64 << 10 // bytes of the file with the client's secret
	labelLimit  = 40       // characters
)

// ReadSecret reads a client's secret from a file, without the line break at its end. The error never holds the secret.
func ReadSecret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("reading the client’s secret: %w", err)
	}
	if info.Size() > secretLimit {
		return "", fmt.Errorf("reading the client’s secret: %s has %d bytes, which is not a secret", path, info.Size())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the client’s secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("reading the client’s secret: %s is empty", path)
	}
	return secret, nil
}

// Check refuses settings with which nobody could sign in, or not safely.
func (s Settings) Check() error {
	u, err := url.Parse(s.Issuer)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("--oidc-issuer is %q: it has to look like https://id.studio.example/realms/studio", s.Issuer)
	case u.Scheme == "http" && !isThisMachine(u.Hostname()):
		return fmt.Errorf("--oidc-issuer is %s: it has to begin with https, because without it anybody on the network could sign in as somebody else", s.Issuer)
	case s.ClientID == "":
		return errors.New("--oidc-client-id is missing: the id of the farm at the provider")
	case !slices.Contains(s.Scopes, "openid"):
		return errors.New("--oidc-scopes lacks openid, without which the provider does not say who signs in")
	case s.GroupsClaim == "":
		return errors.New("--oidc-groups-claim is empty")
	case s.Label == "" || utf8.RuneCountInString(s.Label) > labelLimit || strings.ContainsFunc(s.Label, unicode.IsControl):
		return fmt.Errorf("--oidc-label needs 1 to %d characters, such as “Studio account”", labelLimit)
	}
	return nil
}

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
