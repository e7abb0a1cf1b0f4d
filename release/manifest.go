package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// Manifest describes a release.
type Manifest struct {
	Product     string    `json:"product"`               // Agent
	Version     string    `json:"version"`               // as people read it; the name of its folder on workstations
	Number      int64     `json:"number"`                // from 1, higher with each release; decides which of two is newer
	NotBefore   time.Time `json:"notBefore"`             // valid from then on
	Expires     time.Time `json:"expires"`               // can be installed until then; a machine that runs it keeps running it
	MinLauncher int       `json:"minLauncher"`           // the oldest launcher (launcher.Version) that can start it
	Protocol    Protocol  `json:"protocol"`              // which versions of the agents' protocol it speaks
	DowngradeOf int64     `json:"downgradeOf,omitempty"` // of a downgrade: the highest number from which machines may go back to this release
	Files       []File    `json:"files"`
}

// Protocol is a range of versions of the agents' protocol (wire.Version), both ends included.
type Protocol struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Speaks tells whether the range has the version.
func (p Protocol) Speaks(version int) bool { return p.Min <= version && version <= p.Max }

// File is the program for one system.
type File struct {
	System string `json:"system"` // windows, darwin or linux, as GOOS has it
	Arch   string `json:"arch"`   // amd64, arm64, or universal: any on that system
	Name   string `json:"name"`   // in the release's folder
	Size   int64  `json:"size"`   // in bytes
	SHA256 string `json:"sha256"` // in hex
}

// Universal is the architecture of a program that runs on all of its system's.
const Universal = "universal"

// Bounds of a manifest.
const (
	maxFiles = 32
	maxBytes = 1 << 30 // of one file
)

var (
	systems       = []string{"windows", "darwin", "linux"}
	architectures = []string{"amd64", "arm64", Universal}
	// versionPattern is a version that can be the name of a folder on every system: 1.2.3, 0.1.0-123-gabcdef0. It never ends with a dot, which Windows would drop.
	versionPattern = regexp.MustCompile(`^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$`)
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
)

// reservedNames are devices on Windows, with any ending.
var reservedNames = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// ValidVersion tells whether a text can be the version of a release: three numbers with dots between them, and an optional suffix after a dash.
func ValidVersion(version string) bool {
	return len(version) <= 64 && versionPattern.MatchString(version)
}

// ParseManifest parses a manifest and checks that it is complete and within bounds. It does not check the signature. The error is ErrFormat, ErrProduct or ErrTruncated.
func ParseManifest(text []byte) (*Manifest, error) {
	var m Manifest
	if err := parse(text, ManifestName, &m); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return &m, nil
}

// parse decodes a document. Unknown fields are ignored: later releases may have more, and minLauncher keeps out launchers that would need them.
func parse(text []byte, name string, into any) error {
	if len(text) > documentBytes {
		return fmt.Errorf("%w: %s is larger than %d bytes", ErrFormat, name, documentBytes)
	}
	err := json.Unmarshal(text, into)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && syntax.Offset >= int64(len(text)):
		return fmt.Errorf("%w: %s ends too early", ErrTruncated, name)
	}
	return fmt.Errorf("%w: %s: %w", ErrFormat, name, err)
}

// check validates all that needs neither clock nor keys.
func (m *Manifest) check() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", ErrFormat, ManifestName, fmt.Sprintf(format, args...))
	}
	switch {
	case m.Product != Agent:
		return fmt.Errorf("%w: it is for %q, not for %q", ErrProduct, m.Product, Agent)
	case !ValidVersion(m.Version):
		return wrong("%q is not a version such as 1.2.3 or 1.2.3-45-gabcdef0", m.Version)
	case m.Number < 1:
		return wrong("the number of a release is 1 or more")
	case m.DowngradeOf != 0 && m.DowngradeOf <= m.Number:
		return wrong("downgradeOf is %d; it has to be higher than the release's own number, %d", m.DowngradeOf, m.Number)
	case m.Expires.IsZero() || !m.Expires.After(m.NotBefore):
		return wrong("it expires before it is valid")
	case m.MinLauncher < 0:
		return wrong("minLauncher is negative")
	case m.Protocol.Min < 1 || m.Protocol.Max < m.Protocol.Min:
		return wrong("%d to %d is not a range of protocol versions", m.Protocol.Min, m.Protocol.Max)
	case len(m.Files) == 0 || len(m.Files) > maxFiles:
		return wrong("it names %d files; a release has 1 to %d", len(m.Files), maxFiles)
	}
	names, targets := map[string]bool{}, map[[2]string]bool{}
	for _, f := range m.Files {
		if err := f.check(); err != nil {
			return wrong("%v", err)
		}
		name, target := strings.ToLower(f.Name), [2]string{f.System, f.Arch}
		if names[name] || targets[target] {
			return wrong("it has two files %s for %s %s", f.Name, f.System, f.Arch)
		}
		names[name], targets[target] = true, true
	}
	return nil
}

func (f File) check() error {
	switch {
	case !validName(f.Name):
		return fmt.Errorf("%q is not a file name of letters, digits, dots and dashes", f.Name)
	case !slices.Contains(systems, f.System):
		return fmt.Errorf("%s: the system %q is none of %s", f.Name, f.System, strings.Join(systems, ", "))
	case !slices.Contains(architectures, f.Arch):
		return fmt.Errorf("%s: the architecture %q is none of %s", f.Name, f.Arch, strings.Join(architectures, ", "))
	case f.Size < 1 || f.Size > maxBytes:
		return fmt.Errorf("%s: the size is %d bytes; it has to be 1 to %d", f.Name, f.Size, maxBytes)
	case !farm.IsSHA256(f.SHA256):
		return fmt.Errorf("%s: %q is not a SHA-256 in hex", f.Name, f.SHA256)
	}
	return nil
}

// validName tells whether a name is that of a plain file on every system, and none of the release's documents.
func validName(name string) bool {
	lower := strings.ToLower(name)
	return len(name) <= 100 && namePattern.MatchString(name) && !reservedNames.MatchString(name) &&
		!strings.HasPrefix(lower, "manifest.json") && !strings.HasPrefix(lower, "keys.json")
}

func (m *Manifest) validAt(now time.Time) error {
	if now.Before(m.NotBefore) {
		return fmt.Errorf("%w: %s is valid from %s on, and this machine's clock says %s", ErrTooEarly, m.Version,
			m.NotBefore.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if now.After(m.Expires) {
		return fmt.Errorf("%w: %s could be installed until %s", ErrExpired, m.Version, m.Expires.UTC().Format(time.RFC3339))
	}
	return nil
}

// File returns the program for a system (GOOS) and an architecture (GOARCH): its own, or else the universal one. The error is ErrNoFile.
func (m *Manifest) File(system, arch string) (File, error) {
	for _, want := range []string{arch, Universal} {
		for _, f := range m.Files {
			if f.System == system && f.Arch == want {
				return f, nil
			}
		}
	}
	return File{}, fmt.Errorf("%w: %s has none for %s on %s", ErrNoFile, m.Version, system, arch)
}

// Seen is what a machine remembers of the releases that it has taken: the highest number, and the latest version. The zero value has seen nothing.
type Seen struct {
	Number  int64  `json:"number"`
	Version string `json:"version"`
	Keys    int64  `json:"keys"` // the highest serial of release keys
}

// Follows checks that a machine may take the release: it is newer than all that the machine has seen, or the latest again, or signed as a downgrade from the
// newest; and its list of keys is not older, so that a withdrawn key stays withdrawn. The error is ErrOlder.
func (r *Release) Follows(seen Seen) error {
	if r.Keys.Serial < seen.Keys {
		return fmt.Errorf("%w: its list of release keys is number %d, and number %d was seen", ErrOlder, r.Keys.Serial, seen.Keys)
	}
	switch {
	case r.Number > seen.Number,
		r.Number == seen.Number && r.Version == seen.Version,
		r.DowngradeOf != 0 && r.DowngradeOf >= seen.Number:
		return nil
	}
	return fmt.Errorf("%w: %s has number %d, and number %d was seen", ErrOlder, r.Version, r.Number, seen.Number)
}

// After is what a machine has seen once it has taken the release. A downgrade does not lower the number, so older releases still cannot be replayed.
func (s Seen) After(r *Release) Seen {
	return Seen{Number: max(s.Number, r.Number), Version: r.Version, Keys: max(s.Keys, r.Keys.Serial)}
}
