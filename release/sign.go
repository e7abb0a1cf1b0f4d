package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"aead.dev/minisign"

	"overcrank/durable"
)

// Signer is what the machine that makes releases signs with.
type Signer struct {
	Key           minisign.PrivateKey // one of the keys of Keys
	Keys          []byte              // keys.json, as SignKeys made it
	KeysSignature []byte
}

// SignKeys encodes the list as keys.json and signs it with a root key.
func SignKeys(keys Keys, root minisign.PrivateKey) (document, signature []byte, err error) {
	if err := keys.check(); err != nil {
		return nil, nil, err
	}
	document, err = json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return nil, nil, fmt.Errorf("encoding %s: %w", KeysName, err)
	}
	document = append(document, '\n')
	return document, sign(root, document, fmt.Sprintf("%s keys %d", keys.Product, keys.Serial)), nil
}

// Sign makes a release of the files in folder, whose names are in m; it fills in their sizes and hashes. It writes the manifest last: a folder without one
// is not a release.
func Sign(folder string, m Manifest, by Signer) (*Release, error) {
	files := make([]File, len(m.Files))
	for i, f := range m.Files {
		var err error
		if files[i], err = f.measured(folder); err != nil {
			return nil, err
		}
	}
	m.Files = files
	if err := m.check(); err != nil {
		return nil, err
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", ManifestName, err)
	}
	manifest = append(manifest, '\n')
	docs := Documents{Keys: by.Keys, KeysSignature: by.KeysSignature, Manifest: manifest,
		ManifestSignature: sign(by.Key, manifest, fmt.Sprintf("%s %s %d", m.Product, m.Version, m.Number))}
	made, err := docs.checkSigner(m)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(folder, ManifestName)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("replacing the manifest: %w", err)
	}
	return made, docs.Write(folder)
}

// checkSigner refuses what machines would refuse later: a key that is not in the list, or a list that expires before the release is valid.
func (d Documents) checkSigner(m Manifest) (*Release, error) {
	keys, err := parseKeys(d.Keys)
	if err != nil {
		return nil, err
	}
	if !signedByOne(keys.public, d.Manifest, d.ManifestSignature) {
		return nil, fmt.Errorf("%w: the key to sign with is not in %s", ErrSignature, KeysName)
	}
	if keys.Expires.Before(m.NotBefore) {
		return nil, fmt.Errorf("%w: %s is valid until %s only", ErrExpired, KeysName, keys.Expires.UTC().Format(time.RFC3339))
	}
	return &Release{Manifest: m, Keys: *keys, Documents: d}, nil
}

// Write writes the documents into a folder, each atomically, the manifest last.
func (d Documents) Write(folder string) error {
	for _, doc := range []struct {
		name string
		text []byte
	}{{KeysName, d.Keys}, {KeysSignatureName, d.KeysSignature}, {ManifestSignatureName, d.ManifestSignature}, {ManifestName, d.Manifest}} {
		if err := durable.WriteFile(filepath.Join(folder, doc.name), doc.text, 0o644); err != nil {
			return fmt.Errorf("writing a release's documents: %w", err)
		}
	}
	return nil
}

// measured returns f with the size and the hash of its file.
func (f File) measured(folder string) (File, error) {
	if !validName(f.Name) {
		return f, fmt.Errorf("%w: %q cannot be the name of a file of a release", ErrFormat, f.Name)
	}
	file, err := os.Open(filepath.Join(folder, f.Name))
	if err != nil {
		return f, fmt.Errorf("reading a file of the release: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	hash := sha256.New()
	if f.Size, err = io.Copy(hash, file); err != nil {
		return f, fmt.Errorf("reading a file of the release: %w", err)
	}
	f.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return f, nil
}

// sign signs a text. The comment is signed too; minisign shows it, and nothing here depends on it.
func sign(key minisign.PrivateKey, text []byte, comment string) []byte {
	return minisign.SignWithComments(key, text, comment, "signature of an Overcrank release")
}
