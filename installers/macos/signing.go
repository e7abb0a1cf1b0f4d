package macos

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"overcrank/installers/macos/codesign"
	"overcrank/installers/macos/notary"
)

// appleTimestamps is Apple's RFC 3161 authority, the one that codesign(1) asks.
const appleTimestamps = "http://timestamp.apple.com/ts01"

// SigningFrom reads what a studio signs with, from the files that these settings name: OVERCRANK_MACOS_APPLICATION and
// OVERCRANK_MACOS_INSTALLER (.p12 files; the setting with _PASSWORD_FILE behind the name has the file with the password),
// OVERCRANK_MACOS_TIMESTAMPS (another authority than Apple's), and for notarization OVERCRANK_MACOS_NOTARY_KEY (a .p8 file) with
// OVERCRANK_MACOS_NOTARY_KEY_ID and OVERCRANK_MACOS_NOTARY_ISSUER. None of them is needed.
func SigningFrom(getenv func(string) string) (Signing, error) {
	var s Signing
	for _, one := range []struct {
		setting  string
		identity **codesign.Identity
	}{{"OVERCRANK_MACOS_APPLICATION", &s.Application}, {"OVERCRANK_MACOS_INSTALLER", &s.Installer}} {
		path := getenv(one.setting)
		if path == "" {
			continue
		}
		p12, err := os.ReadFile(path)
		if err != nil {
			return Signing{}, fmt.Errorf("%s: %w", one.setting, err)
		}
		var password []byte
		if secret := getenv(one.setting + "_PASSWORD_FILE"); secret != "" {
			if password, err = os.ReadFile(secret); err != nil {
				return Signing{}, fmt.Errorf("%s_PASSWORD_FILE: %w", one.setting, err)
			}
		}
		identity, err := codesign.ReadIdentity(p12, strings.TrimRight(string(password), "\r\n"))
		if err != nil {
			return Signing{}, fmt.Errorf("%s (%s): %w", one.setting, path, err)
		}
		identity.TimestampServer = appleTimestamps
		if other := getenv("OVERCRANK_MACOS_TIMESTAMPS"); other != "" {
			identity.TimestampServer = other
		}
		*one.identity = identity
	}
	path := getenv("OVERCRANK_MACOS_NOTARY_KEY")
	if path == "" {
		return s, nil
	}
	id, issuer := getenv("OVERCRANK_MACOS_NOTARY_KEY_ID"), getenv("OVERCRANK_MACOS_NOTARY_ISSUER")
	if id == "" || issuer == "" {
		return Signing{}, errors.New("OVERCRANK_MACOS_NOTARY_KEY needs OVERCRANK_MACOS_NOTARY_KEY_ID and OVERCRANK_MACOS_NOTARY_ISSUER, which App Store Connect shows beside the key")
	}
	p8, err := os.ReadFile(path)
	if err != nil {
		return Signing{}, fmt.Errorf("OVERCRANK_MACOS_NOTARY_KEY: %w", err)
	}
	key, err := notary.ParseKey(issuer, id, p8)
	if err != nil {
		return Signing{}, fmt.Errorf("OVERCRANK_MACOS_NOTARY_KEY (%s): %w", path, err)
	}
	s.Notary = &notary.Client{Key: key}
	return s, nil
}
