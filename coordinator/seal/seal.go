// Package seal encrypts values with the keys of a key file. The file is not part of the replicated state, so sealed values cannot be read
// from the state, a snapshot or a backup of it alone.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"overcrank/durable"
)

const (
	keySize = 32 // bytes: AES-256
	idSize  = 4
	header  = "# The keys that Overcrank seals secrets with, newest last: id, then 64 hexadecimal digits. Keep a copy apart from the farm's data.\n"
)

// ErrNoKey says that a value is sealed with a key that is not in the file.
var ErrNoKey = errors.New("the key is not in the key file")

// ErrDamaged says that a sealed value cannot be opened: it was altered, has another owner, or was sealed with another key of the same id.
var ErrDamaged = errors.New("the sealed value cannot be opened")

// Ring is the keys of a file. The newest seals; all of them open. It is safe for concurrent use.
type Ring struct {
	path string

	mu   sync.RWMutex
	keys []key // newest last
}

type key struct {
	id     string // as in the file
	digits string
	aead   cipher.AEAD
}

// Load reads the key file. A missing file gives a ring without keys, which cannot seal until Add has made one.
func Load(path string) (*Ring, error) {
	r := &Ring{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	sum := ""
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, sumMark) {
			sum = line
		}
		if line == "" || line[0] == '#' {
			continue
		}
		k, err := parseKey(line)
		if err != nil || slices.ContainsFunc(r.keys, func(other key) bool { return other.id == k.id }) {
			return nil, fmt.Errorf("%s is damaged in line %d: each line must hold the id of a key and its 64 hexadecimal digits, and no id twice; put the file back from a backup", path, n+1)
		}
		r.keys = append(r.keys, k)
	}
	if len(r.keys) == 0 {
		return nil, fmt.Errorf("%s is damaged: it holds no key; put the file back from a backup", path)
	}
	if sum != "" && sum != sumOf(lines(r.keys)) {
		return nil, &durable.DamagedError{Path: path, IfIntended: fmt.Sprintf("remove its line %q", strings.TrimSpace(sumMark)+" …")}
	}
	if sum == "" { // an earlier release wrote it
		if err := r.keep(r.keys); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// sumMark begins the line with the hash of the keys. Earlier releases read it as a comment and write none.
const sumMark = "# sum "

func sumOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return sumMark + hex.EncodeToString(sum[:])
}

func parseKey(line string) (key, error) {
	id, digits, _ := strings.Cut(line, " ")
	digits = strings.TrimSpace(digits)
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != idSize {
		return key{}, errors.New("malformed key id")
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != keySize {
		return key{}, errors.New("malformed key")
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, fmt.Errorf("preparing a key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, fmt.Errorf("preparing a key: %w", err)
	}
	return key{id, digits, aead}, nil
}

// Path is where the key file is, or will be.
func (r *Ring) Path() string { return r.path }

// IDs returns the ids of the keys, newest last.
func (r *Ring) IDs() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	ids := make([]string, len(r.keys))
	for i, k := range r.keys {
		ids[i] = k.id
	}
	return ids
}

// Add creates a key, writes it to the file, and seals with it from now on.
func (r *Ring) Add() (id string, err error) {
	k, err := newKey()
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return k.id, r.keep(append(slices.Clone(r.keys), k))
}

func newKey() (key, error) {
	raw := make([]byte, FirstSize)
	_, _ = rand.Read(raw) // crypto/rand never fails: it ends the process instead
	return keyOf(raw)
}

// keyOf makes a key from FirstSize bytes.
func keyOf(raw []byte) (key, error) {
	return parseKey(hex.EncodeToString(raw[:idSize]) + " " + hex.EncodeToString(raw[idSize:]))
}

// Drop removes keys from the file, but never the newest.
func (r *Ring) Drop(ids []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := slices.Clone(r.keys)
	if len(left) == 0 {
		return nil
	}
	newest := left[len(left)-1].id
	left = slices.DeleteFunc(left, func(k key) bool { return k.id != newest && slices.Contains(ids, k.id) })
	return r.keep(left)
}

// keep writes the file, then uses the keys. The caller holds r.mu.
func (r *Ring) keep(keys []key) error {
	var text strings.Builder
	text.WriteString(header)
	for _, line := range lines(keys) {
		text.WriteString(line + "\n")
	}
	text.WriteString(sumOf(lines(keys)) + "\n")
	if err := durable.WriteFile(r.path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	r.keys = keys
	return nil
}

// Seal encrypts a value for an owner, a text that says what it belongs to. Open needs the same owner.
func (r *Ring) Seal(owner, value string) (keyID string, sealed []byte, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.keys) == 0 {
		return "", nil, ErrNoKey
	}
	k := r.keys[len(r.keys)-1]
	return k.id, k.aead.Seal(nil, nil, []byte(value), []byte(owner)), nil
}

// Open decrypts a value of Seal. Errors are ErrNoKey and ErrDamaged.
func (r *Ring) Open(keyID string, sealed []byte, owner string) (string, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.keys {
		if k.id != keyID {
			continue
		}
		value, err := k.aead.Open(nil, nil, sealed, []byte(owner))
		if err != nil {
			return "", ErrDamaged
		}
		return string(value), nil
	}
	return "", fmt.Errorf("%w: %s", ErrNoKey, keyID)
}
