// Package backup is the file that a farm is backed up into and restored from.
//
// It is a tar archive compressed with zstd, of these entries in this order:
//
//	manifest.json   describes the backup
//	keys.age        the farm's keys, sealed with a passphrase (age, scrypt); absent in a backup without keys
//	state           a snapshot of the farm's state
//	files/…         the farm's files, if they were asked for
//	sums.json       size and SHA-256 of all entries before it; without it the backup is incomplete
//
// If the keys are included, sums.json is signed with a key stored among them, so that nobody can alter a backup unnoticed without
// the passphrase.
package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Format is the version of the file's layout. A reader refuses a later one.
const Format = 1

// Names of the entries.
const (
	manifestEntry = "manifest.json"
	keysEntry     = "keys.age"
	stateEntry    = "state"
	filesPrefix   = "files/"
	sumsEntry     = "sums.json"
)

// Limits of the entries that are read into memory, in bytes.
const (
	maxManifest = 1 << 20
	maxKeys     = 16 << 20
	maxSums     = 1 << 30
)

// ShortestPassphrase is the least number of characters of a passphrase.
const ShortestPassphrase = 12

// Why a backup cannot be used.
var (
	// ErrNotABackup marks a file that is not a backup.
	ErrNotABackup = errors.New("this is not a backup of an Overcrank farm")
	// ErrTruncated marks a backup whose end is missing.
	ErrTruncated = errors.New("the backup ends early: it was cut off, or its making was not finished")
	// ErrAltered marks a backup whose bytes were changed.
	ErrAltered = errors.New("the backup is damaged or was altered")
	// ErrPassphrase marks a passphrase that does not open the keys.
	ErrPassphrase = errors.New("the passphrase is not that of this backup")
	// ErrNoPassphrase says that a backup holds keys but no passphrase was given.
	ErrNoPassphrase = errors.New("the backup's keys are sealed with a passphrase, and none was given")
	// ErrFormat marks a backup of a later release.
	ErrFormat = errors.New("the backup was made by a later release of overcrank, which this one cannot read")
)

// Manifest describes a backup.
type Manifest struct {
	Format     int       `json:"format"`
	Version    string    `json:"version"` // of the program that made it
	Farm       string    `json:"farm"`    // the farm's id
	CreatedAt  time.Time `json:"createdAt"`
	ID         string    `json:"id,omitempty"` // by which the farm remembers it; "" in backups of earlier releases
	Index      uint64    `json:"index"`        // of the last change in the state
	StateBytes int64     `json:"stateBytes"`   // of the entry state
	Keys       bool      `json:"keys"`         // the farm's keys are included, sealed
	Files      bool      `json:"files"`        // the farm's files are included
}

// check refuses a manifest that this release cannot use.
func (m Manifest) check() error {
	if m.Format > Format {
		return fmt.Errorf("%w: it is of format %d, made by overcrank %s; restore it with that release or a later one", ErrFormat, m.Format, m.Version)
	}
	if m.Format < 1 || m.Farm == "" || m.StateBytes <= 0 {
		return fmt.Errorf("%w: its manifest is incomplete", ErrAltered)
	}
	return nil
}

// sum is the size and hash of one entry.
type sum struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // lower-case hex
}

// sums is the last entry.
type sums struct {
	Entries json.RawMessage `json:"entries"`       // []sum
	MAC     string          `json:"mac,omitempty"` // HMAC-SHA256 of Entries with the keys' seal, in hex
}

// sealedKeys is the content of keys.age.
type sealedKeys struct {
	Seal  []byte            `json:"seal"`  // 32 random bytes: the key that signs the sums
	Files map[string][]byte `json:"files"` // content by name
}
