package backup

import (
	"archive/tar"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"overcrank/farm"
)

// Sink receives the parts of a backup in order. They can be trusted only once Read has returned nil.
type Sink interface {
	// Begin receives the manifest, before anything else.
	Begin(Manifest) error
	// Keys receives the farm's key files, by name.
	Keys(map[string][]byte) error
	// State receives the state, of size bytes.
	State(size int64, r io.Reader) error
	// File receives one of the farm's files.
	File(key string, size int64, r io.Reader) error
}

// Read reads a backup to its end and passes its parts to the sink. It returns nil only if the backup is complete and unaltered. Without a
// passphrase the keys stay sealed and the sink gets nil for them. Errors are those of this package, of the source and of the sink.
func Read(r io.Reader, passphrase farm.Confidential, sink Sink) (Manifest, error) {
	b := &reader{passphrase: passphrase, sink: sink}
	err := b.read(r)
	return b.manifest, err
}

type reader struct {
	passphrase farm.Confidential
	sink       Sink
	manifest   Manifest
	seal       []byte // key of the sums, once the keys are open
	sums       []sum  // as read
	ended      bool   // the sums were found and correct
}

// maxWindow bounds the decompression memory that a hostile backup can claim, in bytes.
const maxWindow = 64 << 20

// stages is the order of the entries; files may come any number of times.
var stages = map[string]int{manifestEntry: 0, keysEntry: 1, stateEntry: 2, filesPrefix: 3, sumsEntry: 4}

func (b *reader) read(r io.Reader) error {
	source := &part{r: r}
	unzipped, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	defer unzipped.Close()
	err = b.entries(tar.NewReader(unzipped))
	if err == nil {
		// Read to the end: the checksum of the compression follows the archive.
		if _, err = io.Copy(io.Discard, unzipped); err != nil {
			err = unreadable(err)
		}
	}
	if source.err != nil {
		return fmt.Errorf("read the backup: %w", source.err)
	}
	return err
}

// entries reads the archive from its beginning to its end.
func (b *reader) entries(archive *tar.Reader) error {
	for stage := -1; ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && b.ended:
			return nil
		case errors.Is(err, io.EOF) && stage >= 0:
			return ErrTruncated
		case stage < 0 && (errors.Is(err, io.EOF) || errors.Is(err, zstd.ErrMagicMismatch) || errors.Is(err, tar.ErrHeader)):
			return fmt.Errorf("%w: %w", ErrNotABackup, err)
		case err != nil:
			return unreadable(err)
		}
		kind := header.Name
		if strings.HasPrefix(kind, filesPrefix) {
			kind = filesPrefix
		}
		at, known := stages[kind]
		switch {
		case stage < 0 && kind != manifestEntry:
			return fmt.Errorf("%w: it begins with %q", ErrNotABackup, header.Name)
		case !known, header.Typeflag != tar.TypeReg, at < stage, at == stage && kind != filesPrefix:
			return fmt.Errorf("%w: unexpected entry %q", ErrAltered, header.Name)
		}
		stage = at
		if err := b.entry(kind, header, archive); err != nil {
			return err
		}
	}
}

// unreadable words a failure to read the backup that is not one of its source.
func unreadable(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return fmt.Errorf("%w: %w", ErrAltered, err)
}

// entry reads one entry, and records its sum.
func (b *reader) entry(kind string, header *tar.Header, r io.Reader) error {
	hash := sha256.New()
	content := &part{r: io.TeeReader(r, hash)}
	err := b.take(kind, header, content)
	if err == nil {
		_, err = io.Copy(io.Discard, content) // the rest, which the sink did not read
	}
	if content.err != nil {
		return unreadable(content.err)
	}
	if err != nil {
		return err
	}
	b.sums = append(b.sums, sum{Name: header.Name, Size: header.Size, SHA256: hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// part remembers a read error, whatever its readers make of it.
type part struct {
	r   io.Reader
	err error
}

func (p *part) Read(buf []byte) (int, error) {
	n, err := p.r.Read(buf)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = err
	}
	return n, err
}

func (b *reader) take(kind string, header *tar.Header, r io.Reader) error {
	switch kind {
	case manifestEntry:
		if err := decode(r, header.Size, maxManifest, &b.manifest); err != nil {
			return err
		}
		if err := b.manifest.check(); err != nil {
			return err
		}
		return b.sink.Begin(b.manifest)
	case keysEntry:
		return b.openKeys(header.Size, r)
	case stateEntry:
		if b.manifest.Keys != b.keysSeen() {
			return fmt.Errorf("%w: manifest and entries disagree on whether it holds the keys", ErrAltered)
		}
		if header.Size != b.manifest.StateBytes {
			return fmt.Errorf("%w: the state has %d bytes, the manifest says %d", ErrAltered, header.Size, b.manifest.StateBytes)
		}
		return b.sink.State(header.Size, r)
	case sumsEntry:
		return b.compare(header.Size, r)
	default:
		return b.sink.File(strings.TrimPrefix(header.Name, filesPrefix), header.Size, r)
	}
}

func (b *reader) openKeys(size int64, r io.Reader) error {
	if b.passphrase.Reveal() == "" {
		return b.sink.Keys(nil)
	}
	if size > maxKeys {
		return fmt.Errorf("%w: its keys take %d bytes, more than any farm's", ErrAltered, size)
	}
	identity, err := age.NewScryptIdentity(b.passphrase.Reveal())
	if err != nil {
		return fmt.Errorf("open the keys: %w", err)
	}
	open, err := age.Decrypt(r, identity)
	var wrong *age.NoIdentityMatchError
	if errors.As(err, &wrong) {
		return ErrPassphrase
	}
	if err != nil {
		return fmt.Errorf("%w: the keys cannot be opened: %w", ErrAltered, err)
	}
	var keys sealedKeys
	if err := decode(open, maxKeys, maxKeys, &keys); err != nil {
		return err
	}
	b.seal = keys.Seal
	return b.sink.Keys(keys.Files)
}

// compare reads the sums and compares them with what was read.
func (b *reader) compare(size int64, r io.Reader) error {
	var last sums
	if err := decode(r, size, maxSums, &last); err != nil {
		return err
	}
	if b.seal != nil && !hmac.Equal([]byte(last.MAC), []byte(signature(b.seal, last.Entries))) {
		return fmt.Errorf("%w: the signature of its sums is wrong", ErrAltered)
	}
	var want []sum
	if err := json.Unmarshal(last.Entries, &want); err != nil {
		return fmt.Errorf("%w: its sums cannot be read: %w", ErrAltered, err)
	}
	if len(want) != len(b.sums) {
		return fmt.Errorf("%w: it has %d entries, its sums list %d", ErrAltered, len(b.sums), len(want))
	}
	for i, got := range b.sums {
		if got != want[i] {
			return fmt.Errorf("%w: the sum of %s is wrong", ErrAltered, got.Name)
		}
	}
	if !slices.ContainsFunc(b.sums, func(s sum) bool { return s.Name == stateEntry }) {
		return fmt.Errorf("%w: the state is not in it", ErrAltered)
	}
	b.ended = true
	return nil
}

// keysSeen reports whether the keys have been read.
func (b *reader) keysSeen() bool {
	return slices.ContainsFunc(b.sums, func(s sum) bool { return s.Name == keysEntry })
}

// decode reads a JSON value of at most limit bytes.
func decode(r io.Reader, size, limit int64, into any) error {
	if size > limit {
		return fmt.Errorf("%w: one of its parts is too large", ErrAltered)
	}
	text, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: one of its parts cannot be read: %w", ErrAltered, err)
	}
	return nil
}
