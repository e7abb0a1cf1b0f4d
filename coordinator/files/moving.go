package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Moving is a Shared store to which the files of a folder are moved while it is in use. No other coordinator may use it meanwhile.
//
// While the folder has a file, that one counts, whatever the storage has under its key: its removal from the folder, and nothing else,
// hands it over to the storage. So a process that is cut off leaves nothing ambiguous, and what is in the folder is what remains to be
// moved. The folder gets new keys only when a file in it is renamed: a reader who looks there first and then in the storage misses
// nothing and needs no lock. Whoever changes a key of the folder locks that key.
type Moving struct {
	Shared
	old    *Folder
	roots  []string
	copies string      // key below which copies are kept until they have been compared
	moved  atomic.Bool // the folder is empty and stays so

	mu   sync.Mutex
	busy map[string]chan struct{} // locked keys; closed when unlocked
	used map[string]int           // how many programs read a key by its path
	left Left
}

// movingCopies is the key below which copies are kept until they have been compared, each process's in a folder of its own.
const movingCopies = "moving"

// NewMoving joins the files of a folder and of a store, and closes both. Run moves the files below roots to the store.
func NewMoving(from *Folder, to Shared, roots []string) *Moving {
	return &Moving{Shared: to, old: from, roots: roots, copies: newCopies(), busy: map[string]chan struct{}{}, used: map[string]int{}}
}

// Close implements Store.
func (m *Moving) Close() error { return errors.Join(m.Shared.Close(), m.old.Close()) }

// has reports whether the folder has a file.
func (m *Moving) has(ctx context.Context, key string) (bool, error) {
	if m.moved.Load() {
		return false, nil
	}
	_, err := m.old.Stat(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// locked calls do while it holds the locks of keys.
func (m *Moving) locked(ctx context.Context, do func() error, keys ...string) error {
	slices.Sort(keys) // always in the same order, so that no two callers wait for each other
	for _, key := range slices.Compact(keys) {
		free, err := m.hold(ctx, key)
		if err != nil {
			return fmt.Errorf("waiting for a change of %s: %w", key, err)
		}
		defer free()
	}
	return do()
}

func (m *Moving) hold(ctx context.Context, key string) (free func(), err error) {
	for {
		m.mu.Lock()
		busy, taken := m.busy[key]
		if !taken {
			mine := make(chan struct{})
			m.busy[key] = mine
			m.mu.Unlock()
			return func() {
				m.mu.Lock()
				defer m.mu.Unlock()
				delete(m.busy, key)
				close(mine)
			}, nil
		}
		m.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// drop durably removes a file from the folder. The caller holds its lock.
func (m *Moving) drop(ctx context.Context, key string) error {
	obj, err := m.old.Stat(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = m.old.Delete(ctx, key)
	}
	if err == nil { // otherwise the file could come back after a power loss, and hide its successor
		err = ignoreMissing(m.old.syncDir(path.Dir(key)))
	}
	if err != nil {
		return fmt.Errorf("removing a file from the folder that files are moved from: %w", err)
	}
	m.countRemoved(obj)
	return nil
}

// Put implements Store.
func (m *Moving) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	if err := m.moveNow(ctx, key); err != nil {
		return Object{}, err
	}
	return m.Shared.Put(ctx, key, r, lim)
}

// PutBlob implements Store.
func (m *Moving) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	obj, err := m.Shared.PutBlob(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	switch has, err := m.has(ctx, obj.Key); {
	case err != nil:
		return Object{}, err
	case has: // the same content, but with an older time
		if err := m.locked(ctx, func() error { return m.drop(ctx, obj.Key) }, obj.Key); err != nil {
			return Object{}, err
		}
	}
	return obj, nil
}

// folderFirst looks in the folder, then in the storage.
func folderFirst[T any](m *Moving, look func(Store) (T, error)) (T, error) {
	if !m.moved.Load() {
		if found, err := look(m.old); !errors.Is(err, ErrNotFound) {
			return found, err
		}
	}
	return look(m.Shared)
}

// Open implements Store.
func (m *Moving) Open(ctx context.Context, key string) (*Reader, error) {
	return folderFirst(m, func(s Store) (*Reader, error) { return s.Open(ctx, key) })
}

// Stat implements Store.
func (m *Moving) Stat(ctx context.Context, key string) (Object, error) {
	return folderFirst(m, func(s Store) (Object, error) { return s.Stat(ctx, key) })
}

// Path implements Store. A file of the folder is not moved before every caller is done with it.
func (m *Moving) Path(ctx context.Context, key string) (path string, done func(), err error) {
	if has, err := m.has(ctx, key); err != nil {
		return "", nil, err
	} else if has {
		err := m.locked(ctx, func() (err error) {
			if path, done, err = m.old.Path(ctx, key); err == nil {
				done = m.use(key)
			}
			return err
		}, key)
		if !errors.Is(err, ErrNotFound) {
			return path, done, err
		}
	}
	return m.Shared.Path(ctx, key)
}

func (m *Moving) use(key string) (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used[key]++
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.used[key]--; m.used[key] == 0 {
			delete(m.used, key)
		}
	})
}

func (m *Moving) inUse(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used[key] > 0
}

// Rename implements Store. A file of the folder stays there under its new key until it is moved.
func (m *Moving) Rename(ctx context.Context, from, to string) error {
	if err := errors.Join(Check(from), Check(to)); err != nil {
		return err
	}
	renamed := false
	if has, err := m.has(ctx, from); err != nil {
		return err
	} else if has {
		err := m.locked(ctx, func() (err error) {
			renamed, err = m.renameOld(ctx, from, to)
			return err
		}, from, to)
		if err != nil || renamed {
			return err
		}
	}
	if err := m.moveNow(ctx, to); err != nil {
		return err
	}
	return m.Shared.Rename(ctx, from, to)
}

// renameOld renames a file if it is still in the folder. The caller holds the locks of both keys.
func (m *Moving) renameOld(ctx context.Context, from, to string) (renamed bool, err error) {
	if has, err := m.has(ctx, from); err != nil || !has {
		return false, err
	}
	if from == to {
		return true, nil
	}
	// A move that was cut off may have left a copy in the storage, which must not appear under the old key.
	if err := m.Shared.Delete(ctx, from); err != nil {
		return false, err
	}
	replaced, err := m.old.Stat(ctx, to)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	was := err == nil
	if err := m.old.Rename(ctx, from, to); err != nil {
		return false, err
	}
	if was {
		m.countRemoved(replaced)
	}
	return true, nil
}

// Delete implements Store.
func (m *Moving) Delete(ctx context.Context, key string) error {
	if has, err := m.has(ctx, key); err != nil {
		return err
	} else if !has {
		return m.Shared.Delete(ctx, key)
	}
	return m.locked(ctx, func() error {
		if err := m.Shared.Delete(ctx, key); err != nil {
			return err
		}
		return m.drop(ctx, key)
	}, key)
}

// DeleteBelow implements Store.
func (m *Moving) DeleteBelow(ctx context.Context, key string) error {
	if m.moved.Load() {
		return m.Shared.DeleteBelow(ctx, key)
	}
	err := m.old.Walk(ctx, key, func(o Object) error {
		if Check(o.Key) != nil { // an empty folder, or no file of the farm
			return nil
		}
		return m.Delete(ctx, o.Key)
	})
	if err != nil {
		return err
	}
	if err := m.old.DeleteBelow(ctx, key); err != nil {
		return err
	}
	return m.Shared.DeleteBelow(ctx, key)
}

// DeleteIf implements Store.
func (m *Moving) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	if has, err := m.has(ctx, key); err != nil {
		return err
	} else if !has {
		return m.Shared.DeleteIf(ctx, key, before, keep)
	}
	return m.locked(ctx, func() error {
		obj, err := m.old.Stat(ctx, key)
		if err == nil && !obj.Modified.Before(before) {
			return nil
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if kept, err := keep(); err != nil || kept {
			return err
		}
		if err := m.Shared.DeleteIf(ctx, key, before, keep); err != nil {
			return err
		}
		return m.drop(ctx, key)
	}, key)
}
