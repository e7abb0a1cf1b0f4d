package release

import (
	"fmt"
	"os"
	"strings"
	"time"

	"aead.dev/minisign"
)

// Keys is the list of keys that may sign releases. To change it, a root key signs a new list with a higher serial.
type Keys struct {
	Product string    `json:"product"` // Agent
	Serial  int64     `json:"serial"`  // from 1, higher with each list
	Expires time.Time `json:"expires"` // releases that the keys signed can be installed until then
	Public  []string  `json:"keys"`    // as minisign writes them, RW…

	public []minisign.PublicKey
}

// maxKeys is how many release keys a list may have. Two are usual: the current one and the next.
const maxKeys = 8

func parseKeys(text []byte) (*Keys, error) {
	var k Keys
	if err := parse(text, KeysName, &k); err != nil {
		return nil, err
	}
	return &k, k.check()
}

// check validates all that needs neither clock nor signature, and parses the keys.
func (k *Keys) check() error {
	switch {
	case k.Product != Agent:
		return fmt.Errorf("%w: its keys are for %q, not for %q", ErrProduct, k.Product, Agent)
	case k.Serial < 1:
		return fmt.Errorf("%w: %s: the serial is 1 or more", ErrFormat, KeysName)
	case k.Expires.IsZero():
		return fmt.Errorf("%w: %s: it does not say when it expires", ErrFormat, KeysName)
	case len(k.Public) == 0 || len(k.Public) > maxKeys:
		return fmt.Errorf("%w: %s: it names %d keys, not 1 to %d", ErrFormat, KeysName, len(k.Public), maxKeys)
	}
	public, err := publicKeys(k.Public)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFormat, KeysName, err)
	}
	k.public = public
	return nil
}

func publicKeys(texts []string) ([]minisign.PublicKey, error) {
	keys := make([]minisign.PublicKey, len(texts))
	for i, text := range texts {
		if err := keys[i].UnmarshalText([]byte(text)); err != nil {
			return nil, fmt.Errorf("%q is not a minisign public key", text)
		}
	}
	return keys, nil
}

// compiledRoots are the public root keys that a program is built with, with commas between them:
//
//	go build -ldflags '-X overcrank/release.compiledRoots=RW…,RW…'
//
// A build without them trusts no release unless a file names roots.
var compiledRoots string

// Roots returns the root keys to check releases with: those of the file at path, or, if path is "", those that the program was built with. The file has
// one minisign public key on each line; other lines, such as minisign's comments, are ignored. The error is ErrNoRoots when there are no keys.
func Roots(path string) ([]minisign.PublicKey, error) {
	if path == "" {
		return rootsOf(strings.FieldsFunc(compiledRoots, func(r rune) bool { return r == ',' }), "the program's build")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the root keys: %w", err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "RW") {
			lines = append(lines, line)
		}
	}
	return rootsOf(lines, path)
}

func rootsOf(texts []string, where string) ([]minisign.PublicKey, error) {
	if len(texts) == 0 {
		return nil, fmt.Errorf("%w (looked in %s)", ErrNoRoots, where)
	}
	keys, err := publicKeys(texts)
	if err != nil {
		return nil, fmt.Errorf("root keys of %s: %w", where, err)
	}
	return keys, nil
}
