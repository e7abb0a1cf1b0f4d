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
	// movesAtOnce is how many files are moved at the same time.
	movesAtOnce = 8
	// moveRest bounds the rest after a file, which is as long as the file took: the disk is that of the farm's log too.
	moveRest = 20 * time.Millisecond
	// moveAgain is how long those files are waited for that programs read.
	moveAgain = time.Second
)

var (
	// errChanged says that a file is another than the one that was copied.
	errChanged = errors.New("it has changed meanwhile")
	// errInUse says that a program reads a file by its path.
	errInUse = errors.New("it is in use")
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

// gone counts a file that the folder has no more.
func (m *Moving) gone(o Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left.Files, m.left.Bytes = max(m.left.Files-1, 0), max(m.left.Bytes-o.Size, 0)
}

// Count looks through the folder for what is still to be moved.
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

// each calls fn with the files that are to be moved. What no key can name is no file of the farm, and is left alone.
func (m *Moving) each(ctx context.Context, fn func(Object) error) error {
	for _, root := range m.roots {
		err := m.old.Walk(ctx, root, func(o Object) error {
			if Check(o.Key) != nil { // an empty folder, or no file of the farm
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

// Run moves the files until none is left. Its error says why it does not go on, or which files cannot be moved though all others have
// been: it may be run again.
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
		m.tidyUp(root)
	}
	return m.Shared.DeleteBelow(ctx, movingCopies)
}

// round moves each file that the folder has, once.
func (m *Moving) round(ctx context.Context) error {
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	var mu sync.Mutex
	var failed error
	var failures int
	err := m.each(inGroup, func(o Object) error {
		group.Go(func() error {
			began := time.Now()
			err := m.moveQuietly(inGroup, o.Key)
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

// moveQuietly moves a file unless somebody uses or changes it: then a later round does.
func (m *Moving) moveQuietly(ctx context.Context, key string) error {
	if m.inUse(key) {
		return nil
	}
	err := m.move(ctx, key, m.inUse)
	if errors.Is(err, errChanged) || errors.Is(err, errInUse) {
		return nil
	}
	return err
}

// bring moves a file that is about to be changed, if the folder has it.
func (m *Moving) bring(ctx context.Context, key string) error {
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

// move copies a file to the storage, compares the copy, gives it its key and drops the file. A file that is gone needs no moving.
// What is done to the file while it is copied need not wait: then the copy is dropped.
func (m *Moving) move(ctx context.Context, key string, spared func(key string) bool) (err error) {
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
		err = m.holding(ctx, func() error { return m.settle(ctx, from, key, copied, spared) }, key)
	}
	if errors.Is(err, ErrNotFound) {
		err = errors.New("the copy went: " + err.Error()) // which says nothing about the file
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnreachable) { // otherwise the next start drops it
		err = errors.Join(err, m.Shared.Delete(ctx, copied))
	}
	return err
}

// copy copies an open file, and reads the copy back.
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
		return fmt.Errorf("it came back other than it was sent: its hash is %s, not %s", got, put.SHA256)
	}
	return nil
}

// source reads a file of the folder. Its errors are not taken for those of the storage, which may be of the same kind.
type source struct{ from io.Reader }

// Read implements io.Reader.
func (s source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errors.New("reading it: " + err.Error())
	}
	return n, err
}

// settle makes a copy the file, unless the file is another by now. The caller holds the key.
func (m *Moving) settle(ctx context.Context, from *Reader, key, copied string, spared func(key string) bool) error {
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
	if spared(key) {
		return errInUse
	}
	if err := m.Shared.Rename(ctx, copied, key); err != nil {
		return err
	}
	return m.drop(ctx, key)
}

func newCopies() string { return path.Join(movingCopies, rand.Text()) }

// dropCopies drops what processes before this one have left.
func (m *Moving) dropCopies(ctx context.Context) error {
	return m.Shared.List(ctx, movingCopies, func(o Object) error {
		below := strings.TrimSuffix(o.Key, "/")
		if below == m.copies {
			return nil
		}
		return m.Shared.DeleteBelow(ctx, below)
	})
}

// tidyUp removes a folder and those in it, as far as nothing else is in them.
func (m *Moving) tidyUp(dir string) {
	_ = m.old.list(dir, func(o Object) error {
		if below, isFolder := strings.CutSuffix(o.Key, "/"); isFolder {
			m.tidyUp(below)
		}
		return nil
	})
	_ = m.old.root.Remove(dir)
}
