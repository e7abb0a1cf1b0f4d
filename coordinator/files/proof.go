package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/interval"
)

// ErrDamaged marks a file whose content does not match its hash.
var ErrDamaged = errors.New("the file is damaged: its content does not match its hash")

const (
	// proofLife is how long a verified file counts as intact, unless it is written.
	proofLife = 24 * time.Hour
	// maxProveFirst is the largest file, in bytes, that is verified before its first byte is sent; that takes a fraction of a second from
	// a disk. A larger one is verified while it is sent.
	maxProveFirst = 256 << 20
	// maxProvePart is the largest file, in bytes, of which all is read from a bucket when a part of it is asked for. A service charges for
	// reading, so parts of a larger one are given unverified.
	maxProvePart = 16 << 20
	// maxProofs is how many verified files are remembered.
	maxProofs = 100_000
	// maxDamaged is how many damaged files are listed. Further ones are refused but not listed.
	maxDamaged = 1000
	// maxDue is how many large files can wait for verification. One that finds no room is queued again when it is read again.
	maxDue = 16
)

// Kept is a key with the content that it should have.
type Kept struct {
	Key    string
	SHA256 string // lower-case hex
	Size   int64  // bytes, -1 when unknown
}

// Damage is a file whose content was found not to match its hash.
type Damage struct {
	Key   string
	Found time.Time
	was   Object
}

// Proofs opens files whose hash is known, and never serves a damaged one as intact. A file is verified before it is read or, where that
// takes long, while it is read: then reading ends with ErrDamaged instead of the last bytes. Results are remembered while the file is not
// written, for a day at most. It may be used concurrently.
type Proofs struct {
	store Store
	found func(Damage) // called once for each damaged file; may be nil
	due   chan Kept    // large files that were read in part
	small int64        // maxProvePart

	mu      sync.Mutex
	whole   map[string]proof // by key
	damaged map[string]Damage
	proving map[string]chan struct{} // by key, closed when done
}

// proof records that a file was verified.
type proof struct {
	version, sha256 string
	at              time.Time
}

// NewProofs verifies what is read from a store. found, unless nil, is called once for each damaged file.
func NewProofs(store Store, found func(Damage)) *Proofs {
	return &Proofs{
		store: store, found: found, due: make(chan Kept, maxDue), small: maxProvePart,
		whole: map[string]proof{}, damaged: map[string]Damage{}, proving: map[string]chan struct{}{},
	}
}

// Open opens a file; ErrDamaged when it is known or found to be damaged. The reader of a file that is verified while it is read gives
// ErrDamaged instead of its last bytes. A part of such a file is unverified when the file is large, unless it was verified before.
func (p *Proofs) Open(ctx context.Context, k Kept) (*Reader, error) {
	r, err := p.store.Open(ctx, k.Key)
	if err != nil {
		return nil, err
	}
	known, err := p.known(k, r.Object)
	switch {
	case err != nil:
		return nil, errors.Join(err, r.Close())
	case known:
		return r, nil
	case !r.Near || r.Size > maxProveFirst:
		reader := *r
		reader.ReadSeekCloser = &provingReader{ReadSeekCloser: r.ReadSeekCloser, p: p, k: k, obj: r.Object, near: r.Near, hash: sha256.New()}
		return &reader, nil
	}
	if err := p.proveOnce(ctx, k, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Path verifies a file, then returns its Store.Path.
func (p *Proofs) Path(ctx context.Context, k Kept) (path string, done func(), err error) {
	obj, err := p.store.Stat(ctx, k.Key)
	if err != nil {
		return "", nil, err
	}
	path, done, err = p.store.Path(ctx, k.Key)
	if err != nil {
		return "", nil, err
	}
	file, err := os.Open(path)
	if err == nil {
		err = errors.Join(p.prove(ctx, k, obj, file, 0), file.Close())
	}
	if err != nil {
		done()
		return "", nil, fmt.Errorf("reading %s: %w", k.Key, err)
	}
	return path, done, nil
}

// Check verifies a file, reading pace bytes a second; 0 for no limit. It does not read one that was verified within the day.
func (p *Proofs) Check(ctx context.Context, k Kept, pace int64) error {
	r, err := p.store.Open(ctx, k.Key)
	if err != nil {
		return err
	}
	known, err := p.known(k, r.Object)
	if err == nil && !known {
		err = p.prove(ctx, k, r.Object, r, pace)
	}
	return errors.Join(err, r.Close())
}

// Run verifies large files that were read only in part, until ctx ends.
func (p *Proofs) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case k := <-p.due:
			_ = p.Check(ctx, k, 0) // damage is reported by found; a file that cannot be read is queued again by its next reader
		}
	}
}

// Damaged lists, by key, the damaged files that have not been replaced or removed since, as far as Review has seen.
func (p *Proofs) Damaged() []Damage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.damaged), func(a, b Damage) int { return strings.Compare(a.Key, b.Key) })
}

// Review drops from Damaged the files that have been replaced or removed.
func (p *Proofs) Review(ctx context.Context) {
	for _, d := range p.Damaged() {
		obj, err := p.store.Stat(ctx, d.Key)
		if errors.Is(err, ErrNotFound) || err == nil && !sameFile(obj, d.was) {
			p.forget(d)
		}
	}
}

func (p *Proofs) forget(d Damage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.damaged[d.Key] == d {
		delete(p.damaged, d.Key)
	}
}

func sameFile(a, b Object) bool { return a.Version == b.Version && a.Size == b.Size }

// known reports whether a file was verified; ErrDamaged when it was found damaged, or has the wrong size.
func (p *Proofs) known(k Kept, obj Object) (bool, error) {
	p.mu.Lock()
	was, bad := p.damaged[k.Key]
	good, whole := p.whole[k.Key]
	p.mu.Unlock()
	switch {
	case bad && sameFile(was.was, obj):
		return false, fmt.Errorf("%s: %w", k.Key, ErrDamaged)
	case k.Size >= 0 && obj.Size != k.Size:
		return false, p.judge(k, obj, false)
	}
	return whole && good.version == obj.Version && good.sha256 == k.SHA256 && time.Since(good.at).Abs() < proofLife, nil
}

// judge records whether a file is intact; ErrDamaged when it is not.
func (p *Proofs) judge(k Kept, obj Object, whole bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if whole {
		delete(p.damaged, k.Key)
		for key := range p.whole {
			if len(p.whole) < maxProofs {
				break
			}
			delete(p.whole, key)
		}
		p.whole[k.Key] = proof{obj.Version, k.SHA256, time.Now()}
		return nil
	}
	delete(p.whole, k.Key)
	was, told := p.damaged[k.Key]
	if d := (Damage{Key: k.Key, Found: time.Now(), was: obj}); (!told || !sameFile(was.was, obj)) && (told || len(p.damaged) < maxDamaged) {
		p.damaged[k.Key] = d
		if p.found != nil {
			p.found(d)
		}
	}
	return fmt.Errorf("%s: %w", k.Key, ErrDamaged)
}

// proveOnce verifies a file once for all who ask at the same time, and rewinds the reader.
func (p *Proofs) proveOnce(ctx context.Context, k Kept, r *Reader) error {
	for {
		p.mu.Lock()
		busy := p.proving[k.Key]
		if busy == nil {
			mine := make(chan struct{})
			p.proving[k.Key] = mine
			p.mu.Unlock()
			defer func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.proving, k.Key)
				close(mine)
			}()
			break
		}
		p.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to be checked: %w", k.Key, ctx.Err())
		}
	}
	if known, err := p.known(k, r.Object); known || err != nil {
		return err
	}
	if r.cut != nil {
		defer context.AfterFunc(ctx, r.cut)()
	}
	if err := p.prove(ctx, k, r.Object, r, 0); err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading %s: %w", k.Key, err)
	}
	return nil
}

// proveBuffer is how many bytes of a file are read at once.
const proveBuffer = 1 << 20

// prove reads a file and records whether it is intact. obj is what the storage says of it.
func (p *Proofs) prove(ctx context.Context, k Kept, obj Object, r io.Reader, pace int64) error {
	sum, buf := sha256.New(), make([]byte, min(proveBuffer, max(obj.Size, 1)))
	begun, read := time.Now(), int64(0)
	for {
		n, err := r.Read(buf)
		sum.Write(buf[:n])
		read += int64(n)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("checking %s: %w", k.Key, ctx.Err())
		case errors.Is(err, io.EOF):
			return p.judge(k, obj, hex.EncodeToString(sum.Sum(nil)) == k.SHA256)
		case err != nil:
			return fmt.Errorf("checking %s: %w", k.Key, err)
		case pace > 0:
			due := begun.Add(time.Duration(float64(read) / float64(pace) * float64(time.Second)))
			if ahead := time.Until(due); ahead > 0 && interval.Wait(ctx, ahead) != nil {
				return fmt.Errorf("checking %s: %w", k.Key, ctx.Err())
			}
		}
	}
}

// provingReader hashes a file while it is read in order, and ends with ErrDamaged instead of the last bytes if the hash differs. Where a
// small file is not read in order, all of it is read first.
type provingReader struct {
	io.ReadSeekCloser
	p          *Proofs
	k          Kept
	obj        Object
	near       bool
	hash       hash.Hash
	at, hashed int64 // offsets: of the next read, and of the first byte that is not hashed yet
	err        error // ErrDamaged once the hash turned out wrong
}

// Read implements io.Reader.
func (r *provingReader) Read(b []byte) (int, error) {
	if r.err == nil && r.at > r.hashed && r.obj.Size <= r.p.small {
		if err := r.skip(); err != nil {
			return 0, err
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.ReadSeekCloser.Read(b)
	from := r.at
	r.at += int64(n)
	if from > r.hashed || r.at <= r.hashed {
		return n, err
	}
	r.hash.Write(b[r.hashed-from : n])
	r.hashed = r.at
	if r.hashed >= r.obj.Size {
		if r.err = r.p.judge(r.k, r.obj, hex.EncodeToString(r.hash.Sum(nil)) == r.k.SHA256); r.err != nil {
			return 0, r.err
		}
	}
	return n, err
}

// skip verifies what a reader who wants a part leaves out, and what is behind it.
func (r *provingReader) skip() error {
	part := r.at
	if _, err := r.Seek(r.hashed, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, make([]byte, 64<<10)); err != nil {
		return err
	}
	_, err := r.Seek(part, io.SeekStart)
	return err
}

// Seek implements io.Seeker.
func (r *provingReader) Seek(offset int64, whence int) (int64, error) {
	at, err := r.ReadSeekCloser.Seek(offset, whence)
	if err == nil {
		r.at = at
	}
	return at, err
}

// Close implements io.Closer.
func (r *provingReader) Close() error {
	if r.near && r.at > 0 && r.hashed < r.obj.Size {
		select {
		case r.p.due <- r.k:
		default:
		}
	}
	return r.ReadSeekCloser.Close()
}
