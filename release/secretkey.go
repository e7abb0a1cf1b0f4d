package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"aead.dev/minisign"

	"overcrank/durable"
)

// NewKey makes a pair of minisign keys. The secret key goes into the file at path, encrypted with the password and readable by its owner alone; the public
// key into a file beside it with the ending .pub. Neither file may exist.
func NewKey(path, password string) (minisign.PublicKey, error) {
	var none minisign.PublicKey
	if password == "" {
		return none, errors.New("a secret key needs a password")
	}
	for _, p := range []string{path, path + ".pub"} {
		if _, err := os.Lstat(p); err == nil {
			return none, fmt.Errorf("making a key: %w", &fs.PathError{Op: "create", Path: p, Err: fs.ErrExist})
		}
	}
	if err := durable.HasFolder(path); err != nil {
		return none, fmt.Errorf("making a key: %w", err)
	}
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		return none, fmt.Errorf("making a key: %w", err)
	}
	encrypted, err := minisign.EncryptKey(password, secret)
	if err != nil {
		return none, fmt.Errorf("encrypting the key: %w", err)
	}
	text, err := public.MarshalText()
	if err != nil {
		return none, fmt.Errorf("encoding the public key: %w", err)
	}
	if err := durable.WriteFile(path, encrypted, 0o600); err != nil {
		return none, fmt.Errorf("writing the secret key: %w", err)
	}
	return public, durable.WriteFile(path+".pub", append(text, '\n'), 0o644)
}

// ReadKey reads a secret key from the file at path, which others than its owner must not be able to read.
func ReadKey(path, password string) (minisign.PrivateKey, error) {
	var none minisign.PrivateKey
	info, err := os.Stat(path)
	if err != nil {
		return none, fmt.Errorf("reading the secret key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return none, fmt.Errorf("others can read the secret key %s: run `chmod 600 %s`", path, filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return none, fmt.Errorf("reading the secret key: %w", err)
	}
	if !minisign.IsEncrypted(text) {
		var key minisign.PrivateKey
		if err := key.UnmarshalText(text); err != nil {
			return none, fmt.Errorf("%s is not a minisign secret key", path)
		}
		return key, nil
	}
	key, err := minisign.DecryptKey(password, text)
	if err != nil {
		return none, fmt.Errorf("the password does not open the secret key %s", path)
	}
	return key, nil
}
