package backup

import (
	"archive/tar"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"overcrank/farm"
)

// scryptWork is the cost of one guess at the passphrase: 2^16 rounds take 64 MB and a fifth of a second, which a working coordinator can
// spare.
const scryptWork = 16

// Writer writes a backup: the keys, the state, the files, then Close.
type Writer struct {
	zip  *zstd.Encoder
	tar  *tar.Writer
	at   time.Time
	seal []byte // nil without keys
	sums []sum
}

// CheckPassphrase checks that a passphrase is long enough to seal keys.
func CheckPassphrase(p farm.Confidential) error {
	if utf8.RuneCountInString(p.Reveal()) < ShortestPassphrase {
		return farm.Errorf(farm.CodeInvalid, "the passphrase must have at least %d characters", ShortestPassphrase)
	}
	return nil
}

// NewWriter begins a backup and sets the manifest's Format. keys are the farm's key files by name, sealed with the passphrase; they are
// left out unless the manifest has Keys set.
func NewWriter(w io.Writer, m Manifest, keys map[string][]byte, passphrase farm.Confidential) (*Writer, error) {
	zip, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("begin a backup: %w", err)
	}
	b := &Writer{zip: zip, tar: tar.NewWriter(zip), at: m.CreatedAt}
	m.Format = Format
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = b.add(manifestEntry, int64(len(text)), bytes.NewReader(text))
	}
	if err == nil && m.Keys {
		err = b.addKeys(keys, passphrase)
	}
	if err != nil {
		return nil, fmt.Errorf("begin a backup: %w", err)
	}
	return b, nil
}

func (b *Writer) addKeys(keys map[string][]byte, passphrase farm.Confidential) error {
	if err := CheckPassphrase(passphrase); err != nil {
		return err
	}
	b.seal = make([]byte, 32)
	_, _ = rand.Read(b.seal) // crypto/rand never fails: it ends the process instead
	text, err := json.Marshal(sealedKeys{Seal: b.seal, Files: keys})
	if err != nil {
		return err
	}
	recipient, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		return fmt.Errorf("seal the keys: %w", err)
	}
	recipient.SetWorkFactor(scryptWork)
	var sealed bytes.Buffer
	in, err := age.Encrypt(&sealed, recipient)
	if err == nil {
		_, err = in.Write(text)
	}
	if err == nil {
		err = in.Close()
	}
	if err != nil {
		return fmt.Errorf("seal the keys: %w", err)
	}
	return b.add(keysEntry, int64(sealed.Len()), &sealed)
}

// AddState adds the state, of which r yields exactly size bytes.
func (b *Writer) AddState(size int64, r io.Reader) error { return b.add(stateEntry, size, r) }

// AddFile adds one of the farm's files. One that turns out shorter than size is padded with zeros, since a file that is being written
// keeps no size.
func (b *Writer) AddFile(key string, size int64, r io.Reader) error {
	return b.add(filesPrefix+key, size, io.MultiReader(r, zeros{}))
}

func (b *Writer) add(name string, size int64, r io.Reader) error {
	if err := b.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: b.at, Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("write %s of a backup: %w", name, err)
	}
	hash := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(b.tar, hash), r, size); err != nil {
		return fmt.Errorf("write %s of a backup: %w", name, err)
	}
	b.sums = append(b.sums, sum{Name: name, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// Close adds the sums, which prove to a reader that the backup is complete.
func (b *Writer) Close() error {
	entries, err := json.Marshal(b.sums)
	if err != nil {
		return fmt.Errorf("end a backup: %w", err)
	}
	last := sums{Entries: entries}
	if b.seal != nil {
		last.MAC = signature(b.seal, entries)
	}
	text, err := json.Marshal(last)
	if err == nil {
		err = b.add(sumsEntry, int64(len(text)), bytes.NewReader(text))
	}
	if err == nil {
		err = b.tar.Close()
	}
	if err == nil {
		err = b.zip.Close()
	}
	if err != nil {
		return fmt.Errorf("end a backup: %w", err)
	}
	return nil
}

// signature is the MAC of the sums.
func signature(seal, entries []byte) string {
	mac := hmac.New(sha256.New, seal)
	mac.Write(entries)
	return hex.EncodeToString(mac.Sum(nil))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
