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

// ErrDamaged marks a file whose content is not what was kept under its key.
var ErrDamaged = errors.New("the file is not what was kept")

const (
	// provedFor is how long a file that was read and found whole is taken to be so, unless it is written to.
	provedFor = 24 * time.Hour
	// proveAtOnce is how large a file may be, in bytes, to be read once more before its first byte is given: a fraction of a second from a
	// disk. A larger one is checked on its way.
	proveAtOnce = 256 << 20
	// mostProofs is how many files are remembered.
	mostProofs = 100_000
	// mostDamaged is how many damaged files are told of. Others are refused all the same.
	mostDamaged = 1000
	// mostDue is how many large files wait to be checked at once. What does not find room is asked for again when it is read again.
	mostDue = 16
)

// Kept names a file by what it has to hold.
type Kept struct {
	Key    string
	SHA256 string // lower-case hex
	Size   int64  // bytes, -1 when not known
}

// Damage is a file that was found not to be what was kept.
type Damage struct {
	Key   string
	Found time.Time
	was   Object
}

// Proofs opens files of a store whose content is known by its hash, and gives none as whole that is not. A file is read once before it is
// given, or, where that takes long, hashed on its way: then reading ends with ErrDamaged in the place of the last bytes. What was found
// is remembered for as long as the file is not written to, for a day at most. It may be used from as many goroutines as you like.
type Proofs struct {
	store Store
	found func(Damage) // told of each damaged file, once; may be nil
	due   chan Kept    // large files of which parts were read

	mu      sync.Mutex
	whole   map[string]proof // by key
	damaged map[string]Damage
	proving map[string]chan struct{} // by key, closed when done
}

// proof says that a file was read and found to be what its hash says.
type proof struct {
	version, sha256 string
	at              time.Time
}

// NewProofs checks what is read of a store. found, unless nil, is told of each damaged file.
func NewProofs(store Store, found func(Damage)) *Proofs {
	return &Proofs{
		store: store, found: found, due: make(chan Kept, mostDue),
		whole: map[string]proof{}, damaged: map[string]Damage{}, proving: map[string]chan struct{}{},
	}
}

// Open opens a file; ErrDamaged when it is not what it has to be. The reader of a file that was not checked yet gives ErrDamaged in the
// place of its last bytes; a part of such a file is given as it is.
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
	case !r.Near || r.Size > proveAtOnce:
		reader := *r
		reader.ReadSeekCloser = &provingReader{ReadSeekCloser: r.ReadSeekCloser, p: p, k: k, obj: r.Object, near: r.Near, hash: sha256.New()}
		return &reader, nil
	}
	if err := p.proveOnce(ctx, k, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Path is Store.Path of a file that was found to be what it has to be.
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

// Check reads a file and says whether it is what it has to be, at pace bytes a second, 0 for as fast as it goes. One that was checked
// within the day is not read.
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

// Run checks, until ctx ends, large files of which parts were read before anybody had checked them.
func (p *Proofs) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case k := <-p.due:
			_ = p.Check(ctx, k, 0) // what is damaged is told of; what cannot be read now is checked when it is read again
		}
	}
}

// Damaged are the damaged files that have not been seen to be replaced or removed since, by their keys.
func (p *Proofs) Damaged() []Damage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.damaged), func(a, b Damage) int { return strings.Compare(a.Key, b.Key) })
}

// Review looks which of the damaged files have been replaced or removed.
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

// known tells whether a file was found whole; ErrDamaged when it was found damaged, or can be seen to be.
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
	return whole && good.version == obj.Version && good.sha256 == k.SHA256 && time.Since(good.at).Abs() < provedFor, nil
}

// judge remembers whether a file is what it has to be; ErrDamaged when it is not.
func (p *Proofs) judge(k Kept, obj Object, whole bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if whole {
		delete(p.damaged, k.Key)
		for key := range p.whole {
			if len(p.whole) < mostProofs {
				break
			}
			delete(p.whole, key)
		}
		p.whole[k.Key] = proof{obj.Version, k.SHA256, time.Now()}
		return nil
	}
	delete(p.whole, k.Key)
	was, told := p.damaged[k.Key]
	if d := (Damage{Key: k.Key, Found: time.Now(), was: obj}); (!told || !sameFile(was.was, obj)) && (told || len(p.damaged) < mostDamaged) {
		p.damaged[k.Key] = d
		if p.found != nil {
			p.found(d)
		}
	}
	return fmt.Errorf("%s: %w", k.Key, ErrDamaged)
}

// proveOnce proves a file that many may ask for in the same moment, and leaves its reader at the beginning.
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

// proveBuffer is how much of a file is read at once.
const proveBuffer = 1 << 20

// prove reads a file and remembers what it was found to be.
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

// provingReader hashes a file as it is read in order.
type provingReader struct {
	io.ReadSeekCloser
	p          *Proofs
	k          Kept
	obj        Object
	near       bool
	hash       hash.Hash
	at, hashed int64 // where the next byte is read, and up to where bytes are in the hash
	err        error // what the hash came to
}

// Read implements io.Reader.
func (r *provingReader) Read(b []byte) (int, error) {
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
