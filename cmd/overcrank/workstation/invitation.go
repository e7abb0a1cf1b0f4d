package workstation

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// invitationFile is the name of an invitation that lies beside a package.
const invitationFile = "overcrank-invitation.json"

// invitation is what a machine needs to join a farm, and what it is to be there.
type invitation struct {
	Server      servers  `json:"server"`
	Join        string   `json:"join"`        // token; its fingerprint may be left out when one of the next two is there
	CAFile      string   `json:"caFile"`      // PEM, with the certificate of the farm's authority
	Fingerprint string   `json:"fingerprint"` // of the farm's authority
	Tags        []string `json:"tags"`
}

// servers are base addresses of coordinators: in JSON a text or a list.
type servers []string

// UnmarshalJSON reads one address or a list of them.
func (s *servers) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = servers{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}

// maxInvitation bounds what is read of an invitation and of a file of certificates, in bytes.
const maxInvitation = 256 << 10

// invited reads the invitation that came with a package: in the name of its file, or in a file beside it; nil when neither has one.
func invited(packageFile string) (*invitation, error) {
	in, err := invitationInName(packageFile)
	if in != nil || err != nil {
		return in, err
	}
	path := filepath.Join(filepath.Dir(packageFile), invitationFile)
	text, err := durable.ReadSmall(path, maxInvitation, mayLieBeside(packageFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading the invitation: %w", err)
	}
	in = &invitation{}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(text), "\ufeff")), in); err != nil {
		return nil, fmt.Errorf("reading the invitation %s: %w", path, err)
	}
	if in.CAFile != "" && !filepath.IsAbs(in.CAFile) {
		in.CAFile = filepath.Join(filepath.Dir(path), in.CAFile)
	}
	return in, nil
}

// nameForm is what an invitation looks like in the name of a package: overcrank-agent__HOST_PORT__TOKEN, with what systems append to a second copy, such
// as " (1)". The form of the token ends it.
var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^_]*__([A-Za-z0-9][A-Za-z0-9.-]{0,252})_([0-9]{1,5})__(ocj_[0-9a-z]{20,200}\.[0-9a-f]{64})(?:[ (-].*)?$`)
})

// packageEndings are those of the packages of the agent.
var packageEndings = []string{".msi", ".pkg", ".deb", ".rpm"}

// invitationInName reads the invitation in the name of a package, nil when it has none. The error does not repeat the name, which may hold a secret.
func invitationInName(packageFile string) (*invitation, error) {
	// The path may have either separator: wine passes on both.
	name := packageFile[strings.LastIndexAny(packageFile, `/\`)+1:]
	for _, ending := range packageEndings {
		if len(name) > len(ending) && strings.EqualFold(name[len(name)-len(ending):], ending) {
			name = name[:len(name)-len(ending)]
			break
		}
	}
	if !strings.Contains(name, "__") {
		return nil, nil
	}
	parts := nameForm().FindStringSubmatch(name)
	if parts == nil {
		return nil, errors.New("the invitation in the package's name is not complete: the name has to be overcrank-agent__HOST_PORT__TOKEN; " +
			"rename the package, or give --server and --join")
	}
	return &invitation{Server: servers{"https://" + net.JoinHostPort(parts[1], parts[2])}, Join: parts[3]}, nil
}

// check validates the invitation and completes it: addresses get a scheme, the token its fingerprint.
func (in *invitation) check() error {
	for i, given := range in.Server {
		address, err := serverAddress(given)
		if err != nil {
			return err
		}
		in.Server[i] = address
	}
	for _, tag := range in.Tags {
		if strings.TrimSpace(tag) == "" || strings.ContainsFunc(tag, func(r rune) bool { return r < ' ' || r == ',' }) {
			return fmt.Errorf("%q is not a tag: a tag is not empty and has no comma", tag)
		}
	}
	return in.checkToken()
}

// serverAddress is the base address of a coordinator: https, unless it says otherwise.
func serverAddress(given string) (string, error) {
	text := strings.TrimRight(strings.TrimSpace(given), "/")
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	wrong := err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != ""
	if !wrong && u.Port() != "" {
		port, err := strconv.Atoi(u.Port())
		wrong = err != nil || port < 1 || port > 65535
	}
	if wrong || strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r <= ' ' || strings.ContainsRune(`"'<>\^`+"`{|}", r) }) {
		return "", fmt.Errorf("%q is not the address of a coordinator, such as https://farm.example.com:8080", given)
	}
	return text, nil
}

// checkToken adds the fingerprint of the farm's authority to a token that has none, and refuses a token of another farm. Errors do not repeat the token.
func (in *invitation) checkToken() error {
	fingerprints, err := in.fingerprints()
	if err != nil {
		return err
	}
	in.Join = strings.TrimSpace(in.Join)
	if in.Join == "" {
		return nil
	}
	if len(fingerprints) == 1 && !strings.Contains(in.Join, ".") {
		in.Join += "." + fingerprints[0]
	}
	token, err := wire.ParseJoinToken(in.Join)
	if err != nil || len(fingerprints) == 0 {
		return err
	}
	for _, known := range fingerprints {
		if token.Authority == known {
			return nil
		}
	}
	return errors.New("the join token is for another farm than the certificate or fingerprint given with it")
}

// fingerprints returns those of the authorities that the invitation names.
func (in *invitation) fingerprints() ([]string, error) {
	if in.Fingerprint != "" {
		text := strings.ToLower(in.Fingerprint)
		text = strings.NewReplacer(":", "", " ", "").Replace(strings.TrimPrefix(text, "sha256:"))
		if !farm.IsSHA256(text) {
			return nil, fmt.Errorf("%q is not a fingerprint: a fingerprint is a SHA-256, 64 hexadecimal digits", in.Fingerprint)
		}
		return []string{text}, nil
	}
	if in.CAFile == "" {
		return nil, nil
	}
	text, err := durable.ReadSmall(in.CAFile, maxInvitation)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the farm's authority: %w", err)
	}
	var all []string
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading the certificate of the farm's authority in %s: %w", in.CAFile, err)
		}
		all = append(all, wire.Fingerprint(certificate.RawSubjectPublicKeyInfo))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no certificate: it has to be a PEM file with the certificate of the farm's authority", in.CAFile)
	}
	return all, nil
}
