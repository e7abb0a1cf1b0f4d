package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"overcrank/interval"

	"golang.org/x/sync/errgroup"
)

const (
	// movesAtOnce is how many files are moved concurrently.
	movesAtOnce = 8
	// moveRest is the longest pause after a file. A pause is as long as the move was, because the farm's log is on the same disk.
	moveRest = 20 * time.Millisecond
	// moveAgain is the pause before files that were in use are tried again.
	moveAgain = time.Second
)

var (
	// errChanged says that the file changed after it was copied.
	errChanged = errors.New("the file changed meanwhile")
	// errInUse says that a program reads the file by its path.
	errInUse = errors.New("the file is in use")
)

// Left is what is still to be moved.
type Left struct {
	Files, Bytes int64
	Known        bool // whether it has been counted yet
}

// Left is what is still to be moved.
func (m *Moving) Left() Left {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// countRemoved notes that the folder has lost a file.
func (m *Moving) countRemoved(o Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left.Files, m.left.Bytes = max(m.left.Files-1, 0), max(m.left.Bytes-o.Size, 0)
}

// Count counts the files that are still to be moved.
func (m *Moving) Count(ctx context.Context) (Left, error) {
	left := Left{Known: true}
	err := m.each(ctx, func(o Object) error {
		left.Files++
		left.Bytes += o.Size
		return nil
	})
	if err != nil {
		return Left{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = left
	return left, nil
}

// each calls fn with every file that is to be moved. Names that are not valid keys are not the farm's and stay.
func (m *Moving) each(ctx context.Context, fn func(Object) error) error {
	for _, root := range m.roots {
		err := m.old.Walk(ctx, root, func(o Object) error {
			if Check(o.Key) != nil { // an empty folder, or not a file of the farm
				return nil
			}
			return fn(o)
		})
		if err != nil {
			return fmt.Errorf("looking through the folder that files are moved from: %w", err)
		}
	}
	return nil
}

// Run moves files until none is left. Its error says why it stopped, or which files cannot be moved after all others were. It may be
// called again.
func (m *Moving) Run(ctx context.Context) error {
	if err := m.dropCopies(ctx); err != nil {
		return err
	}
	for {
		left, err := m.Count(ctx)
		if err != nil {
			return err
		}
		if left.Files == 0 {
			break
		}
		if err := m.round(ctx); err != nil {
			return err
		}
		if m.Left().Files > 0 && interval.Wait(ctx, moveAgain) != nil {
			return ctx.Err()
		}
	}
	m.moved.Store(true)
	for _, root := range m.roots {
		m.removeEmpty(root)
	}
	return m.Shared.DeleteBelow(ctx, movingCopies)
}

// round tries once to move each file of the folder.
func (m *Moving) round(ctx context.Context) error {
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	var mu sync.Mutex
	var failed error
	var failures int
	err := m.each(inGroup, func(o Object) error {
		group.Go(func() error {
			began := time.Now()
			err := m.moveIfIdle(inGroup, o.Key)
			switch {
			case err == nil:
				_ = interval.Wait(inGroup, min(time.Since(began), moveRest))
			case inGroup.Err() != nil, errors.Is(err, ErrFull), errors.Is(err, ErrUnreachable) && m.Reach(inGroup) != nil:
				return fmt.Errorf("moving %s: %w", o.Key, err)
			default:
				mu.Lock()
				defer mu.Unlock()
				failed = fmt.Errorf("moving %s: %w", o.Key, err)
				failures++
			}
			return nil
		})
		return inGroup.Err()
	})
	if stopped := group.Wait(); stopped != nil {
		return stopped
	}
	if err == nil && failures > 1 {
		err = fmt.Errorf("%w (and %d more)", failed, failures-1)
	} else if err == nil {
		err = failed
	}
	return err
}

// moveIfIdle moves a file unless somebody uses or changes it; a later round will try again.
func (m *Moving) moveIfIdle(ctx context.Context, key string) error {
	if m.inUse(key) {
		return nil
	}
	err := m.move(ctx, key, m.inUse)
	if errors.Is(err, errChanged) || errors.Is(err, errInUse) {
		return nil
	}
	return err
}

// moveNow moves a file that is about to be changed, if the folder has it.
func (m *Moving) moveNow(ctx context.Context, key string) error {
	for {
		has, err := m.has(ctx, key)
		if err != nil || !has {
			return err
		}
		err = m.move(ctx, key, func(string) bool { return false })
		if err != nil && !errors.Is(err, errChanged) {
			return fmt.Errorf("moving %s: %w", key, err)
		}
	}
}

// move copies a file to the storage, verifies the copy, gives it its key and drops the original. A missing file is no error. It does not
// lock the file while it copies: if the file changes meanwhile, the copy is deleted. skip, asked under the lock, may refuse the move.
func (m *Moving) move(ctx context.Context, key string, skip func(key string) bool) (err error) {
	from, err := m.old.Open(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	copied := path.Join(m.copies, rand.Text())
	if err = m.copy(ctx, from, copied); err == nil {
		err = m.locked(ctx, func() error { return m.commitCopy(ctx, from, key, copied, skip) }, key)
	}
	if errors.Is(err, ErrNotFound) {
		err = errors.New("the copy is gone: " + err.Error()) // not ErrNotFound: the original may well exist
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnreachable) { // otherwise the next start deletes it
		err = errors.Join(err, m.Shared.Delete(ctx, copied))
	}
	return err
}

// copy copies an open file, then reads the copy back and compares hashes.
func (m *Moving) copy(ctx context.Context, from *Reader, copied string) error {
	put, err := m.Shared.Put(ctx, copied, source{from}, Limits{Size: from.Size})
	if err != nil {
		return err
	}
	back, err := m.Shared.Open(ctx, copied)
	if err != nil {
		return fmt.Errorf("reading it back: %w", err)
	}
	hash := sha256.New()
	stop := context.AfterFunc(ctx, func() { _ = back.Close() }) // ends the reading
	_, err = io.Copy(hash, back)
	stop()
	if err = errors.Join(err, back.Close()); err != nil {
		return fmt.Errorf("reading it back: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != put.SHA256 {
		return fmt.Errorf("reading it back: its hash is %s, want %s", got, put.SHA256)
	}
	return nil
}

// source reads a file of the folder. It hides the kind of an error, so that none is taken for one of the storage.
type source struct{ from io.Reader }

// Read implements io.Reader.
func (s source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errors.New("reading the original: " + err.Error())
	}
	return n, err
}

// commitCopy makes a copy the file, unless the original was replaced meanwhile. The caller holds the key's lock.
func (m *Moving) commitCopy(ctx context.Context, from *Reader, key, copied string, skip func(key string) bool) error {
	was, err := from.ReadSeekCloser.(*os.File).Stat()
	if err != nil {
		return err
	}
	is, err := m.old.root.Stat(key)
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	if !os.SameFile(was, is) {
		return errChanged
	}
	if skip(key) {
		return errInUse
	}
	if err := m.Shared.Rename(ctx, copied, key); err != nil {
		return err
	}
	return m.drop(ctx, key)
}

func newCopies() string { return path.Join(movingCopies, rand.Text()) }

// dropCopies deletes copies that earlier processes left.
func (m *Moving) dropCopies(ctx context.Context) error {
	return m.Shared.List(ctx, movingCopies, func(o Object) error {
		below := strings.TrimSuffix(o.Key, "/")
		if below == m.copies {
			return nil
		}
		return m.Shared.DeleteBelow(ctx, below)
	})
}

// removeEmpty removes a folder and its subfolders, as far as they are empty.
func (m *Moving) removeEmpty(dir string) {
	_ = m.old.list(dir, func(o Object) error {
		if below, isFolder := strings.CutSuffix(o.Key, "/"); isFolder {
			m.removeEmpty(below)
		}
		return nil
	})
	_ = m.old.root.Remove(dir)
}
