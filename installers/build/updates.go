package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"

	"overcrank/durable"
	"overcrank/farm/wire"
	signing "overcrank/release"
)

// keys are what a release for updates is signed with, and what the programs of the packages trust.
type keys struct {
	roots  []string        // public root keys, compiled into the programs
	signer *signing.Signer // nil: the release is signed later, where its key is
}

// Files below dist of keys for tests, which are made once and kept: a release of a later run updates what an earlier run's packages installed.
const (
	testKeys = "test-release-keys"
	testRoot = "root.key"
	testKey  = "release.key"
)

// keysFrom finds the keys by settings, such as os.Getenv has them. Without any it makes keys for tests in dist, and says so.
func keysFrom(setting func(string) string, dist string, said io.Writer) (keys, error) {
	roots, key, list := setting("OVERCRANK_RELEASE_ROOTS"), setting("OVERCRANK_RELEASE_KEY"), setting("OVERCRANK_RELEASE_KEYS")
	if roots == "" && key == "" && list == "" {
		folder := filepath.Join(dist, testKeys)
		fmt.Fprintf(said, "OVERCRANK_RELEASE_ROOTS names no root keys: the packages trust keys for tests, which are in %s. Do not hand these packages out.\n", folder)
		if err := makeTestKeys(folder); err != nil {
			return keys{}, fmt.Errorf("making release keys for tests: %w", err)
		}
		return readKeys(filepath.Join(folder, testRoot+".pub"), filepath.Join(folder, testKey), folder, "")
	}
	switch {
	case roots == "":
		return keys{}, errors.New("OVERCRANK_RELEASE_ROOTS names no root keys: agents would refuse the release; name a file with the public ones")
	case (key == "") != (list == ""):
		return keys{}, errors.New("OVERCRANK_RELEASE_KEY (the secret release key) and OVERCRANK_RELEASE_KEYS (the folder of keys.json and its signature) belong together")
	}
	password := ""
	if path := setting("OVERCRANK_RELEASE_KEY_PASSWORD_FILE"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return keys{}, fmt.Errorf("reading the password of the release key: %w", err)
		}
		password, _, _ = strings.Cut(string(text), "\n")
		password = strings.TrimSuffix(password, "\r")
	}
	return readKeys(roots, key, list, password)
}

// readKeys reads the public root keys, and the release key unless its path is "".
func readKeys(roots, key, list, password string) (keys, error) {
	trusted, err := signing.Roots(roots)
	if err != nil {
		return keys{}, err
	}
	var made keys
	for _, root := range trusted {
		made.roots = append(made.roots, root.String())
	}
	if key == "" {
		return made, nil
	}
	made.signer = &signing.Signer{}
	if made.signer.Key, err = signing.ReadKey(key, password); err != nil {
		return keys{}, err
	}
	for name, content := range map[string]*[]byte{signing.KeysName: &made.signer.Keys, signing.KeysSignatureName: &made.signer.KeysSignature} {
		if *content, err = os.ReadFile(filepath.Join(list, name)); err != nil {
			return keys{}, fmt.Errorf("reading the list of release keys: %w", err)
		}
	}
	return made, nil
}

// testLifetime is how long the keys for tests are valid.
const testLifetime = 365 * 24 * time.Hour

// makeTestKeys makes a root key, a release key and the signed list of it, unless they are there and valid.
func makeTestKeys(folder string) error {
	if info, err := os.Stat(filepath.Join(folder, signing.KeysSignatureName)); err == nil && time.Since(info.ModTime()) < testLifetime/2 {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	_, root, err := newTestKey(filepath.Join(folder, testRoot))
	if err != nil {
		return err
	}
	public, _, err := newTestKey(filepath.Join(folder, testKey))
	if err != nil {
		return err
	}
	list := signing.Keys{Product: signing.Agent, Serial: 1, Expires: time.Now().Add(testLifetime).UTC().Truncate(time.Second), Public: []string{public.String()}}
	document, signature, err := signing.SignKeys(list, root)
	if err != nil {
		return err
	}
	return errors.Join(durable.WriteFile(filepath.Join(folder, signing.KeysName), document, 0o644),
		durable.WriteFile(filepath.Join(folder, signing.KeysSignatureName), signature, 0o644)) // the last one: with it all is there
}

// newTestKey makes a key, which needs no password: whoever reads dist may sign with it.
func newTestKey(path string) (public minisign.PublicKey, secret minisign.PrivateKey, err error) {
	if public, secret, err = minisign.GenerateKey(nil); err != nil {
		return public, secret, err
	}
	text, err := secret.MarshalText()
	if err != nil {
		return public, secret, err
	}
	return public, secret, errors.Join(durable.WriteFile(path, text, 0o600), durable.WriteFile(path+".pub", []byte(public.String()+"\n"), 0o644))
}

// releases is the folder below dist of releases, each in a folder by its version.
const releases = "releases"

// updatesFolder is where the release of this version goes.
func (r release) updatesFolder() string { return filepath.Join(r.dist, releases, r.version.String()) }

// makeFolder makes the folder of the release, and removes those of other versions.
func (r release) makeFolder() error {
	there, err := filepath.Glob(filepath.Join(r.dist, releases, "*"))
	if err != nil {
		return err
	}
	for _, path := range there {
		if path == r.updatesFolder() {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("deleting a release of another version: %w", err)
		}
	}
	return os.MkdirAll(r.updatesFolder(), 0o755)
}

// place copies a program into the release as it came from the compiler. Programs for Windows and macOS are placed by their packages, which sign them.
func (r release) place(t target) error {
	to := filepath.Join(r.updatesFolder(), signing.ProgramName(t.system, t.arch))
	content, err := os.ReadFile(r.program(t, signing.Agent))
	if err == nil {
		err = os.WriteFile(to, content, 0o755)
	}
	if err != nil {
		return fmt.Errorf("putting the program for %s/%s into the release: %w", t.system, t.arch, err)
	}
	return nil
}

// releaseLifetime is how long a release may be installed.
const releaseLifetime = 365 * 24 * time.Hour

// sign signs the release of the programs that were placed, and reads it as agents will. It returns the folder.
func (r release) sign(now time.Time, said io.Writer) (string, error) {
	folder := r.updatesFolder()
	if r.keys.signer == nil {
		fmt.Fprintf(said, "%s is not signed: OVERCRANK_RELEASE_KEY names no key. Sign it where the key is:\n"+
			"    overcrank releases sign %s --version %s --number %d --key release.key --keys keys/\n", folder, folder, r.version, r.version.Number())
		return folder, nil
	}
	files, err := signing.Programs(folder)
	if err != nil {
		return "", err
	}
	now = now.UTC().Truncate(time.Second)
	m := signing.Manifest{
		Product: signing.Agent, Version: r.version.String(), Number: int64(r.version.Number()), NotBefore: now.Add(-signing.ClockSkew), Expires: now.Add(releaseLifetime),
		Protocol: signing.Protocol{Min: wire.Version, Max: wire.Version}, Files: files,
	}
	if _, err := signing.Sign(folder, m, *r.keys.signer); err != nil {
		return "", err
	}
	roots := make([]minisign.PublicKey, len(r.keys.roots))
	for i, text := range r.keys.roots {
		if err := roots[i].UnmarshalText([]byte(text)); err != nil {
			return "", fmt.Errorf("reading a root key: %w", err)
		}
	}
	if _, err := signing.Open(folder, roots, now); err != nil {
		return "", fmt.Errorf("agents would refuse %s: %w", folder, err)
	}
	return folder, nil
}
