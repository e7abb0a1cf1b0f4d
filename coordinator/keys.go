package coordinator

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
	"overcrank/coordinator/storage"
	"overcrank/durable"
)

// Files of the data folder that only its user can read.
const (
	farmKeyFile = "farm.key"
	// secretKeyFile holds the keys that seal secrets.
	secretKeyFile = "secrets.key"
	// joinTokenFile is where earlier releases kept a join token that was good for ever.
	joinTokenFile = "join.token"
	// AdminTokenFile holds the token that the program makes for the farm's first administrator.
	AdminTokenFile = "admin.token"
)

// KeyFiles are the names of the data folder's files that hold the farm's secrets. They are the same on each of its nodes, and
// whoever has them has the farm.
func KeyFiles() []string {
	return []string{farmKeyFile, secretKeyFile, authority.KeyFile, authority.CertificateFile}
}

// Folders of the data folder.
const (
	stateFolder = "state"
	filesFolder = storage.Folder
)

// keys are the farm's own secrets.
type keys struct {
	farm []byte // 32 bytes; everything else is derived from it
}

func loadKeys(dir string) (keys, error) {
	text, err := secretFile(filepath.Join(dir, farmKeyFile), func() string {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // crypto/rand never fails: it ends the process instead
		return hex.EncodeToString(key)
	})
	if err != nil {
		return keys{}, err
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 32 {
		return keys{}, fmt.Errorf("%s is damaged: it must hold 64 hexadecimal digits; restore it from a backup", filepath.Join(dir, farmKeyFile))
	}
	if err := os.Remove(filepath.Join(dir, joinTokenFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return keys{}, fmt.Errorf("removing the join token of an earlier release: %w", err)
	}
	return keys{farm: key}, nil
}

// checkFolder refuses a data folder from which something is gone that cannot be made again.
func checkFolder(dir string) error {
	key, err := exists(filepath.Join(dir, farmKeyFile))
	if err != nil {
		return err
	}
	state, err := hasState(filepath.Join(dir, stateFolder))
	if err != nil {
		return err
	}
	if state && !key {
		return fmt.Errorf("%s is gone though the farm's state is there: put the file back from a backup; if there is none, write 64 random hexadecimal digits into it, and what was encrypted or signed with the old one is lost",
			filepath.Join(dir, farmKeyFile))
	}
	if state || !key {
		return nil
	}
	// A farm that was stopped in its very first moment has a key and no state yet, but no files either.
	kept, err := os.ReadDir(filepath.Join(dir, filesFolder, "blobs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(kept) > 0 {
		return fmt.Errorf("%s is gone though the farm's files are there: put the folder back from a backup, or move %s away to begin an empty farm",
			filepath.Join(dir, stateFolder), dir)
	}
	return nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// derive makes a key for one purpose.
func (k keys) derive(purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, k.farm, nil, "overcrank "+purpose, size)
	if err != nil {
		panic(fmt.Sprintf("deriving a key of %d bytes: %v", size, err)) // only for sizes above 8 KB
	}
	return key
}

// cluster names the farm without telling anything of its key.
func (k keys) cluster() string { return hex.EncodeToString(k.derive("cluster", 8)) }

// SigningKey derives a key of 32 bytes for a purpose (sessions, addresses) from the farm's key file.
func (c *Coordinator) SigningKey(purpose string) []byte { return c.keys.derive("sign "+purpose, 32) }

// secretFile reads a one-line secret, or makes it when the file is missing.
func secretFile(path string, fresh func() string) (string, error) {
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

// Prefixes of secrets tell people, and programs that search for leaked ones, what they hold.
const (
	joinTokenPrefix = "ocj_"
)
