// Package farmkeys holds what is secret of a farm as a whole: the key in farm.key of which all others are derived, and the names of the
// files of the data folder that hold secrets. They are the same on each of the farm's coordinators.
package farmkeys

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcrank/coordinator/authority"
	"overcrank/durable"
)

// Files of the data folder that only its user can read.
const (
	FarmFile    = "farm.key"    // the farm's key, 64 hexadecimal digits
	SecretsFile = "secrets.key" // the keys that seal secrets
	// JoinTokenFile is where earlier releases kept a join token that was good for ever.
	JoinTokenFile = "join.token"
)

// Files are the names of the data folder's files that hold the farm's secrets: whoever has them has the farm.
func Files() []string {
	return []string{FarmFile, SecretsFile, authority.KeyFile, authority.CertificateFile}
}

// Keys are the keys of a farm.
type Keys struct {
	farm []byte // size bytes; everything else is derived from it
}

const size = 32

// New makes the key of a farm, as FarmFile holds it.
func New() string {
	key := make([]byte, size)
	_, _ = rand.Read(key) // crypto/rand never fails: it ends the process instead
	return hex.EncodeToString(key)
}

// Load reads the key of a data folder, or makes one for a new farm.
func Load(dir string) (Keys, error) {
	text, err := readOrKeep(filepath.Join(dir, FarmFile), New)
	if err != nil {
		return Keys{}, err
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != size {
		return Keys{}, fmt.Errorf("%s is damaged: it must hold 64 hexadecimal digits; restore it from a backup", filepath.Join(dir, FarmFile))
	}
	if err := os.Remove(filepath.Join(dir, JoinTokenFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Keys{}, fmt.Errorf("removing the join token of an earlier release: %w", err)
	}
	return Keys{farm: key}, nil
}

// Keep puts a farm's key into a data folder that has none. It is an error when the folder has another one.
func Keep(dir, text string) error {
	text = strings.TrimSpace(text)
	if key, err := hex.DecodeString(text); err != nil || len(key) != size {
		return errors.New("a farm's key has 64 hexadecimal digits, as overcrank cluster key prints them")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	kept, err := readOrKeep(filepath.Join(dir, FarmFile), func() string { return text })
	if err == nil && kept != text {
		return fmt.Errorf("%s holds another farm's key already: this folder belongs to that farm", filepath.Join(dir, FarmFile))
	}
	return err
}

// Exist tells whether a data folder is one of a farm.
func Exist(dir string) (bool, error) { return durable.Exists(filepath.Join(dir, FarmFile)) }

// Derive makes a key for one purpose.
func (k Keys) Derive(purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, k.farm, nil, "overcrank "+purpose, size)
	if err != nil {
		panic(fmt.Sprintf("deriving a key of %d bytes: %v", size, err)) // only for sizes above 8 KB
	}
	return key
}

// Farm names the farm without telling anything of its key.
func (k Keys) Farm() string { return hex.EncodeToString(k.Derive("cluster", 8)) }

// readOrKeep reads a one-line secret, or makes it when the file is missing.
func readOrKeep(path string, fresh func() string) (string, error) {
	text, err := durable.ReadSummed(path)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if damaged := (*durable.DamagedError)(nil); errors.As(err, &damaged) {
		return "", err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading a secret: %w", err)
	}
	secret := fresh()
	if err := durable.WriteSummed(path, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keeping a secret: %w", err)
	}
	return secret, nil
}
