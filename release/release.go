// Package release makes and verifies releases of the agent's program. A release is a folder with the programs for each system and a signed manifest that
// names them. Agents and coordinators are built with root keys that they trust. A root key signs the list of current release keys, and one of these signs
// the manifest. So a coordinator, which only passes releases on, can neither forge nor change one.
//
// A folder holds
//
//	manifest.json, manifest.json.minisig   what the release is and which files it has, and its signature
//	keys.json, keys.json.minisig           the current release keys, and a root key's signature
//	the files that the manifest names
//
// Signatures are minisign's (https://jedisct1.github.io/minisign): `minisign -Vm manifest.json -P KEY` checks them too.
package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"aead.dev/minisign"

	"overcrank/durable"
)

// Agent is the product that workstations run. A release of any other is refused.
const Agent = "overcrank-agent"

// The documents of a release, by their names in its folder.
const (
	ManifestName          = "manifest.json"
	ManifestSignatureName = "manifest.json.minisig"
	KeysName              = "keys.json"
	KeysSignatureName     = "keys.json.minisig"
)

// documentBytes bounds each document of a release; real ones are far smaller.
const documentBytes = 256 << 10

// Documents are the four documents of a release, unverified. They are sent and stored byte for byte, since the signatures are over their bytes.
type Documents struct {
	Manifest          []byte `json:"manifest"`
	ManifestSignature []byte `json:"manifestSignature"`
	Keys              []byte `json:"keys"`
	KeysSignature     []byte `json:"keysSignature"`
}

// byName maps the name of each document's file to its content.
func (d *Documents) byName() map[string]*[]byte {
	return map[string]*[]byte{
		ManifestName: &d.Manifest, ManifestSignatureName: &d.ManifestSignature,
		KeysName: &d.Keys, KeysSignatureName: &d.KeysSignature,
	}
}

// Release is a release whose signatures have been verified.
type Release struct {
	Manifest
	Keys      Keys      // the list that came with it
	Documents Documents // as they were read
}

// Open reads the documents of the release in folder and checks them as Check does. The release's files are checked one by one, with CheckFile.
func Open(folder string, roots []minisign.PublicKey, now time.Time) (*Release, error) {
	docs, err := ReadDocuments(folder)
	if err != nil {
		return nil, err
	}
	return Check(docs, roots, now)
}

// ReadDocuments reads the documents of the release in folder without checking them. A document that is missing is reported as ErrTruncated.
func ReadDocuments(folder string) (Documents, error) {
	var docs Documents
	for name, content := range docs.byName() {
		text, err := readDocument(filepath.Join(folder, name))
		if err != nil {
			return Documents{}, err
		}
		*content = text
	}
	return docs, nil
}

func readDocument(path string) ([]byte, error) {
	text, err := durable.ReadSmall(path, documentBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s is missing", ErrTruncated, path)
	case errors.Is(err, durable.ErrTooLarge):
		return nil, fmt.Errorf("%w: %s is larger than %d bytes", ErrFormat, path, documentBytes)
	}
	return text, err
}

// Check verifies the documents of a release: a root key signed its keys, one of these signed the manifest, it is for agents, and it is valid at the time now.
// The error is one of this package's: ErrNoRoots, ErrSignature, ErrTruncated, ErrFormat, ErrProduct, ErrExpired or ErrTooEarly.
func Check(docs Documents, roots []minisign.PublicKey, now time.Time) (*Release, error) {
	if len(roots) == 0 {
		return nil, ErrNoRoots
	}
	for name, text := range docs.byName() {
		if len(*text) == 0 {
			return nil, fmt.Errorf("%w: %s is empty", ErrTruncated, name)
		}
		if len(*text) > documentBytes {
			return nil, fmt.Errorf("%w: %s is larger than %d bytes", ErrFormat, name, documentBytes)
		}
	}
	// Nothing is parsed before its signature holds.
	if !signedByOne(roots, docs.Keys, docs.KeysSignature) {
		return nil, fmt.Errorf("%w: no root key signed %s", ErrSignature, KeysName)
	}
	keys, err := parseKeys(docs.Keys)
	if err != nil {
		return nil, err
	}
	if now.After(keys.Expires) {
		return nil, fmt.Errorf("%w: its keys were valid until %s", ErrExpired, keys.Expires.Format(time.DateOnly))
	}
	if !signedByOne(keys.public, docs.Manifest, docs.ManifestSignature) {
		return nil, fmt.Errorf("%w: none of the %d current release keys signed %s", ErrSignature, len(keys.public), ManifestName)
	}
	m, err := ParseManifest(docs.Manifest)
	if err != nil {
		return nil, err
	}
	if err := m.validAt(now); err != nil {
		return nil, err
	}
	return &Release{Manifest: *m, Keys: *keys, Documents: docs}, nil
}

// signedByOne tells whether one of the keys signed the text.
func signedByOne(keys []minisign.PublicKey, text, signature []byte) bool {
	for _, key := range keys {
		if minisign.Verify(key, text, signature) {
			return true
		}
	}
	return false
}

// CheckFile checks that the file at path matches the manifest. The error is ErrTruncated when it is too short, ErrDamaged when its content differs.
func (f File) CheckFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	return f.CheckContent(file)
}

// CheckContent is CheckFile for a stream. It reads at most one byte more than the file's size.
func (f File) CheckContent(content io.Reader) error {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(content, f.Size+1))
	switch {
	case err != nil:
		return err
	case n < f.Size:
		return fmt.Errorf("%w: %s has %d of %d bytes", ErrTruncated, f.Name, n, f.Size)
	case n > f.Size:
		return fmt.Errorf("%w: %s has more than %d bytes", ErrDamaged, f.Name, f.Size)
	case hex.EncodeToString(hash.Sum(nil)) != f.SHA256:
		return fmt.Errorf("%w: %s does not have the SHA-256 that the manifest names", ErrDamaged, f.Name)
	}
	return nil
}
